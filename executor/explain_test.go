package executor

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"time"

	"mysqlevidence/config"
)

func values(row []any) []driver.Value {
	out := make([]driver.Value, len(row))
	for i, v := range row {
		out[i] = v
	}
	return out
}

// gated has a table of 32768 rows, views of it, and a gate of so many rows. In
// many.k one value has a single row and the other all the rest.
func (s *server) gated(most int) config.DataSource {
	s.t.Helper()
	many := s.schema + ".many"
	s.exec("CREATE TABLE " + many + " (id INT PRIMARY KEY, k INT NOT NULL, n INT NOT NULL, note TEXT, KEY by_k (k))")
	s.exec("INSERT INTO " + many + " VALUES (1, 1, 1, REPEAT('x', 20))")
	for i := 1; i < 1<<15; i *= 2 {
		s.exec(fmt.Sprintf("INSERT INTO %s SELECT id + %d, 2, id + %d, note FROM %s", many, i, i, many))
	}
	s.exec("ANALYZE TABLE " + many)
	s.exec("CREATE VIEW " + s.schema + ".plain AS SELECT id, n FROM " + many + " t2")
	s.exec("CREATE VIEW " + s.schema + ".sums AS SELECT k, SUM(n) AS total FROM " + many + " hidden_name GROUP BY k")
	s.reader, s.passwd = s.account("SELECT, SHOW VIEW ON " + s.schema + ".*")
	src := s.source()
	columns := func(names ...string) (out []config.Column) {
		for _, n := range names {
			out = append(out, config.Column{Name: n})
		}
		return out
	}
	src.Allow[0].Tables = append(src.Allow[0].Tables, config.Table{Name: "many", Columns: columns("id", "k", "n", "note")},
		config.Table{Name: "plain", Columns: columns("id", "n")}, config.Table{Name: "sums", Columns: columns("k", "total")})
	src.Limits.CostGate = config.CostGate{On: true, MaxEstimatedRows: most}
	return src
}

const gateOf = 5000

func TestTheCostGateRefusesWhatIsTooExpensiveAndNamesTheWorstTable(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, log := open(t, s.gated(gateOf))
		for _, c := range []struct {
			text  string
			says  []string
			never []string
		}{
			{"SELECT i.id FROM many m JOIN items i ON i.price <> m.n", []string{"many", "without an index", "describe_schema"}, []string{"items", "t1"}},
			{"SELECT i.id FROM items i LEFT JOIN many m ON i.price <> m.n", []string{"many", "without an index"}, []string{"items"}},
			{"SELECT i.id FROM items i JOIN items j ON i.price <> j.price", []string{"items", "0 rows each time"}, nil},
			{"SELECT id FROM many WHERE n = 5", []string{"many", "without an index"}, nil},
			{"SELECT COUNT(*) FROM many", []string{"many", "the whole of an index"}, nil},
			{"SELECT DISTINCT n FROM many LIMIT 2", []string{"many"}, nil},
			{"SELECT id FROM many ORDER BY n LIMIT 2", []string{"many"}, nil},
			{"SELECT n, note FROM many WHERE k = 2 AND n > 0", []string{"many"}, nil},
			{"SELECT id FROM plain WHERE n = 5", []string{"plain", "without an index"}, []string{"many", "t2"}},
			{"SELECT k FROM sums", []string{"sums"}, []string{"many", "hidden_name", "derived"}},
			{"SELECT i.id FROM items i JOIN sums x ON x.k = i.id", []string{"sums"}, []string{"many", "hidden_name", "derived"}},
		} {
			r, err := runAll(t.Context(), t, e, c.text, nil, within(20*time.Second))
			if err == nil {
				t.Errorf("%s: %d rows came", c.text, len(r))
				continue
			}
			f := wantFault(t, err, TooExpensive, "estimated_rows")
			for _, part := range c.says {
				if !strings.Contains(f.Hint, part) {
					t.Errorf("%s: the hint lacks %q: %s", c.text, part, f.Hint)
				}
			}
			for _, part := range append(c.never, s.schema) {
				if strings.Contains(f.Message+f.Hint, part) {
					t.Errorf("%s: the fault has %q: %s %s", c.text, part, f.Message, f.Hint)
				}
			}
			if !strings.Contains(f.Message, "is 5000,") || f.CostGate != GateOff {
				t.Errorf("%s: %s; gate %q", c.text, f.Message, f.CostGate)
			}
		}
		if n := s.busy(); n != 0 {
			t.Errorf("%d queries run", n)
		}
		if strings.Contains(log.String(), `"level":"ERROR"`) {
			t.Errorf("a refusal is no error of the operator's: %s", log)
		}
	})
}

func TestTheCostGateLetsThroughWhatIsCheap(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.gated(gateOf))
		for _, c := range []struct {
			text   string
			params []any
			rows   int
		}{
			{"SELECT n FROM many WHERE id = ?", []any{77}, 1},
			{"SELECT n FROM many WHERE id = ?", []any{-1}, 0},
			{"SELECT n FROM many WHERE id IN (?, ?)", []any{77, 78}, 2},
			{"SELECT n, note FROM many LIMIT 10", nil, 10},
			{"SELECT n, note FROM many LIMIT ? OFFSET ?", []any{10, 100}, 10},
			{"SELECT n, note FROM many ORDER BY id DESC LIMIT 10", nil, 10},
			{"SELECT i.name, m.n FROM items i JOIN many m ON m.id = i.id WHERE i.id < 20", nil, 19},
			{"SELECT MAX(id) FROM many", nil, 1},
			{"SELECT COUNT(*) FROM items", nil, 1},
			{"SELECT n FROM plain WHERE id = ?", []any{77}, 1},
			{"SELECT id FROM many WHERE FALSE", nil, 0},
		} {
			r, err := e.Run(t.Context(), planOf(t, e.source, c.text), c.params, within(20*time.Second))
			if err != nil {
				t.Errorf("%s: %v: %v", c.text, err, err.(*Error).Cause)
				continue
			}
			got, err := all(r)
			if err != nil || len(got) != c.rows || r.CostGate() != GatePassed {
				t.Errorf("%s: %d rows, %v, gate %q", c.text, len(got), err, r.CostGate())
			}
		}
	})
}

func TestTheCostGateGoesByTheParametersThatWouldRun(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.gated(gateOf))
		const byKey = "SELECT n, note FROM many WHERE k = ?"
		for _, page := range []string{"SELECT n, note FROM many LIMIT ? OFFSET ?", "SELECT note FROM many LIMIT ?, 10"} {
			params := []any{10, 20000}
			if strings.Contains(page, "?, 10") {
				params = []any{20000}
			}
			_, err := runAll(t.Context(), t, e, page, params, within(20*time.Second))
			wantFault(t, err, TooExpensive, "estimated_rows")
		}
		for range 2 { // the second time from the cache of statements
			if got, err := runAll(t.Context(), t, e, byKey, []any{1}, within(20*time.Second)); err != nil || len(got) != 1 {
				t.Fatalf("the rare key: %v, %v", got, err)
			}
			_, err := runAll(t.Context(), t, e, byKey, []any{2}, within(20*time.Second))
			wantFault(t, err, TooExpensive, "estimated_rows")
		}
	})
}

func TestThereIsOneExplainPerQueryAndOnlyWithAGate(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.gated(gateOf)
		prepared := func(e *Executor) (texts []string) {
			for text := range e.pool.idle[0].statements.byText {
				if strings.Contains(text, "`many`") {
					texts = append(texts, text)
				}
			}
			return texts
		}
		const text = "SELECT n FROM many WHERE id = 5"
		on, _ := open(t, src)
		src.Limits.CostGate = config.CostGate{}
		off, _ := open(t, src)
		for _, e := range []*Executor{on, off} {
			for range 3 {
				if _, err := runAll(t.Context(), t, e, text, nil, within(20*time.Second)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := prepared(off); len(got) != 1 || strings.Contains(got[0], "EXPLAIN") {
			t.Errorf("without a gate: %q", got)
		}
		got := prepared(on)
		if len(got) != 2 {
			t.Fatalf("with a gate: %q", got)
		}
		if len(got[0]) < len(got[1]) {
			got[0], got[1] = got[1], got[0]
		}
		if !strings.HasPrefix(got[0], "EXPLAIN ") || !strings.HasSuffix(got[0], " "+got[1]) || strings.Contains(got[0], "ANALYZE") {
			t.Errorf("what is explained is not what runs: %q", got)
		}
	})
}

// A view shows its plan only to who may read the tables behind it.
func TestWithoutTheRightToSeeThePlanTheGateIsSkippedAndThatIsSaid(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.gated(gateOf)
		of := func(grants ...string) *Executor {
			src := src
			c := *src.Connection
			c.Username, c.Password = s.account(grants...)
			src.Connection = &c
			e, log := open(t, src)
			t.Cleanup(func() {
				if strings.Contains(log.String(), "underlying") || strings.Contains(log.String(), "denied") {
					t.Errorf("the log has a server's words: %s", log)
				}
			})
			return e
		}
		onViews := []string{"SELECT ON " + s.schema + ".plain", "SELECT ON " + s.schema + ".sums"}
		for _, c := range []struct {
			name   string
			grants []string
		}{
			{"SELECT alone", onViews},
			{"and SHOW VIEW", append(onViews[:2:2], "SHOW VIEW ON "+s.schema+".plain", "SHOW VIEW ON "+s.schema+".sums")},
			{"and the table, but not SHOW VIEW", append(onViews[:2:2], "SELECT ON "+s.schema+".many")},
		} {
			t.Run(c.name, func(t *testing.T) {
				e := of(c.grants...)
				for _, text := range []string{"SELECT n FROM plain WHERE n = 5", "SELECT total FROM sums WHERE k = 1"} {
					r, err := e.Run(t.Context(), planOf(t, src, text), nil, within(20*time.Second))
					if err != nil {
						t.Fatal(err, err.(*Error).Cause)
					}
					if got, err := all(r); err != nil || len(got) != 1 || r.CostGate() != GateSkipped {
						t.Errorf("%s: %v, %v, gate %q", text, got, err, r.CostGate())
					}
				}
			})
		}
		e := of("SELECT ON "+s.schema+".plain", "SHOW VIEW ON "+s.schema+".plain", "SELECT ON "+s.schema+".many")
		_, err := runAll(t.Context(), t, e, "SELECT n FROM plain WHERE n = 5", nil, within(20*time.Second))
		wantFault(t, err, TooExpensive, "estimated_rows")

		// What fails after a skipped gate says that it was skipped.
		e = of("SELECT ON " + s.schema + ".plain")
		_, err = runAll(t.Context(), t, e, "SELECT n FROM many WHERE id = 5", nil, within(20*time.Second))
		if f := wantFault(t, err, Unavailable, "not_granted"); f.CostGate != GateSkipped {
			t.Errorf("gate %q", f.CostGate)
		}
	})
}

func TestAnExplainThatFailsOtherwiseIsAFault(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.gated(gateOf)
		e, log := open(t, src)
		_, err := runAll(t.Context(), t, e, "SELECT id FROM nowhere", nil, within(20*time.Second))
		if f := wantFault(t, err, Unavailable, "schema_drift"); f.CostGate != GateOff || strings.Contains(log.String(), "skipped") {
			t.Errorf("gate %q; the log has %s", f.CostGate, log)
		}
		for _, text := range []string{"NO SUCH STATEMENT", "SELECT 1) OR (1", "SELECT ?"} {
			if gate, err := e.passGate(t.Context(), 20*time.Second, nil, 0, newCommand(text, nil)); gate != GateOff || err == nil {
				t.Errorf("%s passed as %q", text, gate)
			} else {
				wantFault(t, err, Internal, "internal")
			}
		}
		wantOne(t, e)
	})
}

// MySQL's other optimizer, where it is built in, has no tabular EXPLAIN.
func TestAServerWithoutTabularPlansFailsRatherThanPass(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.gated(gateOf))
		wantOne(t, e)
		var unfit error
		onSession(t, e, func(c conn) { unfit = exec(c, "SET SESSION optimizer_switch = 'hypergraph_optimizer=on'") })
		r, err := e.Run(t.Context(), planOf(t, e.source, "SELECT n FROM many WHERE id = 5"), nil, within(20*time.Second))
		if unfit == nil {
			wantFault(t, err, Unavailable, "optimizer_unfit")
			return
		}
		if err != nil || r.CostGate() != GatePassed {
			t.Fatalf("without the other optimizer (%v): %v", unfit, err)
		}
		_ = r.Close()
	})
}

// While a table is locked, what is sent for it waits: that is the EXPLAIN.
func TestTheDeadlineAndACancelStopAnExplainToo(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.gated(gateOf))
		const text = "SELECT n FROM many WHERE id = 5"
		if _, err := runAll(t.Context(), t, e, text, nil, within(20*time.Second)); err != nil {
			t.Fatal(err) // the types of the columns are known from now on
		}
		lock, err := s.root.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			_, _ = lock.ExecContext(context.Background(), "UNLOCK TABLES") // or the schema could not be dropped
			_ = lock.Close()
		}()
		if _, err := lock.ExecContext(t.Context(), "LOCK TABLES "+s.schema+".many WRITE"); err != nil {
			t.Fatal(err)
		}
		_, err = runAll(t.Context(), t, e, text, nil, within(300*time.Millisecond))
		wantFault(t, err, Timeout, "timeout")

		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		plan := planOf(t, e.source, text)
		go func() {
			_, err := e.Run(ctx, plan, nil, within(20*time.Second))
			done <- err
		}()
		eventually(t, "the EXPLAIN waits", func() bool { return s.threads("AND INFO LIKE 'EXPLAIN%'") == 1 })
		cancel()
		wantFault(t, <-done, Cancelled, "cancelled")
		eventually(t, "nothing runs on the server", func() bool { return s.busy() == 0 })
		if _, err := lock.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
			t.Fatal(err)
		}
		wantOne(t, e)
	})
}

package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/seal"
)

// largeRows is the size of the table that is joined with itself twice.
const largeRows = 200_000

// withLarge makes a table of largeRows rows and a source that allows it.
func (s *server) withLarge() config.DataSource {
	s.t.Helper()
	table := s.schema + ".large"
	s.exec("CREATE TABLE " + table + " (id INT PRIMARY KEY AUTO_INCREMENT, n INT NOT NULL, label VARCHAR(20) NOT NULL, KEY by_n (n))")
	s.exec("INSERT INTO " + table + " (n, label) VALUES (0, 'row 0')")
	for rows := 1; rows < largeRows; {
		more := min(rows, largeRows-rows)
		s.exec(fmt.Sprintf("INSERT INTO %s (n, label) SELECT (n + %d) %% 1000, CONCAT('row ', n + %d) FROM %s ORDER BY id LIMIT %d", table, rows, rows, table, more))
		rows += more
	}
	src := s.source()
	src.Allow[0].Tables = append(src.Allow[0].Tables, config.Table{Name: "large", Columns: []config.Column{{Name: "id"}, {Name: "n"}, {Name: "label"}}})
	return src
}

// The ways in which a three-way self-join is busy when it is stopped: counting
// without sending anything, sending rows, looking things up in an index, and
// filling a temporary table.
var joins = []string{
	"SELECT COUNT(*) FROM large a JOIN large b ON a.label <> b.label JOIN large c ON b.label <> c.label",
	"SELECT a.id, b.label, c.label FROM large a JOIN large b ON a.label <> b.label JOIN large c ON b.label <> c.label WHERE (a.id + b.id + c.id) % 50 = 7",
	"SELECT SUM(a.id + b.id + c.id) FROM large a JOIN large b ON a.n = b.n JOIN large c ON b.n = c.n",
	"SELECT a.n, COUNT(*) FROM large a JOIN large b ON a.n <> b.n JOIN large c ON b.n <> c.n GROUP BY a.n ORDER BY 2",
}

// trial is one query that is stopped: by its caller, or by its own limit.
type trial struct {
	plan   authz.Plan
	after  time.Duration
	cancel bool
}

func randomTrial(plans []authz.Plan, cancel bool) trial {
	longest := 80 * time.Millisecond
	if rand.IntN(4) == 0 {
		longest = 2 * time.Millisecond // before the statement has begun, or while it does
	}
	return trial{plan: plans[rand.IntN(len(plans))], after: 1 + rand.N(longest), cancel: cancel}
}

// run runs the query until it is stopped. Rows that come meanwhile are read.
func (tr trial) run(ctx context.Context, e *Executor) error {
	limit := tr.after
	if tr.cancel {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer time.AfterFunc(tr.after, cancel).Stop()
		limit = time.Minute
	}
	r, err := e.Run(ctx, tr.plan, nil, within(limit))
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	for {
		if _, err := r.Next(seal.Open()); err != nil {
			return err
		}
	}
}

// expected says how the query must have ended.
func (tr trial) expected(err error) bool {
	var f *Error
	if !errors.As(err, &f) {
		return false
	}
	if tr.cancel {
		return f.Kind == Cancelled
	}
	return f.Kind == Timeout
}

func plansOf(t testing.TB, src config.DataSource, texts []string) []authz.Plan {
	t.Helper()
	var out []authz.Plan
	for _, text := range texts {
		out = append(out, planOf(t, src, text))
	}
	return out
}

// count is how often something is tried: a few times, or as often as the
// variable says.
func count(t testing.TB, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		t.Fatalf("%s is %q", variable, text)
	}
	return n
}

// bounded fails the test if something takes longer than any slow machine would,
// and still less than the server's own limit on a statement.
func bounded(t testing.TB, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(25 * time.Second):
		t.Fatalf("%s hangs", what)
	}
}

// wantWholePool takes every session that the source may have at once, and finds
// no more of the account's threads than those and the side connections.
func wantWholePool(t testing.TB, s *server, e *Executor) {
	t.Helper()
	most := e.source.Connection.MaxConnections
	var held []*session
	for range most {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		one, err := e.pool.acquire(ctx, false)
		cancel()
		if err != nil {
			t.Fatalf("%d of %d sessions could be taken: %v", len(held), most, err)
		}
		held = append(held, one)
	}
	eventually(t, "the pool's threads and no others", func() bool {
		n := s.threads("")
		return most <= n && n <= most+maxSides
	})
	for _, one := range held {
		e.pool.release(one, true)
	}
}

// Wherever a cancel or a limit falls, the server has nothing left to do soon
// after, the pool is as large as before, and the next query is right.
func TestAStoppedJoinIsGoneFromTheServer(t *testing.T) {
	cancels := count(t, "MYSQL_EVIDENCE_TEST_CANCELS", 40)
	timeouts := count(t, "MYSQL_EVIDENCE_TEST_TIMEOUTS", 10)
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.withLarge())
		plans := plansOf(t, e.source, joins)
		wantOne(t, e)
		for i := range cancels + timeouts {
			tr := randomTrial(plans, i < cancels)
			var err error
			bounded(t, "the stopped query", func() { err = tr.run(t.Context(), e) })
			if !tr.expected(err) {
				t.Fatalf("stopped after %v, cancel %v: %v", tr.after, tr.cancel, err)
			}
			eventually(t, "the thread is gone or idle", func() bool { return s.busy() == 0 })
			if len(e.pool.slots) != 0 {
				t.Fatalf("%d sessions are still taken", len(e.pool.slots))
			}
			wantOne(t, e)
		}
		wantWholePool(t, s, e)
	})
}

// BenchmarkStoppedJoin measures how long after a cancel, or after the limit, the
// server still shows the query. The metrics are of that; ns/op is not.
//
//	go test -bench StoppedJoin -benchtime 1000x ./executor
func BenchmarkStoppedJoin(b *testing.B) {
	for _, one := range mysqltest.Both(b) {
		for name, cancel := range map[string]bool{"cancel": true, "timeout": false} {
			b.Run(one.Flavour+"/"+name, func(b *testing.B) { measureStops(b, prepared(b, one), cancel) })
		}
	}
}

func measureStops(b *testing.B, s *server, cancel bool) {
	e, _ := open(b, s.withLarge())
	plans := plansOf(b, e.source, joins)
	wantOne(b, e)
	s.busy() // root's connection is made
	var overruns []time.Duration
	for b.Loop() {
		tr := randomTrial(plans, cancel)
		gone := make(chan time.Duration, 1)
		due := time.Now().Add(tr.after)
		go func() {
			time.Sleep(time.Until(due))
			for s.busy() != 0 {
			}
			gone <- time.Since(due)
		}()
		if err := tr.run(b.Context(), e); !tr.expected(err) {
			b.Fatal(err)
		}
		overruns = append(overruns, <-gone)
		wantOne(b, e)
	}
	slices.Sort(overruns)
	for _, q := range []struct {
		share float64
		unit  string
	}{{0.5, "p50-ms"}, {0.99, "p99-ms"}, {1, "max-ms"}} {
		at := overruns[int(q.share*float64(len(overruns)-1))]
		b.ReportMetric(float64(at.Microseconds())/1000, q.unit)
	}
}

// A row that has come before the cancel is given, none after it.
func TestRowsOfAStoppedJoinEndInAnError(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.withLarge())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err := e.Run(ctx, planOf(t, e.source, joins[1]), nil, within(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			if _, err := r.Next(seal.Open()); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		for range 2 {
			row, err := r.Next(seal.Open())
			if errors.Is(err, io.EOF) {
				t.Fatal("a part was presented as the whole")
			}
			wantFault(t, err, Cancelled, "cancelled")
			if row != nil {
				t.Error("a row was given after the cancel")
			}
		}
		_ = r.Close()
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
		wantWholePool(t, s, e)
	})
}

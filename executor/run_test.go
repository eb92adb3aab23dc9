package executor

import (
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/seal"
)

// closedPort is a loopback port on which nobody listens.
func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

func TestABindRefusalTakesNoConnection(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.Port = closedPort(t)
		src.Connection.Password = config.Secret{Env: "EXECUTOR_TEST_UNSET"}
		e, _ := open(t, src)
		plan := planOf(t, src, "SELECT id FROM items WHERE id = ? LIMIT ?")
		for _, params := range [][]any{nil, {1}, {1, 2, 3}, {1, -1}, {1, "2"}, {[]int{1}, 1}} {
			_, err := e.Run(t.Context(), plan, params, within(time.Second))
			var r *refusal.Refusal
			if !errors.As(err, &r) || r.Stage != refusal.Bind {
				t.Errorf("%v: %v", params, err)
			}
		}
		if _, err := e.Run(t.Context(), authz.Plan{}, nil, within(time.Second)); err == nil {
			t.Error("the zero plan runs")
		}
	})
}

func TestAPlanOfAnotherSourceIsNotRun(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		plan := planOf(t, src, "SELECT id FROM items")
		src.Name = "other"
		e, _ := open(t, src)
		_, err := e.Run(t.Context(), plan, nil, within(time.Second))
		wantFault(t, err, Internal, "internal")
	})
}

func TestLimitsAreRequired(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.Port = closedPort(t)
		e, _ := open(t, src)
		plan := planOf(t, src, "SELECT id FROM items")
		for name, change := range map[string]func(*Limits){
			"no timeout":        func(l *Limits) { l.Timeout = 0 },
			"no cell budget":    func(l *Limits) { l.CellBytes = 0 },
			"cell above source": func(l *Limits) { l.CellBytes = 4097 },
			"no rows":           func(l *Limits) { l.Rows = authz.RowLimits{} },
			"default above max": func(l *Limits) { l.Rows.Default = 100001 },
		} {
			l := within(time.Second)
			change(&l)
			_, err := e.Run(t.Context(), plan, nil, l)
			t.Log(name)
			wantFault(t, err, Internal, "internal")
		}
	})
}

func TestADeadSourceIsUnavailableAndTellsTheAgentNothing(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		missing := config.Secret{Env: "EXECUTOR_TEST_UNSET"}
		for _, c := range []struct {
			name   string
			change func(*config.Connection)
			reason string
			logged string
		}{
			{"port closed", func(c *config.Connection) { c.Port = closedPort(t) }, unreachable, "refused"},
			{"wrong password", func(c *config.Connection) { c.Password = s.env("wrong") }, accessDenied, "1045"},
			{"no password", func(c *config.Connection) { c.Password = missing }, secretMissing, "EXECUTOR_TEST_UNSET"},
			{"unverified certificate", func(c *config.Connection) { c.TLS = config.TLS{Mode: config.TLSVerify} }, tlsFailed, "cause"},
			{"no such socket", func(c *config.Connection) { c.Host, c.Port, c.Socket = "", 0, "/nonexistent/s.sock" }, unreachable, "/nonexistent"},
		} {
			t.Run(c.name, func(t *testing.T) {
				src := s.source()
				c.change(src.Connection)
				e, log := open(t, src)
				_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(5*time.Second))
				f := wantFault(t, err, Unavailable, c.reason)
				if said := f.Error() + f.Hint; strings.Contains(said, "127.0.0.1") || strings.Contains(said, s.value(s.reader)) {
					t.Errorf("the agent is told %s", said)
				}
				if !strings.Contains(log.String(), c.logged) {
					t.Errorf("the log lacks %q: %s", c.logged, log)
				}
			})
		}
	})
}

func TestARotatedPasswordIsReadAgain(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		right := s.passwd
		name := "EXECUTOR_TEST_ROTATED"
		t.Setenv(name, "wrong")
		src.Connection.Password = config.Secret{Env: name}
		e, _ := open(t, src)
		_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(5*time.Second))
		wantFault(t, err, Unavailable, accessDenied)
		cfg, err := driverConfig(config.Connection{Username: s.reader, Password: right, TLS: config.TLS{Mode: config.TLSPlaintext}})
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, cfg.Passwd)
		wantOne(t, e)
	})
}

func TestRowsComeWithTheirTypes(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		text := "SELECT id, name, price, small, big FROM items WHERE id IN (?, ?) ORDER BY id"
		r, err := e.Run(t.Context(), planOf(t, e.source, text), []any{2, "1"}, within(20*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }()
		if got, want := r.Types(seal.Open()), []string{"INT", "VARCHAR", "DECIMAL", "UNSIGNED TINYINT", "UNSIGNED BIGINT"}; !slices.Equal(got, want) {
			t.Errorf("types are %v, want %v", got, want)
		}
		var noKey seal.Key
		if row, err := r.Next(noKey); row != nil || err == nil || r.Types(noKey) != nil {
			t.Errorf("a zero key opened the rows: %v, %v", row, err)
		}
		row, err := r.Next(seal.Open())
		if err != nil || len(row) != 5 || row[0] != int64(1) || string(row[2].([]byte)) != "1.50" || string(row[4].([]byte)) != "18446744073709551615" {
			t.Errorf("got %v, %v", row, err)
		}
		if _, err = r.Next(seal.Open()); err != nil {
			t.Error(err)
		}
		for range 2 {
			if _, err = r.Next(seal.Open()); err != io.EOF {
				t.Errorf("after the end: %v", err)
			}
		}
	})
}

func TestAnEmptyResultIsAnEndAndNoError(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		got, err := runAll(t.Context(), t, e, "SELECT id FROM items WHERE id = 0", nil, within(20*time.Second))
		if err != nil || len(got) != 0 {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestTheRowBudgetIsThePlans(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		l := within(20 * time.Second)
		l.Rows = authz.RowLimits{Default: 7, Max: 100}
		r, err := e.Run(t.Context(), planOf(t, e.source, "SELECT id FROM items"), nil, l)
		if err != nil {
			t.Fatal(err)
		}
		if r.Budget() != (authz.RowBudget{Rows: 7, Capped: true}) || r.Plan().IsZero() {
			t.Errorf("budget %+v", r.Budget())
		}
		if rows, err := all(r); err != nil || len(rows) != 8 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	})
}

// A query that fails on the data tells the agent what to do and the log no cell.
func TestAQueryThatFailsOnTheDataLeavesTheSessionUsable(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, log := open(t, s.source())
		wantOne(t, e)
		before := e.pool.idle[0]
		_, err := runAll(t.Context(), t, e, "SELECT small - ? FROM items WHERE id = 1", []any{4711}, within(20*time.Second))
		wantFault(t, err, Query, "out_of_range")
		if strings.Contains(log.String(), "4711") {
			t.Errorf("the log has a parameter: %s", log)
		}
		wantOne(t, e)
		if e.pool.idle[0] != before || before.suspect {
			t.Error("the session was not verified and kept")
		}
	})
}

func TestTheAllowlistMayNameWhatIsNotThere(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		for _, text := range []string{"SELECT gone FROM cheap", "SELECT id FROM nowhere"} {
			_, err := runAll(t.Context(), t, e, text, nil, within(20*time.Second))
			var f *Error
			if !errors.As(err, &f) || f.Kind != Unavailable || f.Reason != "schema_drift" && f.Reason != "not_granted" {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

func TestStatementsArePreparedOnceAndTheirNumberIsBounded(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		wantOne(t, e)
		count := func(name string) string {
			var row []string
			onSession(t, e, func(c conn) {
				var err error
				if row, err = queryRow(t.Context(), c, "SHOW SESSION STATUS LIKE '"+name+"'"); err != nil {
					t.Fatal(err)
				}
			})
			return row[1]
		}
		prepared := count("Com_stmt_prepare")
		for range 10 {
			wantOne(t, e)
		}
		if now := count("Com_stmt_prepare"); now != prepared {
			t.Errorf("prepared again: %s, was %s", now, prepared)
		}
		for n := range 2 * maxStatements {
			text := "SELECT id FROM items WHERE id > " + strings.Repeat("1", n%9+1) + " AND small <> " + strings.Repeat("2", n/9+1) + " LIMIT 1"
			if _, err := runAll(t.Context(), t, e, text, nil, within(20*time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		held := e.pool.idle[0].statements
		if held.recent.Len() != maxStatements || len(held.byText) != maxStatements {
			t.Errorf("%d statements are held", held.recent.Len())
		}
		if made, closed := atoi(t, count("Com_stmt_prepare")), atoi(t, count("Com_stmt_close")); made-closed != maxStatements {
			t.Errorf("prepared on the server: %d, closed: %d", made, closed)
		}
		wantOne(t, e)
	})
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestThePoolIsBoundedAndWaitingForItEndsAtTheDeadline(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.MaxConnections = 2
		e, _ := open(t, src)
		plan := planOf(t, src, "SELECT a.wide FROM items a JOIN items b ON a.id <> b.id")
		var held []*Rows
		for range 2 {
			r, err := e.Run(t.Context(), plan, nil, within(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, r)
		}
		_, err := e.Run(t.Context(), plan, nil, within(100*time.Millisecond))
		wantFault(t, err, Timeout, "no_free_connection")
		if n := s.threads("AND COMMAND <> 'Sleep'"); n > 2 {
			t.Errorf("%d connections", n)
		}
		for _, r := range held {
			_ = r.Close()
		}
		wantOne(t, e)
	})
}

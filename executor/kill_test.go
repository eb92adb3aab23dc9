package executor

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mysqlevidence/internal/seal"
)

func TestATimeoutStopsTheQueryOnTheServer(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, log := open(t, s.source())
		wantOne(t, e)
		_, err := runAll(t.Context(), t, e, endless, nil, within(300*time.Millisecond))
		wantFault(t, err, Timeout, "timeout")
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
		if strings.Contains(log.String(), "did not stop in time") {
			t.Error("only the end of the connection stopped it")
		}
		wantOne(t, e)
	})
}

func TestTheContextsDeadlineIsADeadlineToo(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		wantOne(t, e)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := runAll(ctx, t, e, endless, nil, within(time.Minute))
		wantFault(t, err, Timeout, "timeout")
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
	})
}

func TestACancelStopsTheQueryOnTheServer(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			eventually(t, "the query runs", func() bool { return s.threads("AND INFO LIKE 'SELECT COUNT%'") == 1 })
			cancel()
		}()
		_, err := runAll(ctx, t, e, endless, nil, within(time.Minute))
		wantFault(t, err, Cancelled, "cancelled")
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
		wantOne(t, e)
	})
}

// MySQL answers a killed SLEEP with a row and no error.
func TestAKilledQueryThatSucceedsIsATimeout(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		wantOne(t, e)
		_, _, err := e.collectWithin(t.Context(), newCommand("SELECT SLEEP(20)", nil), 300*time.Millisecond)
		wantFault(t, err, Timeout, "timeout")
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
	})
}

func (e *Executor) collectWithin(ctx context.Context, cmd command, d time.Duration) ([][]string, error, error) {
	c, err := e.query(ctx, d, cmd)
	if err != nil {
		return nil, nil, err
	}
	defer c.close()
	for {
		if _, err := c.next(); err != nil {
			return nil, nil, err
		}
	}
}

func TestTheServersOwnLimitIsTheSources(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Limits.Timeout = 400 * time.Millisecond
		e, _ := open(t, src)
		onSession(t, e, func(c conn) {
			_, err := queryText(t.Context(), c, strings.ReplaceAll("SELECT COUNT(*) FROM db.items a JOIN db.items b JOIN db.items c JOIN db.items d JOIN db.items e WHERE a.name <> b.name", "db", s.schema))
			if got := fault(nil, err); got.Kind != Timeout {
				t.Errorf("got %v (%v)", got, err)
			}
		})
	})
}

func TestALongResultThatIsNotWantedIsNotReadOn(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		p := s.through(&src)
		e, _ := open(t, src)
		wantOne(t, e)
		before := p.received.Load()
		r, err := e.Run(t.Context(), planOf(t, src, "SELECT a.wide FROM items a JOIN items b ON a.id <> b.id"), nil, within(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(seal.Open()); err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		if read := p.received.Load() - before; read > 8<<20 { // of 90 MB; the rest is in socket buffers
			t.Errorf("%d bytes were read", read)
		}
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
		wantOne(t, e)
	})
}

func TestOnlyAShortRestIsReadToKeepTheSession(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for text, kept := range map[string]bool{
			"SELECT id FROM items LIMIT 50": true,
			"SELECT wide FROM items":        false, // 300 KB
		} {
			e, _ := open(t, s.source())
			wantOne(t, e)
			before := e.pool.idle[0]
			r, err := e.Run(t.Context(), planOf(t, e.source, text), nil, within(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Close()
			wantOne(t, e)
			if got := e.pool.idle[0] == before; got != kept {
				t.Errorf("%s: the session was kept: %v", text, got)
			}
		}
	})
}

func TestNothingIsGivenAfterTheDeadline(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for _, before := range []int{0, 1, 20} { // of 20: no row, a row, and the end come late
			e, _ := open(t, s.source())
			wantOne(t, e)
			r, err := e.Run(t.Context(), planOf(t, e.source, "SELECT id FROM items LIMIT 20"), nil, within(time.Second))
			if err != nil {
				t.Fatal(err)
			}
			for range before {
				if _, err := r.Next(seal.Open()); err != nil {
					t.Fatal(err)
				}
			}
			<-r.cursor.ctx.Done() // what the server sent is here already
			for range 2 {
				_, err = r.Next(seal.Open())
				wantFault(t, err, Timeout, "timeout")
			}
			_ = r.Close()
		}
	})
}

// Deadlines that fall anywhere, also before the statement has begun and after it
// has ended, never spoil the next query.
func TestARacingDeadlineNeverSpoilsTheNextQuery(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		plan := planOf(t, e.source, "SELECT id FROM items WHERE id = ?")
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				for i := range 150 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(400))*time.Microsecond)
					r, err := e.Run(ctx, plan, []any{i + 1}, within(time.Minute))
					if err == nil {
						_, _ = all(r)
					}
					cancel()
					r, err = e.Run(t.Context(), plan, []any{i + 1}, within(time.Minute))
					if err != nil {
						t.Errorf("the next query: %v", err)
						return
					}
					if got, err := all(r); err != nil || len(got) != 1 || got[0][0] != strconv.Itoa(i+1) {
						t.Errorf("the next query gave %v, %v", got, err)
						return
					}
				}
			})
		}
		group.Wait()
	})
}

func TestCloseStopsWhatRunsAndEndsEveryConnection(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		s.root.SetMaxOpenConns(1)
		s.threads("")
		before := goroutines()
		e, _ := open(t, s.source())
		wantOne(t, e)
		failed := make(chan error)
		go func() {
			_, err := runAll(t.Context(), t, e, endless, nil, within(time.Minute))
			failed <- err
		}()
		open, err := e.Run(t.Context(), planOf(t, e.source, "SELECT id FROM items"), nil, within(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the query runs", func() bool { return s.threads("AND INFO LIKE 'SELECT COUNT%'") == 1 })
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		wantFault(t, <-failed, Unavailable, closing)
		_, err = open.Next(seal.Open())
		wantFault(t, err, Unavailable, closing)
		_ = open.Close()
		eventually(t, "no connection is left", func() bool { return s.threads("") == 0 })
		eventually(t, "no goroutine is left", func() bool { return goroutines() <= before })
		_, err = runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(time.Minute))
		wantFault(t, err, Unavailable, closing)
	})
}

func TestCloseEndsWhatIsIdle(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		wantOne(t, e)
		if n := s.threads(""); n != 2 {
			t.Fatalf("%d connections; want a session and a side connection", n)
		}
		for range 2 {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
		eventually(t, "no connection is left", func() bool { return s.threads("") == 0 })
	})
}

// goroutines counts those of connections and of this package's own work.
func goroutines() int {
	stacks := make([]byte, 1<<20)
	text := string(stacks[:runtime.Stack(stacks, true)])
	return strings.Count(text, "created by github.com/go-sql-driver/mysql.") + strings.Count(text, "executor.(*killer)")
}

func TestALostConnectionIsRetriedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		p := s.through(&src)
		e, _ := open(t, src)
		wantOne(t, e)
		const text = "SELECT name FROM items WHERE name = 'marker'"
		marker := "'marker'"

		p.cutOn(marker, 1)
		if _, err := runAll(t.Context(), t, e, text, nil, within(20*time.Second)); err != nil || p.cuts.Load() != 1 {
			t.Errorf("lost once: %v after %d cuts", err, p.cuts.Load())
		}
		p.cutOn(marker, 100)
		_, err := runAll(t.Context(), t, e, "SELECT name FROM items WHERE name = 'marker' AND id = 1", nil, within(20*time.Second))
		wantFault(t, err, Unavailable, connectionLost)
		if p.cuts.Load() != 3 {
			t.Errorf("sent %d times more", p.cuts.Load()-1)
		}
		wantOne(t, e)
	})
}

func TestAnIdleConnectionThatDiedIsReplaced(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		wantOne(t, e)
		s.exec("KILL " + e.pool.idle[0].id)
		eventually(t, "the loss is noticed", func() bool { return !e.pool.opener.ready(t.Context(), e.pool.idle[0]) })
		wantOne(t, e)
	})
}

func TestAKillNeverGoesToAnotherServer(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		wantOne(t, e)
		held, err := e.pool.acquire(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		elsewhere := &session{facts: held.facts}
		elsewhere.server = "another"
		if err := e.killer.kill("KILL ", elsewhere); !errors.Is(err, errOtherServer) {
			t.Errorf("got %v", err)
		}
		if n := s.threads("AND ID = " + held.id); n != 1 {
			t.Error("a thread with the same number was killed")
		}
		e.pool.release(held, true)
	})
}

func TestAKillThatDoesNotGetThroughIsTriedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		p := s.through(&src)
		e, _ := open(t, src)
		wantOne(t, e)
		p.cutOn("KILL", 1<<30)
		_, err := runAll(t.Context(), t, e, endless, nil, within(300*time.Millisecond))
		wantFault(t, err, Timeout, "timeout")
		if s.busy() == 0 {
			t.Fatal("the query was stopped without a KILL")
		}
		p.cutOn("", 0)
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
	})
}

// A full server is when queries are slow: the connection for KILL exists before.
func TestTheWatchdogNeedsNoNewConnection(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.MaxConnections = 1
		e, log := open(t, src)
		wantOne(t, e)
		s.exec("ALTER USER '" + s.value(s.reader) + "'@'%' WITH MAX_USER_CONNECTIONS 1")
		last, err := dial(t.Context(), *src.Connection) // the limit counts from its setting on
		if err != nil {
			t.Fatal(err)
		}
		defer last.close()
		busy := make(chan error)
		go func() {
			_, err := runAll(t.Context(), t, e, endless, nil, within(500*time.Millisecond))
			busy <- err
		}()
		wantFault(t, <-busy, Timeout, "timeout")
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
		if strings.Contains(log.String(), `"WARN"`) {
			t.Errorf("the log warns: %s", log)
		}
	})
}

func TestManyKillsShareTwoSideConnections(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.MaxConnections = 6
		e, _ := open(t, src)
		var group sync.WaitGroup
		for range 6 {
			group.Go(func() {
				_, err := runAll(t.Context(), t, e, endless, nil, within(3*time.Second))
				var f *Error
				if !errors.As(err, &f) || f.Kind != Timeout {
					t.Errorf("got %v", err)
				}
			})
		}
		group.Wait()
		eventually(t, "only the side connections are left", func() bool { return s.threads("") <= maxSides })
	})
}

func TestRowsOfNoQueryAreRefused(t *testing.T) {
	var r Rows
	if !r.IsZero() || !(*Rows)(nil).IsZero() {
		t.Error("not zero")
	}
	if _, err := r.Next(seal.Open()); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("the zero rows give %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

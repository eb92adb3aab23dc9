package executor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/seal"
)

// faultRows is the size of the whole answer, and faultQuery what gives it.
const (
	faultRows  = 40
	faultQuery = "SELECT id, name FROM items WHERE id <= ? ORDER BY id"
)

// faultCase is one fault at one moment.
type faultCase struct {
	fault  breakage
	moment moment
	times  int // it strikes: once, or as often as it can
	side   sideFault
}

func (c faultCase) String() string {
	return fmt.Sprintf("%s, %s, %d times, %s", c.fault.name, c.moment, c.times, c.side)
}

const always = 1 << 30

// faultCases is every fault at every moment.
func faultCases() []faultCase {
	var out []faultCase
	for _, m := range allMoments {
		for _, f := range breaking {
			if f.possible(m) {
				out = append(out, faultCase{f, m, 1, sideWorks}, faultCase{f, m, always, sideCloses})
			}
		}
		for _, f := range healing {
			out = append(out, faultCase{f, m, 1, sideWorks})
		}
		out = append(out, faultCase{silent, m, 1, sideWorks})
		if m == atExecute || m == inFirst || m == inLater {
			out = append(out, faultCase{silent, m, 1, sideSilent}, faultCase{silent, m, 1, sideCloses})
		}
	}
	return out
}

// setting is where the cases are tried: a server, with or without TLS.
type setting struct {
	*server
	source   config.DataSource
	identity *tls.Certificate
	plan     authz.Plan
}

func plainSetting(t *testing.T, one *mysqltest.Server) setting {
	s := prepared(t, one)
	src := s.source()
	return setting{server: s, source: src, plan: planOf(t, src, faultQuery)}
}

// encryptedSetting is one in which the client verifies the relay's certificate.
func encryptedSetting(t *testing.T, one *mysqltest.Server) setting {
	s := plainSetting(t, one)
	ca, cert, key := certificate(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s.identity = &pair
	s.source.Connection.TLS = config.TLS{Mode: config.TLSVerify, CAFile: file, ServerName: "127.0.0.1"}
	return s
}

// Whatever happens to a connection, and whenever: the answer is whole or it is an
// error, it comes, nothing is left over, and the next query is right.
func TestNoFaultGivesAWrongAnswerOrLeaksAConnection(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) setting{
		"mysql":            func(t *testing.T) setting { return plainSetting(t, mysqltest.MySQL(t)) },
		"mysql, encrypted": func(t *testing.T) setting { return encryptedSetting(t, mysqltest.MySQL(t)) },
		"mariadb":          func(t *testing.T) setting { return plainSetting(t, mysqltest.MariaDB(t)) },
	} {
		t.Run(name, func(t *testing.T) { tryAll(t, make(t)) })
	}
}

func tryAll(t *testing.T, s setting) {
	s.root.SetMaxOpenConns(1)
	if s.threads("") != 0 {
		t.Fatal("the account is in use")
	}
	before := goroutines()
	cases := make(chan faultCase)
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			for c := range cases {
				if err := s.try(c); err != nil {
					t.Errorf("%s: %v", c, err)
				}
			}
		})
	}
	for _, c := range faultCases() {
		cases <- c
	}
	close(cases)
	group.Wait()
	eventually(t, "no connection is left", func() bool { return s.threads("") == 0 })
	eventually(t, "no goroutine is left", func() bool { return goroutines() <= before })
}

// try puts one relay and one executor through the case.
func (s setting) try(c faultCase) (err error) {
	src := s.source
	r := s.relayed(&src, s.identity)
	defer r.close()
	e, err := Open(src, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.left(e, r)) }()
	if err := s.whole(e); err != nil {
		return fmt.Errorf("before the fault: %w", err)
	}
	if c.moment == atPrepare || c.moment == inPrepared || c.moment == inColumns || c.times > 1 {
		e.pool.idle[0].statements = statements{} // as on a session that hasn't seen the query
	}
	r.arm(c.fault, c.moment, c.times)
	r.setSide(c.side)
	limit := 15 * time.Second
	if c.fault.name == silent.name {
		limit = 300 * time.Millisecond
	}
	answer, failure, hangs := s.ask(e, r, limit)
	if hangs {
		return errors.New("it hangs")
	}
	fired, attempts := r.counts()
	if err := c.judge(answer, failure, fired, attempts); err != nil {
		return err
	}
	r.arm(breakage{}, "", 0)
	r.setSide(sideWorks)
	for _, one := range e.pool.idle {
		one.rested = time.Time{} // long ago
	}
	if err := s.whole(e); err != nil {
		return fmt.Errorf("after the fault: %w", err)
	}
	return nil
}

// ask runs the query and reads it to its end. It waits longer than the killing
// takes that can't get through.
func (s setting) ask(e *Executor, r *relay, limit time.Duration) (answer [][]string, failure error, hangs bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		rows, err := e.Run(context.Background(), s.plan, []any{faultRows}, within(limit))
		r.open()
		if err != nil {
			failure = err
			return
		}
		answer, failure = all(rows)
	}()
	select {
	case <-done:
		return answer, failure, false
	case <-time.After(60 * time.Second):
		return nil, nil, true
	}
}

// whole expects the right answer.
func (s setting) whole(e *Executor) error {
	rows, err := e.Run(context.Background(), s.plan, []any{faultRows}, within(20*time.Second))
	if err != nil {
		return err
	}
	answer, err := all(rows)
	if err != nil || !slices.EqualFunc(answer, expected(faultRows), slices.Equal) {
		return fmt.Errorf("got %d rows, %v, %w", len(answer), answer, err)
	}
	return nil
}

func expected(n int) [][]string {
	var out [][]string
	for i := 1; i <= n; i++ {
		out = append(out, []string{strconv.Itoa(i), "item " + strconv.Itoa(i)})
	}
	return out
}

// judge says what is wrong with what came of the fault.
func (c faultCase) judge(answer [][]string, failure error, fired, attempts int) error {
	if fired == 0 {
		return errors.New("it didn't strike")
	}
	if len(answer) > faultRows || !slices.EqualFunc(answer, expected(faultRows)[:len(answer)], slices.Equal) {
		return fmt.Errorf("wrong rows: %v", answer)
	}
	if failure == nil && len(answer) != faultRows {
		return fmt.Errorf("%d rows are presented as the whole", len(answer))
	}
	var f *Error
	if failure != nil && !errors.As(failure, &f) {
		return fmt.Errorf("an error of another kind: %w", failure)
	}
	switch {
	case c.fault.heals && failure != nil:
		return fmt.Errorf("it heals, but %w", failure)
	case c.fault.name == silent.name && c.moment != afterEnd && (f == nil || f.Kind != Timeout):
		return fmt.Errorf("the deadline gave %v, and not a timeout", failure)
	}
	return c.judgeRetry(failure, fired, attempts)
}

// judgeRetry says whether the query was sent as often as it may be: twice if its
// connection was lost before the first row, else once.
func (c faultCase) judgeRetry(failure error, fired, attempts int) error {
	if c.fault.late(c.moment) {
		return nil // the answer was already on its way: it is whole, or the query was sent again
	}
	lost := c.moment.early() && !c.fault.heals && !c.fault.keeps && c.fault.name != silent.name
	switch {
	case lost && c.times == 1 && (failure != nil || attempts != 2):
		return fmt.Errorf("lost once before the first row: sent %d times, %w", attempts, failure)
	case lost && c.times > 1 && (attempts != 2 || fired != 2 || !isLost(failure)):
		return fmt.Errorf("lost always before the first row: sent %d times, %v", attempts, failure)
	case !lost && attempts != 1:
		return fmt.Errorf("sent %d times", attempts)
	}
	return nil
}

func isLost(err error) bool {
	var f *Error
	return errors.As(err, &f) && f.Kind == Unavailable && f.Reason == connectionLost
}

// left says what is left over when everything has ended.
func (s setting) left(e *Executor, r *relay) error {
	if n := len(e.pool.slots); n != 0 {
		return fmt.Errorf("%d sessions are still taken", n)
	}
	if n := r.alive(); n > e.source.Connection.MaxConnections+maxSides {
		return fmt.Errorf("%d connections are open", n)
	}
	if err := e.Close(); err != nil {
		return err
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if r.alive() == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d connections are open after the end", r.alive())
}

// A server that goes away takes its connections with it and comes back.
func TestAServerThatRestartsIsServedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		st := setting{server: s, source: src, plan: planOf(t, src, faultQuery)}
		r := s.relayed(&src, nil)
		defer r.close()
		e, _ := open(t, src)
		for range 3 {
			if err := st.whole(e); err != nil {
				t.Fatal(err)
			}
			r.restart()
			_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(20*time.Second))
			wantFault(t, err, Unavailable, unreachable)
			r.resume()
		}
		if err := st.whole(e); err != nil {
			t.Fatal(err)
		}
		wantWholePool(t, s, e)
	})
}

// An account that loses all of its connections at once, and can make no new one
// for a while, as when an operator cleans up.
func TestEveryConnectionKilledAndTheAccountLocked(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		wantOne(t, e)
		name := s.value(s.reader)
		s.exec("ALTER USER '" + name + "'@'%' ACCOUNT LOCK")
		for _, one := range e.pool.idle {
			s.exec("KILL " + one.id)
		}
		_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(20*time.Second))
		wantFault(t, err, Unavailable, accessDenied)
		s.exec("ALTER USER '" + name + "'@'%' ACCOUNT UNLOCK")
		wantOne(t, e)
	})
}

// A long answer whose connection the server ends on the way.
func TestAConnectionKilledInMidStreamIsNoEnd(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		r, err := e.Run(t.Context(), planOf(t, e.source, "SELECT a.wide FROM items a JOIN items b ON a.id <> b.id"), nil, within(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := r.Next(seal.Open()); err != nil {
				t.Fatal(err)
			}
		}
		s.exec("KILL " + r.cursor.session.id)
		n := 10
		for ; err == nil; n++ {
			_, err = r.Next(seal.Open())
		}
		if errors.Is(err, io.EOF) {
			t.Fatalf("%d rows are presented as the whole", n)
		}
		wantFault(t, err, Unavailable, connectionLost)
		_ = r.Close()
		wantOne(t, e)
		wantWholePool(t, s, e)
	})
}

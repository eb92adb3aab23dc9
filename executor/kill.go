package executor

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/config"
)

const (
	// killEvery is how often a KILL is repeated: one that arrives before the
	// statement has begun is lost without a trace.
	killEvery = 20 * time.Millisecond
	// killGrace is how long KILL QUERY is tried before the connection is ended.
	killGrace = 2 * time.Second
	// killTimeout bounds one KILL, the making of its connection included.
	killTimeout = time.Second
	// maxSides bounds the side connections, which come on top of the source's
	// max_connections.
	maxSides = 2
)

// errOtherServer means that the side connection reached another server than the
// session's, as it can behind a load balancer or after a failover.
var errOtherServer = errors.New("the side connection reached another server")

// killer stops queries on the server, over side connections of the same account.
// Ending our own end of a connection doesn't: the server notices only when it
// next writes.
type killer struct {
	connection config.Connection
	log        *slog.Logger
	slots      chan struct{}
	watches    sync.WaitGroup

	mu   sync.Mutex
	idle []side
	done bool
}

// side is a connection on which nothing but KILL is sent.
type side struct {
	wire
	server string
}

func newKiller(c config.Connection, log *slog.Logger) *killer {
	return &killer{connection: c, log: log, slots: make(chan struct{}, maxSides)}
}

// watch is the guard over one query.
type watch struct {
	killer   *killer
	stop     func() bool
	returned chan struct{} // closed when the query has returned
	ended    chan struct{} // closed when the killing has ended
}

// watch stops the session's query on the server when the context ends. The
// caller must call end exactly once, when the query has returned.
func (k *killer) watch(ctx context.Context, s *session) *watch {
	w := &watch{killer: k, returned: make(chan struct{}), ended: make(chan struct{})}
	k.watches.Add(1)
	w.stop = context.AfterFunc(ctx, func() {
		defer k.watches.Done()
		defer close(w.ended)
		k.stopQuery(s, w.returned)
	})
	return w
}

// end waits until no more KILL can follow and reports whether one was sent.
func (w *watch) end() bool {
	if w.stop() {
		w.killer.watches.Done()
		return false
	}
	close(w.returned)
	<-w.ended
	return true
}

// stopQuery sends KILL QUERY until the query has returned, and after the grace
// ends the connection from both sides.
func (k *killer) stopQuery(s *session, returned <-chan struct{}) {
	tick := time.NewTicker(killEvery)
	defer tick.Stop()
	grace := time.NewTimer(killGrace)
	defer grace.Stop()
	for {
		err := k.kill("KILL QUERY ", s)
		select {
		case <-returned:
			return
		case <-grace.C:
			k.log.Warn("query did not stop in time; ending its connection", slog.String("thread", s.id), slog.Any("last_error", err))
			k.drop(s)
			return
		case <-tick.C:
		}
	}
}

// drop ends a session whose result isn't read to its end, without reading it:
// on the server, then here.
func (k *killer) drop(s *session) {
	if err := k.kill("KILL ", s); err != nil {
		k.log.Warn("connection could not be ended on the server; it ends at the session's time limit",
			slog.String("thread", s.id), slog.Any("error", err))
	}
	s.cut()
}

// kill sends one KILL. A thread that is already gone is no error.
func (k *killer) kill(verb string, s *session) error {
	ctx, cancel := context.WithTimeout(context.Background(), killTimeout)
	defer cancel()
	select {
	case k.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-k.slots }()
	c, err := k.take(ctx, s)
	if err != nil {
		return err
	}
	_, err = c.conn.ExecContext(ctx, verb+s.id, nil)
	answer, ok := errors.AsType[*mysql.MySQLError](err)
	if err != nil && !ok {
		c.close()
		return err
	}
	k.put(c)
	if ok && answer.Number != 1094 { // unknown thread
		return err
	}
	return nil
}

// take returns a side connection to the session's own server.
func (k *killer) take(ctx context.Context, s *session) (side, error) {
	for {
		c, ok := k.pop()
		if !ok {
			return k.connect(ctx, s)
		}
		if c.server == s.server && c.conn.ResetSession(ctx) == nil {
			return c, nil
		}
		c.close()
	}
}

func (k *killer) connect(ctx context.Context, s *session) (side, error) {
	w, err := dial(ctx, k.connection)
	if err != nil {
		return side{}, err
	}
	row, err := queryRow(ctx, w.conn, "SELECT "+s.flavour.identity())
	if err == nil && row[0] != s.server {
		err = errOtherServer
	}
	if err != nil {
		w.close()
		return side{}, err
	}
	return side{wire: w, server: row[0]}, nil
}

// ensure makes a side connection to the session's server if there is none: when
// the server is full, which is when queries are slow, none could be made.
func (k *killer) ensure(ctx context.Context, s *session) error {
	select {
	case k.slots <- struct{}{}:
	default:
		return nil // they are all in use, so they exist
	}
	defer func() { <-k.slots }()
	c, err := k.take(ctx, s)
	if err != nil {
		return err
	}
	k.put(c)
	return nil
}

func (k *killer) pop() (side, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.idle) == 0 {
		return side{}, false
	}
	last := len(k.idle) - 1
	c := k.idle[last]
	k.idle = k.idle[:last]
	return c, true
}

func (k *killer) put(c side) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done {
		c.close()
		return
	}
	k.idle = append(k.idle, c)
}

// close waits for the killing that goes on, which takes at most the grace and two
// KILLs, and ends the side connections. No watch may be begun after it has begun.
func (k *killer) close() {
	k.watches.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.done = true
	for _, c := range k.idle {
		c.close()
	}
	k.idle = nil
}

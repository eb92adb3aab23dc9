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
	// insistEvery is how often the end of a connection is tried again when the
	// server could not be reached for it.
	insistEvery = 250 * time.Millisecond
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
	limit      time.Duration // after which the server stops a statement by itself
	log        *slog.Logger
	slots      chan struct{}
	watches    sync.WaitGroup // and what they have left to do
	closing    chan struct{}

	mu   sync.Mutex
	idle []side
	done bool
}

// side is a connection on which nothing but KILL is sent.
type side struct {
	wire
	server string
}

func newKiller(c config.Connection, limit time.Duration, log *slog.Logger) *killer {
	return &killer{connection: c, limit: limit, log: log, slots: make(chan struct{}, maxSides), closing: make(chan struct{})}
}

// watch is the guard over one query.
type watch struct {
	killer   *killer
	session  *session
	stop     func() bool
	making   sync.Once     // of the channels, which few queries need
	returned chan struct{} // closed when the query has returned
	ended    chan struct{} // closed when the killing has ended
}

// watch stops the session's query on the server when the context ends. The
// caller must call end exactly once, when the query has returned.
func (k *killer) watch(ctx context.Context, s *session) *watch {
	w := &watch{killer: k, session: s}
	k.watches.Add(1)
	w.stop = context.AfterFunc(ctx, w.fire)
	return w
}

func (w *watch) fire() {
	defer w.killer.watches.Done()
	returned, ended := w.channels()
	defer close(ended)
	w.killer.stopQuery(w.session, returned)
}

func (w *watch) channels() (returned, ended chan struct{}) {
	w.making.Do(func() { w.returned, w.ended = make(chan struct{}), make(chan struct{}) })
	return w.returned, w.ended
}

// end waits until no more KILL can follow and reports whether one was sent.
func (w *watch) end() bool {
	if w.stop() {
		w.killer.watches.Done()
		return false
	}
	returned, ended := w.channels()
	close(returned)
	<-ended
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
// on the server, then here. It is called under a watch.
func (k *killer) drop(s *session) {
	err := k.kill("KILL ", s)
	s.cut()
	if err != nil {
		k.log.Warn("connection could not be ended on the server yet", slog.String("thread", s.id), slog.Any("error", err))
		k.watches.Go(func() { k.insist(s) })
	}
}

// insist tries again to end the connection until that succeeds or the server has
// stopped the statement by itself. Unlike KILL QUERY, one KILL is enough: it
// holds for whatever the connection does next.
func (k *killer) insist(s *session) {
	tick := time.NewTicker(insistEvery)
	defer tick.Stop()
	limit := time.NewTimer(k.limit)
	defer limit.Stop()
	for {
		select {
		case <-k.closing:
			return
		case <-limit.C:
			return
		case <-tick.C:
			if k.kill("KILL ", s) == nil {
				return
			}
		}
	}
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
	err = execText(ctx, c.conn, verb+s.id)
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
	k.mu.Lock()
	if !k.done {
		close(k.closing)
	}
	k.done = true
	k.mu.Unlock()
	k.watches.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.idle {
		c.close()
	}
	k.idle = nil
}

package executor

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxAge is the most that a session is reused after it was made: then the
// account, the credentials, the address and the certificate are looked at anew.
const maxAge = 15 * time.Minute

const (
	// trustedRest is how long an idle session counts as alive without a question.
	trustedRest = 30 * time.Second
	// answerTimeout bounds the answer to that question.
	answerTimeout = 2 * time.Second
)

// errClosed is the cause of what ends because the executor was closed.
var errClosed = errors.New("the data source is closed")

// pool keeps the idle sessions of a data source and bounds those that exist.
type pool struct {
	opener opener
	slots  chan struct{} // one token for each session that exists or is being made
	closed chan struct{}

	mu   sync.Mutex
	idle []*session // the most recently used last
	done bool
}

func newPool(o opener, most int) *pool {
	return &pool{opener: o, slots: make(chan struct{}, most), closed: make(chan struct{})}
}

// acquire returns a session that was verified, waiting for a free one until the
// context ends. With fresh it is a new one, and the idle ones are given up: the
// server that they were connected to is probably gone.
func (p *pool) acquire(ctx context.Context, fresh bool) (*session, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	select {
	case p.slots <- struct{}{}:
	case <-p.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, noneFree(ctx)
	}
	s, err := p.take(ctx, fresh)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return s, nil
}

// noneFree is the error of a call that ended while it waited for a session.
func noneFree(ctx context.Context) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	return newError(Timeout, "no_free_connection", "All connections of this data source were busy until the deadline.",
		"Try again in a few seconds.", ctx.Err())
}

func (p *pool) take(ctx context.Context, fresh bool) (*session, error) {
	for {
		s, err := p.pop()
		if err != nil {
			return nil, err
		}
		if s == nil {
			return p.opener.open(ctx)
		}
		if !fresh && p.opener.ready(ctx, s) {
			return s, nil
		}
		s.close()
	}
}

// pop returns an idle session, or nil when there is none.
func (p *pool) pop() (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return nil, errClosed
	}
	if len(p.idle) == 0 {
		return nil, nil
	}
	last := len(p.idle) - 1
	s := p.idle[last]
	p.idle = p.idle[:last]
	return s, nil
}

// release gives a session back. One that isn't reusable, whose connection the
// caller has closed or cut, only frees its slot.
func (p *pool) release(s *session, reusable bool) {
	if reusable && !p.push(s) {
		s.close()
	}
	<-p.slots
}

func (p *pool) push(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return false
	}
	s.rested = time.Now()
	p.idle = append(p.idle, s)
	return true
}

// close ends the idle sessions and refuses new ones. Sessions in use end when
// they are released.
func (p *pool) close() {
	p.mu.Lock()
	idle, first := p.idle, !p.done
	p.idle, p.done = nil, true
	p.mu.Unlock()
	if first {
		close(p.closed)
	}
	for _, s := range idle {
		s.close()
	}
}

package boundary

import (
	"context"
	"errors"
	"sync"
)

// memoryStore is a harness's own store. It keeps what it is given, in order.
type memoryStore struct {
	mu       sync.Mutex
	begun    map[Key]Invocation
	finished map[Key]Outcome

	beginErr, finishErr     error
	panicBegin, panicFinish bool
	cancelled               bool // a context that had ended was passed
}

func newMemoryStore() *memoryStore {
	return &memoryStore{begun: map[Key]Invocation{}, finished: map[Key]Outcome{}}
}

func (s *memoryStore) Begin(ctx context.Context, inv Invocation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.panicBegin {
		panic("begin")
	}
	if s.beginErr != nil {
		return s.beginErr
	}
	s.cancelled = s.cancelled || ctx.Err() != nil
	if _, ok := s.begun[inv.Key]; ok {
		return ErrDuplicate
	}
	s.begun[inv.Key] = inv
	return nil
}

func (s *memoryStore) Finish(ctx context.Context, key Key, out Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.panicFinish {
		panic("finish")
	}
	if s.finishErr != nil {
		return s.finishErr
	}
	s.cancelled = s.cancelled || ctx.Err() != nil
	if _, ok := s.begun[key]; !ok {
		return errors.New("finished before it was begun")
	}
	s.finished[key] = out
	return nil
}

package boundary

import "sync"

// admission bounds the calls in flight, in all and of one caller. Nothing queues:
// a call that finds no room is told to come back.
type admission struct {
	mu             sync.Mutex
	all, perCaller int
	total          int
	callers        map[string]int
}

func newAdmission(all, perCaller int) *admission {
	return &admission{all: all, perCaller: perCaller, callers: map[string]int{}}
}

// retryAfter is what a caller that found no room is told to wait, in seconds.
const retryAfter = 1

// enter admits a call and returns how it leaves, or the fault. The limit over
// all is looked at first: a caller must not learn from its own limit that the
// service is full.
func (a *admission) enter(caller string) (leave func(), f *Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.total >= a.all:
		return nil, &Fault{Code: CodeServiceOverloaded, Reason: "in_flight", Stage: StageBoundary,
			Message: "As many calls as the service takes are in flight.",
			Hint:    "Wait a second and send the call again.", Retryable: true, RetryAfter: retryAfter}
	case a.callers[caller] >= a.perCaller:
		return nil, &Fault{Code: CodeRateLimited, Reason: "in_flight_per_caller", Stage: StageBoundary,
			Message: "As many of your calls as are allowed at once are in flight.",
			Hint:    "Wait for one of them, or a second, and send the call again.", Retryable: true, RetryAfter: retryAfter}
	}
	a.total++
	a.callers[caller]++
	return func() { a.exit(caller) }, nil
}

func (a *admission) exit(caller string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.total--
	if a.callers[caller]--; a.callers[caller] == 0 {
		delete(a.callers, caller) // callers come and go; the map must not grow with them
	}
}

package boundary

import (
	"fmt"
	"sync"
	"testing"
)

func TestCallsInFlightAreBounded(t *testing.T) {
	a := newAdmission(3, 2)
	enter := func(caller, wantCode string) func() {
		t.Helper()
		leave, f := a.enter(caller)
		code := ""
		if f != nil {
			code = f.Code
			if !f.Retryable || f.RetryAfter != 1 {
				t.Errorf("%s: retryable %t after %d s", caller, f.Retryable, f.RetryAfter)
			}
		}
		if code != wantCode {
			t.Fatalf("%s: got %q, want %q", caller, code, wantCode)
		}
		return leave
	}
	first := enter("ann", "")
	enter("ann", "")
	enter("ann", CodeRateLimited)
	enter("bob", "")
	enter("bob", CodeServiceOverloaded)
	enter("ann", CodeServiceOverloaded) // the limit over all is looked at first
	first()
	enter("ann", "")
}

func TestPlacesAreGivenBack(t *testing.T) {
	a := newAdmission(50, 1)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for range 100 {
				leave, f := a.enter(fmt.Sprint(i))
				if f != nil {
					t.Error(f)
					return
				}
				leave()
			}
		})
	}
	wg.Wait()
	if a.total != 0 || len(a.callers) != 0 {
		t.Errorf("%d calls and %d callers are left over", a.total, len(a.callers))
	}
}

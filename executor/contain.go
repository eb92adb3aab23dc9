package executor

import (
	"errors"
	"fmt"
	"runtime"
)

// errPanicked means that the driver has panicked, so that nothing is known of
// the state of its connection.
var errPanicked = errors.New("the driver panicked")

// contain is deferred where the driver reads what a server sends. It indexes
// into packets without looking at their length, and servers do send such ones:
// MySQL 9.7 answers the preparation of a SET GLOBAL that the account may not run
// with a packet that is too short. That must cost a connection and not the
// process.
func contain(err *error) {
	switch p := recover().(type) {
	case nil:
	case runtime.Error: // its text has numbers and types, and no data
		*err = fmt.Errorf("%w: %w", errPanicked, p)
	default:
		*err = fmt.Errorf("%w: %T", errPanicked, p)
	}
}

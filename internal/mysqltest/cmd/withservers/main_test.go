//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func TestTheExitStatusIsTheCommands(t *testing.T) {
	for script, want := range map[string]int{
		"exit 0":                  0,
		"exit 7":                  7,
		"kill -KILL $$":           137,
		`test "$WITHSERVERS" = 1`: 0,
	} {
		if got := runCommand([]string{"sh", "-c", script}, []string{"WITHSERVERS=1"}, nil); got != want {
			t.Errorf("%s: status %d, want %d", script, got, want)
		}
	}
	if got := runCommand([]string{"/no/such/command"}, nil, nil); got == 0 {
		t.Error("a command that does not exist succeeded")
	}
}

func TestASignalReachesWhatTheCommandStarted(t *testing.T) {
	signals := make(chan os.Signal, 1)
	time.AfterFunc(200*time.Millisecond, func() { signals <- syscall.SIGTERM })
	begun := time.Now()
	// The shell outlives the signal; only the end of its child lets it go on.
	status := runCommand([]string{"sh", "-c", "trap 'exit 3' TERM; sleep 60"}, nil, signals)
	if took := time.Since(begun); status != 3 || took > 10*time.Second {
		t.Errorf("status %d after %v", status, took)
	}
}

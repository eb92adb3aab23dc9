package ledger

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// killedEnv names the ledger file to the process that is to be killed.
const killedEnv = "LEDGER_TEST_KILLED_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(killedEnv); path != "" {
		beginAndWait(path)
	}
	os.Exit(m.Run())
}

// beginAndWait begins a call, says so, and waits to be killed.
func beginAndWait(path string) {
	s, err := OpenSQLite(path)
	if err == nil {
		err = s.Begin(context.Background(), invocation("run", "killed"))
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("begun")
	select {}
}

func TestARecordSurvivesKillNineAndIsShownOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedEnv+"="+path)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || line != "begun\n" {
		t.Fatalf("the process said %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // reports the kill
	s, err := OpenSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := recent(t, s)
	if len(got) != 1 || got[0].CallID != "killed" || !got[0].Open() {
		t.Errorf("got %+v, want one open record", got)
	}
}

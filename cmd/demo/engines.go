package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"

	"mysqlevidence/cmd/demo/engine"
	"mysqlevidence/cmd/demo/tour"
)

func onEmbedded(ctx context.Context, serve bool) (err error) {
	e, err := engine.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	return show(ctx, tour.Server{
		Addr: e.Addr(), User: e.User(), Password: e.Password(),
		Title: "an embedded engine (go-mysql-server; not MySQL)",
		Shortcoming: "This embedded engine does not enforce what a MySQL does for itself: read-only sessions, column grants,\n" +
			"ONLY_FULL_GROUP_BY; its time limits are the demo's own. --engine docker shows the tour on a real MySQL.",
	}, serve)
}

// inContainer is the engine of the child that onDocker starts: a server that the
// environment names.
const inContainer = "container"

// onDocker starts a MySQL with the tests' own starter, in a program of its own so
// that its many modules needn't be compiled for the plain tour, and runs this
// program again below it.
func onDocker(ctx context.Context, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	child := append([]string{self}, args...)
	child = append(child, "--engine", inContainer) // of two, the last one counts
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "./internal/mysqltest/cmd/withservers", "-only-mysql", "--"}, child...)...)
	cmd.Dir = root
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd.Run()
}

// moduleRoot is where this program's source is: go run has it at hand.
func moduleRoot() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", errors.New("--engine docker needs the source tree: start the demo with go run")
	}
	return filepath.Join(filepath.Dir(file), "..", ".."), nil
}

func onContainer(ctx context.Context, serve bool) error {
	addr := os.Getenv("MYSQL_EVIDENCE_TEST_MYSQL")
	if addr == "" {
		return fmt.Errorf("--engine %s is for the child of --engine docker", inContainer)
	}
	return show(ctx, tour.Server{Addr: addr, User: "sakila", Password: "sakila-of-tests", Title: "a real MySQL in a container"}, serve)
}

//go:build unix

// Command withservers runs a command with a MySQL and a MariaDB at hand:
//
//	withservers [-only-mysql] -- go test ./...
//
// It starts both (or only the MySQL) in containers, loads the test data, names them in the
// command's environment, and stops them when the command has ended. Its exit
// status is the command's; 125 says that the servers themselves failed.
// SIGINT and SIGTERM go to everything the command started.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
	tclog "github.com/testcontainers/testcontainers-go/log"

	"mysqlevidence/internal/mysqltest"
)

const serversFailed = 125

func main() {
	onlyMySQL := flag.Bool("only-mysql", false, "start no MariaDB")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: withservers [-only-mysql] -- command [argument]...")
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	os.Exit(run(flag.Args(), *onlyMySQL))
}

func run(command []string, onlyMySQL bool) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)

	pair, err := startPair(signals, onlyMySQL)
	if err != nil {
		fmt.Fprintln(os.Stderr, "withservers:", err)
		return serversFailed
	}
	status := runCommand(command, pair.Environ(), signals)
	if err := pair.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "withservers: stop:", err)
		if status == 0 {
			return serversFailed
		}
	}
	return status
}

// startPair gives up on a signal, and then leaves no container behind.
func startPair(signals <-chan os.Signal, onlyMySQL bool) (*mysqltest.Pair, error) {
	// Testcontainers describes the engine at length, and the driver reports
	// each attempt to connect before the server is up.
	tclog.SetDefault(tclog.NewNoopLogger())
	if err := mysql.SetLogger(log.New(io.Discard, "", 0)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	started := make(chan struct{})
	defer close(started)
	go func() {
		select {
		case s := <-signals:
			cancel(fmt.Errorf("got %v", s))
		case <-started:
		}
	}()
	begun := time.Now()
	pair, err := mysqltest.StartPair(ctx, onlyMySQL)
	if err != nil {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	fmt.Fprintf(os.Stderr, "withservers: ready and loaded in %.1fs\nexport %s\n", time.Since(begun).Seconds(), strings.Join(pair.Environ(), " "))
	return pair, nil
}

func runCommand(command, environ []string, signals <-chan os.Signal) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), environ...)
	// A process group of its own: go test does not pass SIGTERM on to the
	// tests it runs.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "withservers:", err)
		return 127
	}
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				syscall.Kill(-cmd.Process.Pid, s.(syscall.Signal))
			case <-ended:
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	return exitStatus(err)
}

// exitStatus is what a shell would report: 128 plus the signal for a command
// that one ended.
func exitStatus(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return 1
		}
		return 0
	}
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return exit.ExitCode()
}

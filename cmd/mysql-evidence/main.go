// Command mysql-evidence serves bounded, redacted evidence from MySQL to agents,
// and has the commands by which an operator prepares and checks that.
//
// Exit status of every command: 0 for success; 1 when its answer is no (a config
// with mistakes, a refused query); 2 for wrong usage or an unusable config; 3 for
// any other failure of a command that works on a database.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// newRoot makes the command tree; each command is one line here and a file of
// its own.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "mysql-evidence",
		Short:         "Bounded, redacted evidence from MySQL for AI agents",
		SilenceUsage:  true,
		SilenceErrors: true, // run prints them
	}
	root.AddCommand(newServe())
	root.AddCommand(newQuery())
	root.AddCommand(newVet())
	root.AddCommand(newConfig())
	root.AddCommand(newVersion())
	return root
}

// errNo ends a command whose answer is no and has been printed already.
var errNo = errors.New("no")

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, in io.Reader, out, diagnostics io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(diagnostics)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, errNo) {
		return exitRefused
	}
	// There is nowhere left to report that stderr is closed.
	_, _ = fmt.Fprintln(diagnostics, err)
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return exitMisused
}

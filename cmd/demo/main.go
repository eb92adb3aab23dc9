// Command demo shows mysql-evidence with nothing to install and nothing to
// configure: an embedded engine with the Sakila sample database, and a narrated
// tour through the product in the terminal.
//
//	go run -C cmd/demo .                    the tour
//	go run -C cmd/demo . --serve            MCP over stdio, for an agent to attach to
//	go run -C cmd/demo . --engine docker    the same on a real MySQL in a container
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"mysqlevidence/cmd/demo/tour"
	"mysqlevidence/internal/mcpserver"
)

func main() {
	// A reader that goes away ends in an error of the write, so that the temporary
	// folder is removed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	serve := flags.Bool("serve", false, "serve MCP over stdio instead of the tour")
	engine := flags.String("engine", "embedded", "embedded (nothing needed) or docker (a real MySQL in a container)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	switch *engine {
	case "embedded":
		return onEmbedded(ctx, *serve)
	case "docker":
		return onDocker(ctx, args)
	case inContainer:
		return onContainer(ctx, *serve)
	}
	return fmt.Errorf("--engine is embedded or docker, not %q", *engine)
}

// show runs the tour or serves, on a server that holds Sakila.
func show(ctx context.Context, server tour.Server, serve bool) (err error) {
	// The tour's story is in its answers; a server's operator wants the log.
	log := slog.New(slog.DiscardHandler)
	if serve {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	service, err := tour.Open(server, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.Close()) }()
	if !serve {
		if err := tour.Run(ctx, os.Stdout, server, service); err != nil {
			return err
		}
		fmt.Print(nextSteps)
		return nil
	}
	if err := printSnippets(os.Stderr, server); err != nil {
		return err
	}
	return mcpserver.Serve(ctx, service.Boundary, os.Stdin, os.Stdout, mcpserver.Options{
		Version: "demo", CallIDKeys: service.Config.CallID.MetaKeys, Log: log,
	})
}

const nextSteps = `
Next: attach an agent with   go run -C cmd/demo . --serve
      the same on MySQL      go run -C cmd/demo . --engine docker
      your own database      README.md, "Your own database"
`

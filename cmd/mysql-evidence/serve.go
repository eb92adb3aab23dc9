package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"mysqlevidence/boundary"
	"mysqlevidence/boundary/ledger"
	"mysqlevidence/config"
	"mysqlevidence/internal/mcpserver"
)

const ledgerHelp = `Every call is recorded in the ledger file of the config (ledger: sqlite: path:); when
the config names none, in ledger.db beside the config file.`

func newServe() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "serve --config FILE",
		Short: "Serve the tools to one MCP client on stdin and stdout",
		Long: `Serves the tools of the config to one MCP client on stdin and stdout, until stdin
ends or a signal comes; calls in flight are finished first. Logs go to stderr.
No data source is connected before a call needs it.

` + ledgerHelp,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			return serve(cmd, path, log)
		},
	}
	return withConfig(cmd, &path)
}

func serve(cmd *cobra.Command, path string, log *slog.Logger) error {
	// A client that went away must end in an error of the write, not in a death
	// that leaves queries running.
	signal.Ignore(syscall.SIGPIPE)
	// The first signal ends the reading and lets calls finish; a second one ends
	// the process at once.
	context.AfterFunc(cmd.Context(), func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })
	s, err := openService(path, log)
	if err != nil {
		return err
	}
	err = mcpserver.Serve(cmd.Context(), s.boundary, cmd.InOrStdin(), cmd.OutOrStdout(), mcpserver.Options{
		CallIDKeys: s.cfg.CallID.MetaKeys, Version: programVersion(), Log: log,
	})
	if err := errors.Join(err, s.close()); err != nil {
		return asFailure(err)
	}
	return nil
}

// service is a boundary with the ledger that it records in.
type service struct {
	cfg      *config.Config
	ledger   *ledger.SQLite
	boundary *boundary.ToolBoundary
}

func openService(path string, log *slog.Logger) (*service, error) {
	cfg, err := config.Load(path)
	if err != nil {
		return nil, asMisuse(err)
	}
	l, err := ledger.OpenSQLite(cfg.Ledger.SQLitePath)
	if err != nil {
		return nil, asFailure(err)
	}
	b, err := boundary.New(cfg, boundary.Options{Store: l, Log: log})
	if err != nil {
		return nil, asMisuse(errors.Join(err, l.Close()))
	}
	return &service{cfg: cfg, ledger: l, boundary: b}, nil
}

// close ends the connections first: a call that they still carry is recorded.
func (s *service) close() error {
	return errors.Join(s.boundary.Close(), s.ledger.Close())
}

// programVersion is what a client is told.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return moduleVersion(info)
}

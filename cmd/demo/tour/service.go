// Package tour shows the product on the Sakila sample: a narrated walk through
// the terminal, and the same service over MCP. What it runs is the product
// itself; only the data, the config and the narration are the demo's.
package tour

import (
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"mysqlevidence/boundary"
	"mysqlevidence/boundary/ledger"
	"mysqlevidence/config"
)

//go:embed sakila.yaml
var template string

// Server is a database server that holds Sakila, reached without TLS on loopback.
type Server struct {
	Addr           string // host:port
	User, Password string // an account that may only SELECT
	// Title is how the narration calls the server.
	Title string
	// Shortcoming is what this server doesn't enforce; "" for a real MySQL.
	Shortcoming string
}

// Service is the product, configured for a server.
type Service struct {
	Boundary *boundary.ToolBoundary
	Ledger   *ledger.SQLite
	Config   *config.Config
	dir      string
}

// Open writes the config and the ledger to a temporary directory and builds the
// product from them. Nothing connects yet.
func Open(s Server, log *slog.Logger) (_ *Service, err error) {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return nil, err
	}
	// The product takes secrets by reference only; these are the references.
	if err := errors.Join(os.Setenv("DEMO_DB_USER", s.User), os.Setenv("DEMO_DB_PASSWORD", s.Password)); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mysql-evidence-demo-")
	if err != nil {
		return nil, err
	}
	out := &Service{dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close())
		}
	}()
	path := filepath.Join(dir, "sakila.yaml")
	text := strings.NewReplacer("${HOST}", host, "${PORT}", port).Replace(template)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	if out.Config, err = config.Load(path); err != nil {
		return nil, fmt.Errorf("load the demo's config: %w", err)
	}
	if out.Ledger, err = ledger.OpenSQLite(out.Config.Ledger.SQLitePath); err != nil {
		return nil, err
	}
	out.Boundary, err = boundary.New(out.Config, boundary.Options{Store: out.Ledger, Log: log})
	return out, err
}

// Close ends the connections and removes config and ledger.
func (s *Service) Close() error {
	var errs []error
	if s.Boundary != nil {
		errs = append(errs, s.Boundary.Close())
	}
	if s.Ledger != nil {
		errs = append(errs, s.Ledger.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

package mysqltest

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// patience bounds finding or starting one server; pulling a public image for
// the first time is the slow case.
const patience = 5 * time.Minute

// runVar differs from run to run. Go's cache of test results is keyed by the
// variables a test reads: without it a test of last run's servers, at the same
// ports by chance, would count as a test of these.
const runVar = "MYSQL_EVIDENCE_TEST_RUN"

var (
	theMySQL   = onceObtained(mysqlServer)
	theMariaDB = onceObtained(mariadb)
)

// MySQL is the run's MySQL server.
func MySQL(t testing.TB) *Server {
	t.Helper()
	return need(t, theMySQL)
}

// MariaDB is the run's MariaDB server.
func MariaDB(t testing.TB) *Server {
	t.Helper()
	return need(t, theMariaDB)
}

// Both is a server of each flavour, for tests of what must hold on either.
func Both(t testing.TB) []*Server {
	t.Helper()
	return []*Server{MySQL(t), MariaDB(t)}
}

func need(t testing.TB, obtain func() (*owned, error)) *Server {
	t.Helper()
	o, err := obtain()
	if err != nil {
		t.Fatalf("mysqltest: %v", err)
	}
	return &o.server
}

func onceObtained(f flavour) func() (*owned, error) {
	return sync.OnceValues(func() (*owned, error) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return obtain(ctx, f)
	})
}

func obtain(ctx context.Context, f flavour) (*owned, error) {
	os.Getenv(runVar)
	if address := os.Getenv(f.addressVar); address != "" {
		return running(ctx, f, address)
	}
	return start(ctx, f)
}

func running(ctx context.Context, f flavour, address string) (*owned, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.addressVar, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, fmt.Errorf("%s: port %q is not a number", f.addressVar, portText)
	}
	o := &owned{server: Server{Flavour: f.name, Host: host, Port: port}}
	return o, o.server.identify(ctx)
}

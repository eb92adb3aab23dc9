// Package mysqltest gives tests a real MySQL and a real MariaDB with the same
// data loaded.
//
// What it guarantees:
//   - A server that can't be started or reached fails the test. It never skips
//     one: a suite that is green without a server proves nothing.
//   - Every server holds the databases of package testdata and the accounts
//     named in this package, whichever flavour it is.
//   - Nothing listens beyond loopback.
//
// A run of many packages shares one pair of servers, started by the command
// withservers, which names them in the environment. A test process that finds
// no address there starts containers of its own through the same code.
//
// The servers are shared, so a test that writes does it in a [Server.Scratch]
// database, and one that changes global variables puts them back.
package mysqltest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Server is one running database server with the test data loaded.
type Server struct {
	// Flavour is "mysql" or "mariadb".
	Flavour string
	// Host is the address to dial, an IP address or a name.
	Host string
	Port int
	// Version is what the server answers to SELECT VERSION(), for example
	// "10.11.18-MariaDB-0+deb12u1".
	Version string
}

// Account is a database account that every server has.
type Account struct{ User, Password string }

// The accounts of every server.
var (
	// Root may do everything, from any host.
	Root = Account{"root", "root-of-tests"}
	// Sakila may only read the sakila database: all its tables and views but
	// the columns staff.password and staff.picture.
	Sakila = Account{"sakila", "sakila-of-tests"}
	// TrapAllow has exactly the grants of testdata/traps/traps_grants.sql.
	TrapAllow = Account{"trap_allow", ""}
	// Awkward has Sakila's grants, and a password made of the characters that
	// hand-built connection strings trip over.
	Awkward = Account{"awk'ward", `p@ss:w/rd'?#%`}
)

// Addr is host:port.
func (s *Server) Addr() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// DSN is the driver's data source name for an account. An empty database
// selects none.
func (s *Server) DSN(a Account, database string) string {
	return s.config(a, database).FormatDSN()
}

// RootDSN is the data source name of [Root].
func (s *Server) RootDSN(database string) string { return s.DSN(Root, database) }

// DB is a pool of root connections with no database selected, closed with the
// test.
func (s *Server) DB(t testing.TB) *sql.DB {
	t.Helper()
	return s.Open(t, Root, "")
}

// Open is a pool of connections of an account, closed with the test.
func (s *Server) Open(t testing.TB, a Account, database string) *sql.DB {
	t.Helper()
	connector, err := mysql.NewConnector(s.config(a, database))
	if err != nil {
		t.Fatalf("mysqltest: %v", err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// Scratch creates an empty database of a name no other test has, and drops it
// with the test.
func (s *Server) Scratch(t testing.TB) string {
	t.Helper()
	name := "scratch_" + strings.ToLower(rand.Text()[:16])
	db := s.DB(t)
	if _, err := db.Exec("CREATE DATABASE " + name + " CHARACTER SET utf8mb4"); err != nil {
		t.Fatalf("mysqltest: %v", err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec("DROP DATABASE " + name); err != nil {
			t.Errorf("mysqltest: %v", err)
		}
	})
	return name
}

func (s *Server) config(a Account, database string) *mysql.Config {
	c := mysql.NewConfig()
	c.Net, c.Addr = "tcp", s.Addr()
	c.User, c.Passwd, c.DBName = a.User, a.Password, database
	c.Timeout = 10 * time.Second
	return c
}

// identify fills in what only the server can tell, and so proves that it can
// be reached and holds the test data.
func (s *Server) identify(ctx context.Context) error {
	connector, err := mysql.NewConnector(s.config(Root, ""))
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	if err := db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&s.Version); err != nil {
		return fmt.Errorf("reach %s at %s: %w", s.Flavour, s.Addr(), err)
	}
	if isMariaDB := strings.Contains(s.Version, "MariaDB"); isMariaDB != (s.Flavour == mariadb.name) {
		return fmt.Errorf("the server at %s is %s, not a %s", s.Addr(), s.Version, s.Flavour)
	}
	var loaded int
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+loadedMark).Scan(&loaded); err != nil {
		return fmt.Errorf("the %s at %s has no test data: %w", s.Flavour, s.Addr(), err)
	}
	return nil
}

// Package engine serves the Sakila sample database on this machine, in this
// process, over MySQL's wire protocol, so that the demo runs with nothing
// installed. The engine is dolthub/go-mysql-server.
//
// It is not MySQL, and never says so: VERSION() and @@version_comment name it. The
// data is MySQL's to the byte, and so are the answers to most queries. Known to
// differ: SUM and AVG are DOUBLE (a CAST to DECIMAL gives MySQL's digits); ENUM and
// SET columns match no LIKE, and count as numbers in <, MAX, MIN, CONCAT, LENGTH and
// GROUP_CONCAT; a number compared with '5x' equals nothing; a result's integers can
// be narrower; SEPARATOR and DATE_FORMAT want plain strings; a LEFT JOIN of text
// with a number is an error; a join on anything but integers, times and keys is
// slow. Nor does it show what a server enforces: ONLY_FULL_GROUP_BY,
// transaction_read_only and column grants do nothing here.
//
// What is guaranteed: it listens on loopback only, on a port that the system
// chooses; its one account has a random password (mysql_native_password, no TLS)
// and may only SELECT from the sample; nothing can write; no statement reaches a
// file of this machine; and a statement ends at max_execution_time, or at 30
// seconds.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/sirupsen/logrus"
)

// versionSuffix follows the number of the MySQL version that is imitated.
const versionSuffix = "go-mysql-server"

// maxConnections is ample for a demo.
const maxConnections = 64

// Engine is a running server.
type Engine struct {
	listener net.Listener
	server   *server.Server
	engine   *sqle.Engine
	handler  *handler
	account  account
	ended    chan struct{} // closed when no connection is accepted any more
}

// Start loads the data and serves until Close. The context bounds the start, not
// the serving.
//
// The engine keeps settings in variables of the process and logs through logrus'
// global logger: Start sets the former and silences the latter, also for others in
// this process.
func Start(ctx context.Context) (*Engine, error) {
	logrus.SetOutput(io.Discard)
	if err := setGlobals(); err != nil {
		return nil, err
	}
	data, err := load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the sample data: %w", err)
	}
	e := &Engine{engine: newEngine(data), handler: newHandler(), account: newAccount(), ended: make(chan struct{})}
	if err := e.account.create(e.engine); err != nil {
		return nil, errors.Join(err, closeEngine(e.engine))
	}
	if e.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, closeEngine(e.engine))
	}
	if err := e.serve(); err != nil {
		return nil, errors.Join(err, e.listener.Close(), closeEngine(e.engine))
	}
	return e, nil
}

// setGlobals sets what is global to the process.
func setGlobals() error {
	return sql.SystemVariables.AssignValues(map[string]interface{}{
		// LOAD_FILE, LOAD DATA and INTO OUTFILE work below this directory only.
		"secure_file_priv": "/nonexistent",
		"version_comment":  "the demo's embedded engine (go-mysql-server), not MySQL",
	})
}

// newEngine makes an engine on which nothing can be written.
func newEngine(data *database) *sqle.Engine {
	a := analyzer.NewDefaultWithVersion(sql.NewDatabaseProvider(data))
	a.Coster = newCoster()
	a.Catalog.AuthHandler = rights{a.Catalog.AuthHandler}
	return sqle.New(a, &sqle.Config{VersionPostfix: versionSuffix, IsReadOnly: true})
}

func (e *Engine) serve() error {
	config := server.Config{
		Listener:                     e.listener,
		Address:                      e.Addr(),
		MaxConnections:               maxConnections,
		DisableClientMultiStatements: true,
	}
	var err error
	e.server, err = server.NewServerWithHandler(config, e.engine, sql.NewContext, e.handler.newSession, nil, e.handler.wrap)
	if err != nil {
		return err
	}
	go func() {
		defer close(e.ended)
		e.server.Listener.Accept()
	}()
	return nil
}

// Addr is the address to connect to, "127.0.0.1:port".
func (e *Engine) Addr() string { return e.listener.Addr().String() }

// User is the name of the account that may only SELECT from Sakila.
func (e *Engine) User() string { return e.account.name }

// Password is the account's password. It is made anew at each start.
func (e *Engine) Password() string { return e.account.password }

// Close ends the server, the statements that still run and the connections.
func (e *Engine) Close() error {
	e.server.Listener.Close()
	<-e.ended
	e.handler.endAll()
	e.server.SessionManager().WaitForClosedConnections()
	return closeEngine(e.engine)
}

// closeEngine closes an engine. That always gives the error of the context that it
// cancels itself, so this one is no error.
func closeEngine(e *sqle.Engine) error {
	if err := e.Close(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

package executor

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// drainBytes and drainTime bound what is read of a result that nobody wants
	// any more, to save the session. They are worth a reconnection and no more.
	drainBytes = 128 << 10
	drainTime  = 20 * time.Millisecond
)

// command is what is sent: our text, and its arguments in order.
type command struct {
	text    string
	args    []driver.NamedValue
	explain bool // only the plan is wanted
}

func newCommand(text string, args []any) command {
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return command{text: text, args: named}
}

// cursor is a running query on a session of its own. It keeps the query's
// context because every row must be checked against it: the server may answer a
// killed query as if it had succeeded.
type cursor struct {
	ctx     context.Context
	exec    *Executor
	session *session
	watch   *watch
	settle  func() // ends the context; nil until the query has started
	rows    driver.Rows
	types   []string

	row     []driver.Value
	ahead   bool  // row holds the first row, not given yet
	err     error // why there are no more rows; io.EOF at the end
	stop    error // why the context had ended when the session was given back
	release sync.Once
}

// start sends the command and waits for its first row, so that the errors that
// come with it are still those of the start. An error is raw, and the session is
// given back already.
func (e *Executor) start(ctx context.Context, s *session, cmd command) (*cursor, error) {
	c := &cursor{ctx: ctx, exec: e, session: s, watch: e.killer.watch(ctx, s)}
	if err := c.send(cmd); err != nil {
		c.failed(err)
		return nil, err
	}
	switch err := c.advance(); {
	case err == nil:
		c.ahead = true
	case errors.Is(err, io.EOF):
		c.err = io.EOF
	default:
		return nil, err
	}
	return c, nil
}

// send never hands the query's context to the driver, which would close the
// socket and leave the query running; the watch stops it instead.
func (c *cursor) send(cmd command) (err error) {
	defer contain(&err)
	c.session.socket.allow(c.allowance())
	stmt, err := c.session.statements.prepare(c.session.conn, cmd.textFor(c.session.flavour))
	if err != nil {
		return err
	}
	if n := stmt.NumInput(); n != len(cmd.args) {
		return fmt.Errorf("the statement has %d placeholders and %d arguments", n, len(cmd.args))
	}
	c.rows, err = stmt.QueryContext(context.Background(), cmd.args)
	if err != nil {
		return err
	}
	names, ok := c.rows.(driver.RowsColumnTypeDatabaseTypeName)
	if !ok {
		return fmt.Errorf("driver's rows %T have no types", c.rows)
	}
	c.row = make([]driver.Value, len(c.rows.Columns()))
	c.types = make([]string, len(c.row))
	for i := range c.types {
		c.types[i] = names.ColumnTypeDatabaseTypeName(i)
	}
	return nil
}

// allowance is what may be read from the wire at a time: a cell that was cut has
// up to four bytes a character.
func (c *cursor) allowance() int { return rowBytes + 32*c.exec.source.Limits.CellBytes }

// next returns the next row, valid until the next call, or io.EOF.
func (c *cursor) next() ([]driver.Value, error) {
	if c.err != nil {
		return nil, c.err
	}
	if err := c.step(); err != nil {
		if !errors.Is(err, io.EOF) {
			err = c.exec.fault(c.ctx, c.stop, err)
		}
		c.err = err
		return nil, err
	}
	return c.row, nil
}

func (c *cursor) step() error {
	if !c.ahead {
		return c.advance()
	}
	c.ahead = false
	if err := c.ctx.Err(); err != nil {
		c.abandon()
		return err
	}
	return nil
}

// advance reads one row. At the end and after an error the session is given
// back.
func (c *cursor) advance() error {
	c.session.socket.allow(c.allowance())
	err := c.read()
	stop := c.ctx.Err()
	switch {
	case err == nil && stop == nil:
		return nil
	case c.session.socket.spent:
		c.abandon()
		return errRowTooLarge
	case err == nil:
		c.abandon()
		return stop
	case errors.Is(err, io.EOF):
		c.giveBack(true)
		if stop != nil {
			return stop
		}
		return io.EOF
	}
	c.failed(err)
	return err
}

func (c *cursor) read() (err error) {
	defer contain(&err)
	return c.rows.Next(c.row)
}

// close ends the query. A result that isn't read to its end is not read on, but
// for the little that saves the session.
func (c *cursor) close() {
	if c.err != nil {
		return // the session is given back already
	}
	c.err = io.EOF
	if c.ctx.Err() == nil && c.drained() {
		c.giveBack(true)
		return
	}
	c.abandon()
}

// drained reads the rest within the bounds and reports whether it was the rest.
// The socket's deadline makes sure that it never waits for a slow query; once it
// has passed, the driver has given up the connection.
func (c *cursor) drained() bool {
	if c.session.socket.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return false
	}
	for budget := drainBytes; budget > 0; {
		c.session.socket.allow(c.allowance())
		switch err := c.read(); {
		case errors.Is(err, io.EOF):
			return c.session.socket.SetReadDeadline(time.Time{}) == nil
		case err != nil:
			return false
		}
		budget -= size(c.row)
	}
	return false
}

func size(row []driver.Value) int {
	n := 8 * len(row)
	for _, v := range row {
		switch v := v.(type) {
		case []byte:
			n += len(v)
		case string:
			n += len(v)
		}
	}
	return n
}

// failed gives the session back after an error of the query. An answer of the
// server leaves the protocol in order; anything else ends the connection.
func (c *cursor) failed(err error) {
	_, answered := errors.AsType[*mysql.MySQLError](err)
	c.session.suspect = true
	c.giveBack(answered && !lost(err))
}

// abandon ends a query that is still running or sending.
func (c *cursor) abandon() {
	c.release.Do(func() {
		c.exec.killer.drop(c.session)
		c.watch.end()
		c.finish(false)
	})
}

// giveBack returns the session after the query has ended on the server. One that
// was killed, or nearly, isn't used again.
func (c *cursor) giveBack(reusable bool) {
	c.release.Do(func() {
		killed := c.watch.end()
		c.finish(reusable && !killed)
	})
}

func (c *cursor) finish(reusable bool) {
	c.stop = c.exec.calls.stopCause(c.ctx)
	c.session.socket.allowAll()
	if !reusable {
		c.session.close()
	}
	c.exec.pool.release(c.session, reusable)
	if c.settle != nil {
		c.settle()
	}
}

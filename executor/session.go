package executor

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/config"
)

// session is one pinned and verified connection. It is used by one query at a
// time; only cut may be called by another goroutine.
type session struct {
	wire
	facts
	opened     time.Time
	rested     time.Time // when it was last given back
	statements statements
	// suspect says that a query failed here: the pins are verified again before
	// the next one.
	suspect bool
	guarded bool // a side connection to its server was made
}

// facts are what a session knows of its server; they don't change.
type facts struct {
	flavour    flavour
	id         string // the server's number of the connection, in decimal
	server     string // the server's identity
	foldTables bool   // table names differ by case only in spelling (lower_case_table_names)
}

// opener makes sessions of one data source.
type opener struct {
	source     string
	flavour    string // the config's, "" for any
	connection config.Connection
	pins       pins
	log        *slog.Logger
}

// open connects, pins, verifies and checks the account. Every error is an *Error
// that says which of these failed, or the context's.
func (o *opener) open(ctx context.Context) (*session, error) {
	bounded, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	w, err := dial(bounded, o.connection)
	if err != nil {
		return nil, dialFault(ctx, err)
	}
	s := &session{wire: w, opened: time.Now()}
	if err := o.prepare(bounded, s); err != nil {
		s.close()
		return nil, dialFault(ctx, err)
	}
	return s, nil
}

func (o *opener) prepare(ctx context.Context, s *session) error {
	if err := o.admitServer(ctx, s); err != nil {
		return err
	}
	if err := o.pins.apply(ctx, s.conn, s.flavour); err != nil {
		return pinFault(err)
	}
	if err := o.pins.verify(ctx, s.conn, s.flavour); err != nil {
		return pinFault(err)
	}
	row, err := queryRow(ctx, s.conn, "SELECT CONNECTION_ID(), "+s.flavour.identity()+", @@lower_case_table_names <> 0")
	if err != nil {
		return err
	}
	s.id, s.server, s.foldTables = row[0], row[1], row[2] == "1"
	return o.checkAccount(ctx, s.conn, s.flavour)
}

// admitServer finds out what the server is and refuses one on which the promises
// can't hold, or that isn't the one that the config means.
func (o *opener) admitServer(ctx context.Context, s *session) (err error) {
	s.flavour, err = recognize(ctx, s.conn)
	switch {
	case errors.Is(err, errImitation):
		return unavailable(notSupported, err)
	case err != nil:
		return err
	case !s.flavour.supported():
		return unavailable(tooOld, fmt.Errorf("the server is %s; MySQL is served from 8.0 on, MariaDB from 10.6 on", s.flavour))
	case !s.flavour.agrees(o.flavour):
		return unavailable(flavourMismatch, fmt.Errorf("the config says %q, the server is %q", o.flavour, s.flavour))
	}
	o.log.LogAttrs(ctx, slog.LevelDebug, "connected", slog.String("server", s.flavour.String()),
		slog.String("product", string(s.flavour.product)), slog.String("release", s.flavour.release))
	return nil
}

// pinFault tells a server that refuses or ignores a setting from a connection
// that was lost meanwhile.
func pinFault(err error) error {
	_, ignored := errors.AsType[pinError](err)
	answer, refused := errors.AsType[*mysql.MySQLError](err)
	if ignored || refused && !severed(answer.Number) {
		return unavailable(notPinned, err)
	}
	return err
}

// ready reports whether an idle session may be used again: young enough to have
// been checked recently, its socket alive, its pins known to hold. One that has
// rested long must answer first: a firewall may have forgotten its connection and
// told neither side, and then a query would wait for its whole deadline.
func (o *opener) ready(ctx context.Context, s *session) bool {
	if time.Since(s.opened) > maxAge || s.conn.ResetSession(ctx) != nil {
		return false
	}
	if s.suspect || time.Since(s.rested) > trustedRest {
		bounded, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		if o.pins.verify(bounded, s.conn, s.flavour) != nil {
			return false
		}
	}
	s.suspect = false
	return true
}

// queryRow runs a fixed text that gives exactly one row. NULL is "".
func queryRow(ctx context.Context, c driver.QueryerContext, text string) ([]string, error) {
	rows, err := queryText(ctx, c, text)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("got %d rows for %q", len(rows), text)
	}
	return rows[0], nil
}

// queryText runs a fixed text without parameters.
func queryText(ctx context.Context, c driver.QueryerContext, text string) (all [][]string, err error) {
	defer contain(&err)
	rows, err := c.QueryContext(ctx, text, nil)
	if err != nil {
		return nil, err
	}
	all, err = readAll(rows)
	return all, errors.Join(err, rows.Close())
}

// execText runs a fixed text that gives no rows.
func execText(ctx context.Context, c driver.ExecerContext, text string) (err error) {
	defer contain(&err)
	_, err = c.ExecContext(ctx, text, nil)
	return err
}

func readAll(rows driver.Rows) ([][]string, error) {
	values := make([]driver.Value, len(rows.Columns()))
	var all [][]string
	for {
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, texts(values))
	}
}

// texts copies the values of a row; NULL is "".
func texts(values []driver.Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case []byte:
			out[i] = string(v)
		default:
			out[i] = fmt.Sprint(v)
		}
	}
	return out
}

// Package ledger records invocations in an SQLite file.
//
// It guarantees that a call recorded by Begin is on the disk before Begin
// returns (write-ahead log, synchronous=FULL), so the record survives kill -9
// and a power cut that the disk survives; that a (run, call) pair is recorded
// once, compared byte for byte; and that a call left without its Finish is shown
// as open. The file is readable by its owner only.
//
// It holds no row and no parameter value, because package boundary passes none.
// It doesn't prune, and it isn't meant for a network file system, where SQLite's
// locks can't be trusted.
package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mysqlevidence/boundary"
)

// busyTimeout is how long a write waits for another process that writes to the
// same file, in milliseconds. It stays below the boundary's own limit for a
// record, so that the cause is reported as "locked" and not as a timeout.
const busyTimeout = "3000"

// timeFormat has a fixed width, so that text order is time order.
const timeFormat = "2006-01-02T15:04:05.000000000Z"

// SQLite is a store in one file. It is safe for concurrent use, also by several
// processes on one machine.
type SQLite struct {
	write *sql.DB // one connection: SQLite has one writer anyway
	read  *sql.DB

	insert, duplicate, finish *sql.Stmt
}

var _ boundary.InvocationStore = (*SQLite)(nil)

// OpenSQLite opens or creates the ledger file, with mode 0600, and its
// directory, with mode 0700. A file written by a newer version is refused.
func OpenSQLite(path string) (*SQLite, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("ledger path: %w", err)
	}
	if err := createPrivate(abs); err != nil {
		return nil, fmt.Errorf("create ledger file: %w", err)
	}
	s, err := open(abs)
	if err != nil {
		return nil, fmt.Errorf("open ledger %s: %w", abs, err)
	}
	return s, nil
}

// createPrivate makes the file before SQLite does, because SQLite would give it
// the process's umask. The log files beside it inherit the mode.
func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

func open(path string) (*SQLite, error) {
	s := &SQLite{}
	var err error
	if s.write, err = sql.Open("sqlite", dsn(path, "synchronous(FULL)")); err != nil {
		return nil, err
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = sql.Open("sqlite", dsn(path, "query_only(1)")); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.read.SetMaxOpenConns(2)
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// dsn escapes the path: a '?' or '%' in a directory's name is part of the name.
func dsn(path, pragma string) string {
	q := url.Values{
		// The driver runs the busy timeout first, whatever the order here.
		"_pragma": {"busy_timeout(" + busyTimeout + ")", "journal_mode(WAL)", pragma},
		"_txlock": {"immediate"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

func (s *SQLite) prepare() error {
	if err := s.verify(); err != nil {
		return err
	}
	if err := migrate(s.write); err != nil {
		return err
	}
	var err error
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{{&s.insert, insertCall}, {&s.duplicate, countDuplicate}, {&s.finish, finishCall}} {
		if *p.stmt, err = s.write.Prepare(p.text); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	return nil
}

// verify reads the durability settings back: SQLite ignores a journal mode that
// the file system can't carry.
func (s *SQLite) verify() error {
	var journal string
	var synchronous int
	if err := s.write.QueryRow("PRAGMA journal_mode").Scan(&journal); err != nil {
		return fmt.Errorf("read journal mode: %w", err)
	}
	if err := s.write.QueryRow("PRAGMA synchronous").Scan(&synchronous); err != nil {
		return fmt.Errorf("read synchronous: %w", err)
	}
	const full = 2
	if journal != "wal" || synchronous != full {
		return fmt.Errorf("durability isn't available: journal_mode is %q, synchronous is %d", journal, synchronous)
	}
	return nil
}

// Begin records a call. It returns boundary.ErrDuplicate, and counts it on the
// first record, when the pair of run and call is already there.
func (s *SQLite) Begin(ctx context.Context, inv boundary.Invocation) error {
	_, err := s.insert.ExecContext(ctx, inv.RunID, inv.CallID, inv.IDSource, inv.Caller, inv.Tool,
		inv.DataSource, inv.AskedReason, inv.SQL, inv.PolicyHash, stamp(inv.Started))
	if isDuplicate(err) {
		if _, err := s.duplicate.ExecContext(ctx, inv.RunID, inv.CallID); err != nil {
			return fmt.Errorf("count duplicate: %w", err)
		}
		return boundary.ErrDuplicate
	}
	if err != nil {
		return fmt.Errorf("record call: %w", err)
	}
	return nil
}

func isDuplicate(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// Finish completes an open record. A pair that isn't open is an error.
func (s *SQLite) Finish(ctx context.Context, key boundary.Key, out boundary.Outcome) error {
	res, err := s.finish.ExecContext(ctx, stamp(out.Finished), out.Status, out.Code, out.Stage, out.Reason,
		out.Rows, out.Bytes, out.Truncated, out.CostGate, out.EvidenceSHA256, key.RunID, key.CallID)
	if err != nil {
		return fmt.Errorf("record outcome: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("record outcome: %w", err)
	}
	if n != 1 {
		return errors.New("record outcome: the call isn't open in the ledger")
	}
	return nil
}

// Close closes the file. Calls left open stay open in the record.
func (s *SQLite) Close() error {
	var errs []error
	for _, stmt := range []*sql.Stmt{s.insert, s.duplicate, s.finish} {
		if stmt != nil {
			errs = append(errs, stmt.Close())
		}
	}
	for _, db := range []*sql.DB{s.read, s.write} { // the writer last: it removes the log
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

func stamp(t time.Time) string { return t.UTC().Format(timeFormat) }

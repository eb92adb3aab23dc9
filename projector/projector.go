// Package projector turns rows into evidence. It is the only package that makes
// JSON out of cells.
//
// Call Project. It guarantees:
//
//   - The envelope is closed and well-formed JSON in UTF-8, and never longer than
//     Limits.TotalBytes by a byte, whatever the rows hold.
//   - Column names and masks come from the plan. The server's metadata decides
//     only how a plain column's values are written; of a redacted column nothing
//     is read, not even whether a value is NULL.
//   - A value is written exactly or not at all: no rounding, no invented zone, no
//     character cut in half. What is clipped or has no JSON form says so in its
//     place and in marks (zero-based row and column).
//   - truncated is true exactly when a cap removed something, and truncated_by
//     names the caps: rows, cells, bytes.
//   - Evidence exists only if the server ended the result without an error, or if
//     a cap stopped the reading.
//
// It does not decide what may be read (package authz does), does not bound what
// the server sends (package executor does), and does not make a cell's text safe
// to follow: a string in a row is data, and may say anything.
package projector

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"mysqlevidence/authz"
	"mysqlevidence/executor"
	"mysqlevidence/internal/seal"
)

// MinTotalBytes is the smallest Limits.TotalBytes: room for the envelope without
// any column, with every sentence that it may carry.
const MinTotalBytes = 1024

// Limits bound one evidence. Both are positive.
type Limits struct {
	// CellBytes is the longest text, binary or JSON cell that is shown whole, in
	// bytes as MySQL holds it (its LENGTH): not its JSON or hexadecimal form.
	CellBytes int
	// TotalBytes is the most bytes of the encoded envelope; at least
	// MinTotalBytes. A fixed part of it (under MinTotalBytes) is kept for what
	// follows the rows, so that an answer can always say that it was cut.
	TotalBytes int
}

func (l Limits) check() error {
	if l.CellBytes < 1 || l.TotalBytes < MinTotalBytes {
		return fmt.Errorf("projector: limits of %d bytes a cell and %d in all: want at least 1 and %d", l.CellBytes, l.TotalBytes, MinTotalBytes)
	}
	return nil
}

// Project reads the rows to their end or to the first cap, and always closes
// them. An error of the executor is returned as it is; with any error there is no
// evidence.
func Project(rows *executor.Rows, limits Limits, ps Pseudonyms) (Evidence, error) {
	if rows.IsZero() {
		return Evidence{}, errors.New("projector: these rows are of no query")
	}
	return project(rows, rows.Plan().Columns(), rows.Cuts(), rows.Budget(), limits, ps)
}

// source is what is read of executor.Rows. A row is valid until the next call of
// Next, which returns io.EOF at the end.
type source interface {
	Types(seal.Key) []string
	Next(seal.Key) ([]driver.Value, error)
	Close() error
}

// project reads the source to its end or to the first cap, and closes it.
func project(src source, plan []authz.Column, cuts []authz.Cut, budget authz.RowBudget, limits Limits, ps Pseudonyms) (ev Evidence, err error) {
	defer func() {
		// A source that can't be closed properly may have lost rows: no evidence.
		if cerr := src.Close(); err == nil && cerr != nil {
			ev, err = Evidence{}, cerr
		}
	}()
	if err := limits.check(); err != nil {
		return Evidence{}, err
	}
	types := src.Types(seal.Open())
	if want := len(plan) + lengths(cuts); len(types) != want || len(plan) == 0 {
		return Evidence{}, fmt.Errorf("projector: %d columns planned, %d sent", want, len(types))
	}
	columns := columnsOf(plan, types, ps)
	for _, c := range cuts {
		columns[c.Item].cut(c)
	}
	enc := newEncoder(columns, limits)
	if err := read(src, len(types), budget, enc); err != nil {
		return Evidence{}, err
	}
	return enc.finish(), nil
}

// lengths is the number of columns behind those of the plan.
func lengths(cuts []authz.Cut) int {
	n := 0
	for _, c := range cuts {
		if c.Length > 0 {
			n++
		}
	}
	return n
}

// read feeds rows to the encoder. After the last row of the budget it reads once
// more: only the end of the result proves that the server did not fail, and with
// a cap, a further row is how truncation is known.
func read(src source, width int, budget authz.RowBudget, enc *encoder) error {
	for {
		row, err := src.Next(seal.Open())
		if err == io.EOF { //nolint:errorlint // a wrapped EOF is a lost connection, not the end
			return nil
		}
		if err != nil {
			return err
		}
		if len(row) != width {
			return errors.New("projector: a row has another number of cells than the result has columns")
		}
		if enc.rows == budget.Rows {
			enc.by.rows = budget.Capped
			return nil
		}
		if !enc.add(row) {
			return nil
		}
	}
}

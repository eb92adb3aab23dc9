package executor

import (
	"database/sql/driver"
	"errors"

	"mysqlevidence/authz"
	"mysqlevidence/internal/seal"
)

// Rows is the running result of a plan. Only Executor.Run makes one; the zero
// Rows is refused by its users. What gives data asks for a seal.Key, so that the
// rows can only be read by the stage that redacts them. Rows must be closed, and
// is for one goroutine.
type Rows struct {
	plan   authz.Plan
	budget authz.RowBudget
	cuts   []authz.Cut
	gate   CostGate
	cursor *cursor
}

// IsZero reports whether the rows are of no query.
func (r *Rows) IsZero() bool { return r == nil || r.cursor == nil }

// Plan is the plan that is running.
func (r *Rows) Plan() authz.Plan { return r.plan }

// Budget is how many rows evidence may have.
func (r *Rows) Budget() authz.RowBudget { return r.budget }

// Cuts are the columns that the server sends cut, and where it sends their
// lengths: in columns behind those of the plan.
func (r *Rows) Cuts() []authz.Cut { return r.cuts }

// CostGate says what became of the cost gate.
func (r *Rows) CostGate() CostGate { return r.gate }

// Types are the driver's names of the result's types, such as "DECIMAL" or
// "UNSIGNED BIGINT", one for each column that the server sends.
func (r *Rows) Types(k seal.Key) []string {
	if r.IsZero() || !k.Valid() {
		return nil
	}
	return append([]string(nil), r.cursor.types...)
}

// Next returns the next row, valid until the next call: int64, float32, float64,
// []byte, string or nil. After the last row the error is io.EOF, else an *Error.
// A row or an end that comes after the deadline is not given: the server may
// answer a killed query as if it had succeeded.
func (r *Rows) Next(k seal.Key) ([]driver.Value, error) {
	if r.IsZero() || !k.Valid() {
		return nil, internal(errors.New("zero rows or a zero key"))
	}
	return r.cursor.next()
}

// Close stops the query if it still runs, and gives the session back. It never
// reads a long rest, and may be called more than once.
func (r *Rows) Close() error {
	if !r.IsZero() {
		r.cursor.close()
	}
	return nil
}

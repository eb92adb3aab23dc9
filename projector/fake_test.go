package projector

import (
	"database/sql/driver"
	"io"
	"math"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/seal"
)

// memory is a source whose rows are already here. Like the executor's, it reuses
// one row.
type memory struct {
	types  []string
	rows   [][]driver.Value
	cuts   []authz.Cut
	next   int
	row    []driver.Value
	err    error // after the last row, instead of io.EOF
	closed int
	onEnd  error // of Close
}

func (m *memory) Types(seal.Key) []string { return m.types }

func (m *memory) Next(seal.Key) ([]driver.Value, error) {
	if m.closed > 0 {
		panic("read after close")
	}
	for i := range m.row {
		m.row[i] = "the row is only valid until the next call"
	}
	if m.next == len(m.rows) {
		if m.err != nil {
			return nil, m.err
		}
		return nil, io.EOF
	}
	m.row = append(m.row[:0], m.rows[m.next]...)
	m.next++
	return m.row, nil
}

func (m *memory) Close() error {
	m.closed++
	return m.onEnd
}

// whole are limits that cut nothing in these tests.
var whole = Limits{CellBytes: 1 << 20, TotalBytes: 1 << 26}

var everyRow = authz.RowBudget{Rows: math.MaxInt, Capped: true}

func named(names ...string) []authz.Column {
	out := make([]authz.Column, len(names))
	for i, n := range names {
		out[i].Name = n
	}
	return out
}

// mustProject projects and checks that the source is closed once.
func mustProject(t testing.TB, src *memory, plan []authz.Column, budget authz.RowBudget, limits Limits, ps Pseudonyms) Evidence {
	t.Helper()
	ev, err := project(src, plan, src.cuts, budget, limits, ps)
	if err != nil {
		t.Fatal(err)
	}
	if src.closed != 1 {
		t.Fatalf("the source was closed %d times, want once", src.closed)
	}
	return ev
}

// one projects a single cell and returns the envelope.
func one(t testing.TB, driverType string, v driver.Value, limits Limits) Evidence {
	t.Helper()
	src := &memory{types: []string{driverType}, rows: [][]driver.Value{{v}}}
	return mustProject(t, src, named("c"), everyRow, limits, Pseudonyms{})
}

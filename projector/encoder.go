package projector

import (
	"database/sql/driver"
	"strconv"
	"strings"
)

// encoder writes one envelope. Rows and marks share one budget: total bytes less
// what is kept for the end.
type encoder struct {
	buffer  // the envelope up to its rows; max shrinks by what marks take
	marks   []byte
	columns []column

	cellBytes int
	rows      int
	by        caps
	// odd says that a cell had no JSON form.
	odd bool
	// headless says that the column names alone did not fit.
	headless bool
	// seen says that the server sent a row, kept or not.
	seen bool
}

// caps says which caps removed something.
type caps struct{ rows, cells, bytes bool }

// startBytes fits the answer to a point query without growing.
const startBytes = 512

func newEncoder(columns []column, limits Limits) *encoder {
	e := &encoder{columns: columns, cellBytes: limits.CellBytes}
	e.max = limits.TotalBytes - reserve
	e.b = make([]byte, 0, min(startBytes+64*len(columns), e.max))
	e.text(`{"status":"OK","columns":[`)
	start := len(e.b)
	for i, c := range columns {
		if i > 0 {
			e.char(',')
		}
		e.header(c)
	}
	e.text(`],"rows":[`)
	if e.full {
		e.headless = true
		e.by.bytes = true
		e.cut(start)
		e.text(`],"rows":[`)
	}
	return e
}

func (e *encoder) header(c column) {
	e.text(`{"name":`)
	e.quoted([]byte(strings.ToValidUTF8(c.name, "\uFFFD")))
	e.text(`,"type":"`)
	e.text(c.kind.typeName())
	e.char('"')
	if c.kind.masked() {
		e.text(`,"redacted":true`)
	}
	e.char('}')
}

// state is what a row may change.
type state struct {
	bytes, max, marks int
	by                caps
	odd               bool
}

func (e *encoder) state() state {
	return state{len(e.b), e.max, len(e.marks), e.by, e.odd}
}

func (e *encoder) restore(s state) {
	e.cut(s.bytes)
	e.max, e.marks, e.by, e.odd = s.max, e.marks[:s.marks], s.by, s.odd
}

// smallestCell is where shrinking the cells of a row stops: below it, the words
// round a clipped cell take more than its text.
const smallestCell = 16

// add writes one row, or nothing and returns false when the byte budget is spent.
// Were the first row left out for its size alone, the asker would learn nothing:
// its cells are clipped further until it fits, and those of later rows with it.
func (e *encoder) add(row []driver.Value) bool {
	e.seen = true
	if e.headless {
		return false
	}
	before := e.state()
	if e.row(row); !e.full {
		e.rows++
		return true
	}
	e.restore(before)
	e.by.bytes = true
	if e.rows > 0 {
		return false
	}
	before = e.state()
	for e.cellBytes /= 2; e.cellBytes >= smallestCell; e.cellBytes /= 2 {
		if e.row(row); !e.full {
			e.rows++
			return true
		}
		e.restore(before)
	}
	return false
}

func (e *encoder) row(row []driver.Value) {
	if e.rows > 0 {
		e.char(',')
	}
	e.char('[')
	for i := range e.columns {
		if i > 0 {
			e.char(',')
		}
		e.cell(i, row)
		if e.full {
			return
		}
	}
	e.char(']')
}

// mark records that the cell of this column in the row being written is not what
// the server holds.
func (e *encoder) mark(column int, what string) {
	before := len(e.marks)
	if before > 0 {
		e.marks = append(e.marks, ',')
	}
	e.marks = append(e.marks, '[')
	e.marks = strconv.AppendInt(e.marks, int64(e.rows), 10)
	e.marks = append(e.marks, ',')
	e.marks = strconv.AppendInt(e.marks, int64(column), 10)
	e.marks = append(e.marks, `,"`...)
	e.marks = append(e.marks, what...)
	e.marks = append(e.marks, `"]`...)
	e.max -= len(e.marks) - before // the end of the row finds out if that is too little
}

package projector

import (
	"database/sql/driver"
	"math"
	"strconv"
)

// maxExact is 2^53-1. Beyond it, and below its negative, a reader that keeps
// numbers as float64 would see another integer, so it is written as a string.
const maxExact = 1<<53 - 1

// cell appends the value of a column.
func (e *encoder) cell(i int, row []driver.Value) {
	c, v := &e.columns[i], row[i]
	if c.kind.masked() {
		e.masked(c, v)
		return
	}
	if v == nil {
		e.text("null")
		return
	}
	if whole, ok := c.whole(row); !ok || !e.value(i, c.kind, v, whole) {
		e.unsupported(i)
	}
}

// whole is the length of the value of which the row has a prefix, or 0 when the
// value in the row is the whole one.
func (c *column) whole(row []driver.Value) (int, bool) {
	if c.length == 0 {
		return 0, true
	}
	n, ok := row[c.length].(int64)
	return int(n), ok
}

// masked appends the stand-in of a sensitive value, NULL or not.
func (e *encoder) masked(c *column, v driver.Value) {
	if c.kind == kindPseudonym {
		if sum, ok := c.mac.of(v); ok {
			e.text(`"p_`)
			e.hex(sum)
			e.char('"')
			return
		}
	}
	e.text(`"[REDACTED]"`)
}

// value appends a value, or nothing and returns false if it isn't of its kind.
func (e *encoder) value(i int, k kind, v driver.Value, whole int) bool {
	switch k {
	case kindInteger:
		return e.integer(v)
	case kindFloat:
		return e.float(v)
	}
	// The driver sends all other types as bytes.
	b, ok := v.([]byte)
	if !ok {
		return false
	}
	whole = max(whole, len(b))
	switch k {
	case kindDecimal, kindDate, kindTime:
		return e.plain(b)
	case kindDatetime:
		return e.datetime(b, "")
	case kindTimestamp:
		return e.datetime(b, "Z")
	case kindText:
		return e.textual(i, b, whole)
	case kindBinary:
		return e.binary(i, b, whole)
	case kindJSON:
		return e.json(i, b, whole)
	case kindBit:
		return e.bit(b)
	}
	return false
}

// unsupported appends the cell of a value that has no JSON form.
func (e *encoder) unsupported(i int) {
	e.text(`{"unsupported_type":"`)
	e.text(e.columns[i].label)
	e.text(`"}`)
	e.odd = true
	e.mark(i, "unsupported")
}

// integer appends an integer. The driver sends an unsigned BIGINT beyond int64 as
// decimal digits.
func (e *encoder) integer(v driver.Value) bool {
	switch n := v.(type) {
	case int64:
		if n < -maxExact || n > maxExact {
			e.char('"')
			e.take(strconv.AppendInt(e.b, n, 10))
			e.char('"')
		} else {
			e.take(strconv.AppendInt(e.b, n, 10))
		}
		return true
	case uint64:
		e.unsigned(n)
		return true
	case []byte:
		u, err := strconv.ParseUint(string(n), 10, 64)
		if err != nil {
			return false
		}
		e.unsigned(u)
		return true
	}
	return false
}

func (e *encoder) unsigned(n uint64) {
	if n > maxExact {
		e.char('"')
		e.take(strconv.AppendUint(e.b, n, 10))
		e.char('"')
		return
	}
	e.take(strconv.AppendUint(e.b, n, 10))
}

// bit appends a BIT value, which the server sends as up to eight bytes, the
// highest first.
func (e *encoder) bit(b []byte) bool {
	if len(b) > 8 {
		return false
	}
	var n uint64
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	e.unsigned(n)
	return true
}

// float appends the shortest number that reads back as the same FLOAT or DOUBLE.
func (e *encoder) float(v driver.Value) bool {
	var f float64
	bits := 64
	switch v := v.(type) {
	case float32:
		f, bits = float64(v), 32
	case float64:
		f = v
	default:
		return false
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return false
	}
	// Plain digits where they are short, like most writers of JSON.
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	e.take(strconv.AppendFloat(e.b, f, format, -1, bits))
	return true
}

// plain appends digits and their punctuation as a string, as the server holds
// them: a DECIMAL, a DATE, a TIME.
func (e *encoder) plain(b []byte) bool {
	if !digits(b) {
		return false
	}
	e.char('"')
	e.bytes(b)
	e.char('"')
	return true
}

// dateLength is the length of "2024-05-01".
const dateLength = 10

// datetime appends a DATETIME or TIMESTAMP in the manner of RFC 3339, with the
// fraction digits that the server sent. Zero dates stay what they are.
func (e *encoder) datetime(b []byte, zone string) bool {
	if len(b) <= dateLength || b[dateLength] != ' ' {
		return false
	}
	date, time := b[:dateLength], b[dateLength+1:]
	if !digits(date) || !digits(time) {
		return false
	}
	e.char('"')
	e.bytes(date)
	e.char('T')
	e.bytes(time)
	e.text(zone)
	e.char('"')
	return true
}

// digits reports whether b is nothing but digits and the punctuation of numbers,
// dates and times.
func digits(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '-' && c != '.' && c != ':' {
			return false
		}
	}
	return len(b) > 0
}

package projector

import (
	"strconv"
	"unicode/utf8"
)

// textual appends text of which b is all, or a prefix of a value of so many
// bytes. A cell with invalid UTF-8 in what would be shown is
// unsupported: a replacement character would be an invented one.
func (e *encoder) textual(i int, b []byte, whole int) bool {
	if whole > e.cellBytes {
		return e.clipText(i, b, whole)
	}
	if !utf8.Valid(b) {
		return false
	}
	e.quoted(b)
	return true
}

// json appends a JSON cell inline, or as a string if it isn't JSON after all
// (MariaDB holds any text).
func (e *encoder) json(i int, b []byte, whole int) bool {
	if whole > e.cellBytes {
		return e.clipText(i, b, whole)
	}
	if !utf8.Valid(b) {
		return false
	}
	start := len(e.b)
	s := scanner{src: b, out: &e.buffer, depth: maxDepth}
	if !s.document() && !e.full {
		e.cut(start)
		e.quoted(b)
	}
	return true
}

// binary appends bytes in hexadecimal.
func (e *encoder) binary(i int, b []byte, whole int) bool {
	if whole > e.cellBytes {
		e.openClipped()
		e.text("0x")
		e.hex(b[:min(e.cellBytes, len(b))])
		e.closeClipped(i, whole)
		return true
	}
	e.text(`"0x`)
	e.hex(b)
	e.char('"')
	return true
}

// clipText appends the first characters of a text or JSON cell that is too long.
func (e *encoder) clipText(i int, b []byte, whole int) bool {
	prefix := b[:boundary(b, e.cellBytes)]
	if !utf8.Valid(prefix) {
		return false
	}
	e.openClipped()
	e.escaped(prefix)
	e.closeClipped(i, whole)
	return true
}

// boundary is the last end of a character in b that is at most n. In invalid UTF-8 it is some place near n.
func boundary(b []byte, n int) int {
	if n >= len(b) {
		return len(b)
	}
	for back := 0; back < utf8.UTFMax && back <= n; back++ {
		if utf8.RuneStart(b[n-back]) {
			return n - back
		}
	}
	return n
}

func (e *encoder) openClipped() { e.text(`{"clipped":"`) }

// closeClipped ends a clipped cell, whose whole value has so many bytes.
func (e *encoder) closeClipped(i, bytes int) {
	e.text(`","bytes":`)
	e.take(strconv.AppendInt(e.b, int64(bytes), 10))
	e.char('}')
	e.by.cells = true
	e.mark(i, "clipped")
}

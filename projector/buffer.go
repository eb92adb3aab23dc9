package projector

// buffer grows up to max bytes and not by one more. What does not fit is left out
// and makes the buffer full: everything after it is left out too, until cut.
type buffer struct {
	b    []byte
	max  int
	full bool
}

func (w *buffer) text(s string) {
	if w.full || len(s) > w.max-len(w.b) {
		w.full = true
		return
	}
	w.b = append(w.b, s...)
}

func (w *buffer) bytes(p []byte) {
	if w.full || len(p) > w.max-len(w.b) {
		w.full = true
		return
	}
	w.b = append(w.b, p...)
}

func (w *buffer) char(c byte) {
	if w.full || len(w.b) >= w.max {
		w.full = true
		return
	}
	w.b = append(w.b, c)
}

// take accepts the result of a strconv.Append function called on w.b.
func (w *buffer) take(grown []byte) {
	if w.full || len(grown) > w.max {
		w.full = true
		return
	}
	w.b = grown
}

// cut takes the buffer back to its first n bytes.
func (w *buffer) cut(n int) { w.b, w.full = w.b[:n], false }

// quoted appends valid UTF-8 as a JSON string.
func (w *buffer) quoted(p []byte) {
	w.char('"')
	w.escaped(p)
	w.char('"')
}

const hexDigits = "0123456789abcdef"

// escaped appends valid UTF-8 as the inside of a JSON string. Control characters,
// the quote and the backslash must be escaped (RFC 8259, section 7); U+2028 and
// U+2029 are, because they end a line for many readers of what looks like one.
func (w *buffer) escaped(p []byte) {
	start := 0
	for i := 0; i < len(p); {
		c := p[i]
		n := 1
		switch {
		case c == 0xE2 && isLineSeparator(p[i:]):
			n = 3
		case c >= 0x20 && c != '"' && c != '\\':
			i++
			continue
		}
		w.bytes(p[start:i])
		w.escape(p[i : i+n])
		if w.full {
			return
		}
		i += n
		start = i
	}
	w.bytes(p[start:])
}

// isLineSeparator reports whether p begins with U+2028 or U+2029.
func isLineSeparator(p []byte) bool {
	return len(p) >= 3 && p[1] == 0x80 && p[2]&^1 == 0xA8
}

// escape appends one character in its escaped form.
func (w *buffer) escape(char []byte) {
	switch c := char[0]; c {
	case '"':
		w.text(`\"`)
	case '\\':
		w.text(`\\`)
	case '\b':
		w.text(`\b`)
	case '\f':
		w.text(`\f`)
	case '\n':
		w.text(`\n`)
	case '\r':
		w.text(`\r`)
	case '\t':
		w.text(`\t`)
	case 0xE2:
		w.text(`\u202`)
		w.char('8' + char[2]&1)
	default:
		w.text(`\u00`)
		w.char(hexDigits[c>>4])
		w.char(hexDigits[c&15])
	}
}

// hex appends bytes as lower-case hexadecimal digits.
func (w *buffer) hex(p []byte) {
	if w.full || len(p) > (w.max-len(w.b))/2 {
		w.full = true
		return
	}
	for _, c := range p {
		w.b = append(w.b, hexDigits[c>>4], hexDigits[c&15])
	}
}

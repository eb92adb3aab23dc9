package projector

import (
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep an inlined JSON cell may nest: MySQL's own limit for its
// JSON type. Deeper text (MariaDB keeps any) is shown as a string, so that no
// cell can exhaust the decoder of who reads the evidence.
const maxDepth = 100

// scanner copies one JSON text (RFC 8259) token by token: white space between
// tokens is dropped, numbers are kept to the digit, keys keep their order and
// their repetitions, strings get this package's escapes. Its source is valid
// UTF-8.
type scanner struct {
	src   []byte
	pos   int
	out   *buffer
	depth int // levels left
}

// document reports whether the source is exactly one JSON value. If it is not,
// or did not fit, what was appended is of no use.
func (s *scanner) document() bool {
	s.space()
	if !s.value() {
		return false
	}
	s.space()
	return s.pos == len(s.src)
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end: no token begins with 0.
func (s *scanner) peek() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

// token copies the byte c if it is next.
func (s *scanner) token(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	s.out.char(c)
	return true
}

func (s *scanner) value() bool {
	switch c := s.peek(); {
	case c == '{':
		return s.composite('}')
	case c == '[':
		return s.composite(']')
	case c == '"':
		return s.str()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	default:
		return s.number()
	}
}

// composite copies an object or an array, whose opening bracket is next.
func (s *scanner) composite(end byte) bool {
	if s.depth == 0 || s.out.full {
		return false
	}
	s.depth--
	s.token(s.src[s.pos])
	s.space()
	for first := true; !s.token(end); first = false {
		if !first {
			if !s.token(',') {
				return false
			}
			s.space()
		}
		if ok := end == ']' && s.value() || end == '}' && s.member(); !ok {
			return false
		}
		s.space()
	}
	s.depth++
	return true
}

func (s *scanner) member() bool {
	if !s.str() {
		return false
	}
	s.space()
	if !s.token(':') {
		return false
	}
	s.space()
	return s.value()
}

func (s *scanner) word(w string) bool {
	if len(s.src)-s.pos < len(w) || string(s.src[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	s.out.text(w)
	return true
}

func (s *scanner) number() bool {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return false
		}
	}
	s.out.bytes(s.src[start:s.pos])
	return true
}

// digits skips one or more digits.
func (s *scanner) digits() bool {
	start := s.pos
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.pos++
	}
	return s.pos > start
}

// str copies a string.
func (s *scanner) str() bool {
	if !s.token('"') {
		return false
	}
	start := s.pos
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '"':
			s.out.escaped(s.src[start:s.pos])
			return s.token('"')
		case c < 0x20:
			return false
		case c == '\\':
			s.out.escaped(s.src[start:s.pos])
			if !s.escape() {
				return false
			}
			start = s.pos
		default:
			s.pos++
		}
	}
	return false
}

// escape copies the character of one escape sequence. Half a surrogate pair is no
// character: strict decoders refuse it, and with it the whole evidence.
func (s *scanner) escape() bool {
	s.pos++ // the backslash
	c := s.peek()
	s.pos++
	switch c {
	case '"', '\\', '/':
		return s.char(rune(c))
	case 'b':
		return s.char('\b')
	case 'f':
		return s.char('\f')
	case 'n':
		return s.char('\n')
	case 'r':
		return s.char('\r')
	case 't':
		return s.char('\t')
	case 'u':
		r, ok := s.hex4()
		if !ok {
			return false
		}
		if utf16.IsSurrogate(r) {
			if s.peek() != '\\' {
				return false
			}
			s.pos++
			if s.peek() != 'u' {
				return false
			}
			s.pos++
			low, ok := s.hex4()
			if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
				return false
			}
		}
		return s.char(r)
	}
	return false
}

func (s *scanner) char(r rune) bool {
	var b [utf8.UTFMax]byte
	s.out.escaped(b[:utf8.EncodeRune(b[:], r)])
	return true
}

func (s *scanner) hex4() (rune, bool) {
	var r rune
	for range 4 {
		c := s.peek()
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
		s.pos++
	}
	return r, true
}

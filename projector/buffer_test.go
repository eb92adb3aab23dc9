package projector

import (
	"strconv"
	"strings"
	"testing"
)

func TestBufferTakesWhatFitsToTheByteAndNothingMore(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*buffer)
		want  string
	}{
		"text":    {func(w *buffer) { w.text("abcd") }, "abcd"},
		"bytes":   {func(w *buffer) { w.bytes([]byte("abcd")) }, "abcd"},
		"char":    {func(w *buffer) { w.char('a'); w.char('b') }, "ab"},
		"take":    {func(w *buffer) { w.take(strconv.AppendInt(w.b, 1234, 10)) }, "1234"},
		"hex":     {func(w *buffer) { w.hex([]byte{0x12, 0xab}) }, "12ab"},
		"escaped": {func(w *buffer) { w.escaped([]byte("a\x01\"\u2029b")) }, `a\u0001\"\u2029b`},
		"quoted":  {func(w *buffer) { w.quoted([]byte("a\tb")) }, `"a\tb"`},
	} {
		for limit := range len(c.want) + 3 {
			w := &buffer{max: limit}
			c.write(w)
			fits := len(c.want) <= limit
			if len(w.b) > limit || w.full == fits || fits && string(w.b) != c.want || !strings.HasPrefix(c.want, string(w.b)) {
				t.Errorf("%s with %d bytes: %q, full %v", name, limit, w.b, w.full)
			}
			kept := string(w.b)
			if w.full {
				w.text("")
				w.char('x')
				w.bytes(nil)
				w.hex(nil)
				w.take(append(w.b, 'x'))
			}
			if string(w.b) != kept {
				t.Errorf("%s with %d bytes: a full buffer went on to %q", name, limit, w.b)
			}
			if w.cut(0); w.full || len(w.b) != 0 {
				t.Errorf("%s with %d bytes: still full after cut", name, limit)
			}
		}
	}
}

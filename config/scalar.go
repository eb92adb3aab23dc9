package config

import (
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"mysqlevidence/internal/ident"
)

// The tags by which yaml.v3 says what a node is.
const (
	stringTag = "!!str"
	nullTag   = "!!null"
	boolTag   = "!!bool"
	intTag    = "!!int"
	mergeTag  = "!!merge"
)

// anyName stands for a name of the operator's choice in a list of keys.
const anyName = "NAME"

// scalar is one value, and where it stands.
type scalar[T any] struct {
	place
	present bool // the key is in the file
	ok      bool // and its value has the right type
	v       T
}

// or returns the value, or the default when there is none.
func (s *scalar[T]) or(missing T) T {
	if s.ok {
		return s.v
	}
	return missing
}

func (s *scalar[T]) keys(pattern string) []string { return []string{pattern} }

// open notes where the value stands, and reports whether it is one that can be
// read: neither an alias nor missing nor a mapping or list.
func (s *scalar[T]) open(r *reader, n *yaml.Node, at place, want string) bool {
	s.place, s.present = at, true
	switch {
	case n.Kind == yaml.AliasNode:
		return false
	case isNull(n):
		r.fail(at, "has no value; it must be %s", want)
		return false
	case n.Kind != yaml.ScalarNode:
		r.fail(at, "must be %s, not %s", want, kindOf(n))
		return false
	}
	s.place = at.at(n.Line)
	return true
}

// set keeps the value if it could be read.
func (s *scalar[T]) set(v T, ok bool) { s.v, s.ok = v, ok }

type text struct{ scalar[string] }

func (t *text) read(r *reader, n *yaml.Node, at place) {
	if !t.open(r, n, at, "text") {
		return
	}
	if n.Tag != stringTag {
		r.fail(t.place, "must be text, not %s%s", kindOf(n), quoteAdvice(n))
		return
	}
	t.set(n.Value, true)
}

type number struct{ scalar[int] }

func (t *number) read(r *reader, n *yaml.Node, at place) {
	const want = "a whole number in digits, such as 1000"
	if !t.open(r, n, at, want) {
		return
	}
	// Only plain decimal digits: YAML would also take 0x10, 0o17 and 1_000.
	v, err := strconv.Atoi(n.Value)
	if n.Tag != intTag || err != nil || strconv.Itoa(v) != n.Value {
		r.fail(t.place, "must be %s", want)
		return
	}
	t.set(v, true)
}

type boolean struct{ scalar[bool] }

func (t *boolean) read(r *reader, n *yaml.Node, at place) {
	const want = "true or false"
	if !t.open(r, n, at, want) {
		return
	}
	if n.Tag != boolTag {
		r.fail(t.place, "must be %s", want)
		return
	}
	t.set(ident.Fold(n.Value) == "true", true)
}

type duration struct{ scalar[time.Duration] }

func (t *duration) read(r *reader, n *yaml.Node, at place) {
	const want = "a duration with its unit, such as 10s or 500ms"
	if !t.open(r, n, at, want) {
		return
	}
	v, err := time.ParseDuration(n.Value)
	// ParseDuration takes a bare 0; a unit is asked for all the same.
	if n.Tag != stringTag || err != nil {
		r.fail(t.place, "must be %s", want)
		return
	}
	t.set(v, true)
}

// list is a list of texts. One with nothing in it is empty, not missing.
type list struct {
	place
	present bool
	items   []text
}

func (l *list) keys(pattern string) []string { return []string{pattern} }

func (l *list) read(r *reader, n *yaml.Node, at place) {
	l.place, l.present = at, true
	if n.Kind == yaml.AliasNode || isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		r.fail(at, "must be a list, such as [a, b], not %s", kindOf(n))
		return
	}
	for i, item := range n.Content {
		var t text
		t.read(r, item, at.item(i, item.Line))
		l.items = append(l.items, t)
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == nullTag }

// kindOf names what a node is, never its value: it may be a secret.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case stringTag:
		return "text"
	case nullTag:
		return "nothing"
	case boolTag:
		return "a boolean"
	case intTag, "!!float":
		return "a number"
	case "!!timestamp":
		return "a date"
	}
	return "a value of another type"
}

// quoteAdvice is what to do when YAML takes a name for a number or a boolean.
func quoteAdvice(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return "; put quotes around it"
	}
	return ""
}

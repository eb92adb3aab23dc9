package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"mysqlevidence/internal/ident"
)

// field is what can stand behind a key of the file.
type field interface {
	// read takes the value, reporting what is wrong with its form. An alias has
	// been reported already and reads as nothing.
	read(r *reader, n *yaml.Node, at place)
	// keys lists the accepted keys from here on, this one first; NAME stands for
	// a name of the operator's choice.
	keys(pattern string) []string
}

// reader fills the structs of the format from the document.
type reader struct {
	*report
	accepted []string // every key of the format, for hints
}

// namedField is one key of a section.
type namedField struct {
	name string
	field
}

// fieldsOf returns the keys of a format struct in order.
func fieldsOf(keys any) []namedField {
	v := reflect.ValueOf(keys).Elem()
	out := make([]namedField, v.NumField())
	for i := range out {
		out[i] = namedField{v.Type().Field(i).Tag.Get("key"), v.Field(i).Addr().Interface().(field)}
	}
	return out
}

// section is a mapping with fixed keys. One with nothing in it is the same as a
// missing one.
type section[T any] struct {
	place
	present bool // it is a mapping
	v       T
}

func (s *section[T]) read(r *reader, n *yaml.Node, at place) {
	s.place = at
	s.present = n.Kind == yaml.MappingNode
	fields := fieldsOf(&s.v)
	r.pairs(n, at, func(key *yaml.Node, value *yaml.Node, repeated bool) {
		i := slices.IndexFunc(fields, func(f namedField) bool { return f.name == key.Value })
		if i < 0 {
			r.unknownKey(at.at(key.Line), key.Value, fields)
			return
		}
		target := fields[i].field
		if repeated { // keep the first, but report the mistakes of both
			target = reflect.New(reflect.TypeOf(target).Elem()).Interface().(field)
		}
		target.read(r, value, at.child(key.Value, key.Line))
	})
}

func (s *section[T]) keys(pattern string) []string {
	var out []string
	if pattern != "" {
		out = append(out, pattern)
		pattern += "."
	}
	for _, f := range fieldsOf(new(T)) {
		out = append(out, f.keys(pattern+f.name)...)
	}
	return out
}

// named is a mapping whose keys are names of the operator's choice.
type named[T any, P interface {
	*T
	field
}] struct {
	place
	broken  bool // there is something, but it isn't a mapping
	entries []entry[T]
}

// entry is one name and what it names.
type entry[T any] struct {
	name string
	place
	v T
}

func (m *named[T, P]) read(r *reader, n *yaml.Node, at place) {
	m.place = at
	m.broken = !r.pairs(n, at, func(key *yaml.Node, value *yaml.Node, repeated bool) {
		e := entry[T]{name: key.Value, place: at.child(key.Value, key.Line)}
		P(&e.v).read(r, value, e.place)
		if !repeated {
			m.entries = append(m.entries, e)
		}
	})
}

func (m *named[T, P]) keys(pattern string) []string {
	return append([]string{pattern}, P(new(T)).keys(pattern+".NAME")...)
}

// unsupported is a key that the format has but this version doesn't act on: to
// accept it would let the operator believe that it works.
type unsupported struct{}

func (*unsupported) read(r *reader, _ *yaml.Node, at place) {
	r.fail(at, "not supported by this version")
}

func (*unsupported) keys(string) []string { return nil }

// pairs calls do for each key and value of the mapping n, after the checks that
// all mappings share, and reports whether n is a mapping or nothing. A key that
// occurs again is reported, and passed on as repeated.
func (r *reader) pairs(n *yaml.Node, at place, do func(key, value *yaml.Node, repeated bool)) bool {
	if n.Kind == yaml.AliasNode || isNull(n) {
		return n.Kind != yaml.AliasNode
	}
	if n.Kind != yaml.MappingNode {
		r.fail(at, "must be a mapping (key: value), not %s", kindOf(n))
		return false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind == yaml.AliasNode || key.Tag == mergeTag:
			continue // reported by refuseSharing
		case key.Kind != yaml.ScalarNode || key.Tag != stringTag:
			r.fail(at.at(key.Line), "a key must be text, not %s%s", kindOf(key), quoteAdvice(key))
			continue
		}
		first, repeated := lines[key.Value]
		if repeated {
			r.fail(at.at(key.Line), "duplicate key %q; it is already on line %d", key.Value, first)
		} else {
			lines[key.Value] = key.Line
		}
		do(key, value, repeated)
	}
	return true
}

// unknownKey reports a key that the section hasn't, with the best hint there is:
// the section that has a key of exactly this name, the nearest name here, or all
// the names here.
func (r *reader) unknownKey(at place, key string, fields []namedField) {
	var here []string
	for _, f := range fields {
		if _, ok := f.field.(*unsupported); !ok {
			here = append(here, f.name)
		}
	}
	message := fmt.Sprintf("unknown key %q", key)
	if homes := r.homesOf(key); len(homes) > 0 && len(homes) <= 2 {
		r.fail(at, "%s; it belongs in %s", message, strings.Join(homes, " or "))
	} else if near := ident.Nearest(key, here); near != "" {
		r.fail(at, "%s; did you mean %q?", message, near)
	} else {
		r.fail(at, "%s; the keys here are %s", message, strings.Join(here, ", "))
	}
}

// homesOf returns the sections that have a key of that name.
func (r *reader) homesOf(key string) []string {
	if key == anyName || !isPlain(key) {
		return nil
	}
	var homes []string
	for _, k := range r.accepted {
		if k == key {
			homes = append(homes, "the top level")
		} else if home, ok := strings.CutSuffix(k, "."+key); ok {
			homes = append(homes, home)
		}
	}
	return homes
}

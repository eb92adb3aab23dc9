package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"mysqlevidence/internal/ident"
)

// sensitive is what is declared of a sensitive column: a mask's name, or a
// mapping.
type sensitive struct {
	scalar[string] // the mask
	long           section[sensitiveKeys]
}

func (s *sensitive) keys(pattern string) []string { return s.long.keys(pattern) }

func (s *sensitive) read(r *reader, n *yaml.Node, at place) {
	if n.Kind == yaml.MappingNode {
		s.long.read(r, n, at)
		s.scalar = s.long.v.Mask.scalar
		if !s.present { // redact is what a sensitive column is by default
			s.set(string(MaskRedact), true)
		}
		return
	}
	if s.open(r, n, at, "redact, pseudonym or a mapping (mask, filter, type)") {
		s.set(n.Value, true)
	}
}

// allow returns the allowlist. A table without a column is left out of it: an
// empty list allows nothing, not even to count rows.
func (c *checker) allow(schemas *named[tables, *tables]) []Schema {
	var out []Schema
	names := c.names("schema")
	for i := range schemas.entries {
		e := &schemas.entries[i]
		if isSystemSchema(e.name) {
			c.fail(e.place, "a system schema can't be allowed")
		} else {
			names.add(e.name, e.place)
		}
		out = append(out, Schema{Name: e.name, Tables: c.tables(&e.v)})
	}
	return out
}

// isSystemSchema reports whether a schema is one of the server's own. They are
// matched in any case, whatever the server's file system does.
func isSystemSchema(name string) bool {
	switch ident.Fold(name) {
	case "information_schema", "mysql", "performance_schema", "sys", "ndbinfo":
		return true
	}
	return false
}

func (c *checker) tables(m *tables) []Table {
	var out []Table
	names := c.names("table")
	for i := range m.entries {
		e := &m.entries[i]
		names.add(e.name, e.place)
		if t := c.table(e.name, &e.v.v); len(t.Columns) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (c *checker) table(name string, k *tableKeys) Table {
	t := Table{Name: name, Description: c.prose(&k.Description)}
	names := c.names("column")
	json := c.jsonColumns(k)
	for i := range k.Columns.items {
		if item := &k.Columns.items[i]; item.ok {
			names.add(item.v, item.place)
			t.Columns = append(t.Columns, Column{Name: item.v, JSON: json[ident.Fold(item.v)]})
		}
	}
	for i := range k.Sensitive.entries {
		e := &k.Sensitive.entries[i]
		names.add(e.name, e.place)
		t.Columns = append(t.Columns, c.sensitiveColumn(e))
	}
	return t
}

// jsonColumns returns the folded names of the columns that are declared JSON;
// they must be plain columns of the table.
func (c *checker) jsonColumns(k *tableKeys) map[string]bool {
	plain := map[string]bool{}
	var known []string
	for i := range k.Columns.items {
		plain[ident.Fold(k.Columns.items[i].v)] = true
		known = append(known, k.Columns.items[i].v)
	}
	declared := map[string]bool{}
	for i := range k.JSON.items {
		t := &k.JSON.items[i]
		switch n := ident.Fold(t.v); {
		case !t.ok:
		case !plain[n]:
			hint := ""
			if near := ident.Nearest(t.v, known); near != "" {
				hint = `; did you mean "` + near + `"?`
			}
			c.fail(t.place, "column %q is not in the table's columns%s", t.v, hint)
		case declared[n]:
			c.fail(t.place, "column %q is in the list twice", t.v)
		default:
			declared[n] = true
		}
	}
	return declared
}

func (c *checker) sensitiveColumn(e *entry[sensitive]) Column {
	col := Column{Name: e.name, Mask: Mask(e.v.v)}
	at, k := e.v.place, &e.v.long.v
	if at.line == 0 {
		at = e.place
	}
	switch {
	case !e.v.ok:
	case col.Mask == MaskPseudonym:
		if !c.file.PseudonymKey.present {
			c.fail(at, "a pseudonym needs the top-level key pseudonym_key")
		}
	case col.Mask != MaskRedact:
		c.fail(at, "unknown mask %q%s", e.v.v, suggest(e.v.v, []string{string(MaskRedact), string(MaskPseudonym)}))
	}
	if k.Filter.ok && k.Filter.v != "equality" {
		c.fail(k.Filter.place, "unknown filter %q; the one filter is equality", k.Filter.v)
	}
	if kind := ParamType(k.Type.v); k.Type.ok && kind != ParamText && kind != ParamInteger {
		c.fail(k.Type.place, "unknown type %q; it is text or integer", k.Type.v)
	}
	switch {
	case k.Filter.present && !k.Type.present:
		c.fail(k.Filter.place, "a filter needs the column's type too: text or integer")
	case k.Type.present && !k.Filter.present:
		c.fail(k.Type.place, "a type has no meaning without filter: equality")
	case k.Filter.present:
		col.FilterEquality, col.FilterType = true, ParamType(k.Type.v)
	}
	return col
}

// nameList checks the names of one list against each other.
type nameList struct {
	*checker
	kind string
	seen map[string]seenName
}

type seenName struct {
	name string
	line int
}

func (c *checker) names(kind string) *nameList {
	return &nameList{checker: c, kind: kind, seen: map[string]seenName{}}
}

// add checks one name. Names that differ only by case are a mistake: columns are
// one and the same to MySQL, and tables are on some file systems.
func (l *nameList) add(name string, at place) {
	if problem := nameProblem(name); problem != "" {
		l.fail(at, "the %s's name %s", l.kind, problem)
		return
	}
	folded := ident.Fold(name)
	first, repeated := l.seen[folded]
	switch {
	case !repeated:
		l.seen[folded] = seenName{name, at.line}
	case first.name == name && l.kind == "column":
		l.fail(at, "column %q is listed twice, first on line %d", name, first.line)
	case first.name != name:
		l.fail(at, "%s %q differs only by case from %q on line %d", l.kind, name, first.name, first.line)
	}
}

// maxNameLength is MySQL's, in characters (manual, "Identifier Length Limits").
const maxNameLength = 64

// nameProblem says what makes a text no name of MySQL (manual, "Schema Object
// Names"), or "". Backticks, dots and spaces inside are legal.
func nameProblem(name string) string {
	switch {
	case name == "":
		return "must not be empty"
	case name == "*" || name == "%":
		return "must be exact: patterns are not accepted, so write each name out"
	case len([]rune(name)) > maxNameLength:
		return "is longer than 64 characters"
	case strings.HasSuffix(name, " "):
		return "ends in a space, which MySQL does not accept"
	case hasControl(name):
		return "holds a control character"
	case strings.ContainsFunc(name, func(r rune) bool { return r > 0xFFFF || r == 0xFFFD }):
		return "holds a character that MySQL does not accept in names"
	}
	return ""
}

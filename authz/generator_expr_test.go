package authz_test

import (
	"slices"
	"strings"
)

// expr writes an expression of a kind; sometimes of another, which MySQL
// converts.
func (g *generator) expr(kind byte) string {
	g.room--
	if kind != 'j' && g.chance(4) {
		kind = "nsdtb"[g.r.IntN(5)]
	}
	if g.room <= 0 || g.chance(12) {
		return g.leaf(kind)
	}
	forms := genForms[kind]
	form, operator := strings.CutPrefix(forms[g.r.IntN(len(forms))], "~")
	text := g.fill(form)
	// Without parentheses an operator may be read as another tree, and is no
	// operand at all in some places.
	if operator && g.chance(80) {
		return "(" + text + ")"
	}
	return text
}

func (g *generator) leaf(kind byte) string {
	if g.chance(70) {
		if c := g.column(kind); c != "" {
			return c
		}
	}
	leaf := g.one(genLeaves[kind]...)
	if leaf == "?" {
		values := genParams[kind]
		return g.param(values[g.r.IntN(len(values))])
	}
	return leaf
}

// column names a column of that kind, or of another if there is none; a truth
// value is a number. It is "" only where no column may be used.
func (g *generator) column(kind byte) string {
	if kind == 'b' {
		kind = 'n'
	}
	if g.only != nil {
		for range 3 {
			if len(g.only) == 0 {
				return ""
			}
			if c := g.only[g.r.IntN(len(g.only))]; c.kind == kind {
				return c.name
			}
		}
		return ""
	}
	if kind == 'j' && !g.chance(4) && !slices.ContainsFunc(g.tables, genUse.hasJSON) {
		return "" // another column is no JSON, and fails the query
	}
	var t genUse
	var c genColumn
	for i := range 20 {
		t = g.tables[g.r.IntN(len(g.tables))]
		c = t.columns[g.r.IntN(len(t.columns))]
		if c.sensitive == "" && (c.kind == kind || i > 12 && kind != 'j') {
			break
		}
	}
	if c.sensitive != "" && !g.chance(2) {
		return t.alias + "." + t.columns[0].name
	}
	return g.spelt(t, c.name)
}

func (t genUse) hasJSON() bool { return t.name == "events" }

// spelt writes a column's name in one of the ways that mean it.
func (g *generator) spelt(t genUse, name string) string {
	if g.chance(8) && !strings.ContainsAny(name, "Čč") {
		name = g.one(strings.ToUpper(name), strings.ToLower(name))
	}
	if !strings.HasPrefix(name, "`") && g.chance(8) {
		name = "`" + name + "`"
	}
	switch {
	case len(g.tables) == 1 && g.chance(60), g.chance(3), g.alone(name) && g.chance(40):
		return name
	case t.alias == t.name && g.chance(25):
		if t.second {
			return g.second + "." + t.name + "." + name
		}
		return g.main + "." + t.name + "." + name
	}
	return t.alias + "." + name
}

// alone reports whether only one table of the query has an allowed column of
// that name.
func (g *generator) alone(name string) bool {
	n := 0
	for _, t := range g.tables {
		for _, c := range t.columns {
			if strings.EqualFold(bare(c.name), bare(name)) {
				n++
			}
		}
	}
	return n == 1
}

// fill writes out a form: one of the alternatives in brackets, slots in braces,
// and NAME for the name given.
func (g *generator) fill(form string, name ...string) string {
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		switch {
		case form[i] == '[':
			end := i + strings.IndexByte(form[i:], ']')
			b.WriteString(g.fill(g.one(strings.Split(form[i+1:end], "|")...), name...))
			i = end
		case strings.HasPrefix(form[i:], "{>}"), strings.HasPrefix(form[i:], "{>>}"):
			end := i + strings.IndexByte(form[i:], '}')
			b.WriteString(g.arrow("-" + form[i+1:end]))
			i = end
		case form[i] == '{' && i+2 < len(form) && form[i+2] == '}':
			b.WriteString(g.slot(form[i+1]))
			i += 2
		case len(name) > 0 && strings.HasPrefix(form[i:], "NAME"):
			b.WriteString(name[0])
			i += len("NAME") - 1
		default:
			b.WriteByte(form[i])
		}
	}
	return b.String()
}

func (g *generator) arrow(operator string) string {
	column := g.column('j')
	if column == "" {
		return "NULL"
	}
	return arrow(column, g.one(operator, " "+operator+" "), g.slot('p'))
}

// slot fills one slot: a lower-case kind is an expression, an upper-case one a
// column.
func (g *generator) slot(c byte) string {
	if options, ok := genSlots[c]; ok {
		if c == 'i' && g.chance(10) {
			return g.param(int64(g.r.IntN(5)))
		}
		return g.one(options...)
	}
	if c >= 'A' && c <= 'Z' {
		if name := g.column(c + 'a' - 'A'); name != "" {
			return name
		}
		return g.leaf(c + 'a' - 'A')
	}
	return g.expr(c)
}

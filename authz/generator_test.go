package authz_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// generator writes random queries inside the accepted language, over the schema
// of genTables, with odd types, odd names and odd nesting; now and then it steps
// just outside. The same seed gives the same queries.
type generator struct {
	r      *rand.Rand
	main   string // names of the two schemas
	second string
	tables []genUse
	room   int         // expressions that this one may still have
	only   []genColumn // the only columns that may be used, as written; nil for all
	values []any       // of the placeholders, by the number in the marker
}

// genUse is one table of FROM.
type genUse struct {
	genTable
	alias string // how columns are qualified
}

// genQuery is a query as an asker would send it, with markers in it.
type genQuery struct {
	body, limit string // limit is "" where there is none
	values      []any
	// sorted are the first sort keys that are select items, as far as they go.
	sorted []int
	// having says that there is a HAVING.
	having bool
}

// asked is the query and its parameters.
func (q genQuery) asked() (string, []any) { return q.numbered(q.body+q.limit, "$1$2$3", "$1$2$3") }

// raw is the query for a server, which may lack -> and ->>.
func (q genQuery) raw(arrows bool) (string, []any) { return q.forServer(q.body+q.limit, arrows) }

// whole is raw without LIMIT and what follows it.
func (q genQuery) whole(arrows bool) (string, []any) { return q.forServer(q.body, arrows) }

func (q genQuery) forServer(text string, arrows bool) (string, []any) {
	if arrows {
		return q.numbered(text, "$1$2$3", "$1$2$3")
	}
	// MariaDB casts to DOUBLE only.
	return q.numbered(strings.ReplaceAll(strings.ReplaceAll(text, "REAL)", "DOUBLE)"), "REAL /*", "DOUBLE /*"), "JSON_EXTRACT($1, $3)", "JSON_UNQUOTE(JSON_EXTRACT($1, $3))")
}

func newGenerator(seed uint64, main, second string) *generator {
	return &generator{r: rand.New(rand.NewPCG(seed, 20261201)), main: main, second: second}
}

func (g *generator) one(options ...string) string { return options[g.r.IntN(len(options))] }
func (g *generator) chance(percent int) bool      { return g.r.IntN(100) < percent }

// query returns a random query and its parameters.
func (g *generator) query() genQuery {
	g.tables, g.only, g.values = nil, nil, nil
	q := genSelect{distinct: g.chance(15)}
	from := g.from()
	if g.chance(30) {
		q.where = g.where()
	}
	switch {
	case g.chance(25):
		q.grouped = true
		g.grouped(&q)
	case g.chance(12):
		q.grouped = true // the whole result is one group
		g.only = []genColumn{}
		for range 1 + g.r.IntN(3) {
			q.items = append(q.items, g.aggregateItem())
		}
	default:
		for range 1 + g.r.IntN(4) {
			q.items = append(q.items, g.item(q.distinct))
		}
	}
	g.names(&q)
	g.nameKeys(&q)
	if g.chance(16) {
		q.having = g.having(&q)
	}
	if g.chance(60) {
		g.order(&q)
	}
	return g.finish(&q, from)
}

// genSelect is a query in parts.
type genSelect struct {
	distinct, grouped bool
	items             []genItem
	where             string
	keys              []string
	having            string
	order             []string
	sorted            []int
}

// genItem is a select item and how it may be referred to, "" if not.
type genItem struct {
	text, name string
	as         string // " AS name", or ""
	kind       byte
}

func (g *generator) finish(q *genSelect, from string) genQuery {
	var b strings.Builder
	b.WriteString(g.one("SELECT ", "SELECT ", "select ", "Select "))
	if q.distinct {
		b.WriteString("DISTINCT ")
	}
	for i, it := range q.items {
		if i > 0 {
			b.WriteString(g.one(", ", ",", " , "))
		}
		b.WriteString(it.text + it.as)
	}
	b.WriteString(from)
	for _, part := range []struct{ word, text string }{
		{" WHERE ", q.where}, {" GROUP BY ", strings.Join(q.keys, ", ")}, {" HAVING ", q.having}, {" ORDER BY ", strings.Join(q.order, ", ")},
	} {
		if part.text != "" {
			b.WriteString(part.word + part.text)
		}
	}
	text := g.spaced(b.String())
	limit := ""
	if g.chance(35) {
		limit = g.limit()
	}
	if limit == "" && g.chance(6) {
		text = g.disturb(text)
	}
	return genQuery{body: text, limit: limit + g.one("", "", "", ";", " ; -- end", "\n"), values: g.values, sorted: q.sorted, having: q.having != ""}
}

func (g *generator) limit() string {
	n := func(most int) string {
		if g.chance(35) {
			return g.param(int64(g.r.IntN(most)))
		}
		return strconv.Itoa(g.r.IntN(most))
	}
	switch g.r.IntN(4) {
	case 0:
		return " LIMIT " + n(8)
	case 1:
		return "\nLIMIT " + n(30)
	case 2:
		return " LIMIT " + n(8) + " OFFSET " + n(4)
	default:
		return " LIMIT " + n(4) + g.one(",", ", ") + n(8)
	}
}

// A placeholder is written as a marker with its number until the whole text
// stands, since parts are made in another order, and thrown away.
func (g *generator) param(v any) string {
	g.values = append(g.values, v)
	return "\x01" + strconv.Itoa(len(g.values)-1) + "\x02"
}

// arrow is column -> path or column ->> path, which one server lacks.
func arrow(column, operator, path string) string {
	return "\x03" + column + "\x04" + operator + "\x04" + path + "\x05"
}

var (
	placeholderMark = regexp.MustCompile("\x01([0-9]+)\x02")
	extractMark     = regexp.MustCompile("\x03([^\x04]*)\x04( *-> *)\x04([^\x05]*)\x05")
	unquoteMark     = regexp.MustCompile("\x03([^\x04]*)\x04( *->> *)\x04([^\x05]*)\x05")
)

// numbered replaces the markers and returns the values of the placeholders in
// the order of the text.
func (q genQuery) numbered(text, extract, unquote string) (string, []any) {
	text = unquoteMark.ReplaceAllString(extractMark.ReplaceAllString(text, extract), unquote)
	var params []any
	return placeholderMark.ReplaceAllStringFunc(text, func(mark string) string {
		i, err := strconv.Atoi(mark[1 : len(mark)-1])
		if err != nil {
			panic("generator: a marker without a number")
		}
		params = append(params, q.values[i])
		return "?"
	}), params
}

// spaced changes white space outside of strings and names, and puts comments
// into it.
func (g *generator) spaced(text string) string {
	if g.chance(70) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			n := quotedLen(text[i:])
			b.WriteString(text[i : i+n])
			i += n - 1
		case c == ' ' && g.chance(12):
			b.WriteString(g.one("  ", "\n", "\t", "\r\n", " /* ? 'c */ ", " -- it's\n", " # ;\n"))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// quotedLen is the length of the string or name in the quotes s begins with.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] != '`':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return len(s)
}

// disturb makes a query that is most often just outside the language.
func (g *generator) disturb(text string) string {
	words := strings.Fields(text)
	i := g.r.IntN(len(words))
	switch g.r.IntN(4) {
	case 0:
		words = slices.Delete(words, i, i+1)
	case 1:
		words[i] = g.one("*", "ssn", "token", "(SELECT 1)", "||", "REGEXP", "COLLATE utf8mb4_bin", "OVER ()", "@a", "/*! 1 */", "0x41", "secrets", ";", "INTO @x",
			"NOT", "AND", "-", "(", ")", ",", "IS NULL", "DISTINCT", "= 1")
	case 2:
		words = append(words, g.one("FOR UPDATE", "UNION SELECT 1", "; -- x", "WITH ROLLUP", "PROCEDURE ANALYSE()", "DESC", ", 1", "IS NULL", "LIMIT 'a'"))
	default:
		j := g.r.IntN(len(words))
		words[i], words[j] = words[j], words[i]
	}
	return strings.Join(words, " ")
}

package authz_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random queries inside the accepted language, over the traps
// schema, with odd types, odd names and odd nesting; now and then it steps just
// outside. The same seed gives the same queries.
type generator struct {
	r      *rand.Rand
	tables []genTable
	params []any
	depth  int
}

type genTable struct {
	name    string // as a query writes it
	alias   string
	columns []genColumn
}

type genColumn struct {
	name string
	kind byte // n number, s string, d date, j json, b bits
}

var genTables = []genTable{
	{"customers", "", []genColumn{{"id", 'n'}, {"name", 's'}, {"city", 's'}, {"tier", 'n'}, {"note", 's'}, {"created_at", 'd'}}},
	{"orders", "", []genColumn{{"id", 'n'}, {"customer_id", 'n'}, {"status", 's'}, {"total", 'n'}, {"qty", 'n'}, {"placed_at", 'd'}}},
	{"`Order`", "", []genColumn{{"`key`", 'n'}, {"`group`", 's'}, {"`Select`", 'n'}, {"`from`", 's'}, {"`rank`", 'n'}}},
	{"MixedCase", "", []genColumn{{"Id", 'n'}, {"UserName", 's'}, {"`Full Name`", 's'}}},
	{"events", "", []genColumn{{"id", 'n'}, {"kind", 's'}, {"payload", 'j'}, {"`at`", 'd'}, {"flag", 'b'}}},
	{"order_summary", "", []genColumn{{"id", 'n'}, {"status", 's'}, {"total", 'n'}}},
	{"traps_priv.regions", "", []genColumn{{"id", 'n'}, {"city", 's'}, {"region", 's'}}},
}

func newGenerator(seed uint64) *generator {
	return &generator{r: rand.New(rand.NewPCG(seed, 20261201))}
}

func (g *generator) one(options ...string) string { return options[g.r.IntN(len(options))] }
func (g *generator) chance(percent int) bool      { return g.r.IntN(100) < percent }

// query returns a random query and its parameters.
func (g *generator) query() (string, []any) {
	g.tables, g.params, g.depth = nil, nil, 0
	from := g.from()
	grouped := g.chance(30)
	var keys []string
	if grouped {
		for range 1 + g.r.IntN(2) {
			keys = append(keys, g.key())
		}
	}
	var items, names []string
	for i := range 1 + g.r.IntN(4) {
		e := g.item(grouped, keys)
		if g.chance(60) {
			alias := g.one("x", "y", "n", "ssn", "token", "`a b`", "internal_note", "`group`") + []string{"", "1", "2", "3"}[i%4]
			alias = strings.ReplaceAll(alias, "`1", "1`")
			if strings.Contains(alias, "`") && !strings.HasSuffix(alias, "`") {
				alias = fmt.Sprintf("`a%d`", i)
			}
			names = append(names, alias)
			e += g.one(" AS ", " ") + alias
		}
		items = append(items, e)
	}
	var b strings.Builder
	b.WriteString(g.one("SELECT ", "select ", "SELECT DISTINCT ", "SELECT ") + strings.Join(items, ", ") + from)
	if g.chance(60) {
		b.WriteString(g.one(" WHERE ", "\nwhere ") + g.boolean())
	}
	if grouped {
		b.WriteString(" GROUP BY " + strings.Join(keys, ", "))
	}
	if g.chance(20) {
		b.WriteString(" HAVING " + g.having(grouped, names))
	}
	if g.chance(50) {
		b.WriteString(" ORDER BY " + g.order(names, len(items)))
	}
	text := b.String()
	if g.chance(4) {
		text = g.disturb(text)
	}
	return text, g.params
}

func (g *generator) from() string {
	var b strings.Builder
	b.WriteString(" FROM ")
	for i := range 1 + g.r.IntN(2)*g.r.IntN(2) + g.r.IntN(2) {
		t := genTables[g.r.IntN(len(genTables))]
		t.alias = fmt.Sprintf("%s%d", g.one("a", "b", "T", "secrets"), i)
		if i > 0 {
			b.WriteString(g.one(" JOIN ", " INNER JOIN ", " LEFT JOIN ", " LEFT OUTER JOIN "))
		}
		g.tables = append(g.tables, t)
		b.WriteString(t.name + g.one(" AS ", " ") + t.alias)
		if i > 0 {
			b.WriteString(" ON " + g.boolean())
		}
	}
	return b.String()
}

// column names a column of that kind, or of any if there is none.
func (g *generator) column(kind byte) string {
	for range 8 {
		t := g.tables[g.r.IntN(len(g.tables))]
		c := t.columns[g.r.IntN(len(t.columns))]
		if c.kind == kind || kind == 0 {
			if len(g.tables) == 1 && g.chance(50) {
				return c.name
			}
			return t.alias + "." + c.name
		}
	}
	return g.tables[0].alias + "." + g.tables[0].columns[0].name
}

func (g *generator) param(v any) string {
	g.params = append(g.params, v)
	return "?"
}

func (g *generator) deep() bool {
	g.depth++
	return g.depth > 7 || g.chance(30)
}

func (g *generator) number() string {
	defer func() { g.depth-- }()
	if g.deep() {
		switch g.r.IntN(8) {
		case 0:
			return g.param(int64(g.r.IntN(9)) - 3)
		case 1:
			return g.one("0", "1", "2.5", ".5", "1e1", "00012", "9223372036854775807", "18446744073709551615", "NULL", "TRUE", "false")
		case 2:
			return fmt.Sprint(g.r.IntN(30))
		default:
			return g.column('n')
		}
	}
	switch g.r.IntN(12) {
	case 0:
		return "-" + g.number()
	case 1:
		return "(" + g.boolean() + ")"
	case 2:
		return g.one("ABS", "SIGN", "FLOOR", "CEIL", "ROUND", "SQRT", "-") + "(" + g.number() + ")"
	case 3:
		return g.one("MOD", "ROUND", "TRUNCATE", "IFNULL", "NULLIF", "GREATEST", "LEAST", "COALESCE") + "(" + g.number() + ", " + g.number() + ")"
	case 4:
		return g.one("LENGTH", "CHAR_LENGTH", "ASCII") + "(" + g.text() + ")"
	case 5:
		return g.one("YEAR", "MONTH", "DAYOFWEEK", "HOUR", "QUARTER") + "(" + g.date() + ")"
	case 6:
		return "IF(" + g.boolean() + ", " + g.number() + ", " + g.number() + ")"
	case 7:
		return "CASE " + g.one("", g.number()+" ") + "WHEN " + g.number() + " THEN " + g.number() + g.one("", " ELSE "+g.number()) + " END"
	case 8:
		return "CAST(" + g.one(g.number(), g.text()) + " AS " + g.one("SIGNED", "UNSIGNED", "DECIMAL(10,2)", "DOUBLE") + ")"
	case 9:
		return "TIMESTAMPDIFF(" + g.one("DAY", "MONTH", "HOUR") + ", " + g.date() + ", " + g.date() + ")"
	default:
		return g.one("(", "") + g.number() + g.one(" + ", " - ", " * ", " / ", " DIV ", " MOD ", " % ", "- -", "+") + g.number()
	}
}

func (g *generator) text() string {
	defer func() { g.depth-- }()
	if g.deep() {
		switch g.r.IntN(8) {
		case 0:
			return g.param(g.one("paid", "O", "it's", "50% off_x", "back\\slash", "Čeněk", ""))
		case 1:
			return g.one("'paid'", "'it''s'", `'50\% off\_x'`, `'back\\slash'`, "'Čeněk'", "''", `"x"`, "NULL", `'a\nb'`, `'\'x'`, "'Oslo'")
		default:
			return g.column('s')
		}
	}
	switch g.r.IntN(11) {
	case 0:
		return g.one("UPPER", "LOWER", "TRIM", "LTRIM", "REVERSE") + "(" + g.text() + ")"
	case 1:
		return "CONCAT(" + g.text() + ", " + g.one(g.text(), g.number()) + ")"
	case 2:
		return g.one("LEFT", "RIGHT") + "(" + g.text() + ", " + fmt.Sprint(g.r.IntN(5)) + ")"
	case 3:
		return "SUBSTRING(" + g.text() + g.one(", 2", " FROM 2", ", 1, 2", " FROM 2 FOR 1") + ")"
	case 4:
		return "REPLACE(" + g.text() + ", 'a', '')"
	case 5:
		return "CASE WHEN " + g.boolean() + " THEN " + g.text() + " ELSE " + g.text() + " END"
	case 6:
		return g.one("IFNULL", "NULLIF", "COALESCE") + "(" + g.text() + ", " + g.text() + ")"
	case 7:
		return "DATE_FORMAT(" + g.date() + ", '%Y-%m')"
	case 8:
		return "TRIM(" + g.one("BOTH ", "LEADING ", "TRAILING ", "") + "'a' FROM " + g.text() + ")"
	case 9:
		return "CAST(" + g.number() + " AS CHAR" + g.one("", "(2)") + ")"
	default:
		return "IF(" + g.boolean() + ", " + g.text() + ", " + g.text() + ")"
	}
}

func (g *generator) date() string {
	defer func() { g.depth-- }()
	if g.deep() {
		return g.one(g.column('d'), g.column('d'), "'2024-02-29'", "'2024-05-01 08:00:00'")
	}
	switch g.r.IntN(4) {
	case 0:
		return g.one("DATE_ADD", "DATE_SUB") + "(" + g.date() + ", INTERVAL " + g.one("1", g.number()) + " " + g.one("DAY", "MONTH", "HOUR") + ")"
	case 1:
		return g.one("DATE", "LAST_DAY") + "(" + g.date() + ")"
	case 2:
		return "(" + g.column('d') + g.one(" + ", " - ") + "INTERVAL 1 " + g.one("DAY", "YEAR") + ")"
	default:
		return g.column('d')
	}
}

func (g *generator) boolean() string {
	defer func() { g.depth-- }()
	if g.deep() {
		return g.one(g.number(), g.column('n')) + g.one(" = ", " <> ", " != ", " < ", " >= ", " <=> ") + g.one(g.number(), fmt.Sprint(g.r.IntN(5)))
	}
	switch g.r.IntN(12) {
	case 0:
		return g.boolean() + g.one(" AND ", " OR ", " XOR ", " and ", " && ") + g.boolean()
	case 1:
		return "(" + g.boolean() + g.one(" OR ", " AND ") + g.boolean() + ")"
	case 2:
		return g.one("NOT ", "not ") + g.one(g.boolean(), "("+g.boolean()+")")
	case 3:
		return g.one(g.text(), g.number()) + g.one(" IS NULL", " IS NOT NULL")
	case 4:
		return "(" + g.boolean() + ")" + g.one(" IS TRUE", " IS NOT FALSE", " IS FALSE", " = 1", " LIKE 1", " IN (0, 1)", " BETWEEN 0 AND 1")
	case 5:
		return g.text() + g.one(" LIKE ", " NOT LIKE ") + g.one("'%a%'", `'50\% %'`, "'_a_'", g.text()) + g.one("", "", " ESCAPE '|'")
	case 6:
		return g.text() + g.one(" IN ", " NOT IN ") + "(" + g.text() + ", " + g.text() + ", 'paid')"
	case 7:
		return g.number() + g.one(" BETWEEN ", " NOT BETWEEN ") + g.number() + " AND " + g.number()
	case 8:
		return g.date() + g.one(" >= ", " < ", " = ") + g.date()
	default:
		return g.text() + g.one(" = ", " <> ", " > ", " <=> ") + g.text()
	}
}

func (g *generator) key() string {
	return g.one(g.column('n'), g.column('s'), g.column('s'), "UPPER("+g.column('s')+")", "YEAR("+g.column('d')+")", "1", "x", "n")
}

func (g *generator) item(grouped bool, keys []string) string {
	if !grouped && g.chance(85) {
		return g.one(g.column(0), g.number(), g.text(), g.date(), g.boolean())
	}
	if grouped && g.chance(50) {
		k := keys[g.r.IntN(len(keys))]
		if k != "1" && k != "x" && k != "n" {
			return k
		}
	}
	switch g.r.IntN(5) {
	case 0:
		return "COUNT(*)"
	case 1:
		return "COUNT(" + g.one("DISTINCT ", "") + g.one(g.text(), g.number()) + ")"
	case 2:
		return g.one("SUM", "AVG", "MIN", "MAX") + "(" + g.one("", "DISTINCT ") + g.number() + ")"
	case 3:
		return g.one("MIN", "MAX") + "(" + g.one(g.text(), g.date()) + ")"
	default:
		column := g.column('s') // ordered by another one, the result would be undetermined
		return "GROUP_CONCAT(DISTINCT " + column + " ORDER BY " + column + g.one("", " SEPARATOR '; '", " SEPARATOR ''''") + ")"
	}
}

func (g *generator) having(grouped bool, names []string) string {
	left := "COUNT(*)"
	if len(names) > 0 && g.chance(70) {
		left = names[g.r.IntN(len(names))]
	} else if !grouped && g.chance(50) {
		left = g.column('n')
	}
	return left + g.one(" > ", " <> ", " < ") + g.one("0", "1", "'a'")
}

func (g *generator) order(names []string, items int) string {
	key := g.one(g.column(0), fmt.Sprint(1+g.r.IntN(items)), g.number())
	if len(names) > 0 && g.chance(60) {
		key = names[g.r.IntN(len(names))]
		if g.chance(25) {
			key = g.one("LENGTH(", "CONCAT('', ", "(") + key + ")"
		}
	}
	return key + g.one("", " DESC", " ASC")
}

// disturb makes a query that is most often just outside the language.
func (g *generator) disturb(text string) string {
	words := strings.Fields(text)
	i := g.r.IntN(len(words))
	switch g.r.IntN(4) {
	case 0:
		words = append(words[:i], words[i+1:]...)
	case 1:
		words[i] = g.one("*", "ssn", "token", "(SELECT 1)", "||", "REGEXP", "COLLATE utf8mb4_bin", "OVER ()", "@a", "/*! 1 */", "0x41", "secrets", ";", "INTO @x")
	case 2:
		words = append(words, g.one("FOR UPDATE", "UNION SELECT 1", "LIMIT 2", "LIMIT 1, 2", "; -- x", "WITH ROLLUP", "PROCEDURE ANALYSE()"))
	default:
		j := g.r.IntN(len(words))
		words[i], words[j] = words[j], words[i]
	}
	return strings.Join(words, " ")
}

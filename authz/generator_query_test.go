package authz_test

import (
	"strconv"
	"strings"
)

// from chooses up to five tables. A table may come twice; it may stand without
// an alias if its name isn't taken.
func (g *generator) from() string {
	var b strings.Builder
	b.WriteString(g.one(" FROM ", "\nFROM ", " from "))
	joins := []int{0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4}[g.r.IntN(11)]
	taken := map[string]bool{}
	for i := range joins + 1 {
		t := genTables[g.r.IntN(len(genTables))]
		if i > 0 {
			b.WriteString(g.one(" JOIN ", " INNER JOIN ", " LEFT JOIN ", " LEFT OUTER JOIN ", "\nleft join "))
		}
		use := genUse{t, t.name}
		schema := g.main
		if t.second {
			schema = g.second
		}
		if t.second || g.chance(15) {
			b.WriteString(schema + ".")
		}
		b.WriteString(t.name)
		if taken[strings.ToLower(bare(t.name))] || g.chance(75) {
			use.alias = g.one("a", "b", "T", "secrets", "`o x`", "`order`", "`ž`", "id", "customers_") + strconv.Itoa(i)
			if quoted, number, ok := strings.Cut(use.alias, "`"+strconv.Itoa(i)); ok {
				use.alias = quoted + strconv.Itoa(i) + number + "`"
			}
			b.WriteString(g.one(" AS ", " ") + use.alias)
		}
		taken[strings.ToLower(bare(use.alias))] = true
		g.tables = append(g.tables, use)
		if i > 0 {
			b.WriteString(g.one(" ON ", " on ") + g.on())
		}
	}
	return b.String()
}

// on is mostly the equality of two columns, so that a chain of joins has rows.
func (g *generator) on() string {
	last := g.tables[len(g.tables)-1]
	kind := g.one("n", "n", "n", "s")[0]
	own, others := g.of(last, kind), g.of(g.tables[g.r.IntN(len(g.tables)-1)], kind)
	if own == "" || others == "" || g.chance(25) {
		g.room = 4
		return g.expr('b')
	}
	equal := g.one(others+" = "+own, own+" = "+others, own+" <=> "+others, own+"="+others)
	if g.chance(25) {
		g.room = 3
		return g.fill(g.one("("+equal+" OR {b})", equal+" AND {b}", "{b} AND "+equal, equal+" OR {b}"))
	}
	return equal
}

// of names a column of that kind of one table, or "" if there is none.
func (g *generator) of(t genUse, kind byte) string {
	for range 6 {
		c := t.columns[g.r.IntN(len(t.columns))]
		if c.kind == kind && c.sensitive == "" {
			return t.alias + "." + c.name
		}
	}
	return ""
}

func (g *generator) where() string {
	g.room = 10
	condition := g.expr('b')
	if filter := g.filter(); filter != "" {
		return g.one(filter, filter+" AND ("+condition+")", "("+condition+") AND "+filter)
	}
	return condition
}

// filter is a filter on a sensitive column that the config admits, or "".
func (g *generator) filter() string {
	for _, t := range g.tables {
		for _, c := range t.columns {
			if !strings.Contains(c.sensitive, "equality") || !g.chance(30) {
				continue
			}
			p := func() string {
				if c.kind == 'n' {
					return g.param(int64([]int{1111, 0, 4444}[g.r.IntN(3)]))
				}
				return g.param(g.one("+47", "+1-555", "none"))
			}
			name := t.alias + "." + c.name
			return g.one(name+" = "+p(), p()+" = "+name, name+" IN ("+p()+", "+p()+")", name+" IN ("+p()+")")
		}
	}
	return ""
}

func (g *generator) item(distinct bool) genItem {
	if !distinct && g.chance(6) {
		if c := g.sensitive(); c != "" {
			return genItem{text: c, kind: 's'}
		}
	}
	if g.chance(35) {
		return g.bareItem("nsdtj"[g.r.IntN(5)])
	}
	g.room = 2 + g.r.IntN(10)
	return g.exprItem("nnnssssddtjjbb"[g.r.IntN(14)])
}

func (g *generator) bareItem(kind byte) genItem {
	text := g.column(kind)
	_, name, qualified := cutLast(text, '.')
	if !qualified {
		name = text
	}
	return genItem{text: text, name: name, kind: kind}
}

func (g *generator) exprItem(kind byte) genItem { return genItem{text: g.expr(kind), kind: kind} }

// cutLast cuts at the last separator outside of backticks.
func cutLast(s string, separator byte) (before, after string, found bool) {
	quoted := false
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '`' {
			quoted = !quoted
		}
		if s[i] == separator && !quoted {
			return s[:i], s[i+1:], true
		}
	}
	return "", s, false
}

func (g *generator) sensitive() string {
	for _, t := range g.tables {
		for _, c := range t.columns {
			if c.sensitive != "" && g.chance(50) {
				return t.alias + "." + c.name
			}
		}
	}
	return ""
}

// grouped writes GROUP BY and select items that have one value per group: keys,
// expressions over keys that are columns, and aggregates.
func (g *generator) grouped(q *genSelect) {
	only := []genColumn{}
	for range 1 + g.r.IntN(2)*g.r.IntN(3) {
		kind := "nnssd"[g.r.IntN(5)]
		if g.chance(65) {
			c := g.column(kind)
			only = append(only, genColumn{c, kind, ""})
			q.keys = append(q.keys, c)
			continue
		}
		g.room = 3
		key := g.expr(kind)
		q.keys = append(q.keys, key)
		if g.chance(80) {
			q.items = append(q.items, genItem{text: key, kind: kind})
		}
	}
	for range 1 + g.r.IntN(3) {
		switch {
		case g.chance(45):
			q.items = append(q.items, g.aggregateItem())
		case len(only) > 0 && g.chance(60):
			q.items = append(q.items, g.bareOf(only[g.r.IntN(len(only))]))
		default:
			g.only = only
			g.room = 5
			q.items = append(q.items, g.exprItem("nsdb"[g.r.IntN(4)]))
			g.only = nil
		}
	}
	g.only = only
}

func (g *generator) bareOf(c genColumn) genItem {
	_, name, _ := cutLast(c.name, '.')
	return genItem{text: c.name, name: name, kind: c.kind}
}

// aggregate is an aggregate, or an expression of one. Inside, every column may
// be used.
func (g *generator) aggregate(kind byte) string {
	saved := g.only
	g.only, g.room = nil, 4
	defer func() { g.only = saved }()
	return g.fill(g.one(genAggregates[kind]...), g.expr("ns"[g.r.IntN(2)]))
}

// genAggregates are the aggregates by kind; NAME is an expression to repeat.
var genAggregates = map[byte][]string{
	'n': {
		"COUNT(*)", "COUNT(*)", "count({n})", "COUNT([DISTINCT |]{s})", "COUNT(DISTINCT {n}, {s})", "COUNT(DISTINCT {s}, {d}, {n})", "[SUM|AVG|MIN|MAX]([DISTINCT |]{n})",
		"[SUM|AVG]({n})", "[MIN|MAX]({N})", "SUM({b})", "SUM(CASE WHEN {b} THEN {n} ELSE 0 END)", "ROUND(AVG({n}), 2)", "SUM({n}) / COUNT(*)", "IFNULL(SUM({n}), 0) + 1", "MAX({n}) - MIN({n})",
	},
	's': {
		"[MIN|MAX]([{s}|{d}|{t}])", "COALESCE(MAX({s}), 'none')", "GROUP_CONCAT([DISTINCT |]NAME ORDER BY NAME[| DESC| ASC])",
		"GROUP_CONCAT({S} ORDER BY {N} DESC, {S}[| SEPARATOR '; '| SEPARATOR ''''| SEPARATOR ''])", "GROUP_CONCAT(DISTINCT {S})",
		"GROUP_CONCAT(NAME, {i} ORDER BY NAME SEPARATOR '[ž|\\n|a b]')", "GROUP_CONCAT({N} SEPARATOR '-')",
	},
}

func (g *generator) aggregateItem() genItem {
	kind := "nns"[g.r.IntN(3)]
	return genItem{text: g.aggregate(kind), kind: kind}
}

// names gives select items aliases: new ones, names of hidden and of allowed
// columns, quoted ones, and the same twice.
func (g *generator) names(q *genSelect) {
	for i := range q.items {
		it := &q.items[i]
		if !g.chance(60) {
			continue
		}
		n := strconv.Itoa(i)
		switch {
		case g.chance(75):
			it.name = g.one("x", "y", "n", "total_") + n
		case g.chance(25):
			it.name = g.one("ssn", "token", "internal_note", "boss", "secret", "val", "hidden", "password")
		case g.chance(50):
			it.name = g.one("`a b"+n+"`", "`group"+n+"`", "`a``b"+n+"`", "`x.y"+n+"`", "`ž"+n+"`", "`?"+n+"`")
		default:
			it.name = g.one("id", "name", "city", "total", "kind", "tier", "x", "x", "`group`", "status")
		}
		it.as = g.one(" AS ", " as ", " ") + it.name
		if it.name == "x" && g.chance(20) {
			it.as = g.one(" AS 'x'", ` "x"`)
		}
	}
}

// nameKeys writes keys of GROUP BY that are select items as their position or by
// their alias.
func (g *generator) nameKeys(q *genSelect) {
	for k, key := range q.keys {
		for i, it := range q.items {
			switch {
			case it.text != key:
			case g.chance(20):
				q.keys[k] = strconv.Itoa(i + 1)
			case it.as != "" && g.chance(25):
				q.keys[k] = it.name
			}
		}
	}
}

func (g *generator) having(q *genSelect) string {
	if g.chance(25) {
		return g.havingTerm(q) + g.one(" AND ", " OR ", " XOR ") + g.havingTerm(q)
	}
	return g.havingTerm(q)
}

// genHaving are conditions on a select item by its kind. One that has another
// kind reads differently in HAVING and in WHERE to the servers themselves; UPPER
// of a name changes what MySQL selects under that name.
var genHaving = map[byte][]string{
	'n': {"NAME[ > | <> | < | = | <=> ]{i}", "NOT NAME", "NAME", "NAME IN (1, {n}, {i})", "COALESCE(NAME, {i}) + 1 > 1", "NAME BETWEEN -5 AND 100"},
	's': {"NAME[ > | <> | < | = | <=> ]['a'|'paid'|{s}]", "NAME LIKE '%a%'", "LENGTH(NAME) > {i}", "NAME NOT IN ('paid', {s})", "LEFT(NAME, 2) <> ''"},
	'd': {"NAME > '2024-01-01'", "YEAR(NAME) > {i}", "NAME < {d}"},
	't': {"NAME > '00:00:01'"},
	'j': {"JSON_LENGTH(NAME) < 5", "NAME IS NULL"},
	'b': {"NAME", "NOT NAME", "NAME = 0"},
}

func (g *generator) havingTerm(q *genSelect) string {
	g.room = 3
	it := q.items[g.r.IntN(len(q.items))]
	switch {
	case it.name != "" && g.chance(70):
		forms := append([]string{"NAME IS NOT NULL", "(NAME IS NULL) = 0"}, genHaving[it.kind]...)
		return g.fill(g.one(forms...), it.name)
	case q.grouped:
		return g.one(g.aggregate('n')+g.one(" > 0", " <> 1", " IS NOT NULL"), g.aggregate('s')+" <> 'a'", "COUNT(*) >= 1", g.expr('b'))
	}
	return it.text + " IS NOT NULL"
}

// order writes ORDER BY and notes which select items it sorts by.
func (g *generator) order(q *genSelect) {
	known := true
	for range 1 + g.r.IntN(2)*g.r.IntN(3) {
		i := g.r.IntN(len(q.items))
		it := q.items[i]
		key, whole := strconv.Itoa(i+1), true
		switch {
		case it.name != "" && g.chance(55):
			key = it.name
			if g.chance(20) {
				key, whole = g.fill(g.one("LENGTH(NAME)", "CONCAT('', NAME)", "(NAME)", "- NAME", "NAME + {i}", "COALESCE(NAME, 1)"), it.name), false
			}
		case !q.distinct && g.chance(50):
			g.room = 4
			key, whole = g.expr("nsd"[g.r.IntN(3)]), false
			if q.grouped && g.chance(50) {
				key = g.aggregate('n')
			}
		case g.chance(20):
			key = it.text
		case g.chance(10):
			key = "0" + key
		}
		if known = known && whole; known {
			q.sorted = append(q.sorted, i)
		}
		q.order = append(q.order, key+g.one("", " DESC", " ASC", " desc"))
	}
}

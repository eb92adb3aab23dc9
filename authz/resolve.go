package authz

import (
	"slices"
	"strconv"

	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// place is where in the query a name stands; it decides what the name can mean.
type place int

const (
	inItem    place = iota // a select item, or a select item written out elsewhere
	inOn                   // a join's condition
	inWhere                // WHERE
	inGroupBy              // GROUP BY
	inHaving               // HAVING
	inOrderBy              // ORDER BY
)

// takesAliases says whether a select alias can be meant.
func (p place) takesAliases() bool { return p == inGroupBy || p == inHaving || p == inOrderBy }

// column writes a name. Aliases are resolved by us, so that MySQL's own rules,
// which differ by clause and see columns that we hide, have nothing to resolve.
func (w *writer) column(c *tree.Column) {
	if c.Table == "" && w.place.takesAliases() && !w.inAggregate {
		if i, ok := w.alias(c); ok {
			w.writeItem(i, c)
			return
		}
		if w.refused != nil {
			return
		}
	}
	table, col := w.columnOnly(c)
	if col == nil {
		return
	}
	if col.Mask != config.MaskNone && c != w.admitted {
		w.refuseSensitive(c, col)
		return
	}
	if w.place == inHaving && !w.inAggregate && !w.selected(table, col) && !slices.Contains(w.groupKeys(), found{table, col}) {
		// HAVING sees only what is grouped or selected (MySQL error 1054).
		w.refuse(refusal.New(refusal.NotGrouped, c.Pos))
		return
	}
	w.writeColumn(table, col)
}

// ungrouped reports whether HAVING filters rows, as WHERE does.
func (w *writer) ungrouped() bool { return len(w.query.GroupBy) == 0 && !w.query.Aggregates }

func (w *writer) selected(table int, col *column) bool {
	for _, it := range w.scope.items {
		if it.column == col && it.table == table {
			return true
		}
	}
	return false
}

func (w *writer) refuseSensitive(c *tree.Column, col *column) {
	reason := refusal.SensitiveColumn
	if col.FilterEquality {
		reason = refusal.SensitiveFilter
	}
	w.refuse(refusal.New(reason, c.Pos).Messagef("The column %s is sensitive. %s", col.Name, refusal.New(reason, c.Pos).Message))
}

func (w *writer) writeColumn(table int, col *column) {
	w.text.WriteString("`t" + strconv.Itoa(table+1) + "`.")
	w.ident(col.Name)
}

// alias decides whether an unqualified name means a select item. It refuses what
// could mean two things.
func (w *writer) alias(c *tree.Column) (int, bool) {
	items := w.scope.named(c.Name)
	switch {
	case len(items) == 0:
		return 0, false
	case !w.scope.oneColumn(items):
		w.refuse(refusal.New(refusal.AmbiguousAlias, c.Pos))
		return 0, false
	}
	it := w.scope.items[items[0]]
	columns := w.scope.unqualified(c.Name)
	if len(columns) == 0 {
		return items[0], true
	}
	for _, f := range columns {
		if f.column == it.column && f.table == it.table {
			// The name means the item either way. Several tables may have such a
			// column: ORDER BY and HAVING take the item, as MySQL does.
			return items[0], len(columns) == 1 || w.topLevel && w.place == inOrderBy || w.place == inHaving
		}
	}
	w.refuse(refusal.New(refusal.AliasShadowsColumn, c.Pos))
	return 0, false
}

// oneColumn reports whether a name that these items share means one thing: there
// is but one item, or all are the same bare column.
func (s *scope) oneColumn(items []int) bool {
	first := s.items[items[0]]
	for _, i := range items[1:] {
		if s.items[i].column == nil || s.items[i].column != first.column || s.items[i].table != first.table {
			return false
		}
	}
	return true
}

// writeItem writes a select item where a name refers to it: its column, its
// position if it is a whole sort key, else its expression.
func (w *writer) writeItem(i int, c *tree.Column) {
	it := w.scope.items[i]
	if it.column != nil && it.column.Mask != config.MaskNone {
		w.refuseSensitive(c, it.column)
		return
	}
	switch {
	case w.place == inHaving && w.query.Aggregates && len(w.query.GroupBy) == 0 && hasBareColumn(it.expr):
		// MySQL refuses the whole query (error 1140); MariaDB takes any row's value.
		w.refuse(refusal.New(refusal.NotGrouped, c.Pos))
	case it.column != nil && w.place == inHaving && w.groupedNamesakes(it.column.Name) > 1:
		// MariaDB finds grouped columns by their bare name (error 1463).
		w.text.WriteString("MIN(")
		w.writeColumn(it.table, it.column)
		w.text.WriteByte(')')
	case it.column != nil:
		w.writeColumn(it.table, it.column)
	case w.topLevel && (w.place == inGroupBy || w.place == inOrderBy):
		w.writePosition(i, c.Pos)
	case w.query.Distinct && w.place == inOrderBy:
		// MySQL error 3065: it no longer sees that the expression is selected.
		w.refuse(refusal.New(refusal.AliasNotUsable, c.Pos).
			Hintf("With DISTINCT, ORDER BY takes a select alias or a position by itself, not inside an expression."))
	default:
		saved := w.place
		w.place, w.perGroup = inItem, !w.ungrouped() && saved != inGroupBy
		w.operand(it.expr)
		w.place, w.perGroup = saved, false
	}
}

// inMin writes an expression as MIN(expression) where a select item is written
// out in a query that groups or aggregates. The item has one value per group, so MIN changes
// nothing; without it MySQL knows the expression only by an alias (errors 1054
// in HAVING, 1055 in ORDER BY), and no alias may reach the server.
func (w *writer) inMin(e tree.Expr) bool {
	if !w.perGroup {
		return false
	}
	if has := w.partsOf(e); !has.bareColumn || has.aggregate {
		return false
	}
	w.perGroup = false
	w.text.WriteString("MIN(")
	w.expr(e)
	w.text.WriteByte(')')
	w.perGroup = true
	return true
}

// groupKeys are the items of GROUP BY that are bare columns, however named.
func (w *writer) groupKeys() []found {
	var keys []found
	for _, e := range w.query.GroupBy {
		switch e := e.(type) {
		case *tree.Column:
			if key, ok := w.scope.bareKey(e); ok {
				keys = append(keys, key)
			}
		case *tree.Number:
			if i, err := strconv.Atoi(e.Text); err == nil && i >= 1 && i <= len(w.scope.items) && w.scope.items[i-1].column != nil {
				keys = append(keys, found{w.scope.items[i-1].table, w.scope.items[i-1].column})
			}
		}
	}
	return keys
}

// bareKey resolves a name in GROUP BY, if it means a column.
func (s *scope) bareKey(c *tree.Column) (found, bool) {
	if c.Table != "" {
		table, col, r := s.qualifiedColumn(c)
		return found{table, col}, r == nil
	}
	if i := s.named(c.Name); len(i) > 0 && s.oneColumn(i) && s.items[i[0]].column != nil {
		return found{s.items[i[0]].table, s.items[i[0]].column}, true
	}
	if in := s.unqualified(c.Name); len(in) == 1 {
		return in[0], true
	}
	return found{}, false
}

// groupedNamesakes counts the items of GROUP BY that are a column of that name.
func (w *writer) groupedNamesakes(name string) int {
	count := 0
	for _, k := range w.groupKeys() {
		if ident.Fold(k.column.Name) == ident.Fold(name) {
			count++
		}
	}
	return count
}

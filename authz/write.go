package authz

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// maxText bounds the canonical text: aliases written out can multiply it.
const maxText = 64 << 10

// writer resolves names and writes canonical SQL in one walk over the tree. The
// first refusal sticks; what is written after it is thrown away.
type writer struct {
	scope   *scope
	query   *tree.Select
	text    strings.Builder
	refused *refusal.Refusal

	columns []Column
	items   []planItem
	order   []int // placeholders in the order of the text
	types   map[int]config.ParamType
	filters []*column // sensitive columns that the query filters by

	place       place
	topLevel    bool // the expression is a whole sort key
	inAggregate bool // names inside an aggregate are columns
	perGroup    bool // an item of a grouped query is being written out
	parts       map[tree.Expr]parts
	seconds     map[tree.Expr]bool // see secondsIn; of the item that is being written
	admitted    *tree.Column       // the sensitive column of an admitted filter
	inDate      bool               // the value becomes a date that the server counts days from
	dates       []int              // placeholders of such values
}

func (w *writer) refuse(r *refusal.Refusal) {
	if w.refused == nil {
		w.refused = r
	}
}

// statement writes everything but LIMIT, which depends on the call.
func (w *writer) statement() {
	q := w.query
	w.text.WriteString("SELECT ")
	if q.Distinct {
		w.text.WriteString("DISTINCT ")
	}
	for i := range w.scope.items {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.items = append(w.items, planItem{start: w.text.Len(), args: len(w.order)})
		w.item(i)
		w.items[i].end, w.items[i].argsEnd = w.text.Len(), len(w.order)
	}
	w.from()
	w.where()
	w.groupBy()
	if q.Having != nil && !w.ungrouped() {
		w.text.WriteString(" HAVING ")
		w.place = inHaving
		w.expr(q.Having)
	}
	w.place = inOrderBy
	for i, o := range q.OrderBy {
		w.separate(i, " ORDER BY ")
		w.orderKey(o.Expr)
		w.direction(o)
	}
}

// where writes WHERE. HAVING of a query that neither groups nor aggregates joins
// it: it filters the same rows, and only here may it name whole expressions.
func (w *writer) where() {
	q := w.query
	if q.Where != nil {
		w.text.WriteString(" WHERE ")
		w.place = inWhere
		w.conjunction(q.Where)
	}
	if q.Having != nil && w.ungrouped() {
		w.choose(q.Where == nil, " WHERE ", " AND ")
		w.place = inHaving
		if !hasLeftJoin(q) {
			w.operand(q.Having)
			return
		}
		// Of a condition in WHERE the servers conclude which rows of a LEFT JOIN
		// can't pass, for FIELD and ELT wrongly; of HAVING they conclude nothing.
		w.text.WriteString("COALESCE(")
		w.expr(q.Having)
		w.text.WriteString(", FALSE)")
	}
}

func hasLeftJoin(q *tree.Select) bool {
	return slices.ContainsFunc(q.Joins, func(j tree.Join) bool { return j.Left })
}

func (w *writer) separate(i int, first string) {
	if i == 0 {
		w.text.WriteString(first)
	} else {
		w.text.WriteString(", ")
	}
}

func (w *writer) direction(o tree.Order) {
	if o.Desc {
		w.text.WriteString(" DESC")
	}
}

// item writes a select item and notes what its column will be. A sensitive
// column may be one, in a query that neither groups nor counts.
func (w *writer) item(i int) {
	it, known := w.query.Items[i], w.scope.items[i]
	w.place = inItem
	if known.column == nil {
		name := it.Alias
		if name == "" {
			name = it.Text
		}
		w.columns = append(w.columns, Column{Name: cut(name)})
		w.seconds = secondsIn(it.Expr, nil)
		w.expr(it.Expr)
		w.seconds = nil
		return
	}
	col := known.column
	if col.Mask != config.MaskNone && (w.query.Distinct || len(w.query.GroupBy) > 0 || w.query.Aggregates) {
		w.refuse(refusal.New(refusal.SensitiveCombined, it.Pos))
		return
	}
	w.columns = append(w.columns, Column{Name: cut(known.name), Mask: col.Mask, Schema: col.table.schema,
		Table: col.table.name, Source: col.Name, JSON: col.JSON})
	w.writeColumn(known.table, col)
}

// cut shortens a column name to MySQL's own 64 characters.
func cut(name string) string {
	n := 0
	for i := range name {
		if n == 64 {
			return name[:i]
		}
		n++
	}
	return name
}

func (w *writer) from() {
	for i, t := range w.scope.tables {
		switch {
		case i == 0:
			w.text.WriteString(" FROM ")
		case w.query.Joins[i-1].Left:
			w.text.WriteString(" LEFT JOIN ")
		default:
			w.text.WriteString(" INNER JOIN ")
		}
		w.ident(t.schema)
		w.text.WriteByte('.')
		w.ident(t.table.name)
		w.text.WriteString(" AS `t" + strconv.Itoa(i+1) + "`")
		if i > 0 {
			w.text.WriteString(" ON ")
			w.place, w.scope.joined = inOn, i+1
			w.expr(w.query.Joins[i-1].On)
			w.scope.joined = 0
		}
	}
}

// conjunction writes WHERE term by term: only a whole AND term can be an
// admitted filter on a sensitive column. Parentheses that stand on the right of an
// AND are kept; what they join by AND are terms too.
func (w *writer) conjunction(e tree.Expr) {
	b, ok := e.(*tree.Binary)
	if !ok || b.Op != tree.And {
		w.term(e)
		return
	}
	w.conjunction(b.Left)
	w.text.WriteString(" AND ")
	if right, ok := b.Right.(*tree.Binary); ok && right.Op == tree.And {
		w.text.WriteByte('(')
		w.conjunction(right)
		w.text.WriteByte(')')
		return
	}
	w.term(b.Right)
}

func (w *writer) term(e tree.Expr) {
	if c, ok := w.admittedFilter(e); ok {
		w.admitted = c
		defer func() { w.admitted = nil }()
	}
	w.operand(e)
}

// ident writes a name of the allowlist.
func (w *writer) ident(name string) { w.text.WriteString(ident.Quote(name)) }

// literal writes a string. Only printable ASCII without quotes and backslashes
// stands in quotes; all else is written in hexadecimal, which no sql_mode and no
// character set can read differently. Both forms have the server's default
// collation of utf8mb4, which the session pins.
func (w *writer) literal(s string) {
	if isPlain(s) {
		w.text.WriteString("'" + s + "'")
		return
	}
	w.text.WriteString("_utf8mb4 ")
	w.hex(s)
}

// separator writes the separator of GROUP_CONCAT, for which the grammar takes a
// string in quotes or in hexadecimal but no introducer.
func (w *writer) separator(s string) {
	if isPlain(s) {
		w.text.WriteString("'" + s + "'")
		return
	}
	w.hex(s)
}

func (w *writer) hex(s string) {
	w.text.WriteString("X'" + strings.ToUpper(hex.EncodeToString([]byte(s))) + "'")
}

func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '\'' || c == '\\' || c == '"' || c == '`' {
			return false
		}
	}
	return true
}

// parts says what stands somewhere below an expression.
type parts struct{ bareColumn, aggregate bool }

// partsOf looks once: items are written out as often as they are named.
func (w *writer) partsOf(e tree.Expr) parts {
	if known, ok := w.parts[e]; ok {
		return known
	}
	if w.parts == nil {
		w.parts = map[tree.Expr]parts{}
	}
	found := parts{bareColumn: hasBareColumn(e), aggregate: hasAggregate(e)}
	w.parts[e] = found
	return found
}

// hasBareColumn reports whether a column stands outside every aggregate.
func hasBareColumn(e tree.Expr) bool {
	found := false
	tree.Walk(e, func(x tree.Expr) bool {
		_, column := x.(*tree.Column)
		_, aggregate := x.(*tree.Aggregate)
		found = found || column
		return !aggregate
	})
	return found
}

func hasAggregate(e tree.Expr) bool {
	found := false
	tree.Walk(e, func(x tree.Expr) bool {
		_, aggregate := x.(*tree.Aggregate)
		found = found || aggregate
		return !found
	})
	return found
}

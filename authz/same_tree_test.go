package authz_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mysqlevidence/authz"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/seal"
	"mysqlevidence/internal/tree"
	"mysqlevidence/validator"
)

// sameQuery reports how the canonical text of an authorized query differs in
// meaning from what was asked, or nil: it parses the text back and compares the
// two trees, names by what they mean. It knows nothing of how the text was
// written, and resolves names itself.
//
// Only what DESIGN.md says is rewritten may differ: a name that means a select
// item (its column, its position, or its expression, which in a group may stand
// inside MIN), a grouped expression that is a select item (its position), and
// HAVING that filters rows, which joins WHERE.
func sameQuery(v *validator.Validator, asked question) error {
	const most = math.MaxInt32
	ids := make([]any, asked.tree.Params)
	for i := range ids {
		ids[i] = int64(i)
	}
	bound, err := asked.plan.Bind(ids, authz.RowLimits{Default: most, Max: most})
	if err != nil {
		return err
	}
	q, err := v.Validate(withQuotedStrings(bound.SQL()))
	if err != nil {
		return fmt.Errorf("the canonical text can't be parsed: %w", err)
	}
	p := pair{data: asked.data, asked: asked.tree, ours: q.Tree(seal.Open()), args: bound.Args()}
	p.query(most)
	for i, c := range asked.plan.Columns() {
		if want := columnName(asked.tree.Items[i]); ident.Fold(c.Name) != ident.Fold(want) {
			p.fail("output column %d is named %q, not %q", i, c.Name, want)
		}
	}
	return errors.Join(p.errs...)
}

func columnName(it tree.Item) string {
	name := it.Alias
	if c, ok := it.Expr.(*tree.Column); ok && name == "" {
		name = c.Name
	}
	if name == "" {
		name = it.Text
	}
	return string([]rune(name)[:min(64, len([]rune(name)))])
}

// withQuotedStrings writes the canonical text's hexadecimal strings, which no
// asker may write, in quotes.
func withQuotedStrings(text string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		rest := strings.TrimPrefix(text[i:], "_utf8mb4 ")
		if digits, ok := strings.CutPrefix(rest, "X'"); ok && quote == 0 {
			digits, after, _ := strings.Cut(digits, "'")
			value, _ := hex.DecodeString(digits)
			b.WriteString("'" + escapes.Replace(string(value)) + "'")
			i = len(text) - len(after) - 1
			continue
		}
		switch {
		case quote == 0 && (c == '\'' || c == '`'):
			quote = c
		case c == quote:
			quote = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

var escapes = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\x00", `\0`, "\x1a", `\Z`, "\b", `\b`)

// pair is a query as it was asked and as it is sent.
type pair struct {
	data        *derived
	asked, ours *tree.Select
	args        []any // for each placeholder of ours the number of the asked one
	errs        []error

	afterItems  bool // names may mean select items
	inAggregate bool
	joined      int // in ON: how many tables are joined so far, else 0
	// writtenOut says that a select item of a grouped query stands here for its
	// name, so that MIN may stand round it.
	writtenOut bool
}

func (p *pair) fail(format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf(format, args...))
}

func (p *pair) grouped() bool { return len(p.asked.GroupBy) > 0 || p.asked.Aggregates }

func (p *pair) query(most uint64) {
	a, o := p.asked, p.ours
	if a.Distinct != o.Distinct || len(a.Items) != len(o.Items) || len(a.Joins) != len(o.Joins) ||
		len(a.GroupBy) != len(o.GroupBy) || len(a.OrderBy) != len(o.OrderBy) || o.Aggregates && !p.grouped() {
		p.fail("clauses differ")
		return
	}
	for i := range a.Items {
		p.expr(a.Items[i].Expr, o.Items[i].Expr)
		if o.Items[i].Alias != "" {
			p.fail("an alias in our text")
		}
	}
	for i, t := range fromTables(o) {
		known := p.data.inText[i].table
		if t.Schema != known.schema || t.Name != known.name || t.Alias != fmt.Sprintf("t%d", i+1) {
			p.fail("table %d is %+v", i, t)
		}
	}
	for i := range a.Joins {
		if a.Joins[i].Left != o.Joins[i].Left {
			p.fail("join %d is of another kind", i)
		}
		p.joined = i + 2
		p.expr(a.Joins[i].On, o.Joins[i].On)
		p.joined = 0
	}
	p.conditions()
	p.afterItems = true
	for i := range a.GroupBy {
		p.sortKey(a.GroupBy[i], o.GroupBy[i])
	}
	for i := range a.OrderBy {
		p.sortKey(a.OrderBy[i].Expr, o.OrderBy[i].Expr)
		if a.OrderBy[i].Desc != o.OrderBy[i].Desc {
			p.fail("sort key %d has another direction", i)
		}
	}
	p.limit(most)
}

// conditions compares WHERE and HAVING.
func (p *pair) conditions() {
	a, o := p.asked, p.ours
	where := o.Where
	if a.Having != nil && !p.grouped() {
		having := where
		if a.Where != nil {
			both, ok := o.Where.(*tree.Binary)
			if !ok || both.Op != tree.And {
				p.fail("HAVING did not join WHERE")
				return
			}
			where, having = both.Left, both.Right
		} else {
			where = nil
		}
		if call, ok := having.(*tree.Call); ok && slices.ContainsFunc(a.Joins, func(j tree.Join) bool { return j.Left }) &&
			call.Name == "COALESCE" && len(call.Args) == 2 {
			// With a LEFT JOIN it is COALESCE(condition, FALSE).
			if no, ok := call.Args[1].(*tree.Bool); ok && !no.Value {
				having = call.Args[0]
			}
		}
		p.afterItems = true
		p.expr(a.Having, having)
		p.afterItems = false
	} else {
		p.afterItems = true
		p.optional(a.Having, o.Having)
		p.afterItems = false
	}
	p.optional(a.Where, where)
}

func (p *pair) optional(a, o tree.Expr) {
	if (a == nil) != (o == nil) {
		p.fail("%T became %T", a, o)
	} else if a != nil {
		p.expr(a, o)
	}
}

// limit compares the bounds: without one of the query's own, ours is one row more
// than the cap.
func (p *pair) limit(most uint64) {
	count, offset := most+1, uint64(0)
	if l := p.asked.Limit; l != nil {
		count, offset = min(count, number64(l.Count)), number64(l.Offset)
	}
	ours := p.ours.Limit
	if ours == nil {
		p.fail("no LIMIT")
		return
	}
	for i, b := range []tree.Bound{ours.Count, ours.Offset} {
		if b.IsParam {
			b.Value = uint64(p.args[b.Param].(int64))
		}
		if b.Value != []uint64{count, offset}[i] {
			p.fail("LIMIT %+v became %+v", p.asked.Limit, ours)
		}
	}
}

// number64 is a bound's value; the value of a placeholder is its own number.
func number64(b tree.Bound) uint64 {
	if b.IsParam {
		return uint64(b.Param)
	}
	return b.Value
}

// sortKey compares an item of GROUP BY or ORDER BY: the number of a select item
// and its name are the same.
func (p *pair) sortKey(a, o tree.Expr) {
	if n, ok := a.(*tree.Number); ok {
		ours, ok := o.(*tree.Number)
		if !ok || strings.TrimLeft(n.Text, "0") != ours.Text {
			p.fail("position %s became %T", n.Text, o)
		}
		return
	}
	if c, ok := a.(*tree.Column); ok {
		i, isItem := p.item(c)
		if n, ok := o.(*tree.Number); ok && isItem && n.Text == strconv.Itoa(i+1) {
			return
		}
	} else if n, ok := o.(*tree.Number); ok {
		if i, err := strconv.Atoi(n.Text); err == nil && i >= 1 && i <= len(p.ours.Items) {
			o = p.ours.Items[i-1].Expr // the expression is a select item too
		}
	}
	p.expr(a, o)
}

// item is the select item that an unqualified name after the select list means.
// An item that isn't the column of that name must not hide one.
func (p *pair) item(c *tree.Column) (int, bool) {
	if !p.afterItems || p.inAggregate || c.Table != "" {
		return 0, false
	}
	var named []int
	for i, it := range p.asked.Items {
		name := it.Alias
		if col, ok := it.Expr.(*tree.Column); ok && name == "" {
			name = col.Name
		}
		if name != "" && ident.Fold(name) == ident.Fold(c.Name) {
			named = append(named, i)
		}
	}
	if len(named) == 0 {
		return 0, false
	}
	for _, i := range named[1:] {
		a, ok1 := p.asked.Items[named[0]].Expr.(*tree.Column)
		b, ok2 := p.asked.Items[i].Expr.(*tree.Column)
		if !ok1 || !ok2 || p.place(a) != p.place(b) {
			p.fail("%s means %d items", c.Name, len(named))
		}
	}
	if columns := p.columns(c); len(columns) > 0 {
		col, ok := p.asked.Items[named[0]].Expr.(*tree.Column)
		if !ok || !slices.Contains(columns, p.place(col)) {
			p.fail("%s means an item and another column", c.Name)
		}
	}
	return named[0], true
}

// place is a column of one table of FROM or JOIN.
type columnPlace struct {
	table int
	name  string
}

// columns are the columns that a name can mean here.
func (p *pair) columns(c *tree.Column) []columnPlace {
	var out []columnPlace
	for i, t := range p.data.inText {
		if p.joined > 0 && i >= p.joined {
			break
		}
		if c.Table != "" && (t.name != c.Table || c.Schema != "" && (t.aliased || t.table.schema != c.Schema)) {
			continue
		}
		if col := t.table.find(c.Name); col != nil {
			out = append(out, columnPlace{i, col.name})
		}
	}
	return out
}

func (p *pair) place(c *tree.Column) columnPlace {
	found := p.columns(c)
	if len(found) != 1 {
		p.fail("%+v means %d columns", c, len(found))
		return columnPlace{}
	}
	return found[0]
}

func (p *pair) column(a *tree.Column, o tree.Expr) {
	ours, ok := o.(*tree.Column)
	if !ok {
		p.fail("the column %s became %T", a.Name, o)
		return
	}
	want := p.place(a)
	if got := (columnPlace{int(ours.Table[1] - '1'), ours.Name}); ours.Schema != "" || len(ours.Table) != 2 || got != want {
		p.fail("%+v became %+v", want, ours)
	}
}

// fields compares what of two nodes is neither position nor expression.
func (p *pair) fields(a, o any) {
	if !reflect.DeepEqual(a, o) {
		p.fail("%+v became %+v", a, o)
	}
}

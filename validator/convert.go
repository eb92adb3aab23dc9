package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// converter builds our tree from the parser's. The first refusal sticks; what is
// built after it is thrown away.
//
// The parser's nodes carry no positions. The converter visits them in text
// order and moves a cursor over the tokens, so that each name finds its place.
type converter struct {
	*scanned
	functions  function.Set
	refused    *refusal.Refusal
	cursor     int // index of the next token to look at
	depth      int
	aggregates bool
	clause     clause
	inside     bool // within an aggregate's arguments
	seen       []bool
	tables     []refusal.TableName // for the hint of a wildcard
}

// clause is where in the query the converter is.
type clause int

const (
	inItems clause = iota
	inOn
	inWhere
	inGroupBy
	inHaving
	inOrderBy
)

func (c *converter) refuse(reason refusal.Reason, pos tree.Pos) *refusal.Refusal {
	r := refusal.New(reason, pos)
	if c.refused == nil {
		c.refused = r
	}
	return r
}

// refuseWith is refuse for a refusal that is worded already.
func (c *converter) refuseWith(r *refusal.Refusal) {
	if c.refused == nil {
		c.refused = r
	}
}

// here is the position of the cursor.
func (c *converter) here() tree.Pos {
	if c.cursor < len(c.tokens) {
		return c.tokens[c.cursor].pos
	}
	return c.tokens[len(c.tokens)-1].pos
}

// find moves the cursor past the next token with that text and returns the
// token's position; where there is none, the cursor stays.
func (c *converter) find(text string) tree.Pos {
	for i := c.cursor; i < len(c.tokens); i++ {
		if strings.EqualFold(c.tokens[i].val, text) {
			c.cursor = i + 1
			return c.tokens[i].pos
		}
	}
	return c.here()
}

// findType is find for a token type.
func (c *converter) findType(types ...int) (token, bool) {
	for i := c.cursor; i < len(c.tokens); i++ {
		for _, typ := range types {
			if c.tokens[i].typ == typ {
				c.cursor = i + 1
				return c.tokens[i], true
			}
		}
	}
	return token{pos: c.here()}, false
}

func (c *converter) statement(stmt sqlparser.Statement) *tree.Select {
	sel, ok := stmt.(*sqlparser.Select)
	if !ok {
		c.refuse(statementReason(stmt), c.tokens[0].pos)
		return nil
	}
	c.seen = make([]bool, c.params)
	c.tables = tablesOf(sel.From)
	c.options(sel)
	out := &tree.Select{Distinct: sel.Distinct, Params: c.params}
	out.Items = c.items(sel.SelectExprs)
	c.from(sel.From, out)
	c.clause = inWhere
	out.Where = c.where(sel.Where)
	c.clause = inGroupBy
	out.GroupBy = c.groupBy(sel.GroupBy)
	c.clause = inHaving
	out.Having = c.where(sel.Having)
	c.clause = inOrderBy
	out.OrderBy = c.orderBy(sel.OrderBy)
	out.Limit = c.limit(sel.Limit)
	out.Aggregates = c.aggregates
	for _, seen := range c.seen {
		// A placeholder that the tree lost was in something that nobody checked.
		if !seen {
			c.refuse(refusal.UnsupportedSyntax, tree.Pos{})
		}
	}
	return out
}

func statementReason(stmt sqlparser.Statement) refusal.Reason {
	switch stmt.(type) {
	case *sqlparser.Union:
		return refusal.SetOperation
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return refusal.WriteStatement
	case *sqlparser.Show, sqlparser.Explain:
		return refusal.ShowStatement
	}
	return refusal.NotSelect
}

// options refuses every field of the parser's SELECT that has no place in ours.
func (c *converter) options(s *sqlparser.Select) {
	pos := c.tokens[min(1, len(c.tokens)-1)].pos
	switch {
	case s.With != nil:
		c.refuse(refusal.CTE, pos)
	case s.Cache != nil, s.HighPriority, s.StraightJoinHint, s.SQLSmallResult, s.SQLBigResult,
		s.SQLBufferResult, s.SQLCalcFoundRows:
		c.refuse(refusal.SelectOption, pos)
	case s.Lock != sqlparser.NoLock:
		c.refuse(refusal.Locking, c.lastOf(sqlparser.FOR, sqlparser.LOCK))
	case s.Into != nil:
		c.refuse(refusal.Into, pos)
	case len(s.Windows) > 0:
		c.refuse(refusal.WindowFunction, pos)
	case s.Comments != nil && s.Comments.Length() > 0:
		c.refuse(refusal.OptimizerHint, pos)
	}
}

func (c *converter) lastOf(types ...int) tree.Pos {
	for i := len(c.tokens) - 1; i > 0; i-- {
		for _, typ := range types {
			if c.tokens[i].typ == typ {
				return c.tokens[i].pos
			}
		}
	}
	return tree.Pos{}
}

func (c *converter) items(exprs *sqlparser.SelectExprs) []tree.Item {
	if exprs == nil || len(exprs.Exprs) == 0 {
		c.refuse(refusal.Syntax, c.here())
		return nil
	}
	if len(exprs.Exprs) > maxItems {
		c.refuse(refusal.TooManyItems, c.tokens[min(1, len(c.tokens)-1)].pos).
			Messagef("The select list has %d items; at most %d are accepted.", len(exprs.Exprs), maxItems).
			Hintf("Ask for fewer columns, or in two queries.")
		return nil
	}
	spans := c.itemSpans(len(exprs.Exprs))
	out := make([]tree.Item, 0, len(exprs.Exprs))
	for i, e := range exprs.Exprs {
		switch e := e.(type) {
		case *sqlparser.AliasedExpr:
			span := spans[i]
			c.cursor = span.first
			item := tree.Item{Pos: c.here(), Alias: e.As.String()}
			item.Expr = c.expr(e.Expr)
			if item.Alias == "" {
				item.Text = strings.Join(strings.Fields(c.text[c.tokens[span.first].start:c.tokens[span.last].end]), " ")
			}
			c.cursor = span.last + 1
			out = append(out, item)
		case *sqlparser.StarExpr:
			c.cursor = spans[i].first
			tok, _ := c.findType('*')
			c.refuse(refusal.Wildcard, tok.pos).Tables = c.tables
		case *sqlparser.Nextval:
			c.refuse(refusal.UnsupportedSyntax, c.find("next")).Messagef("NEXT VALUE is not accepted.").
				Hintf("Select MAX of the key: SELECT MAX(id) FROM the table.")
		default:
			c.refuse(refusal.UnsupportedSyntax, c.here())
		}
	}
	return out
}

// span is the tokens of one select item, both ends included.
type span struct{ first, last int }

// itemSpans splits the select list at its top-level commas. Where the count
// doesn't come out, each item gets the whole list.
func (c *converter) itemSpans(n int) []span {
	first := 1
	for first < len(c.tokens)-1 && (c.tokens[first].typ == sqlparser.DISTINCT || c.tokens[first].typ == sqlparser.ALL) {
		first++
	}
	spans := make([]span, 0, n)
	start, nesting, i := first, 0, first
scan:
	for ; i < len(c.tokens); i++ {
		switch c.tokens[i].typ {
		case '(':
			nesting++
		case ')':
			nesting--
		case ',':
			if nesting == 0 {
				spans = append(spans, span{start, max(start, i-1)})
				start = i + 1
			}
		case sqlparser.FROM:
			if nesting == 0 {
				break scan
			}
		}
	}
	spans = append(spans, span{min(start, len(c.tokens)-1), max(min(start, len(c.tokens)-1), i-1)})
	if len(spans) != n {
		spans = spans[:0]
		for range n {
			spans = append(spans, span{first, len(c.tokens) - 1})
		}
	}
	return spans
}

func (c *converter) where(w *sqlparser.Where) tree.Expr {
	if w == nil {
		return nil
	}
	return c.expr(w.Expr)
}

func (c *converter) groupBy(g *sqlparser.GroupBy) []tree.Expr {
	if g == nil {
		return nil
	}
	if g.WithRollup {
		c.refuse(refusal.Rollup, c.lastOf(sqlparser.ROLLUP))
	}
	if len(g.Exprs) > maxOrder {
		c.refuse(refusal.TooManyItems, c.here()).Messagef("GROUP BY has more than %d items.", maxOrder).
			Hintf("Group by fewer columns: those that depend on another need not be there.")
		return nil
	}
	out := make([]tree.Expr, 0, len(g.Exprs))
	for _, e := range g.Exprs {
		out = append(out, c.sortKey(e))
	}
	return out
}

func (c *converter) orderBy(orders sqlparser.OrderBy) []tree.Order {
	if len(orders) > maxOrder {
		c.refuse(refusal.TooManyItems, c.here()).Messagef("ORDER BY has more than %d items.", maxOrder).
			Hintf("Order by fewer columns.")
		return nil
	}
	out := make([]tree.Order, 0, len(orders))
	for _, o := range orders {
		if o == nil {
			c.refuse(refusal.UnsupportedSyntax, c.here())
			continue
		}
		out = append(out, tree.Order{Expr: c.sortKey(o.Expr), Desc: o.Direction == sqlparser.DescOrder})
	}
	return out
}

// sortKey refuses constants other than positions: MySQL takes '1' and ? for
// constants, MariaDB takes ? and -TRUE for positions.
func (c *converter) sortKey(e sqlparser.Expr) tree.Expr {
	out := c.expr(e)
	value, negated := out, false
	for {
		n, ok := value.(*tree.Negate)
		if !ok {
			break
		}
		value, negated = n.Operand, true
	}
	switch x := value.(type) {
	case *tree.String, *tree.Param, *tree.Null, *tree.Bool:
		c.refuse(refusal.OrderByConstant, value.At())
	case *tree.Number:
		if negated || !x.Integer {
			c.refuse(refusal.OrderByConstant, value.At())
		}
	}
	return out
}

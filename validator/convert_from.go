package validator

import (
	"strconv"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

func (c *converter) from(exprs []sqlparser.TableExpr, out *tree.Select) {
	c.findType(sqlparser.FROM)
	switch {
	case len(exprs) == 0:
		c.refuse(refusal.NoFrom, c.tokens[0].pos)
		return
	case len(exprs) > 1:
		comma, _ := c.findType(',')
		c.refuse(refusal.CommaJoin, comma.pos)
		return
	}
	c.clause = inOn
	c.tableExpr(exprs[0], out)
}

// tableExpr takes a table, or a chain of joins that leans left.
func (c *converter) tableExpr(e sqlparser.TableExpr, out *tree.Select) {
	switch e := e.(type) {
	case *sqlparser.AliasedTableExpr:
		out.From = c.table(e)
	case *sqlparser.JoinTableExpr:
		if c.enter() {
			c.tableExpr(e.LeftExpr, out)
			c.join(e, out)
		}
		c.leave()
	case *sqlparser.ParenTableExpr:
		c.refuse(refusal.JoinNested, c.here())
	case *sqlparser.JSONTableExpr:
		c.refuse(refusal.DerivedTable, c.here())
	default:
		c.refuse(refusal.UnsupportedSyntax, c.here())
	}
}

func (c *converter) join(e *sqlparser.JoinTableExpr, out *tree.Select) {
	if len(out.Joins) >= maxJoins {
		c.refuse(refusal.TooManyItems, c.here()).Messagef("The query has more than %d joins.", maxJoins).
			Hintf("Leave out tables that only lead to names, and ask for those in a second query with IN (?, ?).")
		return
	}
	pos := c.here()
	j := tree.Join{}
	switch e.Join {
	case sqlparser.NormalJoinType:
	case sqlparser.LeftJoinType:
		j.Left = true
	default:
		c.refuse(refusal.JoinKind, pos)
		return
	}
	right, ok := e.RightExpr.(*sqlparser.AliasedTableExpr)
	if !ok {
		c.refuse(refusal.JoinNested, pos)
		return
	}
	j.Table = c.table(right)
	switch {
	case e.Condition != nil && len(e.Condition.Using) > 0:
		using, _ := c.findType(sqlparser.USING)
		c.refuse(refusal.JoinUsing, using.pos)
		return
	case e.Condition == nil || e.Condition.On == nil:
		c.refuse(refusal.CrossJoin, j.Table.Pos)
		return
	}
	j.On = c.expr(e.Condition.On)
	out.Joins = append(out.Joins, j)
}

func (c *converter) table(e *sqlparser.AliasedTableExpr) tree.Table {
	if len(e.Partitions) > 0 || len(e.Hints) > 0 || len(e.Columns) > 0 {
		c.refuse(refusal.TableModifier, c.here())
		return tree.Table{}
	}
	var name sqlparser.TableName
	switch from := e.Expr.(type) {
	case sqlparser.TableName:
		name = from
	case *sqlparser.DerivedTable:
		c.refuse(refusal.DerivedTable, c.here())
		return tree.Table{}
	default:
		c.refuse(refusal.UnsupportedSyntax, c.here())
		return tree.Table{}
	}
	t := tree.Table{Schema: name.Qualifier.String(), Name: name.Name.String(), Alias: e.As.String()}
	if t.Schema != "" {
		t.Pos = c.find(t.Schema)
		c.find(t.Name)
	} else {
		t.Pos = c.find(t.Name)
	}
	named := c.cursor - 1
	if t.Alias != "" {
		c.find(t.Alias)
	}
	if t.Name == "" {
		c.refuse(refusal.NoFrom, t.Pos)
	}
	// The parser makes dual of no FROM and of the bare word; in backticks it is a
	// table's name.
	if t.Schema == "" && t.Name == "dual" && !c.quotedTable(named) {
		c.refuse(refusal.NoFrom, t.Pos)
	}
	return t
}

// quotedTable reports whether the token is a table's name in backticks, and not
// what EXTRACT or TRIM have behind a FROM of their own.
func (c *converter) quotedTable(i int) bool {
	nesting := 0
	for _, tok := range c.tokens[:max(0, i)] {
		switch tok.typ {
		case '(':
			nesting++
		case ')':
			nesting--
		}
	}
	before := c.typeAt(i - 1)
	return nesting == 0 && (before == sqlparser.FROM || before == sqlparser.JOIN) && !c.tokens[i].isBareWord()
}

// tablesOf lists the tables of FROM, whether or not they will be accepted.
func tablesOf(exprs []sqlparser.TableExpr) []refusal.TableName {
	var out []refusal.TableName
	for _, e := range exprs {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			if name, ok := e.Expr.(sqlparser.TableName); ok {
				out = append(out, refusal.TableName{Schema: name.Qualifier.String(), Name: name.Name.String()})
			}
		case *sqlparser.JoinTableExpr:
			out = append(out, tablesOf([]sqlparser.TableExpr{e.LeftExpr, e.RightExpr})...)
		}
	}
	return out
}

func (c *converter) limit(l *sqlparser.Limit) *tree.Limit {
	if l == nil {
		return nil
	}
	c.findType(sqlparser.LIMIT)
	pos := c.here()
	out := &tree.Limit{Count: c.bound(l.Rowcount, pos)}
	if l.Offset != nil {
		out.Offset = c.bound(l.Offset, pos)
	}
	return out
}

func (c *converter) bound(e sqlparser.Expr, pos tree.Pos) tree.Bound {
	switch e := e.(type) {
	case *sqlparser.Argument:
		if i, ok := c.argument(e); ok {
			return tree.Bound{Set: true, IsParam: true, Param: i, Pos: pos}
		}
	case *sqlparser.Literal:
		if n, err := strconv.ParseUint(e.Val, 10, 64); err == nil && e.Type == sqlparser.IntVal {
			return tree.Bound{Set: true, Value: n, Pos: pos}
		}
	}
	c.refuse(refusal.LimitValue, pos)
	return tree.Bound{}
}

// argument returns the index of a placeholder. The tokenizer names them v1, v2,
// … in text order; every other name came from :name, and a second use of one
// from a rewrite that nobody checked.
func (c *converter) argument(a *sqlparser.Argument) (int, bool) {
	if len(a.Name) > 1 && a.Name[0] == 'v' {
		n, err := strconv.Atoi(a.Name[1:])
		if err == nil && n >= 1 && n <= len(c.seen) && !c.seen[n-1] {
			c.seen[n-1] = true
			return n - 1, true
		}
	}
	c.refuse(refusal.NamedPlaceholder, c.here())
	return 0, false
}

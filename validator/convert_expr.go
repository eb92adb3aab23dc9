package validator

import (
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// enter counts one level of nesting and refuses at the cap.
func (c *converter) enter() bool {
	c.depth++
	if c.depth > maxDepth {
		if c.refused == nil {
			c.refuse(refusal.TooNested, c.here()).Messagef("The expression is nested more than %d levels deep.", maxDepth)
		}
		return false
	}
	return c.refused == nil
}

func (c *converter) leave() { c.depth-- }

// expr converts one expression. Every node of the parser that may pass has a
// case here or in function; the default refuses.
func (c *converter) expr(e sqlparser.Expr) tree.Expr {
	defer c.leave()
	if !c.enter() {
		return &tree.Null{}
	}
	switch e := e.(type) {
	case *sqlparser.ColName:
		return c.column(e)
	case *sqlparser.Argument:
		tok, _ := c.findType(sqlparser.VALUE_ARG)
		i, _ := c.argument(e)
		return &tree.Param{Node: at(tok.pos), Index: i}
	case *sqlparser.Literal:
		return c.literal(e)
	case *sqlparser.NullVal:
		return &tree.Null{Node: at(c.find("null"))}
	case sqlparser.BoolVal:
		return c.boolean(bool(e))
	case *sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.XorExpr:
		return c.logical(e)
	case *sqlparser.NotExpr:
		pos := c.here()
		return &tree.Not{Node: at(pos), Operand: c.expr(e.Expr)}
	case *sqlparser.UnaryExpr:
		return c.unary(e)
	case *sqlparser.BinaryExpr:
		return c.binary(e)
	case *sqlparser.ComparisonExpr:
		return c.comparison(e)
	case *sqlparser.IsExpr:
		return c.is(e)
	case *sqlparser.BetweenExpr:
		pos := c.here()
		return &tree.Between{Node: at(pos), Operand: c.expr(e.Left), Low: c.expr(e.From), High: c.expr(e.To), Negated: !e.IsBetween}
	case *sqlparser.CaseExpr:
		return c.caseExpr(e)
	case *sqlparser.CastExpr:
		pos := c.find("cast")
		if e.Array {
			c.refuse(refusal.CastTypeRefused, pos).Messagef("CAST to an ARRAY is not accepted.").Hintf("Delete the word ARRAY.")
		}
		return c.cast(pos, e.Expr, e.Type)
	case *sqlparser.ConvertExpr:
		return c.cast(c.find("convert"), e.Expr, e.Type)
	case sqlparser.ValTuple:
		c.refuse(refusal.RowValue, c.here())
	case *sqlparser.Subquery, *sqlparser.ExistsExpr:
		c.refuse(refusal.Subquery, c.here())
	case *sqlparser.Variable, *sqlparser.AssignmentExpr:
		c.refuse(refusal.UserVariable, c.here())
	case *sqlparser.CollateExpr:
		c.refuse(refusal.Collate, c.here())
	case *sqlparser.IntroducerExpr:
		c.refuse(refusal.Charset, c.find(e.CharacterSet))
	case *sqlparser.ConvertUsingExpr:
		c.refuse(refusal.Charset, c.find("using"))
	case *sqlparser.MemberOfExpr:
		c.refuse(refusal.UnsupportedOp, c.find("member")).Messagef("MEMBER OF is not accepted.").
			Hintf("Write JSON_CONTAINS(doc, '1', '$.list').")
	default:
		return c.function(e)
	}
	return &tree.Null{}
}

func at(pos tree.Pos) tree.Node { return tree.Node{Pos: pos} }

func (c *converter) exprs(in []sqlparser.Expr) []tree.Expr {
	out := make([]tree.Expr, 0, len(in))
	for _, e := range in {
		out = append(out, c.expr(e))
	}
	return out
}

func (c *converter) column(e *sqlparser.ColName) tree.Expr {
	col := &tree.Column{Schema: e.Qualifier.Qualifier.String(), Table: e.Qualifier.Name.String(), Name: e.Name.String()}
	switch {
	case col.Schema != "":
		col.Pos = c.find(col.Schema)
		c.find(col.Table)
		c.find(col.Name)
	case col.Table != "":
		col.Pos = c.find(col.Table)
		c.find(col.Name)
	default:
		col.Pos = c.find(col.Name)
	}
	return col
}

func (c *converter) literal(e *sqlparser.Literal) tree.Expr {
	switch e.Type {
	case sqlparser.StrVal:
		tok, _ := c.findType(sqlparser.STRING)
		return &tree.String{Node: at(tok.pos), Value: e.Val}
	case sqlparser.IntVal, sqlparser.DecimalVal, sqlparser.FloatVal:
		return c.number(e)
	case sqlparser.DateVal, sqlparser.TimeVal, sqlparser.TimestampVal:
		tok, _ := c.findType(sqlparser.DATE, sqlparser.TIME, sqlparser.TIMESTAMP)
		c.refuse(refusal.TypedLiteral, tok.pos)
	default: // HexVal, HexNum, BitNum and whatever comes
		c.refuse(refusal.HexLiteral, c.here())
	}
	return &tree.Null{}
}

func (c *converter) boolean(value bool) tree.Expr {
	word := "false"
	if value {
		word = "true"
	}
	return &tree.Bool{Node: at(c.find(word)), Value: value}
}

// logical converts AND, OR and XOR. A chain of one operator counts as one level:
// it is a list, not nesting.
func (c *converter) logical(e sqlparser.Expr) tree.Expr {
	pos := c.here()
	op, left, right := operands(e)
	chain := []sqlparser.Expr{right}
	for {
		next, l, r := operands(left)
		if next != op {
			break
		}
		chain = append(chain, r)
		left = l
	}
	out := c.expr(left)
	for i := len(chain) - 1; i >= 0; i-- {
		out = &tree.Binary{Node: at(pos), Op: op, Left: out, Right: c.expr(chain[i])}
	}
	return out
}

// operands takes a logical operator apart; op is "" for everything else.
func operands(e sqlparser.Expr) (op tree.BinaryOp, left, right sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		return tree.And, e.Left, e.Right
	case *sqlparser.OrExpr:
		return tree.Or, e.Left, e.Right
	case *sqlparser.XorExpr:
		return tree.Xor, e.Left, e.Right
	}
	return "", nil, nil
}

func (c *converter) unary(e *sqlparser.UnaryExpr) tree.Expr {
	pos := c.here()
	switch e.Operator {
	case sqlparser.UMinusOp:
		return &tree.Negate{Node: at(pos), Operand: c.expr(e.Expr)}
	case sqlparser.TildaOp:
		c.refuse(refusal.BitOperator, pos)
	case sqlparser.NStringOp:
		c.refuse(refusal.NationalString, pos)
	default:
		c.refuse(refusal.UnsupportedOp, pos)
	}
	return &tree.Null{}
}

var arithmetic = map[sqlparser.BinaryExprOperator]tree.BinaryOp{
	sqlparser.PlusOp:   tree.Plus,
	sqlparser.MinusOp:  tree.Minus,
	sqlparser.MultOp:   tree.Times,
	sqlparser.DivOp:    tree.Divide,
	sqlparser.IntDivOp: tree.IntDivide,
	sqlparser.ModOp:    tree.Modulo,
}

func (c *converter) binary(e *sqlparser.BinaryExpr) tree.Expr {
	pos := c.here()
	op, ok := arithmetic[e.Operator]
	if !ok {
		c.refuse(refusal.BitOperator, pos)
		return &tree.Null{}
	}
	if op == tree.Modulo {
		c.require("MOD", pos)
	}
	return &tree.Binary{Node: at(pos), Op: op, Left: c.expr(e.Left), Right: c.expr(e.Right)}
}

var comparisons = map[sqlparser.ComparisonExprOperator]tree.BinaryOp{
	sqlparser.EqualOp:         tree.Equal,
	sqlparser.NotEqualOp:      tree.NotEqual,
	sqlparser.LessThanOp:      tree.Less,
	sqlparser.LessEqualOp:     tree.LessEqual,
	sqlparser.GreaterThanOp:   tree.Greater,
	sqlparser.GreaterEqualOp:  tree.GreaterEqual,
	sqlparser.NullSafeEqualOp: tree.NullSafeEqual,
}

func (c *converter) comparison(e *sqlparser.ComparisonExpr) tree.Expr {
	pos := c.here()
	if e.Modifier != sqlparser.Missing {
		c.refuse(refusal.UnsupportedOp, pos).Messagef("ANY, SOME and ALL are not accepted.").
			Hintf("Write IN (?, ?) with one ? for each value, or one comparison for each, joined with OR or AND.")
		return &tree.Null{}
	}
	switch e.Operator {
	case sqlparser.InOp, sqlparser.NotInOp:
		return c.in(e, pos)
	case sqlparser.LikeOp, sqlparser.NotLikeOp:
		return c.like(e, pos)
	case sqlparser.RegexpOp, sqlparser.NotRegexpOp:
		c.refuse(refusal.RegexpOperator, pos)
		return &tree.Null{}
	}
	op, ok := comparisons[e.Operator]
	if !ok || e.Escape != nil {
		c.refuse(refusal.UnsupportedOp, pos)
		return &tree.Null{}
	}
	return &tree.Binary{Node: at(pos), Op: op, Left: c.expr(e.Left), Right: c.expr(e.Right)}
}

func (c *converter) in(e *sqlparser.ComparisonExpr, pos tree.Pos) tree.Expr {
	operand := c.expr(e.Left)
	list, ok := e.Right.(sqlparser.ValTuple)
	switch {
	case !ok:
		c.refuse(refusal.Subquery, c.here())
		return &tree.Null{}
	case len(list) > maxInList:
		c.refuse(refusal.TooManyItems, c.here()).Messagef("An IN list has more than %d values.", maxInList).
			Hintf("Ask in several queries, each with a part of the values; or use a range with BETWEEN.")
		return &tree.Null{}
	case len(list) == 0:
		c.refuse(refusal.Syntax, c.here())
		return &tree.Null{}
	}
	return &tree.In{Node: at(pos), Operand: operand, List: c.exprs(list), Negated: e.Operator == sqlparser.NotInOp}
}

func (c *converter) like(e *sqlparser.ComparisonExpr, pos tree.Pos) tree.Expr {
	like := &tree.Like{Node: at(pos), Operand: c.expr(e.Left), Pattern: c.expr(e.Right), Negated: e.Operator == sqlparser.NotLikeOp}
	if e.Escape == nil {
		return like
	}
	lit, ok := e.Escape.(*sqlparser.Literal)
	if !ok || lit.Type != sqlparser.StrVal || utf8.RuneCountInString(lit.Val) != 1 {
		c.refuse(refusal.LikeEscape, c.find("escape"))
		return like
	}
	c.findType(sqlparser.STRING)
	like.Escape = lit.Val
	return like
}

func (c *converter) is(e *sqlparser.IsExpr) tree.Expr {
	pos := c.here()
	out := &tree.Is{Node: at(pos), Operand: c.expr(e.Left)}
	switch e.Right {
	case sqlparser.IsNullOp:
		out.What = tree.IsNull
	case sqlparser.IsNotNullOp:
		out.What, out.Negated = tree.IsNull, true
	case sqlparser.IsTrueOp:
		out.What = tree.IsTrue
	case sqlparser.IsNotTrueOp:
		out.What, out.Negated = tree.IsTrue, true
	case sqlparser.IsFalseOp:
		out.What = tree.IsFalse
	case sqlparser.IsNotFalseOp:
		out.What, out.Negated = tree.IsFalse, true
	default:
		c.refuse(refusal.UnsupportedOp, pos)
	}
	return out
}

func (c *converter) caseExpr(e *sqlparser.CaseExpr) tree.Expr {
	out := &tree.Case{Node: at(c.find("case"))}
	if len(e.Whens) > maxArgs {
		c.refuse(refusal.TooManyItems, out.Pos).Messagef("A CASE has more than %d branches.", maxArgs).
			Hintf("Select the value itself and sort it into classes yourself, or ask in several queries.")
		return out
	}
	if e.Expr != nil {
		out.Operand = c.expr(e.Expr)
	}
	for _, w := range e.Whens {
		out.Whens = append(out.Whens, tree.When{Cond: c.expr(w.Cond), Result: c.expr(w.Val)})
	}
	if e.Else != nil {
		out.Else = c.expr(e.Else)
	}
	return out
}

package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

func (c *converter) aggregate(e sqlparser.Expr) tree.Expr {
	var over *sqlparser.OverClause
	var args []sqlparser.Expr
	out := &tree.Aggregate{}
	switch e := e.(type) {
	case *sqlparser.CountStar:
		out.Name, out.Star, over = "COUNT", true, e.OverClause
	case *sqlparser.Count:
		out.Name, out.Distinct, args, over = "COUNT", e.Distinct, e.Args, e.OverClause
	case *sqlparser.Sum:
		out.Name, out.Distinct, args, over = "SUM", e.Distinct, []sqlparser.Expr{e.Arg}, e.OverClause
	case *sqlparser.Avg:
		out.Name, out.Distinct, args, over = "AVG", e.Distinct, []sqlparser.Expr{e.Arg}, e.OverClause
	case *sqlparser.Min:
		out.Name, out.Distinct, args, over = "MIN", e.Distinct, []sqlparser.Expr{e.Arg}, e.OverClause
	case *sqlparser.Max:
		out.Name, out.Distinct, args, over = "MAX", e.Distinct, []sqlparser.Expr{e.Arg}, e.OverClause
	case *sqlparser.GroupConcatExpr:
		out.Name, out.Distinct, args = "GROUP_CONCAT", e.Distinct, e.Exprs
	}
	out.Pos = c.named(out.Name)
	switch {
	case over != nil:
		c.refuse(refusal.WindowFunction, out.Pos)
	case c.inside, c.clause == inOn, c.clause == inWhere, c.clause == inGroupBy:
		c.refuse(refusal.AggregatePlace, out.Pos)
	case len(args) > maxArgs:
		c.refuse(refusal.TooManyItems, out.Pos).Messagef("%s is called with more than %d arguments.", out.Name, maxArgs).
			Hintf("Call it with fewer arguments, or split the question.")
	case len(args) > 1 && out.Name == "COUNT" && !out.Distinct:
		c.refuse(refusal.FunctionArguments, out.Pos).Messagef("COUNT takes one argument; only COUNT(DISTINCT …) takes more.").
			Hintf("Write COUNT(*), COUNT(a) or COUNT(DISTINCT a, b).")
	}
	c.aggregates = true
	c.inside = true
	defer func() { c.inside = false }()
	out.Args = c.exprs(args)
	if g, ok := e.(*sqlparser.GroupConcatExpr); ok {
		c.groupConcat(g, out)
	}
	return out
}

func (c *converter) groupConcat(g *sqlparser.GroupConcatExpr, out *tree.Aggregate) {
	if g.Limit != nil {
		c.refuse(refusal.UnsupportedSyntax, out.Pos).Messagef("LIMIT inside GROUP_CONCAT is not accepted.").
			Hintf("Delete the LIMIT inside the parentheses; or select the rows themselves with ORDER BY and LIMIT.")
	}
	out.OrderBy = c.orderBy(g.OrderBy)
	for _, o := range out.OrderBy {
		if n, ok := o.Expr.(*tree.Number); ok {
			c.refuse(refusal.OrderByConstant, n.Pos).Hintf("Inside GROUP_CONCAT order by a column or an expression.")
		}
	}
	if g.Separator == "" {
		return
	}
	// The parser keeps the separator in quotes; the token has its value.
	c.find("separator")
	tok, ok := c.findType(sqlparser.STRING)
	if !ok {
		c.refuse(refusal.UnsupportedSyntax, out.Pos)
		return
	}
	separator := tok.val
	out.Separator = &separator
}

// castTypes maps the parser's spelling of a type to MySQL's and says which
// numbers it takes. BINARY pads and JSON fails on bad input, so they are absent.
var castTypes = map[string]struct {
	name    string
	numbers int // 0, 1 (length) or 2 (length and scale)
}{
	"signed":   {"SIGNED", 0},
	"unsigned": {"UNSIGNED", 0},
	"char":     {"CHAR", 1},
	"decimal":  {"DECIMAL", 2},
	"double":   {"DOUBLE", 0},
	"real":     {"DOUBLE", 0},
	"float":    {"FLOAT", 0},
	"date":     {"DATE", 0},
	"datetime": {"DATETIME", 1},
	"time":     {"TIME", 1},
}

func (c *converter) cast(pos tree.Pos, operand sqlparser.Expr, t *sqlparser.ConvertType) tree.Expr {
	out := &tree.Cast{Node: at(pos), Operand: c.expr(operand), Type: tree.CastType{Length: -1, Scale: -1}}
	name := strings.ToLower(t.Type)
	pos = c.typePos(name, pos)
	known, ok := castTypes[strings.TrimSuffix(name, " integer")]
	switch {
	case !ok:
		c.refuseWith(castType(pos, name))
		return out
	case t.Charset.Name != "" || t.Charset.Binary:
		c.refuse(refusal.Charset, pos)
		return out
	}
	out.Type.Name = known.name
	limits := map[string]int{"CHAR": 16 << 10, "DECIMAL": 65, "DATETIME": 6, "TIME": 6}
	for i, n := range []*int{t.Length, t.Scale} {
		switch {
		case n == nil:
			continue
		case i >= known.numbers || *n < 0 || *n > limits[known.name] || i == 1 && *n > 30:
			c.refuse(refusal.CastTypeRefused, pos).Messagef("The length or scale of the type is out of range.").
				Hintf("Write for instance CHAR(20), DECIMAL(20,4), DATETIME(6), or the type without numbers.")
			return out
		case i == 0:
			out.Type.Length = *n
		default:
			out.Type.Scale = *n
		}
	}
	if out.Type.Scale > out.Type.Length {
		c.refuse(refusal.CastTypeRefused, pos).Messagef("The scale of the type is greater than its length.").
			Hintf("Write the digits first and the scale second, as in DECIMAL(20,4).")
	}
	return out
}

// typePos is the place of the type's first word after the operand, or pos.
func (c *converter) typePos(name string, pos tree.Pos) tree.Pos {
	word, _, _ := strings.Cut(name, " ")
	for i := c.cursor; i < len(c.tokens); i++ {
		if strings.EqualFold(c.tokens[i].val, word) && c.tokens[i].isBareWord() {
			return c.tokens[i].pos
		}
	}
	return pos
}

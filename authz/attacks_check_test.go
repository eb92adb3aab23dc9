package authz_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// attackAllowed is attackPolicy once more, written by hand: the check below and
// the account's grants come from here, not from the policy that is being tested.
var attackAllowed = map[string][]string{
	"film":          {"film_id", "title", "description", "release_year", "length", "rating", "rental_duration", "rental_rate"},
	"actor":         {"actor_id", "first_name", "last_name"},
	"film_actor":    {"actor_id", "film_id"},
	"category":      {"category_id", "name"},
	"film_category": {"film_id", "category_id"},
	"inventory":     {"inventory_id", "film_id", "store_id"},
	"rental":        {"rental_id", "rental_date", "inventory_id", "customer_id", "return_date"},
	"customer":      {"customer_id", "store_id", "first_name", "last_name", "active", "create_date", "email"},
	"staff":         {"staff_id", "first_name", "last_name", "store_id", "active", "email", "username"},
}

// attackSensitive are the columns of it that must come back redacted.
var attackSensitive = []string{"email", "username"}

// inspector reads canonical text with the parser, knowing nothing of how it was
// written. It expects only what the accepted attacks need today: a node of any
// other kind, a function among them, is an error until somebody decides.
type inspector struct {
	columns []string // of the only table
	err     error
	// masked lists the items that are a sensitive column.
	masked []int
}

func (x *inspector) fail(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf(format, args...)
	}
}

// inspect returns the positions of the items that are sensitive columns.
func inspect(text string) ([]int, error) {
	stmt, err := sqlparser.NewTestParser().Parse(text)
	if err != nil {
		return nil, err
	}
	sel, ok := stmt.(*sqlparser.Select)
	if !ok {
		return nil, fmt.Errorf("a %T", stmt)
	}
	x := &inspector{}
	x.statement(sel)
	return x.masked, x.err
}

func (x *inspector) statement(sel *sqlparser.Select) {
	rest := *sel
	rest.SelectExprs, rest.From, rest.Where, rest.GroupBy, rest.Having, rest.OrderBy, rest.Limit = nil, nil, nil, nil, nil, nil, nil
	if !reflect.DeepEqual(rest, sqlparser.Select{}) {
		x.fail("more than the expected clauses: %+v", rest)
	}
	x.from(sel.From)
	for i, item := range sel.SelectExprs.Exprs {
		e, ok := item.(*sqlparser.AliasedExpr)
		if !ok || e.As.NotEmpty() {
			x.fail("item %d is %T, or has an alias", i, item)
			return
		}
		if col, ok := e.Expr.(*sqlparser.ColName); ok && slices.Contains(attackSensitive, col.Name.String()) {
			x.masked = append(x.masked, i)
			x.column(col)
			continue
		}
		x.expr(e.Expr)
	}
	if sel.Where != nil {
		x.expr(sel.Where.Expr)
	}
	if sel.GroupBy != nil {
		if sel.GroupBy.WithRollup {
			x.fail("ROLLUP")
		}
		x.exprs(sel.GroupBy.Exprs)
	}
	if sel.Having != nil {
		x.expr(sel.Having.Expr)
	}
	for _, o := range sel.OrderBy {
		x.expr(o.Expr)
	}
	if sel.Limit == nil {
		x.fail("no LIMIT")
		return
	}
	x.bound(sel.Limit.Rowcount)
	x.bound(sel.Limit.Offset)
}

// from expects one allowed table, fully qualified, under our alias.
func (x *inspector) from(tables []sqlparser.TableExpr) {
	if len(tables) != 1 {
		x.fail("%d tables", len(tables))
		return
	}
	t, ok := tables[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		x.fail("a %T in FROM", tables[0])
		return
	}
	name, ok := t.Expr.(sqlparser.TableName)
	if !ok || name.Qualifier.String() != "sakila" || t.As.String() != "t1" || t.Partitions != nil || t.Hints != nil || t.Columns != nil {
		x.fail("FROM has %s", sqlparser.String(t))
		return
	}
	if x.columns = attackAllowed[name.Name.String()]; x.columns == nil {
		x.fail("the table %s", name.Name)
	}
}

func (x *inspector) bound(e sqlparser.Expr) {
	switch e := e.(type) {
	case nil, *sqlparser.Argument:
	case *sqlparser.Literal:
		if e.Type != sqlparser.IntVal {
			x.fail("LIMIT has %s", sqlparser.String(e))
		}
	default:
		x.fail("LIMIT has a %T", e)
	}
}

func (x *inspector) exprs(list []sqlparser.Expr) {
	for _, e := range list {
		x.expr(e)
	}
}

func (x *inspector) expr(e sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.ColName:
		if slices.Contains(attackSensitive, e.Name.Lowered()) {
			x.fail("the sensitive column %s inside an expression", e.Name)
		}
		x.column(e)
	case *sqlparser.Literal:
		if !slices.Contains([]sqlparser.ValType{sqlparser.StrVal, sqlparser.IntVal, sqlparser.DecimalVal, sqlparser.FloatVal}, e.Type) {
			x.fail("the literal %s", sqlparser.String(e))
		}
	case *sqlparser.IntroducerExpr: // a string in hexadecimal
		hex, ok := e.Expr.(*sqlparser.Literal)
		if e.CharacterSet != "_utf8mb4" || !ok || hex.Type != sqlparser.HexVal {
			x.fail("the introducer %s", sqlparser.String(e))
		}
	case *sqlparser.Argument, *sqlparser.NullVal, sqlparser.BoolVal:
	case *sqlparser.AndExpr:
		x.exprs([]sqlparser.Expr{e.Left, e.Right})
	case *sqlparser.OrExpr:
		x.exprs([]sqlparser.Expr{e.Left, e.Right})
	case *sqlparser.IsExpr:
		x.expr(e.Left)
	case *sqlparser.BetweenExpr:
		x.exprs([]sqlparser.Expr{e.Left, e.From, e.To})
	case *sqlparser.ComparisonExpr:
		x.exprs([]sqlparser.Expr{e.Left, e.Right})
		if e.Escape != nil || e.Modifier != sqlparser.Missing || !slices.Contains([]string{"=", "<", ">", "like", "in"}, e.Operator.ToString()) {
			x.fail("the comparison %s", sqlparser.String(e))
		}
	case sqlparser.ValTuple:
		x.exprs(e)
	case *sqlparser.BinaryExpr:
		x.exprs([]sqlparser.Expr{e.Left, e.Right})
		if !slices.Contains([]string{"+", "-", "*", "/", "%"}, e.Operator.ToString()) {
			x.fail("the operator %s", e.Operator.ToString())
		}
	case *sqlparser.UnaryExpr:
		x.expr(e.Expr)
		if e.Operator != sqlparser.UMinusOp {
			x.fail("the operator %s", e.Operator.ToString())
		}
	case *sqlparser.CountStar:
		if e.OverClause != nil {
			x.fail("a window")
		}
	default:
		x.fail("a %T: %s", e, sqlparser.String(e))
	}
}

func (x *inspector) column(c *sqlparser.ColName) {
	q := c.Qualifier
	if q.Qualifier.NotEmpty() || q.Name.String() != "t1" || !slices.Contains(x.columns, c.Name.String()) {
		x.fail("the column %s", sqlparser.String(c))
	}
}

// shape is canonical text with each string in it replaced: two texts of one shape
// differ in nothing but the values of their strings.
func shape(text string) (string, error) {
	stmt, err := sqlparser.NewTestParser().Parse(text)
	if err != nil {
		return "", err
	}
	same := sqlparser.Rewrite(stmt, func(c *sqlparser.Cursor) bool {
		switch n := c.Node().(type) {
		case *sqlparser.Literal:
			if n.Type == sqlparser.StrVal {
				c.Replace(sqlparser.NewStrLiteral("string"))
			}
		case *sqlparser.IntroducerExpr:
			c.Replace(sqlparser.NewStrLiteral("string"))
			return false
		}
		return true
	}, nil)
	var out strings.Builder
	out.WriteString(sqlparser.String(same))
	return out.String(), nil
}

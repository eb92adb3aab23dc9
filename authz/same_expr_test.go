package authz_test

import (
	"math/big"

	"mysqlevidence/internal/tree"
)

// expr compares an expression as asked with ours. Every node of the tree has a
// case.
func (p *pair) expr(a, o tree.Expr) {
	if c, ok := a.(*tree.Column); ok {
		// COALESCE(column) is the column; HAVING may need it so.
		if call, ok := o.(*tree.Call); ok && p.afterItems && call.Name == "COALESCE" && len(call.Args) == 1 {
			o = call.Args[0]
		}
		p.name(c, o)
		return
	}
	if p.writtenOut && !hasAggregate(a) {
		if inner, ok := insideMin(o); ok {
			p.writtenOut = false
			p.expr(a, inner)
			p.writtenOut = true
			return
		}
	}
	switch a := a.(type) {
	case *tree.Param:
		if o, ok := sameNode(p, a, o); ok && p.args[o.Index] != int64(a.Index) {
			p.fail("placeholder %d became %v", a.Index, p.args[o.Index])
		}
	case *tree.String:
		if o, ok := sameNode(p, a, o); ok && o.Value != a.Value {
			p.fail("%q became %q", a.Value, o.Value)
		}
	case *tree.Number:
		if o, ok := sameNode(p, a, o); ok && (a.Integer != o.Integer || exact(a).Cmp(exact(o)) != 0) {
			p.fail("%s became %s", a.Text, o.Text)
		}
	case *tree.Null:
		sameNode(p, a, o)
	case *tree.Bool:
		if o, ok := sameNode(p, a, o); ok {
			p.fields(a.Value, o.Value)
		}
	case *tree.Not:
		if o, ok := sameNode(p, a, o); ok {
			p.expr(a.Operand, o.Operand)
		}
	case *tree.Negate:
		if o, ok := sameNode(p, a, o); ok {
			p.expr(a.Operand, o.Operand)
		}
	case *tree.Binary:
		if o, ok := sameNode(p, a, o); ok {
			p.fields(a.Op, o.Op)
			p.exprs([]tree.Expr{a.Left, a.Right}, []tree.Expr{o.Left, o.Right})
		}
	default:
		p.predicate(a, o)
	}
}

func (p *pair) predicate(a, o tree.Expr) {
	switch a := a.(type) {
	case *tree.Is:
		if o, ok := sameNode(p, a, o); ok {
			p.fields([]any{a.What, a.Negated}, []any{o.What, o.Negated})
			p.expr(a.Operand, o.Operand)
		}
	case *tree.In:
		if o, ok := sameNode(p, a, o); ok {
			p.fields(a.Negated, o.Negated)
			p.expr(a.Operand, o.Operand)
			p.exprs(a.List, o.List)
		}
	case *tree.Between:
		if o, ok := sameNode(p, a, o); ok {
			p.fields(a.Negated, o.Negated)
			p.exprs([]tree.Expr{a.Operand, a.Low, a.High}, []tree.Expr{o.Operand, o.Low, o.High})
		}
	case *tree.Like:
		if o, ok := sameNode(p, a, o); ok {
			p.fields([]any{a.Negated, a.Escape}, []any{o.Negated, o.Escape})
			p.exprs([]tree.Expr{a.Operand, a.Pattern}, []tree.Expr{o.Operand, o.Pattern})
		}
	case *tree.Case:
		if o, ok := sameNode(p, a, o); ok {
			p.caseExpr(a, o)
		}
	case *tree.Cast:
		if o, ok := sameNode(p, a, o); ok {
			p.fields(a.Type, o.Type)
			p.expr(a.Operand, o.Operand)
		}
	default:
		p.call(a, o)
	}
}

func (p *pair) call(a, o tree.Expr) {
	switch a := a.(type) {
	case *tree.DateArith:
		if o, ok := sameNode(p, a, o); ok {
			p.fields([]any{a.Unit, a.Subtract}, []any{o.Unit, o.Subtract})
			p.exprs([]tree.Expr{a.Date, a.Amount}, []tree.Expr{o.Date, o.Amount})
		}
	case *tree.Call:
		// FROM_UNIXTIME(x) has a COALESCE around it.
		if call, ok := o.(*tree.Call); ok && a.Name == "FROM_UNIXTIME" && len(a.Args) == 1 && call.Name == "COALESCE" && len(call.Args) == 1 {
			o = call.Args[0]
		}
		if o, ok := sameNode(p, a, o); ok {
			p.fields(a.Name, o.Name)
			p.exprs(a.Args, o.Args)
		}
	case *tree.UnitCall:
		if o, ok := sameNode(p, a, o); ok {
			p.fields([]any{a.Name, a.Unit}, []any{o.Name, o.Unit})
			p.exprs(a.Args, o.Args)
		}
	case *tree.Trim:
		if o, ok := sameNode(p, a, o); ok {
			p.fields(a.Side, o.Side)
			p.optional(a.Chars, o.Chars)
			p.expr(a.Operand, o.Operand)
		}
	case *tree.Aggregate:
		if o, ok := sameNode(p, a, o); ok {
			p.aggregate(a, o)
		}
	default:
		p.fail("%T is a node that nobody compares", a)
	}
}

// sameNode is o as a node of a's type.
func sameNode[T tree.Expr](p *pair, a T, o tree.Expr) (T, bool) {
	same, ok := o.(T)
	if !ok {
		p.fail("%T became %T", a, o)
	}
	return same, ok
}

func (p *pair) exprs(a, o []tree.Expr) {
	if len(a) != len(o) {
		p.fail("%d expressions became %d", len(a), len(o))
		return
	}
	for i := range a {
		p.expr(a[i], o[i])
	}
}

// name compares a name with what stands for it.
func (p *pair) name(a *tree.Column, o tree.Expr) {
	i, isItem := p.item(a)
	if !isItem {
		if inner, ok := insideMin(o); ok && p.writtenOut {
			o = inner
		}
		p.column(a, o)
		return
	}
	afterItems, joined := p.afterItems, p.joined
	p.afterItems, p.joined, p.writtenOut = false, 0, p.grouped()
	p.expr(p.asked.Items[i].Expr, o)
	p.afterItems, p.joined, p.writtenOut = afterItems, joined, false
}

// insideMin returns e of MIN(e).
func insideMin(e tree.Expr) (tree.Expr, bool) {
	m, ok := e.(*tree.Aggregate)
	if !ok || m.Name != "MIN" || m.Distinct || len(m.Args) != 1 {
		return nil, false
	}
	return m.Args[0], true
}

func hasAggregate(e tree.Expr) bool {
	found := false
	tree.Walk(e, func(e tree.Expr) bool {
		_, ok := e.(*tree.Aggregate)
		found = found || ok
		return !found
	})
	return found
}

func (p *pair) caseExpr(a, o *tree.Case) {
	p.optional(a.Operand, o.Operand)
	p.optional(a.Else, o.Else)
	if len(a.Whens) != len(o.Whens) {
		p.fail("%d branches became %d", len(a.Whens), len(o.Whens))
		return
	}
	for i := range a.Whens {
		p.expr(a.Whens[i].Cond, o.Whens[i].Cond)
		p.expr(a.Whens[i].Result, o.Whens[i].Result)
	}
}

func (p *pair) aggregate(a, o *tree.Aggregate) {
	p.fields([]any{a.Name, a.Distinct, a.Star, a.Separator}, []any{o.Name, o.Distinct, o.Star, o.Separator})
	inAggregate, writtenOut := p.inAggregate, p.writtenOut
	p.inAggregate, p.writtenOut = true, false
	p.exprs(a.Args, o.Args)
	if len(a.OrderBy) != len(o.OrderBy) {
		p.fail("%d sort keys of an aggregate became %d", len(a.OrderBy), len(o.OrderBy))
	} else {
		for i := range a.OrderBy {
			p.fields(a.OrderBy[i].Desc, o.OrderBy[i].Desc)
			p.expr(a.OrderBy[i].Expr, o.OrderBy[i].Expr)
		}
	}
	p.inAggregate, p.writtenOut = inAggregate, writtenOut
}

// exact is a number's exact value.
func exact(n *tree.Number) *big.Rat {
	v, ok := new(big.Rat).SetString(n.Text)
	if !ok {
		return big.NewRat(0, 1)
	}
	return v
}

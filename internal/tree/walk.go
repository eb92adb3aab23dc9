package tree

// Walk calls visit for e and the expressions below it, in text order. It doesn't
// go below an expression for which visit returns false.
func Walk(e Expr, visit func(Expr) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, c := range children(e) {
		Walk(c, visit)
	}
}

func children(e Expr) []Expr {
	switch e := e.(type) {
	case *Binary:
		return []Expr{e.Left, e.Right}
	case *Not:
		return []Expr{e.Operand}
	case *Negate:
		return []Expr{e.Operand}
	case *Is:
		return []Expr{e.Operand}
	case *In:
		return append([]Expr{e.Operand}, e.List...)
	case *Between:
		return []Expr{e.Operand, e.Low, e.High}
	case *Like:
		return []Expr{e.Operand, e.Pattern}
	case *Case:
		out := []Expr{}
		if e.Operand != nil {
			out = append(out, e.Operand)
		}
		for _, w := range e.Whens {
			out = append(out, w.Cond, w.Result)
		}
		if e.Else != nil {
			out = append(out, e.Else)
		}
		return out
	case *Cast:
		return []Expr{e.Operand}
	case *DateArith:
		return []Expr{e.Date, e.Amount}
	case *Call:
		return e.Args
	case *UnitCall:
		return e.Args
	case *Trim:
		if e.Chars != nil {
			return []Expr{e.Chars, e.Operand}
		}
		return []Expr{e.Operand}
	case *Aggregate:
		out := append([]Expr{}, e.Args...)
		for _, o := range e.OrderBy {
			out = append(out, o.Expr)
		}
		return out
	}
	return nil
}

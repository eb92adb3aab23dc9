package authz

import (
	"strconv"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// operand writes an expression as a part of another: in parentheses unless it
// can't be taken apart. Precedence is thereby never a question.
func (w *writer) operand(e tree.Expr) {
	top := w.topLevel
	w.topLevel = false
	if isAtom(e) {
		w.expr(e)
	} else {
		w.text.WriteByte('(')
		w.expr(e)
		w.text.WriteByte(')')
	}
	w.topLevel = top
}

func isAtom(e tree.Expr) bool {
	switch e.(type) {
	case *tree.Column, *tree.Param, *tree.String, *tree.Number, *tree.Null, *tree.Bool,
		*tree.Call, *tree.UnitCall, *tree.DateArith, *tree.Trim, *tree.Cast, *tree.Aggregate, *tree.Case:
		return true
	}
	return false
}

// expr writes one expression. Every node of the tree has a case.
func (w *writer) expr(e tree.Expr) {
	if w.refused != nil {
		return
	}
	if w.text.Len() > maxText {
		w.refuse(refusal.New(refusal.PlanTooLarge, e.At()))
		return
	}
	if w.inMin(e) {
		return
	}
	if _, ok := e.(*tree.Column); !ok {
		top := w.topLevel
		w.topLevel = false
		defer func() { w.topLevel = top }()
	}
	switch e := e.(type) {
	case *tree.Column:
		w.column(e)
	case *tree.Param:
		w.param(e)
	case *tree.String:
		w.literal(e.Value)
	case *tree.Number:
		w.text.WriteString(e.Text)
	case *tree.Null:
		w.text.WriteString("NULL")
	case *tree.Bool:
		w.choose(e.Value, "TRUE", "FALSE")
	case *tree.Binary:
		w.binary(e)
	case *tree.Not:
		w.text.WriteString("NOT ")
		w.truth(e.Operand)
	case *tree.Negate:
		w.text.WriteByte('-')
		w.operand(e.Operand)
	case *tree.Is:
		w.operand(e.Operand)
		w.choose(e.Negated, " IS NOT ", " IS ")
		w.text.WriteString(string(e.What))
	case *tree.In:
		w.operand(e.Operand)
		w.choose(e.Negated, " NOT IN (", " IN (")
		w.list(e.List)
		w.text.WriteByte(')')
	case *tree.Between:
		w.operand(e.Operand)
		w.choose(e.Negated, " NOT BETWEEN ", " BETWEEN ")
		w.operand(e.Low)
		w.text.WriteString(" AND ")
		w.operand(e.High)
	case *tree.Like:
		w.like(e)
	case *tree.Case:
		w.caseExpr(e)
	case *tree.Cast:
		w.cast(e)
	default:
		w.call(e)
	}
}

func (w *writer) call(e tree.Expr) {
	switch e := e.(type) {
	case *tree.Call:
		w.named(e)
		return
	case *tree.UnitCall:
		w.text.WriteString(e.Name + "(" + e.Unit)
		if e.Name == "EXTRACT" {
			w.text.WriteString(" FROM ")
		} else {
			w.text.WriteString(", ")
		}
		w.list(e.Args)
	case *tree.DateArith:
		w.choose(e.Subtract, "DATE_SUB(", "DATE_ADD(")
		w.expr(e.Date)
		w.text.WriteString(", INTERVAL ")
		w.amount(e)
		w.text.WriteString(" " + e.Unit)
	case *tree.Trim:
		w.trim(e)
	case *tree.Aggregate:
		w.aggregate(e)
	default:
		w.refuse(refusal.New(refusal.UnsupportedSyntax, e.At()))
		return
	}
	w.text.WriteByte(')')
}

// named writes a call by its name. FROM_UNIXTIME(x) as the value of a select item
// becomes COALESCE(FROM_UNIXTIME(x)), which is the same but for what MariaDB says
// of it: by itself, of a text or a floating-point number, it has 39 decimals there,
// and the driver reads no such column. Anywhere else the two would differ, as in
// CONCAT, which writes the decimals, or BETWEEN, which goes by the type.
func (w *writer) named(e *tree.Call) {
	if e.Name == "COALESCE" && len(e.Args) == 1 && w.seconds[e.Args[0]] {
		w.expr(e.Args[0]) // which writes that COALESCE
		return
	}
	seconds := w.seconds[e]
	if seconds {
		w.text.WriteString("COALESCE(")
	}
	w.text.WriteString(e.Name + "(")
	w.dated(e)
	w.text.WriteByte(')')
	if seconds {
		w.text.WriteByte(')')
	}
}

// secondsIn adds the calls of FROM_UNIXTIME(x) whose value an expression can have.
func secondsIn(e tree.Expr, found map[tree.Expr]bool) map[tree.Expr]bool {
	var values []tree.Expr
	switch e := e.(type) {
	case *tree.Call:
		switch e.Name {
		case "FROM_UNIXTIME":
			if len(e.Args) == 1 {
				if found == nil {
					found = map[tree.Expr]bool{}
				}
				found[e] = true
			}
		case "COALESCE", "IFNULL", "GREATEST", "LEAST":
			values = e.Args
		case "IF":
			values = e.Args[1:]
		case "NULLIF":
			values = e.Args[:1]
		}
	case *tree.Aggregate:
		if e.Name == "MIN" || e.Name == "MAX" {
			values = e.Args
		}
	case *tree.Case:
		for _, b := range e.Whens {
			values = append(values, b.Result)
		}
		if e.Else != nil {
			values = append(values, e.Else)
		}
	}
	for _, v := range values {
		found = secondsIn(v, found)
	}
	return found
}

func (w *writer) choose(first bool, a, b string) {
	if first {
		w.text.WriteString(a)
	} else {
		w.text.WriteString(b)
	}
}

func (w *writer) list(exprs []tree.Expr) {
	for i, e := range exprs {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.expr(e)
	}
}

// binary leaves a chain of one logical operator without parentheses: it leans
// left in the tree and is read so again.
func (w *writer) binary(e *tree.Binary) {
	left, ok := e.Left.(*tree.Binary)
	logical := e.Op == tree.And || e.Op == tree.Or || e.Op == tree.Xor
	write := w.operand
	if logical {
		write = w.truth
	}
	if logical && ok && left.Op == e.Op {
		w.expr(e.Left)
	} else {
		write(e.Left)
	}
	w.text.WriteString(" " + string(e.Op) + " ")
	write(e.Right)
}

// truth writes an operand of NOT, AND, OR or XOR. In HAVING a column as a truth
// value becomes COALESCE(column), which is the same: MariaDB 10.11 dies (SIGSEGV,
// the whole server) of HAVING NOT column AND …, and of what it turns into that.
func (w *writer) truth(e tree.Expr) {
	if _, ok := e.(*tree.Column); !ok || w.place != inHaving || w.inAggregate || w.ungrouped() {
		w.operand(e)
		return
	}
	w.text.WriteString("COALESCE(")
	w.operand(e)
	w.text.WriteByte(')')
}

func (w *writer) like(e *tree.Like) {
	w.operand(e.Operand)
	w.choose(e.Negated, " NOT LIKE ", " LIKE ")
	w.operand(e.Pattern)
	if e.Escape != "" {
		w.text.WriteString(" ESCAPE ")
		w.literal(e.Escape)
	}
}

func (w *writer) caseExpr(e *tree.Case) {
	w.text.WriteString("CASE")
	if e.Operand != nil {
		w.text.WriteByte(' ')
		w.operand(e.Operand)
	}
	for _, b := range e.Whens {
		w.text.WriteString(" WHEN ")
		w.operand(b.Cond)
		w.text.WriteString(" THEN ")
		w.operand(b.Result)
	}
	if e.Else != nil {
		w.text.WriteString(" ELSE ")
		w.operand(e.Else)
	}
	w.text.WriteString(" END")
}

func (w *writer) cast(e *tree.Cast) {
	w.text.WriteString("CAST(")
	w.expr(e.Operand)
	w.text.WriteString(" AS " + e.Type.Name)
	if e.Type.Length >= 0 {
		w.text.WriteString("(" + strconv.Itoa(e.Type.Length))
		if e.Type.Scale >= 0 {
			w.text.WriteString(", " + strconv.Itoa(e.Type.Scale))
		}
		w.text.WriteByte(')')
	}
	w.text.WriteByte(')')
}

func (w *writer) trim(e *tree.Trim) {
	w.text.WriteString("TRIM(")
	if e.Side != tree.TrimDefault {
		w.text.WriteString(string(e.Side) + " ")
	}
	if e.Chars != nil {
		w.operand(e.Chars)
		w.text.WriteByte(' ')
	}
	if e.Chars != nil || e.Side != tree.TrimDefault {
		w.text.WriteString("FROM ")
	}
	w.expr(e.Operand)
}

// aggregate writes an aggregate. Names inside it are columns, never aliases.
func (w *writer) aggregate(e *tree.Aggregate) {
	if w.inAggregate {
		w.refuse(refusal.New(refusal.AliasNotUsable, e.Pos))
		return
	}
	saved := w.perGroup
	w.inAggregate, w.perGroup = true, false
	defer func() { w.inAggregate, w.perGroup = false, saved }()
	w.text.WriteString(e.Name + "(")
	if e.Distinct {
		w.text.WriteString("DISTINCT ")
	}
	if e.Star {
		w.text.WriteByte('*')
	}
	w.list(e.Args)
	for i, o := range e.OrderBy {
		w.separate(i, " ORDER BY ")
		w.operand(o.Expr)
		w.direction(o)
	}
	if e.Separator != nil {
		w.text.WriteString(" SEPARATOR ")
		w.separator(*e.Separator)
	}
}

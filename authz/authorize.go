package authz

import (
	"mysqlevidence/config"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/seal"
	"mysqlevidence/internal/tree"
	"mysqlevidence/validator"
)

// Authorize resolves a query's names against the policy and plans it. The error
// is a *refusal.Refusal of the stage authorize. It is a pure function.
func (p *Policy) Authorize(q validator.Query) (Plan, error) {
	if p == nil || q.IsZero() {
		return Plan{}, refusal.New(refusal.UnsupportedSyntax, refusal.Position{})
	}
	plan, r := p.authorize(q.Tree(seal.Open()))
	if r != nil {
		return Plan{}, r
	}
	return Plan{p: plan}, nil
}

func (p *Policy) authorize(q *tree.Select) (*plan, *refusal.Refusal) {
	sc := &scope{policy: p}
	if r := sc.addTable(q.From); r != nil {
		return nil, r
	}
	for _, j := range q.Joins {
		if r := sc.addTable(j.Table); r != nil {
			return nil, r
		}
	}
	w := &writer{scope: sc, query: q, types: map[int]config.ParamType{},
		items: make([]planItem, 0, len(q.Items))}
	w.bareColumns()
	w.statement()
	if w.refused != nil {
		return nil, w.refused
	}
	short, r := checkBulk(sc, q)
	if r != nil {
		return nil, r
	}
	out := &plan{source: p.source, policy: p.hash, body: w.text.String(), columns: w.columns,
		scope: sc, items: w.planItems(), order: w.order, params: q.Params, types: w.types, dates: w.dates,
		filters: w.filters, short: short,
		folds: q.Distinct || q.Aggregates || len(q.GroupBy) > 0}
	for _, t := range sc.tables {
		out.tables = append(out.tables, TableName{Schema: t.schema, Table: t.table.name})
	}
	if q.Limit != nil {
		out.limit, out.offset = toBound(q.Limit.Count), toBound(q.Limit.Offset)
	}
	return out, nil
}

func toBound(b tree.Bound) bound {
	return bound{set: b.Set, isParam: b.IsParam, param: b.Param, value: b.Value, pos: b.Pos}
}

// bareColumns resolves the items that are nothing but a column, so that names
// elsewhere can refer to them.
func (w *writer) bareColumns() {
	for _, it := range w.query.Items {
		known := item{expr: it.Expr, name: it.Alias}
		if c, ok := it.Expr.(*tree.Column); ok {
			table, col := w.columnOnly(c)
			if col == nil {
				return
			}
			known.column, known.table = col, table
			if known.name == "" {
				known.name = col.Name
			}
		}
		w.scope.items = append(w.scope.items, known)
	}
}

// columnOnly resolves a name that can mean a column and nothing else.
func (w *writer) columnOnly(c *tree.Column) (int, *column) {
	if c.Table != "" {
		i, col, r := w.scope.qualifiedColumn(c)
		if r != nil {
			w.refuse(r)
		}
		return i, col
	}
	switch in := w.scope.unqualified(c.Name); len(in) {
	case 0:
		if len(w.scope.named(c.Name)) > 0 {
			w.refuse(refusal.New(refusal.AliasNotUsable, c.Pos))
			break
		}
		w.refuse(w.scope.unknownColumn(c))
	case 1:
		return in[0].table, in[0].column
	default:
		w.refuse(w.scope.ambiguous(c, in))
	}
	return 0, nil
}

// admittedFilter reports whether a WHERE term is one that the operator admitted
// on a sensitive column: column = ? or column IN (?, …), placeholders only. It
// notes the type that the parameters must have.
func (w *writer) admittedFilter(term tree.Expr) (*tree.Column, bool) {
	var operand tree.Expr
	var values []tree.Expr
	switch t := term.(type) {
	case *tree.Binary:
		if t.Op != tree.Equal {
			return nil, false
		}
		operand, values = t.Left, []tree.Expr{t.Right}
		if _, ok := t.Left.(*tree.Param); ok {
			operand, values = t.Right, []tree.Expr{t.Left}
		}
	case *tree.In:
		if t.Negated {
			return nil, false
		}
		operand, values = t.Operand, t.List
	}
	c, ok := operand.(*tree.Column)
	if !ok {
		return nil, false
	}
	_, col := w.columnOnly(c)
	if col == nil || col.Mask == config.MaskNone || !col.FilterEquality {
		return nil, false
	}
	for _, v := range values {
		p, ok := v.(*tree.Param)
		if !ok {
			return nil, false
		}
		w.types[p.Index] = col.FilterType
	}
	w.filters = append(w.filters, col)
	return c, true
}

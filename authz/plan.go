package authz

import (
	"strconv"
	"sync/atomic"

	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
)

// Plan is a query that may run: names resolved, canonical SQL, and what each
// output column is. Only Policy.Authorize makes one; the zero Plan is refused by
// every later stage. A Plan is immutable and safe for concurrent use.
type Plan struct{ p *plan }

type plan struct {
	source  string
	policy  string
	body    string // canonical SQL up to and without LIMIT
	columns []Column
	items   []planItem // as many as columns
	lastCut atomic.Pointer[cutBody]
	scope   *scope
	tables  []TableName
	// order maps the driver's argument positions to the asker's placeholders.
	order  []int
	params int
	short  map[int]bool             // placeholders whose text must be short
	types  map[int]config.ParamType // placeholders that filter a sensitive column
	dates  []int                    // placeholders that mustn't be 0
	// filters are the sensitive columns that the query filters by.
	filters []*column
	limit   bound // the query's own LIMIT
	offset  bound
	// folds says that a row of the result may stand for many of the tables'.
	folds bool
}

// bound is a number of LIMIT: absent, a literal, or a placeholder.
type bound struct {
	set     bool
	isParam bool
	param   int
	value   uint64
	pos     refusal.Position
}

// Column says what one output column is. It is decided from the query's tree,
// never from what the server reports.
type Column struct {
	Name string // at most 64 characters: the alias, the column's name, or the source text
	Mask config.Mask
	// Schema, Table and Source name the column behind a bare item; they are
	// empty for an expression.
	Schema, Table, Source string
	// JSON says that the config declares the column's text to be JSON.
	JSON bool
}

// TableName names an allowlisted table.
type TableName struct{ Schema, Table string }

// IsZero reports whether the plan was never authorized.
func (p Plan) IsZero() bool { return p.p == nil }

// DataSource is the name of the data source that the plan is for.
func (p Plan) DataSource() string { return p.p.source }

// PolicyHash identifies the policy that authorized the plan.
func (p Plan) PolicyHash() string { return p.p.policy }

// Columns returns the output columns in order. The caller owns the slice.
func (p Plan) Columns() []Column { return append([]Column(nil), p.p.columns...) }

// Tables returns the tables that the plan reads, in text order.
func (p Plan) Tables() []TableName { return append([]TableName(nil), p.p.tables...) }

// Placeholders is the number of parameters that Bind wants.
func (p Plan) Placeholders() int { return p.p.params }

// SQL is the canonical text for a call that names no limit of its own.
func (p Plan) SQL(rows RowLimits) string {
	return p.p.render(rows, Cells{}, nil).sql
}

// MistypedFilter names a sensitive column that the plan filters by with integers
// although it holds text on the server, or isn't known there, or "": such a comparison takes the number
// that the text begins with, and so tells prefixes.
func (p Plan) MistypedFilter(types *Types) string {
	for _, c := range p.p.filters {
		of, known := types.Columns[TableName{Schema: c.table.schema, Table: c.table.name}][ident.Fold(c.Name)]
		if c.FilterType == config.ParamInteger && (!known || of.Class != Fixed) {
			return c.table.schema + "." + c.table.name + "." + c.Name
		}
	}
	return ""
}

// RowLimits are the row limits of one call. Asked is 0 when the asker named
// none; Default and Max are positive, and Default is at most Max.
type RowLimits struct{ Asked, Default, Max int }

// RowBudget is how many rows evidence may have.
type RowBudget struct {
	// Rows is the most rows to return.
	Rows int
	// Capped says that Rows is a cap and not the asker's own limit: one row more
	// is read, and if it exists the evidence is truncated.
	Capped bool
}

// Bound is a plan with its parameters: what the executor sends.
type Bound struct {
	sql    string
	args   []any
	budget RowBudget
	cuts   []Cut
	reach  uint64
}

// SQL is the text that goes to the server.
func (b Bound) SQL() string { return b.sql }

// Args are the arguments in the order of the text's placeholders: string, int64,
// uint64, float64, bool or nil. The caller must not change the slice.
func (b Bound) Args() []any { return b.args }

// Cuts are the items that the server sends cut. The caller must not change the
// slice.
func (b Bound) Cuts() []Cut { return b.cuts }

// Budget is the number of rows that may be returned.
func (b Bound) Budget() RowBudget { return b.budget }

// Reach is how many rows LIMIT and OFFSET ask for together. It is 0 where a row of
// the result may stand for many of the tables' (DISTINCT, GROUP BY, aggregates),
// so that LIMIT doesn't end the reading.
func (b Bound) Reach() uint64 { return b.reach }

// Bind checks the parameters against the plan and fixes the row limit. It needs
// no connection. The error is a *refusal.Refusal of the stage bind.
func (p Plan) Bind(params []any, rows RowLimits) (Bound, error) {
	return p.BindCut(params, rows, Cells{})
}

// BindCut is Bind for a text that leaves the rest of long cells at the server.
func (p Plan) BindCut(params []any, rows RowLimits, cells Cells) (Bound, error) {
	if p.p == nil {
		return Bound{}, refusal.New(refusal.UnsupportedSyntax, refusal.Position{})
	}
	values, r := p.p.check(params)
	if r != nil {
		return Bound{}, r
	}
	return p.p.render(rows, cells, values), nil
}

// render writes the final text. Without values (nil) it renders what a call
// would send, placeholders of LIMIT included, and no arguments.
func (p *plan) render(rows RowLimits, cells Cells, values []any) Bound {
	body := p.cut(cells)
	args := make([]any, 0, len(body.order)+2)
	if values != nil {
		for _, i := range body.order {
			args = append(args, values[i])
		}
	}
	own, known := p.limit.number(values)
	budget := budgetOf(rows, own, known)
	fetch := budget.Rows
	if budget.Capped {
		fetch++
	}
	reach := uint64(fetch)
	text := body.text + " LIMIT "
	if p.limit.isParam {
		text += "?"
		args = append(args, int64(fetch))
	} else {
		text += strconv.Itoa(fetch)
	}
	switch {
	case p.offset.isParam:
		n, _ := p.offset.number(values)
		n = min(n, maxOffset)
		text += " OFFSET ?"
		args = append(args, int64(n))
		reach += n
	case p.offset.set:
		n := min(p.offset.value, maxOffset)
		text += " OFFSET " + strconv.FormatUint(n, 10)
		reach += n
	}
	if p.folds {
		reach = 0
	}
	return Bound{sql: text, args: args, budget: budget, cuts: body.cuts, reach: reach}
}

// number returns the bound's value, if it is known yet.
func (b bound) number(values []any) (uint64, bool) {
	if !b.set {
		return 0, false
	}
	if !b.isParam {
		return b.value, true
	}
	if values == nil {
		return 0, false
	}
	switch n := values[b.param].(type) {
	case int64:
		return uint64(n), true
	case uint64:
		return n, true
	}
	return 0, false
}

// budgetOf is the smallest of the asked limit, the query's own and the cap. Only
// a cap that bites makes the budget Capped.
func budgetOf(rows RowLimits, own uint64, hasOwn bool) RowBudget {
	limit := rows.Default
	capped := true
	if rows.Asked > 0 || hasOwn {
		limit, capped = rows.Max, true
	}
	take := func(n uint64) {
		if n <= uint64(limit) {
			limit, capped = int(n), false
		}
	}
	if rows.Asked > 0 {
		take(uint64(rows.Asked))
	}
	if hasOwn {
		take(own)
	}
	return RowBudget{Rows: limit, Capped: capped}
}

package authz_test

import (
	"slices"

	"mysqlevidence/authz"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/seal"
	"mysqlevidence/internal/tree"
	"mysqlevidence/validator"
)

// derived is the database that a query seems to have been written for: the
// tables that it names, with the columns that it names.
//
// A column without a qualifier belongs to the only table that has it elsewhere in
// the query, else to the first. A name that only GROUP BY, HAVING and ORDER BY
// have, and that is a select alias, is no column.
type derived struct {
	tables []*derivedTable
	inText []occurrence // the tables of FROM and JOIN
	params []any        // a value for each placeholder
	beside map[int]*derivedColumn
}

type occurrence struct {
	name    string // what the query calls the table
	aliased bool
	table   *derivedTable
}

type derivedTable struct {
	schema, name string
	columns      []*derivedColumn
}

type derivedColumn struct {
	name     string
	kind     kind
	literals []string // what the query compares it with
	key      bool     // the table's primary key
}

// derive reads the query's names twice: qualified columns first, because they say
// where an unqualified one belongs.
func derive(q *tree.Select, defaultSchema string) *derived {
	d := &derived{beside: map[int]*derivedColumn{}}
	for _, t := range fromTables(q) {
		d.addTable(t, defaultSchema)
	}
	each := func(visit func(c *tree.Column, mayBeAlias bool)) {
		for _, p := range partsOf(q) {
			inAggregate := false
			var walk func(e tree.Expr) bool
			walk = func(e tree.Expr) bool {
				if a, ok := e.(*tree.Aggregate); ok && !inAggregate {
					inAggregate = true
					tree.Walk(a, walk)
					inAggregate = false
					return false
				}
				if c, ok := e.(*tree.Column); ok {
					visit(c, p.afterItems && !inAggregate)
				}
				return true
			}
			tree.Walk(p.expr, walk)
		}
	}
	each(func(c *tree.Column, _ bool) {
		if c.Table != "" {
			d.column(c)
		}
	})
	each(func(c *tree.Column, mayBeAlias bool) {
		if c.Table == "" && !(mayBeAlias && isAlias(q, c.Name)) {
			d.column(c)
		}
	})
	for _, p := range partsOf(q) {
		d.use(p.expr)
	}
	d.setKeys(q)
	d.setParams(q)
	return d
}

// part is one expression of a query. Only the parts after the select list can
// name its items.
type part struct {
	expr       tree.Expr
	afterItems bool
}

func partsOf(q *tree.Select) []part {
	var out []part
	for _, i := range q.Items {
		out = append(out, part{i.Expr, false})
	}
	for _, j := range q.Joins {
		out = append(out, part{j.On, false})
	}
	out = append(out, part{q.Where, false})
	for _, e := range q.GroupBy {
		out = append(out, part{e, true})
	}
	out = append(out, part{q.Having, true})
	for _, o := range q.OrderBy {
		out = append(out, part{o.Expr, true})
	}
	return slices.DeleteFunc(out, func(p part) bool { return p.expr == nil })
}

func fromTables(q *tree.Select) []tree.Table {
	out := []tree.Table{q.From}
	for _, j := range q.Joins {
		out = append(out, j.Table)
	}
	return out
}

func isAlias(q *tree.Select, name string) bool {
	return slices.ContainsFunc(q.Items, func(i tree.Item) bool {
		return i.Alias != "" && ident.Fold(i.Alias) == ident.Fold(name)
	})
}

func (d *derived) addTable(t tree.Table, defaultSchema string) {
	schema := t.Schema
	if schema == "" {
		schema = defaultSchema
	}
	o := occurrence{name: t.Name}
	if t.Alias != "" {
		o.name, o.aliased = t.Alias, true
	}
	i := slices.IndexFunc(d.tables, func(x *derivedTable) bool { return x.schema == schema && x.name == t.Name })
	if i < 0 {
		i = len(d.tables)
		d.tables = append(d.tables, &derivedTable{schema: schema, name: t.Name})
	}
	o.table = d.tables[i]
	d.inText = append(d.inText, o)
}

// column returns the column that a reference means, and makes it where no table
// has it. It returns nil for a qualifier that names no table of the query.
func (d *derived) column(c *tree.Column) *derivedColumn {
	if c.Table != "" {
		for _, o := range d.inText {
			if o.name == c.Table && (c.Schema == "" || !o.aliased && o.table.schema == c.Schema) {
				return o.table.add(c.Name)
			}
		}
		return nil
	}
	for _, t := range d.tables {
		if known := t.find(c.Name); known != nil {
			return known
		}
	}
	return d.tables[0].add(c.Name)
}

func (t *derivedTable) find(name string) *derivedColumn {
	for _, c := range t.columns {
		if ident.Fold(c.name) == ident.Fold(name) {
			return c
		}
	}
	return nil
}

func (t *derivedTable) add(name string) *derivedColumn {
	if c := t.find(name); c != nil {
		return c
	}
	c := &derivedColumn{name: name}
	t.columns = append(t.columns, c)
	return c
}

// question is a text with everything that the pipeline makes of it.
type question struct {
	text  string
	tree  *tree.Select
	data  *derived
	plan  authz.Plan
	error error // of Authorize
}

// ask validates a text and authorizes it against the policy that it implies.
func ask(v *validator.Validator, functions function.Set, text, schema string) (question, error) {
	q, err := v.Validate(text)
	if err != nil {
		return question{}, err
	}
	out := question{text: text, tree: q.Tree(seal.Open())}
	out.data = derive(out.tree, schema)
	policy, err := authz.Compile(out.data.source(schema, functions))
	if err != nil {
		return question{}, err
	}
	out.plan, out.error = policy.Authorize(q)
	return out, nil
}

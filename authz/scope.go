package authz

import (
	"strings"

	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// scope is what the names of one query can mean.
type scope struct {
	policy *Policy
	tables []scopeTable
	items  []item
	// joined is how many tables a condition of ON can see: its own and those
	// before it. 0 is all of them.
	joined int
}

// inView are the tables that a name can mean here.
func (s *scope) inView() []scopeTable {
	if s.joined > 0 {
		return s.tables[:s.joined]
	}
	return s.tables
}

// scopeTable is one table of FROM or JOIN.
type scopeTable struct {
	*table
	name    string // what the query calls it: its alias, else its name
	aliased bool
}

// item is one select item as a thing that names can refer to.
type item struct {
	expr   tree.Expr
	name   string  // alias or bare column's name; "" when it can't be referred to
	column *column // the bare column, else nil
	table  int     // the bare column's table
}

func (s *scope) addTable(t tree.Table) *refusal.Refusal {
	found := s.policy.find(t.Schema, t.Name)
	if found == nil {
		return refusal.New(refusal.UnknownTable, t.Pos).Hintf("%s", s.policy.tableHint(t))
	}
	st := scopeTable{table: found, name: t.Name}
	if t.Alias != "" {
		st.name, st.aliased = t.Alias, true
	}
	for _, other := range s.tables {
		// Equal up to case would be one table for a server with other settings.
		if strings.EqualFold(other.name, st.name) {
			return refusal.New(refusal.DuplicateAlias, t.Pos)
		}
	}
	s.tables = append(s.tables, st)
	return nil
}

// find returns an allowed table by its exact name, or nil.
func (p *Policy) find(schema, name string) *table {
	if schema == "" {
		schema = p.defaultSchema
	}
	return p.schemas[schema][name]
}

// tableHint suggests allowlisted tables only.
func (p *Policy) tableHint(t tree.Table) string {
	var names []string
	for _, known := range p.order {
		if strings.EqualFold(known.name, t.Name) {
			return "Write " + known.qualified(p) + ": names are case-sensitive, and tables outside the default schema need their schema."
		}
		names = append(names, known.qualified(p))
	}
	if len(names) == 0 {
		return "No table is allowed for this data source; ask the operator."
	}
	return "Tables that you may use: " + list(names) + ". Call describe_schema for their columns."
}

// qualified is the table's name as a query must write it.
func (t *table) qualified(p *Policy) string {
	if t.schema == p.defaultSchema {
		return ident.Show(t.name)
	}
	return ident.Show(t.schema) + "." + ident.Show(t.name)
}

const listed = 24 // names in one hint

func list(names []string) string {
	if len(names) > listed {
		return strings.Join(names[:listed], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// qualifiedColumn resolves alias.column and schema.table.column.
func (s *scope) qualifiedColumn(c *tree.Column) (int, *column, *refusal.Refusal) {
	for i, t := range s.inView() {
		if t.name != c.Table || c.Schema != "" && (t.aliased || t.schema != c.Schema) {
			continue
		}
		col := t.columns[ident.Fold(c.Name)]
		if col == nil {
			return 0, nil, refusal.New(refusal.UnknownColumn, c.Pos).Hintf("%s%s", s.elsewhere(c.Name), s.columnHint([]scopeTable{t}, c.Name))
		}
		return i, col, nil
	}
	names := make([]string, 0, len(s.tables))
	for _, t := range s.tables {
		if !t.aliased {
			names = append(names, ident.Show(t.table.name))
		}
	}
	r := refusal.New(refusal.UnknownAlias, c.Pos)
	for _, t := range s.tables[len(s.inView()):] {
		if t.name == c.Table {
			return 0, nil, r.Messagef("This table is joined later than the condition that names it.").
				Hintf("Put the condition into the ON of that table's JOIN, or join that table first.")
		}
	}
	for _, t := range s.tables {
		if strings.EqualFold(t.name, c.Table) {
			return 0, nil, r.Hintf("Write the alias or table just as FROM or JOIN spells it: they are case-sensitive.")
		}
		if t.aliased && t.table.name == c.Table {
			return 0, nil, r.Messagef("The table %s has an alias in this query, so its own name means nothing here.", ident.Show(t.table.name)).
				Hintf("Write the alias of %s instead of its name.", ident.Show(t.table.name))
		}
	}
	if len(names) > 0 {
		r.Hintf("Tables of this query without an alias: %s; qualify the others by their alias, which is case-sensitive.", list(names))
	}
	return 0, nil, r
}

// elsewhere says which other tables of the query have an allowlisted column of
// that name, for a hint.
func (s *scope) elsewhere(name string) string {
	var tables []string
	for _, f := range s.unqualified(name) {
		tables = append(tables, ident.Show(f.column.table.name))
	}
	if len(tables) == 0 {
		return ""
	}
	return "The column is in " + list(tables) + ": qualify it with that table's alias. "
}

// found is one table that has a column.
type found struct {
	table  int
	column *column
}

// unqualified returns the allowlisted columns of that name in all tables.
func (s *scope) unqualified(name string) []found {
	var out []found
	key := ident.Fold(name)
	for i, t := range s.inView() {
		if col := t.columns[key]; col != nil {
			out = append(out, found{i, col})
		}
	}
	return out
}

// named returns the select items that an unqualified name can refer to.
func (s *scope) named(name string) []int {
	var out []int
	key := ident.Fold(name)
	for i, it := range s.items {
		if it.name != "" && ident.Fold(it.name) == key {
			out = append(out, i)
		}
	}
	return out
}

func (s *scope) unknownColumn(c *tree.Column) *refusal.Refusal {
	return refusal.New(refusal.UnknownColumn, c.Pos).Hintf("%s", s.columnHint(s.tables, c.Name))
}

func (s *scope) ambiguous(c *tree.Column, in []found) *refusal.Refusal {
	names := make([]string, 0, len(in))
	for _, f := range in {
		names = append(names, ident.Show(f.column.table.name))
	}
	return refusal.New(refusal.AmbiguousColumn, c.Pos).
		Hintf("Qualify the column %s with the alias of one of these tables: %s.", ident.Show(in[0].column.Name), list(names))
}

// columnHint lists allowlisted columns, the sensitive ones marked.
func (s *scope) columnHint(tables []scopeTable, asked string) string {
	var b strings.Builder
	var known []string
	for _, t := range tables {
		for _, c := range t.order {
			known = append(known, c.Name)
		}
	}
	if near := ident.Nearest(asked, known); near != "" {
		b.WriteString("Did you mean " + ident.Show(near) + "? ")
	}
	for i, t := range tables {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString("Columns of " + ident.Show(t.table.name) + ": " + t.columnList() + ".")
	}
	return b.String()
}

func (t *table) columnList() string {
	names := make([]string, 0, len(t.order))
	for _, c := range t.order {
		name := ident.Show(c.Name)
		if c.Mask != config.MaskNone {
			name += " (redacted)"
		}
		names = append(names, name)
	}
	return list(names)
}

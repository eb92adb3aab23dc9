package executor

import (
	"slices"

	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
)

// Schema is what the server says of the allowlisted tables, and of nothing else.
// It is shared: nobody may change it.
type Schema struct {
	Flavour string  // what the server is: "mysql 8.4.3"
	Tables  []Table // in the allowlist's order
	// Missing are the allowlist's tables and columns that the server doesn't show
	// to the account: "shop.orders", "shop.orders.total".
	Missing []string
}

// Table is one allowlisted table or view.
type Table struct {
	Schema, Name, Comment string
	View                  bool
	Columns               []Column // in the allowlist's order and spelling
	Keys                  []Key
	ForeignKeys           []ForeignKey
}

// Column is one allowlisted column. The type is in the server's words, such as
// "decimal(10,2) unsigned"; of a sensitive column it is the bare type, because an
// enum's words would tell what values there are.
type Column struct {
	Name, Type, Comment string
	Nullable            bool
	Mask                config.Mask
}

// Key is an index, all of whose columns are allowlisted.
type Key struct {
	Name            string // PRIMARY for the primary key
	Unique, Primary bool
	Columns         []string
}

// ForeignKey is a reference between allowlisted columns.
type ForeignKey struct {
	Columns             []string
	RefSchema, RefTable string
	RefColumns          []string
}

// allowlist finds what is allowed under the server's own spelling.
type allowlist struct {
	schemas []config.Schema
	fold    bool // table names differ by case only in spelling
}

func (a allowlist) same(x, y string) bool {
	return x == y || a.fold && ident.Fold(x) == ident.Fold(y)
}

// table returns the allowed table and the name of its schema, in the allowlist's
// spelling, or nil.
func (a allowlist) table(schema, name string) (string, *config.Table) {
	for i := range a.schemas {
		s := &a.schemas[i]
		if !a.same(s.Name, schema) {
			continue
		}
		for j := range s.Tables {
			if a.same(s.Tables[j].Name, name) {
				return s.Name, &s.Tables[j]
			}
		}
	}
	return "", nil
}

// columns gives the names the allowlist's spelling; false if one isn't allowed.
// The server's NULL, an index on an expression, is not allowed either.
func columns(t *config.Table, names []string) ([]string, bool) {
	out := make([]string, len(names))
	for i, name := range names {
		at := slices.IndexFunc(t.Columns, func(c config.Column) bool { return ident.Fold(c.Name) == ident.Fold(name) })
		if at < 0 {
			return nil, false
		}
		out[i] = t.Columns[at].Name
	}
	return out, true
}

// catalogue is what information_schema said of one schema.
type catalogue struct {
	tables  map[string]tableFacts
	columns map[string][]columnFacts
	indexes map[string][]indexPart
	foreign map[string][]foreignPart
}

type tableFacts struct {
	view    bool
	comment string
}

type columnFacts struct {
	name, full, bare, comment string
	nullable                  bool
}

type indexPart struct {
	index, column string
	unique        bool
}

type foreignPart struct {
	constraint, column, refSchema, refTable, refColumn string
}

// describe joins the allowlist with the catalogue of its schema.
func (a allowlist) describe(out *Schema, s config.Schema, c catalogue) {
	for i := range s.Tables {
		t := &s.Tables[i]
		facts, ok := c.tables[a.key(t.Name)]
		if !ok {
			out.Missing = append(out.Missing, s.Name+"."+t.Name)
			continue
		}
		table := Table{Schema: s.Name, Name: t.Name, View: facts.view, Comment: facts.comment}
		for _, allowed := range t.Columns {
			col, ok := describeColumn(allowed, c.columns[a.key(t.Name)])
			if !ok {
				out.Missing = append(out.Missing, s.Name+"."+t.Name+"."+allowed.Name)
				continue
			}
			table.Columns = append(table.Columns, col)
		}
		table.Keys = keys(t, c.indexes[a.key(t.Name)])
		table.ForeignKeys = a.foreignKeys(t, c.foreign[a.key(t.Name)])
		out.Tables = append(out.Tables, table)
	}
}

// key is the name under which the catalogue has a table.
func (a allowlist) key(name string) string {
	if a.fold {
		return ident.Fold(name)
	}
	return name
}

func describeColumn(allowed config.Column, facts []columnFacts) (Column, bool) {
	for _, f := range facts {
		if ident.Fold(f.name) != ident.Fold(allowed.Name) {
			continue
		}
		col := Column{Name: allowed.Name, Type: f.full, Comment: f.comment, Nullable: f.nullable, Mask: allowed.Mask}
		if allowed.Mask != config.MaskNone {
			col.Type = f.bare
		}
		return col, true
	}
	return Column{}, false
}

// keys keeps the indexes whose columns are all allowed.
func keys(t *config.Table, parts []indexPart) []Key {
	var out []Key
	for _, group := range groups(parts, func(p indexPart) string { return p.index }) {
		names := make([]string, len(group))
		for i, p := range group {
			names[i] = p.column
		}
		if names, ok := columns(t, names); ok {
			out = append(out, Key{Name: group[0].index, Unique: group[0].unique, Primary: group[0].index == "PRIMARY", Columns: names})
		}
	}
	return out
}

// foreignKeys keeps the references whose columns are allowed at both ends.
func (a allowlist) foreignKeys(t *config.Table, parts []foreignPart) []ForeignKey {
	var out []ForeignKey
	for _, group := range groups(parts, func(p foreignPart) string { return p.constraint }) {
		own, there := make([]string, len(group)), make([]string, len(group))
		for i, p := range group {
			own[i], there[i] = p.column, p.refColumn
		}
		schema, ref := a.table(group[0].refSchema, group[0].refTable)
		if ref == nil {
			continue
		}
		own, ok := columns(t, own)
		there, okThere := columns(ref, there)
		if ok && okThere {
			out = append(out, ForeignKey{Columns: own, RefSchema: schema, RefTable: ref.Name, RefColumns: there})
		}
	}
	return out
}

// groups splits a sorted list where the key changes.
func groups[T any](list []T, key func(T) string) [][]T {
	var out [][]T
	for i, v := range list {
		if i == 0 || key(list[i-1]) != key(v) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], v)
	}
	return out
}

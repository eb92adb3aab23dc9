package authz_test

import (
	"regexp"
	"slices"

	"mysqlevidence/config"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/tree"
)

// source is the allowlist that has the derived tables and nothing else.
func (d *derived) source(defaultSchema string, functions function.Set) config.DataSource {
	src := config.DataSource{Name: "derived", DefaultSchema: defaultSchema, Functions: functions}
	for _, t := range d.tables {
		i := slices.IndexFunc(src.Allow, func(s config.Schema) bool { return s.Name == t.schema })
		if i < 0 {
			i = len(src.Allow)
			src.Allow = append(src.Allow, config.Schema{Name: t.schema})
		}
		table := config.Table{Name: t.name}
		for _, c := range t.columns {
			table.Columns = append(table.Columns, config.Column{Name: c.name})
		}
		src.Allow[i].Tables = append(src.Allow[i].Tables, table)
	}
	return src
}

// setKeys gives a table a primary key where a query that groups by one of its
// columns also selects others: only then does MySQL know their values.
func (d *derived) setKeys(q *tree.Select) {
	for _, e := range q.GroupBy {
		c, ok := e.(*tree.Column)
		if !ok || isAlias(q, c.Name) {
			continue
		}
		key := d.column(c)
		t := d.tableOf(key)
		if t == nil || key.kind == kindJSON || slices.ContainsFunc(t.columns, func(c *derivedColumn) bool { return c.key }) {
			continue
		}
		key.key = slices.ContainsFunc(q.Items, func(i tree.Item) bool {
			other, ok := i.Expr.(*tree.Column)
			return ok && d.tableOf(d.column(other)) == t && !d.groupedBy(q, d.column(other))
		})
	}
}

func (d *derived) tableOf(c *derivedColumn) *derivedTable {
	for _, t := range d.tables {
		if slices.Contains(t.columns, c) {
			return t
		}
	}
	return nil
}

func (d *derived) groupedBy(q *tree.Select, c *derivedColumn) bool {
	return slices.ContainsFunc(q.GroupBy, func(e tree.Expr) bool {
		key, ok := e.(*tree.Column)
		return ok && d.column(key) == c
	})
}

// inOneSchema writes a text without the schemas of its tables, so that it can run
// where all of them lie side by side. It can't where two have one name, or where
// an alias is called like a schema.
func (d *derived) inOneSchema(sql string) (string, bool) {
	for i, t := range d.tables {
		for _, other := range d.tables[:i] {
			if other.name == t.name {
				return "", false
			}
		}
		for _, o := range d.inText {
			if o.name == t.schema {
				return "", false
			}
		}
		name := regexp.QuoteMeta(t.schema)
		sql = regexp.MustCompile("(`"+name+"`|\\b"+name+"\\b)\\s*\\.\\s*").ReplaceAllLiteralString(sql, "")
	}
	return sql, true
}

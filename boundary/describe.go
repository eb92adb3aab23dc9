package boundary

import (
	"context"
	"slices"
	"strings"

	"mysqlevidence/config"
	"mysqlevidence/executor"
	"mysqlevidence/internal/refusal"
)

func describeSchema() tool {
	return tool{
		spec: ToolSpec{
			Name: "describe_schema", Title: "Describe the schema",
			Description: "Lists the tables and columns that may be used, with types, keys and references, which columns are sensitive, " +
				"and the accepted SQL in a few lines. Name a table for its indexes, comments and nullability.",
			InputSchema: inputSchema([]string{"data_source"}, dataSourceProperty,
				`"schema":{"type":"string","description":"Only this schema."}`,
				`"table":{"type":"string","description":"Only this table, in detail; its exact name, without the schema."}`),
			OutputSchema: outputSchema(describedSchema),
		},
		accepts: []argument{dataSourceArgument(), schemaArgument(), tableArgument(false)},
		prepare: func(b *ToolBoundary, args arguments, inv *Invocation) (job, *Fault) {
			s, f := b.source(args.dataSource, inv)
			if f != nil {
				return nil, f
			}
			wanted, r := s.wanted(args)
			if r != nil {
				return nil, fromRefusal(r)
			}
			return func(ctx context.Context) (answer, error) { return s.describe(ctx, wanted, args.table != "") }, nil
		},
	}
}

// wanted says which tables are asked for; the function takes schema and table. A
// name that isn't in the allowlist is refused before the server is asked.
func (s *source) wanted(args arguments) (func(schema, table string) bool, *refusal.Refusal) {
	switch {
	case args.table != "":
		schema, table, r := s.findTable(args.schema, args.table)
		return func(sc, t string) bool { return sc == schema && t == table.Name }, r
	case args.schema != "":
		if !slices.ContainsFunc(s.cfg.Allow, func(sc config.Schema) bool { return sc.Name == args.schema }) {
			return nil, s.unknownTable(0)
		}
		return func(sc, _ string) bool { return sc == args.schema }, nil
	}
	return func(string, string) bool { return true }, nil
}

type schemaJSON struct {
	DataSource    string      `json:"data_source"`
	Flavour       string      `json:"flavour,omitempty"`
	DefaultSchema string      `json:"default_schema,omitempty"`
	Dialect       []string    `json:"dialect,omitempty"`
	Tables        []tableJSON `json:"tables"`
	Truncated     bool        `json:"truncated"`
	Notice        string      `json:"notice,omitempty"`
}

type tableJSON struct {
	Schema      string        `json:"schema"`
	Table       string        `json:"table"`
	View        bool          `json:"view,omitempty"`
	Description string        `json:"description,omitempty"` // the operator's
	Comment     string        `json:"comment,omitempty"`     // the database's
	Columns     []columnJSON  `json:"columns,omitempty"`
	Indexes     []indexJSON   `json:"indexes,omitempty"`
	ForeignKeys []foreignJSON `json:"foreign_keys,omitempty"`
}

type columnJSON struct {
	Name       string      `json:"name"`
	Type       string      `json:"type"`
	Key        string      `json:"key,omitempty"` // primary, unique or index: the best that begins with it
	References string      `json:"references,omitempty"`
	Sensitive  config.Mask `json:"sensitive,omitempty"`
	Filter     string      `json:"filter,omitempty"` // equality, with a parameter of FilterType
	FilterType string      `json:"filter_type,omitempty"`
	Nullable   *bool       `json:"nullable,omitempty"`
	Comment    string      `json:"comment,omitempty"`
}

type indexJSON struct {
	Name    string   `json:"name"`
	Unique  bool     `json:"unique"`
	Columns []string `json:"columns"`
}

type foreignJSON struct {
	Columns           []string `json:"columns"`
	References        string   `json:"references"` // schema.table
	ReferencesColumns []string `json:"references_columns"`
}

// describe joins the allowlist with what the server says of it.
func (s *source) describe(ctx context.Context, wanted func(schema, table string) bool, detailed bool) (answer, error) {
	if s.exec == nil {
		return answer{}, s.offline
	}
	known, err := s.exec.Describe(ctx)
	if err != nil {
		return answer{}, err
	}
	out := schemaJSON{DataSource: s.cfg.Name, Flavour: known.Flavour, DefaultSchema: s.cfg.DefaultSchema,
		Dialect: dialect(), Tables: []tableJSON{}}
	for _, t := range known.Tables {
		if wanted(t.Schema, t.Name) {
			out.Tables = append(out.Tables, s.describeTable(t, detailed))
		}
	}
	out.Notice = missing(known.Missing, wanted)
	return fit(out, s.cfg.Limits.TotalBytes)
}

// missing tells which allowlisted names the server doesn't have.
func missing(names []string, wanted func(schema, table string) bool) string {
	var shown []string
	for _, n := range names {
		parts := strings.SplitN(n, ".", 3)
		if len(parts) >= 2 && wanted(parts[0], parts[1]) && len(shown) < maxNames {
			shown = append(shown, n)
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return "Allowed, but not found on the server: " + strings.Join(shown, ", ") + "."
}

func (s *source) describeTable(t executor.Table, detailed bool) tableJSON {
	allowed := s.allowed(t.Schema, t.Name)
	out := tableJSON{Schema: t.Schema, Table: t.Name, View: t.View, Description: allowed.Description}
	for _, c := range t.Columns {
		col := columnJSON{Name: c.Name, Type: c.Type, Key: keyOf(t, c.Name), References: referenceOf(t, c.Name), Sensitive: c.Mask}
		for _, a := range allowed.Columns {
			if a.Name == c.Name && a.FilterEquality {
				col.Filter, col.FilterType = "equality", string(a.FilterType)
			}
		}
		if detailed {
			col.Nullable, col.Comment = &c.Nullable, c.Comment
		}
		out.Columns = append(out.Columns, col)
	}
	if !detailed {
		return out
	}
	out.Comment = t.Comment
	for _, k := range t.Keys {
		out.Indexes = append(out.Indexes, indexJSON{k.Name, k.Unique, k.Columns})
	}
	for _, f := range t.ForeignKeys {
		out.ForeignKeys = append(out.ForeignKeys, foreignJSON{f.Columns, f.RefSchema + "." + f.RefTable, f.RefColumns})
	}
	return out
}

func (s *source) allowed(schema, table string) config.Table {
	for _, sc := range s.cfg.Allow {
		if sc.Name != schema {
			continue
		}
		for _, t := range sc.Tables {
			if t.Name == table {
				return t
			}
		}
	}
	return config.Table{}
}

// keyOf says how the server finds a row by the column.
func keyOf(t executor.Table, column string) string {
	best := ""
	for _, k := range t.Keys {
		switch {
		case k.Primary && slices.Contains(k.Columns, column):
			return "primary"
		case k.Columns[0] != column:
		case k.Unique && len(k.Columns) == 1:
			best = "unique"
		case best == "":
			best = "index"
		}
	}
	return best
}

// referenceOf names what a column refers to by itself, as schema.table.column.
func referenceOf(t executor.Table, column string) string {
	for _, f := range t.ForeignKeys {
		if len(f.Columns) == 1 && f.Columns[0] == column {
			return f.RefSchema + "." + f.RefTable + "." + f.RefColumns[0]
		}
	}
	return ""
}

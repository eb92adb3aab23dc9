package boundary

import (
	"context"
	"strings"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
)

// maxSampled is the most columns of a sample: the most items that the language
// has in a projection.
const maxSampled = 64

func sampleTable() tool {
	return tool{
		spec: ToolSpec{
			Name: "sample_table", Title: "Sample a table",
			Description: "Returns a few rows of one table, all its allowed columns (the first 64 of a wider table), in no particular order, " +
				"to show what its values look like. Not for counting or searching: use run_query for that.",
			InputSchema: inputSchema([]string{"data_source", "table"}, dataSourceProperty,
				`"table":{"type":"string","description":"The table's exact name, without its schema."}`,
				`"schema":{"type":"string","description":"The table's schema; needed only when the data source has no default schema."}`,
				limitProperty, reasonProperty),
			OutputSchema: outputSchema(evidenceSchema),
		},
		accepts: []argument{dataSourceArgument(), tableArgument(true), schemaArgument(), limitArgument(), reasonArgument()},
		prepare: func(b *ToolBoundary, args arguments, inv *Invocation) (job, *Fault) {
			s, f := b.source(args.dataSource, inv)
			if f != nil {
				return nil, f
			}
			schema, table, r := s.findTable(args.schema, args.table)
			if r != nil {
				return nil, fromRefusal(r)
			}
			args.sql = sampleSQL(schema, table)
			return b.queryJob(s, s.samples, args, s.cfg.Limits.SampleRows, inv)
		},
	}
}

// queryJob plans a text; the job that is left runs it.
func (b *ToolBoundary) queryJob(s *source, planner *authz.Planner, args arguments, byDefault int, inv *Invocation) (job, *Fault) {
	rows := s.rows(args.limit, byDefault)
	p, err := s.plan(planner, args.sql, args.params, rows, inv)
	if err != nil {
		return nil, refusedBy(err)
	}
	return func(ctx context.Context) (answer, error) { return b.query(ctx, s, p, args.params, rows) }, nil
}

// findTable finds an allowlisted table. Without a schema it is the default
// schema's, or else the only one of that name.
func (s *source) findTable(schema, name string) (string, config.Table, *refusal.Refusal) {
	var inSchema string
	var found config.Table
	matches := 0
	for _, sc := range s.cfg.Allow {
		if schema != "" && sc.Name != schema {
			continue
		}
		for _, t := range sc.Tables {
			if t.Name != name {
				continue
			}
			inSchema, found = sc.Name, t
			matches++
			if schema == "" && sc.Name == s.cfg.DefaultSchema {
				return sc.Name, t, nil
			}
		}
	}
	if matches != 1 {
		return "", config.Table{}, s.unknownTable(matches)
	}
	return inSchema, found, nil
}

func (s *source) unknownTable(matches int) *refusal.Refusal {
	r := refusal.New(refusal.UnknownTable, refusal.Position{})
	if matches > 1 {
		return r.Messagef("More than one schema has a table of this name.").Hintf("Name the schema in the argument schema.")
	}
	names := s.tableNames()
	if len(names) == 0 {
		return r.Hintf("No table of this data source is allowed; ask the operator.")
	}
	return r.Hintf("The tables are: %s. Pass schema and table apart.", strings.Join(names, ", "))
}

// tableNames lists the allowlisted tables as schema.table, as many as a hint
// holds.
func (s *source) tableNames() []string {
	var names []string
	for _, sc := range s.cfg.Allow {
		for _, t := range sc.Tables {
			if len(names) == maxNames {
				return append(names, "and others (describe_schema lists them)")
			}
			names = append(names, sc.Name+"."+t.Name)
		}
	}
	return names
}

// sampleSQL writes the query in the agents' own language. It takes the same way
// as theirs, so a sample can't show what a query couldn't.
func sampleSQL(schema string, t config.Table) string {
	columns := t.Columns[:min(len(t.Columns), maxSampled)]
	names := make([]string, 0, len(columns))
	for _, c := range columns {
		names = append(names, ident.Quote(c.Name))
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM " + ident.Quote(schema) + "." + ident.Quote(t.Name)
}

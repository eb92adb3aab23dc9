package authz

import (
	"errors"
	"strings"

	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
)

// advise completes the hint of a refusal by package validator, which knows no
// names: for SELECT * and DESCRIBE it lists the columns that may be written
// instead, for SHOW TABLES and a query without FROM the tables. Tables outside the
// allowlist are passed over as if they didn't exist. Other errors come back as
// they are.
func (p *Policy) advise(err error) error {
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		return err
	}
	hint := ""
	switch r.Reason {
	case refusal.Wildcard:
		if columns := p.columnsOf(r.Tables); columns != "" {
			hint = "Name the columns that you need. " + columns
		}
	case refusal.NotSelect:
		if columns := p.columnsOf(r.Tables); columns != "" {
			hint = r.Hint + " " + columns
		}
	case refusal.ShowStatement:
		if hint = p.columnsOf(r.Tables); hint == "" && len(p.order) > 0 {
			hint = p.tableList()
		}
	case refusal.NoFrom:
		if len(p.order) > 0 {
			hint = "Add FROM and a table. " + p.tableList()
		}
	}
	if hint == "" {
		return err
	}
	advised := *r
	advised.Hint = hint
	return &advised
}

// columnsOf lists the columns of those of the tables that are allowed.
func (p *Policy) columnsOf(tables []refusal.TableName) string {
	var lists []string
	for _, t := range tables {
		if found := p.find(t.Schema, t.Name); found != nil {
			lists = append(lists, ident.Show(found.name)+": "+found.columnList())
		}
	}
	if len(lists) == 0 {
		return ""
	}
	return "Columns of " + strings.Join(lists, "; of ") + "."
}

// tableList names the tables that may be used.
func (p *Policy) tableList() string {
	names := make([]string, 0, len(p.order))
	for _, t := range p.order {
		names = append(names, t.qualified(p))
	}
	return "Tables that you may use: " + list(names) + ". Call describe_schema for their columns."
}

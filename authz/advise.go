package authz

import (
	"errors"
	"strings"

	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
)

// advise completes the hint of a refusal by package validator, which knows no
// names: for SELECT * it lists the columns that may be written instead. Tables
// outside the allowlist are passed over as if they didn't exist. Other errors
// come back as they are.
func (p *Policy) advise(err error) error {
	var r *refusal.Refusal
	if !errors.As(err, &r) || r.Reason != refusal.Wildcard {
		return err
	}
	var tables []string
	for _, t := range r.Tables {
		if found := p.find(t.Schema, t.Name); found != nil {
			tables = append(tables, ident.Show(found.name)+": "+found.columnList())
		}
	}
	if len(tables) == 0 {
		return err
	}
	advised := *r
	advised.Hint = "Name the columns that you need. Columns of " + strings.Join(tables, "; of ") + "."
	return &advised
}

// Package authz decides, column by column, whether a validated query may run,
// and writes the canonical SQL that alone may reach a server.
//
// It guarantees that every schema, table and column of a Plan is in the
// allowlist, that a sensitive column appears only as a bare item of the
// projection (or as a filter that the operator admitted), and that the text holds
// no identifier that the asker chose: names are the allowlist's, qualified
// through generated table aliases. A name outside the allowlist is refused in the
// same words whether or not it exists. Nothing here needs a connection.
package authz

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
)

// Policy is the compiled allowlist of one data source. It is immutable and safe
// for concurrent use. The nil Policy allows nothing.
type Policy struct {
	source        string
	hash          string
	defaultSchema string
	groupConcat   int64 // bytes at which the session cuts GROUP_CONCAT
	schemas       map[string]map[string]*table
	order         []*table // in the config's order, for hints
}

type table struct {
	schema, name string
	columns      map[string]*column // by ASCII-folded name
	order        []*column
}

type column struct {
	config.Column
	table *table
}

// Compile builds the policy of a data source. The config has been checked by
// package config; what it let through wrongly is an error here.
func Compile(src config.DataSource) (*Policy, error) {
	p := &Policy{source: src.Name, defaultSchema: src.DefaultSchema, groupConcat: GroupConcatLength(src.Limits.CellBytes), schemas: map[string]map[string]*table{}}
	for _, s := range src.Allow {
		if p.schemas[s.Name] != nil {
			return nil, fmt.Errorf("schema %q is listed twice", s.Name)
		}
		p.schemas[s.Name] = map[string]*table{}
		for _, t := range s.Tables {
			if p.schemas[s.Name][t.Name] != nil {
				return nil, fmt.Errorf("table %q is listed twice", t.Name)
			}
			compiled, err := compileTable(s.Name, t)
			if err != nil {
				return nil, err
			}
			p.schemas[s.Name][t.Name] = compiled
			p.order = append(p.order, compiled)
		}
	}
	hash, err := hashOf(src)
	p.hash = hash
	return p, err
}

func compileTable(schema string, t config.Table) (*table, error) {
	out := &table{schema: schema, name: t.Name, columns: map[string]*column{}}
	for _, c := range t.Columns {
		key := ident.Fold(c.Name)
		if out.columns[key] != nil {
			return nil, fmt.Errorf("column %q of table %q is listed twice", c.Name, t.Name)
		}
		col := &column{Column: c, table: out}
		out.columns[key] = col
		out.order = append(out.order, col)
	}
	return out, nil
}

// Hash identifies everything that decides: allowlist, functions, caps, limits. It
// is the SHA-256, in hex, of the data source's config without its connection.
func (p *Policy) Hash() string { return p.hash }

func hashOf(src config.DataSource) (string, error) {
	text, err := json.Marshal(struct {
		Name, Flavour, DefaultSchema string
		Functions                    []string
		Limits                       config.Limits
		Query                        config.QueryCaps
		Allow                        []config.Schema
	}{src.Name, src.Flavour, src.DefaultSchema, src.Functions.Names(), src.Limits, src.Query, src.Allow})
	if err != nil {
		return "", fmt.Errorf("hash the policy of %q: %w", src.Name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

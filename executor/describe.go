package executor

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"mysqlevidence/config"
)

// maxSchemaAge is how old the answer of Describe may be.
const maxSchemaAge = 5 * time.Minute

// The texts with which the catalogue is read. %s is a list of placeholders, one
// for each table; no name is ever part of a text.
const (
	tablesText  = `SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (%s)`
	columnsText = `SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, IS_NULLABLE, COLUMN_COMMENT FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (%s)`
	indexesText = `SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (%s) ORDER BY TABLE_NAME, INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX`
	foreignText = `SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (%s) AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`
)

// schemaCache keeps the last answer. Its one slot is the right to read and
// replace it, so that many askers cause one reading.
type schemaCache struct {
	slot chan struct{}
	last *Schema
	read time.Time
}

// Describe says what the server knows of the allowlisted tables: types,
// nullability, keys, references, comments. Keys and references that touch a
// column or table outside the allowlist are left out, names and all. The answer is
// at most five minutes old. The error is an *Error.
//
// To an account with column grants MariaDB shows only keys that it may read all
// of, and no references; MySQL shows them all.
func (e *Executor) Describe(ctx context.Context) (*Schema, error) {
	cache := &e.schema
	select {
	case cache.slot <- struct{}{}:
		defer func() { <-cache.slot }()
	case <-ctx.Done():
		return nil, e.fault(ctx, stopCause(ctx), ctx.Err())
	}
	if cache.last != nil && time.Since(cache.read) < maxSchemaAge {
		return cache.last, nil
	}
	read := time.Now()
	out, err := e.describe(ctx)
	if err != nil {
		return nil, err
	}
	cache.last, cache.read = out, read
	return out, nil
}

func (e *Executor) describe(ctx context.Context) (*Schema, error) {
	out := &Schema{}
	for _, s := range e.source.Allow {
		if len(s.Tables) == 0 {
			continue
		}
		c, about, err := e.readCatalogue(ctx, s)
		if err != nil {
			return nil, err
		}
		out.Flavour = about.flavour.String()
		allowlist{schemas: e.source.Allow, fold: about.foldTables}.describe(out, s, c)
	}
	return out, nil
}

func (e *Executor) readCatalogue(ctx context.Context, s config.Schema) (catalogue, facts, error) {
	c := catalogue{tables: map[string]tableFacts{}, columns: map[string][]columnFacts{},
		indexes: map[string][]indexPart{}, foreign: map[string][]foreignPart{}}
	var about facts
	for _, part := range []struct {
		text string
		take func(key string, r []string)
	}{
		{tablesText, c.takeTable},
		{columnsText, c.takeColumn},
		{indexesText, c.takeIndex},
		{foreignText, c.takeForeign},
	} {
		rows, where, err := e.collect(ctx, e.source.Limits.Timeout, tablesCommand(part.text, s))
		if err != nil {
			return c, about, err
		}
		about = where
		for _, r := range rows {
			part.take(allowlist{fold: about.foldTables}.key(r[0]), r)
		}
	}
	return c, about, nil
}

func (c *catalogue) takeTable(key string, r []string) {
	view := r[1] != "BASE TABLE"
	comment := r[2]
	if view {
		comment = "" // a view's comment is the word VIEW
	}
	c.tables[key] = tableFacts{view: view, comment: comment}
}

func (c *catalogue) takeColumn(key string, r []string) {
	c.columns[key] = append(c.columns[key], columnFacts{name: r[1], full: r[2], bare: r[3], nullable: r[4] == "YES", comment: r[5]})
}

func (c *catalogue) takeIndex(key string, r []string) {
	c.indexes[key] = append(c.indexes[key], indexPart{index: r[1], unique: r[2] == "0", column: r[3]})
}

func (c *catalogue) takeForeign(key string, r []string) {
	c.foreign[key] = append(c.foreign[key], foreignPart{constraint: r[1], column: r[2], refSchema: r[3], refTable: r[4], refColumn: r[5]})
}

func tablesCommand(text string, s config.Schema) command {
	args := []any{s.Name}
	for _, t := range s.Tables {
		args = append(args, t.Name)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(s.Tables)), ", ")
	return newCommand(strings.Replace(text, "%s", marks, 1), args)
}

// collect runs a text of ours and returns all its rows, and what their server is.
// The allowlist bounds how many there can be.
func (e *Executor) collect(ctx context.Context, timeout time.Duration, cmd command) ([][]string, facts, error) {
	c, err := e.query(ctx, timeout, cmd)
	if err != nil {
		return nil, facts{}, err
	}
	defer c.close()
	var out [][]string
	for {
		switch row, err := c.next(); {
		case errors.Is(err, io.EOF):
			return out, c.session.facts, nil
		case err != nil:
			return nil, facts{}, err
		default:
			out = append(out, texts(row))
		}
	}
}

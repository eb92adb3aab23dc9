package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"mysqlevidence/cmd/demo/sakila"
)

// load makes the Sakila database.
//
// The statements of the schema run in a scratch database of the engine's own
// kind, from which only the definitions are taken: filling such tables, through
// SQL or its editors, takes minutes, and their composite keys confuse values.
func load(ctx context.Context) (*database, error) {
	scratch := memory.NewDatabase(sakila.Database)
	scratch.EnablePrimaryKeyIndexes()
	provider := memory.NewDBProvider(scratch)
	session := memory.NewSession(sql.NewBaseSession(), provider)
	sqlCtx := sql.NewContext(ctx, sql.WithSession(session))
	sqlCtx.SetCurrentDatabase(sakila.Database)
	if err := define(sqlCtx, sqle.NewDefault(provider)); err != nil {
		return nil, err
	}
	return frozen(sqlCtx, scratch)
}

// define runs the schema's statements. Foreign keys aren't checked, as some refer
// to tables that come later.
func define(ctx *sql.Context, scratch *sqle.Engine) error {
	for _, text := range append([]string{"SET foreign_key_checks = 0"}, sakila.Statements()...) {
		_, rows, _, err := scratch.Query(ctx, text)
		if err == nil {
			_, err = sql.RowIterToRows(ctx, rows)
		}
		if err != nil {
			return fmt.Errorf("%.40q: %w", text, err)
		}
	}
	return closeEngine(scratch)
}

// frozen copies the definitions and reads the rows.
func frozen(ctx *sql.Context, from *memory.Database) (*database, error) {
	d := &database{name: from.Name(), tables: map[string]*table{}}
	for name, source := range from.Tables() {
		memTable, ok := source.(*memory.Table)
		if !ok {
			return nil, fmt.Errorf("table %s is a %T", name, source)
		}
		t, err := newTable(ctx, memTable)
		if err != nil {
			return nil, err
		}
		d.tables[strings.ToLower(name)] = t
	}
	var err error
	d.views, err = from.AllViews(ctx)
	slices.SortFunc(d.views, func(a, b sql.ViewDefinition) int { return strings.Compare(a.Name, b.Name) })
	return d, err
}

func newTable(ctx *sql.Context, from *memory.Table) (*table, error) {
	t := &table{name: from.Name(), schema: from.PrimaryKeySchema(), collation: from.Collation(), comment: from.Comment()}
	keys, err := from.GetIndexes(ctx)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		x, err := newIndex(t, key)
		if err != nil {
			return nil, err
		}
		t.indexes = append(t.indexes, x)
	}
	if t.foreignKeys, err = from.GetDeclaredForeignKeys(ctx); err != nil {
		return nil, err
	}
	if t.referenced, err = from.GetReferencedForeignKeys(ctx); err != nil {
		return nil, err
	}
	return t, t.fill(ctx)
}

// fill reads the table's rows.
func (t *table) fill(ctx *sql.Context) error {
	columns := t.schema.Schema
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return sakila.Read(t.name, names, func(fields []string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := make(sql.Row, len(columns))
		for i, c := range columns {
			var err error
			if row[i], err = cell(ctx, c, fields[i]); err != nil {
				return fmt.Errorf("%s of %q: %w", c.Name, fields, err)
			}
		}
		t.rows = append(t.rows, row)
		return nil
	})
}

// cell converts a field as an INSERT would in strict mode. Times are parsed here,
// because the engine tries every format there is, which takes longer than all the
// rest.
func cell(ctx *sql.Context, c *sql.Column, field string) (interface{}, error) {
	if field == sakila.Null {
		if !c.Nullable {
			return nil, errors.New("NULL in a NOT NULL column")
		}
		return nil, nil
	}
	in, err := goValue(c.Type, field)
	if err != nil {
		return nil, err
	}
	out, inRange, err := c.Type.Convert(ctx, in)
	if err == nil && inRange != sql.InRange {
		err = errors.New("out of range")
	}
	return out, err
}

// goValue returns a value that the type converts from without loss.
func goValue(typ sql.Type, field string) (interface{}, error) {
	switch {
	case types.IsGeometry(typ), types.IsBinaryType(typ):
		return hex.DecodeString(field)
	case types.IsDatetimeType(typ), types.IsTimestampType(typ):
		return time.Parse(time.DateTime, field)
	}
	return strings.Clone(field), nil // the field is part of a longer line
}

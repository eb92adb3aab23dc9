package executor

import (
	"context"
	"strconv"
	"sync"
	"time"

	"mysqlevidence/authz"
	"mysqlevidence/internal/ident"
)

// maxTypesAge is how old the known types of a table may be. A column whose type
// changed meanwhile is at worst cut as its old type was, or not at all.
const maxTypesAge = 5 * time.Minute

const typesText = `SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_SET_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`

// typeCache keeps what the columns of the tables that were asked for can hold. It
// has at most the allowlist's tables.
type typeCache struct {
	mu     sync.Mutex
	tables map[authz.TableName]tableTypes
}

type tableTypes struct {
	read    time.Time
	columns map[string]authz.Extent // never changed
	mariadb bool
}

func (c *typeCache) get(t authz.TableName) (tableTypes, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.tables[t]
	return known, ok && time.Since(known.read) < maxTypesAge
}

func (c *typeCache) put(t authz.TableName, types tableTypes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables == nil {
		c.tables = make(map[authz.TableName]tableTypes)
	}
	c.tables[t] = types
}

// typesOf gives what the columns of the plan's tables can hold, asking the server
// for those that aren't known.
func (e *Executor) typesOf(ctx context.Context, timeout time.Duration, plan authz.Plan) (authz.Types, error) {
	tables := plan.Tables()
	out := authz.Types{Columns: make(map[authz.TableName]map[string]authz.Extent, len(tables))}
	for _, t := range tables {
		known, ok := e.types.get(t)
		if !ok {
			var err error
			if known, err = e.readTypes(ctx, timeout, t); err != nil {
				return out, err
			}
			e.types.put(t, known)
		}
		out.Columns[t] = known.columns
		out.JSONIsText = known.mariadb
	}
	return out, nil
}

func (e *Executor) readTypes(ctx context.Context, timeout time.Duration, t authz.TableName) (tableTypes, error) {
	read := time.Now()
	rows, about, err := e.collect(ctx, timeout, newCommand(typesText, []any{t.Schema, t.Table}))
	if err != nil {
		return tableTypes{}, err
	}
	columns := make(map[string]authz.Extent, len(rows))
	for _, r := range rows {
		columns[ident.Fold(r[0])] = extentOf(r[1], r[2], r[3])
	}
	return tableTypes{read: read, columns: columns, mariadb: about.flavour.mariadb}, nil
}

// extentOf reads a row of information_schema.COLUMNS. NULL is "".
func extentOf(dataType, length, charset string) authz.Extent {
	n, err := strconv.ParseInt(length, 10, 64)
	if err != nil {
		n = 0
	}
	switch dataType {
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext":
		utf8 := charset == "utf8mb4" || charset == "utf8mb3" || charset == "utf8" || charset == "ascii"
		return authz.Extent{Class: authz.Text, Length: n, Legacy: !utf8}
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob":
		return authz.Extent{Class: authz.Binary, Length: n}
	case "json":
		return authz.Extent{Class: authz.JSON, Length: 1 << 30}
	}
	return authz.Extent{}
}

package executor

import (
	"context"
	"maps"
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
	mu    sync.Mutex
	types *authz.Types // of all of them; replaced and never changed
	read  map[authz.TableName]time.Time
}

// of gives what is known, if that has all tables of the plan.
func (c *typeCache) of(plan authz.Plan) (*authz.Types, bool) {
	if plan.IsZero() {
		return nil, false
	}
	tables := plan.Tables()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range tables {
		if !c.fresh(t) {
			return nil, false
		}
	}
	return c.types, true
}

func (c *typeCache) fresh(t authz.TableName) bool {
	read, ok := c.read[t]
	return ok && time.Since(read) < maxTypesAge
}

func (c *typeCache) has(t authz.TableName) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fresh(t)
}

func (c *typeCache) put(t authz.TableName, read time.Time, columns map[string]authz.Extent, mariadb bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.types == nil {
		c.types, c.read = &authz.Types{Columns: map[authz.TableName]map[string]authz.Extent{}}, map[authz.TableName]time.Time{}
	}
	all := maps.Clone(c.types.Columns)
	all[t] = columns
	c.types = &authz.Types{Columns: all, JSONIsText: mariadb}
	c.read[t] = read
}

// typesOf gives what the columns of the plan's tables can hold, asking the server
// for those that aren't known.
func (e *Executor) typesOf(ctx context.Context, timeout time.Duration, plan authz.Plan) (*authz.Types, error) {
	for _, t := range plan.Tables() {
		if e.types.has(t) {
			continue
		}
		if err := e.readTypes(ctx, timeout, t); err != nil {
			return nil, err
		}
	}
	e.types.mu.Lock()
	defer e.types.mu.Unlock()
	return e.types.types, nil
}

func (e *Executor) readTypes(ctx context.Context, timeout time.Duration, t authz.TableName) error {
	read := time.Now()
	rows, about, err := e.collect(ctx, timeout, newCommand(typesText, []any{t.Schema, t.Table}))
	if err != nil {
		return err
	}
	columns := make(map[string]authz.Extent, len(rows))
	for _, r := range rows {
		columns[ident.Fold(r[0])] = extentOf(r[1], r[2], r[3])
	}
	e.types.put(t, read, columns, about.flavour.mariadb)
	return nil
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

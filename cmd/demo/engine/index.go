package engine

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// index is a key of a table, there to be described (information_schema.statistics
// and column_key) and never used to find rows. Lookups convert a constant to the
// column's type, so that a column of text compared with 0 gives other rows than
// MySQL; and a scan of Sakila's longest table takes milliseconds.
type index struct {
	table   *table
	name    string
	unique  bool
	comment string
	columns []*sql.Column
}

var _ sql.Index = (*index)(nil)

func (x *index) ID() string              { return x.name }
func (x *index) Database() string        { return x.columns[0].DatabaseSource }
func (x *index) Table() string           { return x.table.name }
func (x *index) IsUnique() bool          { return x.unique }
func (x *index) IsSpatial() bool         { return false }
func (x *index) IsFullText() bool        { return false }
func (x *index) IsVector() bool          { return false }
func (x *index) IsGenerated() bool       { return false }
func (x *index) Comment() string         { return x.comment }
func (x *index) IndexType() string       { return "BTREE" }
func (x *index) PrefixLengths() []uint16 { return nil }

// CanSupport is the planner's question whether a lookup is possible.
func (x *index) CanSupport(*sql.Context, ...sql.Range) bool { return false }
func (x *index) CanSupportOrderBy(sql.Expression) bool      { return false }

func (x *index) Expressions() []string {
	out := make([]string, len(x.columns))
	for i, c := range x.columns {
		out[i] = x.table.name + "." + c.Name
	}
	return out
}

func (x *index) ColumnExpressionTypes() []sql.ColumnExpressionType {
	out := make([]sql.ColumnExpressionType, len(x.columns))
	for i, expression := range x.Expressions() {
		out[i] = sql.ColumnExpressionType{Expression: expression, Type: x.columns[i].Type}
	}
	return out
}

// newIndex copies the definition of a key.
func newIndex(t *table, from sql.Index) (*index, error) {
	x := &index{table: t, name: from.ID(), unique: from.IsUnique(), comment: from.Comment()}
	for _, expression := range from.Expressions() {
		_, name, _ := strings.Cut(expression, ".")
		at := t.schema.Schema.IndexOfColName(name)
		if at < 0 {
			return nil, fmt.Errorf("key %s of %s: no column %s", x.name, t.name, name)
		}
		x.columns = append(x.columns, t.schema.Schema[at])
	}
	return x, nil
}

// describes is a statement that is about tables, not about what is in them.
var describes = regexp.MustCompile(`(?i)^\s*(SHOW|DESC|DESCRIBE)\s|information_schema`)

// GetIndexes returns the table's keys, the primary one first. The planner asks for
// them too, for each statement; it is told that there are none.
func (t *table) GetIndexes(ctx *sql.Context) ([]sql.Index, error) {
	if !describes.MatchString(ctx.Query()) {
		return nil, nil
	}
	out := make([]sql.Index, len(t.indexes))
	for i, x := range t.indexes {
		out[i] = x
	}
	return out, nil
}

// PreciseMatch says that a lookup would not replace the conditions.
func (t *table) PreciseMatch() bool { return false }

// IndexedAccess is for lookups, which CanSupport refuses.
func (t *table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return nil }

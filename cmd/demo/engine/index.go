package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// index is a key of a table: its rows in the order of some columns, NULL first.
// It is sorted when it is first read, as most never are. Only joins read keys
// (CanSupport).
type index struct {
	table   *table
	name    string
	unique  bool
	comment string
	ordinal []int // of the columns, in the table's schema

	once   sync.Once
	sorted []sql.Row
	err    error
}

var _ sql.Index = (*index)(nil)

func (x *index) ID() string              { return x.name }
func (x *index) Database() string        { return x.column(0).DatabaseSource }
func (x *index) Table() string           { return x.table.name }
func (x *index) IsUnique() bool          { return x.unique }
func (x *index) IsSpatial() bool         { return false }
func (x *index) IsFullText() bool        { return false }
func (x *index) IsVector() bool          { return false }
func (x *index) IsGenerated() bool       { return false }
func (x *index) Comment() string         { return x.comment }
func (x *index) IndexType() string       { return "BTREE" }
func (x *index) PrefixLengths() []uint16 { return nil }

func (x *index) CanSupportOrderBy(sql.Expression) bool { return false }

// CanSupport is the planner's question whether a lookup is possible. A join asks
// with the zero of its expression's type, to fill in the rows' values later, and
// may. A comparison with a constant may not: the constant was converted to the
// column's type, which loses rows (a column of text = 0 becomes = '0', where MySQL
// compares numbers), and scanning the longest table takes milliseconds. For the
// same reason a join of text with a number may not. Nor may a sort be replaced by
// reading the whole key.
func (x *index) CanSupport(_ *sql.Context, ranges ...sql.Range) bool {
	for _, r := range ranges {
		columns, ok := r.(sql.MySQLRange)
		if !ok || len(columns) == 0 || !x.joins(columns[0]) {
			return false
		}
		for i, c := range columns {
			if !x.free(i, c.LowerBound) || !x.free(i, c.UpperBound) {
				return false
			}
		}
	}
	return true
}

// joins reports whether the first column's range is such as a join asks with: it
// has bounds, of which at most the upper one is open.
func (x *index) joins(first sql.MySQLRangeColumnExpr) bool {
	_, whole := first.LowerBound.(sql.BelowNull)
	return !whole
}

// free reports whether the bound doesn't depend on a constant.
func (x *index) free(i int, cut sql.MySQLRangeCut) bool {
	if !sql.MySQLRangeCutIsBinding(cut) {
		return true
	}
	typ, key := x.column(i).Type, sql.GetMySQLRangeCutKey(cut)
	if _, text := key.(string); text != types.IsText(typ) {
		return false
	}
	order, err := typ.Compare(sql.NewEmptyContext(), key, typ.Zero())
	return err == nil && order == 0
}

func (x *index) column(i int) *sql.Column             { return x.table.schema.Schema[x.ordinal[i]] }
func (x *index) value(row sql.Row, i int) interface{} { return row[x.ordinal[i]] }

func (x *index) Expressions() []string {
	out := make([]string, len(x.ordinal))
	for i := range x.ordinal {
		out[i] = x.table.name + "." + x.column(i).Name
	}
	return out
}

func (x *index) ColumnExpressionTypes() []sql.ColumnExpressionType {
	out := make([]sql.ColumnExpressionType, len(x.ordinal))
	for i, expression := range x.Expressions() {
		out[i] = sql.ColumnExpressionType{Expression: expression, Type: x.column(i).Type}
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
		x.ordinal = append(x.ordinal, at)
	}
	return x, nil
}

// sort fills sorted.
func (x *index) sort() {
	ctx := sql.NewEmptyContext()
	x.sorted = slices.Clone(x.table.rows)
	slices.SortStableFunc(x.sorted, func(a, b sql.Row) int {
		for i := range x.ordinal {
			order, err := compare(ctx, x.value(a, i), x.value(b, i), x.column(i).Type)
			if err != nil {
				x.err = err
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
}

// compare orders NULL before everything else, as MySQL's keys do.
func compare(ctx *sql.Context, a, b interface{}, typ sql.Type) (int, error) {
	switch {
	case a == nil && b == nil:
		return 0, nil
	case a == nil:
		return -1, nil
	case b == nil:
		return 1, nil
	}
	return typ.Compare(ctx, a, b)
}

package engine

import (
	"fmt"
	"slices"
	"sort"

	"github.com/dolthub/go-mysql-server/sql"
)

// GetIndexes returns the table's keys, the primary one first.
func (t *table) GetIndexes(*sql.Context) ([]sql.Index, error) {
	out := make([]sql.Index, len(t.indexes))
	for i, x := range t.indexes {
		out[i] = x
	}
	return out, nil
}

// PreciseMatch is false: the engine applies the conditions again to the rows that
// a lookup finds, so a lookup may find too many but never too few.
func (t *table) PreciseMatch() bool { return false }

// IndexedAccess returns the table again, to be read through LookupPartitions.
func (t *table) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable { return t }

// LookupPartitions returns the rows within the ranges, which don't overlap, in the
// order of the key or, as the ranges then are, in the reverse.
func (t *table) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	x, ok := lookup.Index.(*index)
	if !ok {
		return nil, fmt.Errorf("foreign index %T", lookup.Index)
	}
	ranges, ok := lookup.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return nil, fmt.Errorf("foreign ranges %T", lookup.Ranges)
	}
	partitions := make([]sql.Partition, len(ranges))
	for i, r := range ranges {
		rows, err := x.within(ctx, r)
		if err != nil {
			return nil, err
		}
		if lookup.IsReverse {
			rows = slices.Clone(rows)
			slices.Reverse(rows)
		}
		partitions[i] = partition{rows}
	}
	return sql.PartitionsToPartitionIter(partitions...), nil
}

// within returns the rows that lie between the bounds of the range's columns.
func (x *index) within(ctx *sql.Context, r sql.MySQLRange) ([]sql.Row, error) {
	x.once.Do(x.sort)
	if x.err != nil {
		return nil, x.err
	}
	rows := x.sorted
	for i := range min(len(r), len(x.ordinal)) {
		from, err := x.search(ctx, rows, i, r[i].LowerBound)
		if err != nil {
			return nil, err
		}
		to, err := x.search(ctx, rows, i, r[i].UpperBound)
		if err != nil {
			return nil, err
		}
		rows = rows[from:max(from, to)]
		if len(rows) == 0 {
			break
		}
		order, err := compare(ctx, x.value(rows[0], i), x.value(rows[len(rows)-1], i), x.column(i).Type)
		if err != nil {
			return nil, err
		}
		if order != 0 {
			break // the next column is in order only among equals
		}
	}
	return rows, nil
}

// search returns the place of the first row above the cut, by column i.
func (x *index) search(ctx *sql.Context, rows []sql.Row, i int, cut sql.MySQLRangeCut) (int, error) {
	var failed error
	at := sort.Search(len(rows), func(n int) bool {
		up, err := above(ctx, x.value(rows[n], i), cut, x.column(i).Type)
		if err != nil {
			failed = err
		}
		return up
	})
	return at, failed
}

// above reports whether the value lies above the cut, which lies between values.
func above(ctx *sql.Context, value interface{}, cut sql.MySQLRangeCut, typ sql.Type) (bool, error) {
	switch cut := cut.(type) {
	case sql.BelowNull:
		return true, nil
	case sql.AboveNull:
		return value != nil, nil
	case sql.AboveAll:
		return false, nil
	case sql.Below:
		order, err := compare(ctx, value, cut.Key, typ)
		return order >= 0, err
	case sql.Above:
		order, err := compare(ctx, value, cut.Key, typ)
		return order > 0, err
	}
	return false, fmt.Errorf("unknown bound %T", cut)
}

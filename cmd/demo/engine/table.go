package engine

import (
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
)

// table is a table whose rows were given when it was made. It has no method by
// which the engine could write, so it needs no locks either.
type table struct {
	name        string
	schema      sql.PrimaryKeySchema
	collation   sql.CollationID
	comment     string
	indexes     []*index
	foreignKeys []sql.ForeignKeyConstraint // declared here
	referenced  []sql.ForeignKeyConstraint // declared elsewhere, towards here
	rows        []sql.Row
}

var (
	_ sql.IndexAddressableTable = (*table)(nil)
	_ sql.ForeignKeyTable       = (*table)(nil)
	_ sql.PrimaryKeyTable       = (*table)(nil)
	_ sql.StatisticsTable       = (*table)(nil)
	_ sql.CommentedTable        = (*table)(nil)
)

func (t *table) Name() string                           { return t.name }
func (t *table) String() string                         { return t.name }
func (t *table) Comment() string                        { return t.comment }
func (t *table) Schema() sql.Schema                     { return t.schema.Schema }
func (t *table) PrimaryKeySchema() sql.PrimaryKeySchema { return t.schema }
func (t *table) Collation() sql.CollationID             { return t.collation }

// Partitions returns the one partition that holds all rows.
func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(partition{t.rows}), nil
}

// PartitionRows reads a partition that this table or a lookup in it made.
func (t *table) PartitionRows(_ *sql.Context, p sql.Partition) (sql.RowIter, error) {
	part, ok := p.(partition)
	if !ok {
		return nil, fmt.Errorf("foreign partition %T", p)
	}
	return &rowIter{rows: part.rows}, nil
}

// RowCount and DataLength are what the planner estimates with.
func (t *table) RowCount(*sql.Context) (uint64, bool, error) {
	return uint64(len(t.rows)), true, nil
}

func (t *table) DataLength(ctx *sql.Context) (uint64, error) {
	var width uint64
	for _, c := range t.schema.Schema {
		width += uint64(min(c.Type.MaxTextResponseByteLength(ctx), 64))
	}
	return width * uint64(len(t.rows)), nil
}

// partition is a set of rows to be read. Its key tells nothing, because nobody
// asks: a scan has only one.
type partition struct{ rows []sql.Row }

func (partition) Key() []byte { return nil }

// rowIter hands out the table's own rows. The engine copies what it changes.
type rowIter struct{ rows []sql.Row }

// Next also looks at the context: it is what ends a long query, as each join
// and each sort comes down to reading tables.
func (i *rowIter) Next(ctx *sql.Context) (sql.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(i.rows) == 0 {
		return nil, io.EOF
	}
	row := i.rows[0]
	i.rows = i.rows[1:]
	return row, nil
}

func (i *rowIter) Close(*sql.Context) error {
	i.rows = nil
	return nil
}

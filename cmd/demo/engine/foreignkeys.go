package engine

import "github.com/dolthub/go-mysql-server/sql"

// Foreign keys are here to be described (information_schema.key_column_usage);
// nothing is written, so nothing has to be enforced.

func (t *table) GetDeclaredForeignKeys(*sql.Context) ([]sql.ForeignKeyConstraint, error) {
	return t.foreignKeys, nil
}

func (t *table) GetReferencedForeignKeys(*sql.Context) ([]sql.ForeignKeyConstraint, error) {
	return t.referenced, nil
}

func (t *table) CreateIndexForForeignKey(*sql.Context, sql.IndexDef) error {
	return sql.ErrReadOnly.New()
}

func (t *table) AddForeignKey(*sql.Context, sql.ForeignKeyConstraint) error {
	return sql.ErrReadOnly.New()
}

func (t *table) DropForeignKey(*sql.Context, string) error {
	return sql.ErrReadOnly.New()
}

func (t *table) UpdateForeignKey(*sql.Context, string, sql.ForeignKeyConstraint) error {
	return sql.ErrReadOnly.New()
}

// GetForeignKeyEditor is asked for when rows are written.
func (t *table) GetForeignKeyEditor(*sql.Context) sql.ForeignKeyEditor { return nil }

package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// database is a schema that never changes: what the engine calls to change one
// either doesn't exist here or is refused.
type database struct {
	name   string
	tables map[string]*table // by name in lower case
	views  []sql.ViewDefinition
}

var (
	_ sql.ReadOnlyDatabase = (*database)(nil)
	_ sql.ViewDatabase     = (*database)(nil)
)

func (d *database) Name() string     { return d.name }
func (d *database) IsReadOnly() bool { return true }

func (d *database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	t, ok := d.tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return t, true, nil
}

func (d *database) GetTableNames(*sql.Context) ([]string, error) {
	names := make([]string, 0, len(d.tables))
	for _, t := range d.tables {
		names = append(names, t.name)
	}
	slices.Sort(names)
	return names, nil
}

func (d *database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) {
	return slices.Clone(d.views), nil
}

func (d *database) GetViewDefinition(_ *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	for _, v := range d.views {
		if strings.EqualFold(v.Name, name) {
			return v, true, nil
		}
	}
	return sql.ViewDefinition{}, false, nil
}

func (d *database) CreateView(*sql.Context, string, string, string) error {
	return sql.ErrReadOnly.New()
}

func (d *database) DropView(*sql.Context, string) error {
	return sql.ErrReadOnly.New()
}

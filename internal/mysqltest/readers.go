package mysqltest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// notForReaders are the columns of sakila.staff that no reader is granted.
const notForReaders = "'password', 'picture'"

// createReaders makes the accounts that read the sakila database. The tables
// and columns come from the server, so that the grants follow the schema.
func createReaders(ctx context.Context, conn *sql.Conn) error {
	tables, err := names(ctx, conn, `SELECT table_name FROM information_schema.tables
		WHERE table_schema = 'sakila' AND table_name <> 'staff' ORDER BY table_name`)
	if err != nil {
		return err
	}
	staff, err := names(ctx, conn, `SELECT column_name FROM information_schema.columns
		WHERE table_schema = 'sakila' AND table_name = 'staff'
		AND column_name NOT IN (`+notForReaders+`) ORDER BY ordinal_position`)
	if err != nil {
		return err
	}
	for _, a := range []Account{Sakila, Awkward} {
		grantee := quoted(a.User) + "@'%'"
		script := []string{
			"CREATE USER " + grantee + " IDENTIFIED BY " + quoted(a.Password),
			fmt.Sprintf("GRANT SELECT (%s) ON sakila.staff TO %s", strings.Join(staff, ", "), grantee),
		}
		for _, table := range tables {
			script = append(script, fmt.Sprintf("GRANT SELECT ON sakila.%s TO %s", table, grantee))
		}
		if err := run(ctx, conn, script); err != nil {
			return err
		}
	}
	return nil
}

// names reads one column of identifiers, each in backticks.
func names(ctx context.Context, conn *sql.Conn, query string) ([]string, error) {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, "`"+name+"`")
	}
	return out, rows.Err()
}

func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

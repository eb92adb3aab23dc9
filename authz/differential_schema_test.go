package authz_test

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/config"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/mysqltest"
)

// twin is the generator's schema on one server, and an account that may read
// what the allowlist has and nothing else.
type twin struct {
	*mysqltest.Server
	main, second string
	db           *sql.DB
	pipeline     pipeline
}

func newTwin(t *testing.T, server *mysqltest.Server) twin {
	w := twin{Server: server, main: server.Scratch(t), second: server.Scratch(t)}
	root := server.Open(t, mysqltest.Root, w.main)
	for statement := range strings.SplitSeq(fmt.Sprintf(genScript, w.main, w.second), ";\n") {
		exec(t, root, statement)
	}
	w.pipeline = newPipeline(t, genYAML(w.main, w.second))
	reader := mysqltest.Account{User: "generated_" + strings.ToLower(rand.Text()[:16])}
	exec(t, root, "CREATE USER "+reader.User+" IDENTIFIED BY ''")
	t.Cleanup(func() { exec(t, root, "DROP USER "+reader.User) })
	for _, schema := range w.pipeline.source.Allow {
		for _, table := range schema.Tables {
			exec(t, root, grant(schema.Name, table, reader.User))
		}
	}
	w.db = w.open(t, reader)
	return w
}

func exec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%v\nin: %s", err, statement)
	}
}

func grant(schema string, table config.Table, to string) string {
	var columns []string
	for _, c := range table.Columns {
		columns = append(columns, ident.Quote(c.Name))
	}
	return fmt.Sprintf("GRANT SELECT (%s) ON %s.%s TO %s", strings.Join(columns, ", "), schema, ident.Quote(table.Name), to)
}

// pinnedMode is the executor's sql_mode.
const pinnedMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

// open opens sessions with the executor's settings, at one moment in time.
func (w twin) open(t *testing.T, reader mysqltest.Account) *sql.DB {
	cfg, err := mysql.ParseDSN(w.DSN(reader, w.main))
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		t.Fatal(err)
	}
	cfg.Params = map[string]string{
		"sql_mode":             "'" + pinnedMode + "'",
		"time_zone":            "'+00:00'",
		"group_concat_max_len": "1048576",
		"timestamp":            "1718000000.25",
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// result is an answer: rows of cells, in order, and their columns.
type result struct {
	names, types []string
	rows         []string // cells joined by an unlikely character
}

const cellEnd = "\x1f"

// ask runs a text as the executor does, as a prepared statement.
func (w twin) ask(text string, args []any) (result, error) {
	var out result
	stmt, err := w.db.Prepare(text)
	if err != nil {
		return out, err
	}
	defer stmt.Close()
	rows, err := stmt.Query(args...)
	if err != nil {
		return out, err
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return out, err
	}
	for _, c := range columns {
		out.names = append(out.names, c.Name())
		out.types = append(out.types, c.DatabaseTypeName())
	}
	cells, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return out, err
		}
		var b strings.Builder
		for _, c := range cells {
			if c.Valid {
				b.WriteString("=" + c.String)
			}
			b.WriteString(cellEnd)
		}
		out.rows = append(out.rows, b.String())
	}
	return out, rows.Err()
}

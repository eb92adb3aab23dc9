package mysqltest

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/testdata"
)

// loadedMark is the table that exists once everything else does.
const loadedMark = "test_data.loaded"

// load puts the test databases and accounts into an empty server.
func load(ctx context.Context, f flavour, s *Server) error {
	connector, err := mysql.NewConnector(s.config(Root, ""))
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	// One connection, since the scripts set session variables.
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, file := range []string{"sakila/sakila.sql.gz", "traps/traps_schema.sql", "traps/traps_grants.sql"} {
		script, err := fixture(file)
		if err != nil {
			return err
		}
		if script, err = f.translate(file, script); err != nil {
			return err
		}
		if err := run(ctx, conn, statements(script)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := createReaders(ctx, conn); err != nil {
		return err
	}
	if err := analyze(ctx, conn); err != nil {
		return err
	}
	return run(ctx, conn, []string{"CREATE DATABASE test_data", "CREATE TABLE " + loadedMark + " (id INT PRIMARY KEY)"})
}

// analyze brings the optimizer's statistics up to date. Left to its own pace
// MariaDB plans for empty tables at first, and takes 40 s over a view of six.
func analyze(ctx context.Context, conn *sql.Conn) error {
	tables, err := names(ctx, conn, `SELECT table_name FROM information_schema.tables
		WHERE table_schema = 'sakila' AND table_type = 'BASE TABLE'`)
	if err != nil {
		return err
	}
	return run(ctx, conn, []string{"USE sakila", "ANALYZE TABLE " + strings.Join(tables, ", ")})
}

func run(ctx context.Context, conn *sql.Conn, statements []string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%w\nin: %.200s", err, statement)
		}
	}
	return nil
}

func fixture(file string) (string, error) {
	content, err := testdata.Files.ReadFile(file)
	if err != nil || !strings.HasSuffix(file, ".gz") {
		return string(content), err
	}
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return string(plain), nil
}

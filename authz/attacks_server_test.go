package authz_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/internal/mysqltest"
)

// runOn lets the server judge: an account that may read the allowlist's columns
// and nothing else runs every accepted attack's canonical text without an error,
// and none keeps the server busy.
func runOn(t *testing.T, server *mysqltest.Server, accepted []acceptedAttack) {
	db := openPinned(t, server.DSN(attackAccount(t, server), ""))
	if _, err := query(db, "SELECT password FROM sakila.staff", nil); !isPrivilege(err) {
		t.Fatalf("the account may read what isn't allowed: %v", err)
	}
	for _, a := range accepted {
		if err := runAttack(db, a); err != nil {
			t.Errorf("%s: %v\n%s", a, err, a.text)
		}
	}
}

// openPinned opens sessions whose character set and sql_mode are the executor's.
func openPinned(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		t.Fatal(err)
	}
	cfg.Params = map[string]string{"sql_mode": "'" + pinnedMode + "'"}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// attackAccount creates an account with the column grants of attackAllowed.
func attackAccount(t *testing.T, server *mysqltest.Server) mysqltest.Account {
	t.Helper()
	account := mysqltest.Account{User: "attacked_" + strings.ToLower(rand.Text()[:12]), Password: rand.Text()}
	root := server.DB(t)
	exec := func(statement string) {
		t.Helper()
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE USER " + account.User + "@'%' IDENTIFIED BY '" + account.Password + "'")
	t.Cleanup(func() {
		if _, err := root.Exec("DROP USER " + account.User + "@'%'"); err != nil {
			t.Error(err)
		}
	})
	for table, columns := range attackAllowed {
		exec("GRANT SELECT (" + strings.Join(columns, ", ") + ") ON sakila." + table + " TO " + account.User + "@'%'")
	}
	return account
}

// attackDeadline is far above what any accepted attack takes on two rows of staff,
// and far below what SLEEP and BENCHMARK of the corpus ask for in sum.
const attackDeadline = 4 * time.Second

func runAttack(db *sql.DB, a acceptedAttack) error {
	params := make([]any, a.plan.Placeholders())
	for i := range params {
		params[i] = int64(1)
	}
	bound, err := a.plan.Bind(params, rows)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), attackDeadline)
	defer cancel()
	result, err := db.QueryContext(ctx, bound.SQL(), bound.Args()...)
	if err != nil {
		return err
	}
	defer result.Close()
	for result.Next() {
	}
	return result.Err()
}

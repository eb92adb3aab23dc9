package executor

import (
	"database/sql"
	"fmt"
	"testing"

	_ "github.com/go-sql-driver/mysql"
)

func connect(t *testing.T, mariadb bool) *server {
	t.Helper()
	s := &server{t: t, mariadb: mariadb, host: "127.0.0.1", port: 33407}
	if mariadb {
		s.port = 33408
	}
	db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/", s.port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s.root = db
	s.rootRef = s.env("root")
	return s
}

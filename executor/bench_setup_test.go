package executor_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/executor"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/projector"
	"mysqlevidence/validator"
)

// orderRows is the size of the table that is asked.
const orderRows = 10_000

// way is one way to ask a server and read the answer.
type way struct {
	name string
	call func(ctx context.Context, arg int) error
}

// benchSource is a table of ordinary rows and an account that may read it.
type benchSource struct {
	source config.DataSource
	driver *mysql.Config
}

func newBenchSource(b *testing.B, one *mysqltest.Server) benchSource {
	b.Helper()
	root, schema := one.DB(b), one.Scratch(b)
	exec := func(text string) {
		if _, err := root.ExecContext(b.Context(), text); err != nil {
			b.Fatalf("%.200s: %v", text, err)
		}
	}
	exec("CREATE TABLE " + schema + `.orders (id BIGINT PRIMARY KEY, customer VARCHAR(50) NOT NULL, total DECIMAL(10,2) NOT NULL,
		placed_at DATETIME NOT NULL, score DOUBLE, active TINYINT NOT NULL)`)
	var rows strings.Builder
	for i := 1; i <= orderRows; i++ {
		fmt.Fprintf(&rows, ",(%d,'customer number %d',%d.50,'2024-05-01 08:00:00',%d / 8,%d)", i, i, i, i, i%2)
	}
	exec("INSERT INTO " + schema + ".orders VALUES " + rows.String()[1:])
	user, password := "u_"+strings.ToLower(rand.Text()[:12]), rand.Text()
	exec("CREATE USER '" + user + "'@'%' IDENTIFIED BY '" + password + "'")
	b.Cleanup(func() {
		if _, err := root.ExecContext(context.Background(), "DROP USER '"+user+"'@'%'"); err != nil {
			b.Error(err)
		}
	})
	exec("GRANT SELECT ON " + schema + ".* TO '" + user + "'@'%'")
	return benchSource{source: benchConfig(b, one, schema, user, password), driver: plainDriver(one, user, password)}
}

func benchConfig(b *testing.B, one *mysqltest.Server, schema, user, password string) config.DataSource {
	b.Helper()
	set, errs := function.NewSet("", nil, nil)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	secret := func(value string) config.Secret {
		name := "EXECUTOR_BENCH_" + rand.Text()
		b.Setenv(name, value)
		return config.Secret{Env: name}
	}
	var columns []config.Column
	for _, name := range []string{"id", "customer", "total", "placed_at", "score", "active"} {
		columns = append(columns, config.Column{Name: name})
	}
	return config.DataSource{Name: "bench", DefaultSchema: schema, Functions: set,
		Connection: &config.Connection{Host: one.Host, Port: one.Port, Username: secret(user), Password: secret(password),
			TLS: config.TLS{Mode: config.TLSPlaintext}},
		Limits: config.Limits{Rows: 1000, MaxRows: 10000, CellBytes: 4096, TotalBytes: 1 << 20, Timeout: 30 * time.Second},
		Query:  config.QueryCaps{Bytes: 16384, Tokens: 2000, Nesting: 64, Placeholders: 256},
		Allow:  []config.Schema{{Name: schema, Tables: []config.Table{{Name: "orders", Columns: columns}}}},
	}
}

// plainDriver is what a program has that sets nothing.
func plainDriver(one *mysqltest.Server, user, password string) *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Passwd = "tcp", one.Addr(), user, password
	return cfg
}

func (s benchSource) db(b *testing.B, connections int) *sql.DB {
	b.Helper()
	connector, err := mysql.NewConnector(s.driver)
	if err != nil {
		b.Fatal(err)
	}
	db := sql.OpenDB(connector)
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

func (s benchSource) plan(b *testing.B, q question) authz.Plan {
	b.Helper()
	query, err := validator.New(validator.Options{Functions: s.source.Functions, Caps: s.source.Query}).Validate(q.text)
	if err != nil {
		b.Fatal(err)
	}
	policy, err := authz.Compile(s.source)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := policy.Authorize(query)
	if err != nil {
		b.Fatal(err)
	}
	return plan
}

var benchLimits = authz.RowLimits{Default: 1000, Max: 10000}

// text is the question as it is sent to the server, which every way sends.
func (s benchSource) text(b *testing.B, q question) string {
	b.Helper()
	bound, err := s.plan(b, q).Bind([]any{1}, benchLimits)
	if err != nil {
		b.Fatal(err)
	}
	return bound.SQL()
}

func (s benchSource) ours(b *testing.B, q question, connections int) way {
	b.Helper()
	src, c := s.source, *s.source.Connection
	c.MaxConnections = connections
	src.Connection = &c
	e, err := executor.Open(src, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = e.Close() })
	plan := s.plan(b, q)
	limits := executor.Limits{Rows: benchLimits, Timeout: 10 * time.Second, CellBytes: 4096}
	return way{"ours", func(ctx context.Context, arg int) error {
		rows, err := e.Run(ctx, plan, []any{arg}, limits)
		if err != nil {
			return err
		}
		_, err = projector.Project(rows, projector.Limits{CellBytes: 4096, TotalBytes: 1 << 20}, projector.Pseudonyms{})
		return err
	}}
}

func (s benchSource) statement(b *testing.B, q question, connections int) *sql.Stmt {
	b.Helper()
	stmt, err := s.db(b, connections).PrepareContext(b.Context(), s.text(b, q))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = stmt.Close() })
	return stmt
}

func (s benchSource) raw(b *testing.B, q question, connections int) way {
	b.Helper()
	stmt := s.statement(b, q, connections)
	return way{"raw", func(ctx context.Context, arg int) error {
		return scan(stmt.QueryContext(ctx, arg))(func() any { return new(sql.RawBytes) })
	}}
}

func (s benchSource) intoAny(b *testing.B, q question, connections int) way {
	b.Helper()
	stmt := s.statement(b, q, connections)
	return way{"any", func(ctx context.Context, arg int) error {
		return scan(stmt.QueryContext(ctx, arg))(func() any { return new(any) })
	}}
}

func (s benchSource) naive(b *testing.B, q question, connections int) way {
	b.Helper()
	db, text := s.db(b, connections), s.text(b, q)
	return way{"naive", func(ctx context.Context, arg int) error {
		return scan(db.QueryContext(ctx, text, arg))(func() any { return new(any) })
	}}
}

// scan reads rows into the cells that it is given, one set for all the rows.
func scan(rows *sql.Rows, err error) func(cell func() any) error {
	return func(cell func() any) error {
		if err != nil {
			return err
		}
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = cell()
		}
		for rows.Next() {
			if err := rows.Scan(cells...); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

package executor_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"mysqlevidence/internal/mysqltest"
)

// BenchmarkAlternatives measures what it would cost to make each query safe by
// itself, where the executor makes a session safe once. All of them take turns on
// the same point query, each on one connection of its own:
//
//   - cached: a cached statement and nothing else; the executor's round trips.
//   - transaction: START TRANSACTION READ ONLY and COMMIT round each query.
//   - set: the time limit set before each query.
//   - prepare: prepared, run and closed each time.
//   - context: a cancellable context given to the driver, which would close the
//     connection and leave the query running.
func BenchmarkAlternatives(b *testing.B) {
	for _, one := range mysqltest.Both(b) {
		b.Run(one.Flavour, func(b *testing.B) {
			s, q := newBenchSource(b, one), questions[0]
			limit := "SET SESSION max_execution_time = 10000"
			if one.Flavour == "mariadb" {
				limit = "SET SESSION max_statement_time = 10"
			}
			ways := []way{s.cached(b, q), s.transaction(b, q), s.set(b, q, limit), s.prepare(b, q), s.context(b, q)}
			took := make([][]time.Duration, len(ways))
			for i := 0; b.Loop(); i++ {
				for j := range ways {
					at := (i + j) % len(ways)
					took[at] = append(took[at], round(b, ways[at], q, i, 1))
				}
			}
			report(b, ways, took)
		})
	}
}

// own is a connection that nobody else uses, and the statement prepared on it.
func (s benchSource) own(b *testing.B, q question) (*sql.Conn, *sql.Stmt) {
	b.Helper()
	c, err := s.db(b, 1).Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	stmt, err := c.PrepareContext(b.Context(), s.text(b, q))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = stmt.Close(); _ = c.Close() })
	return c, stmt
}

func rawCell() any { return new(sql.RawBytes) }

func (s benchSource) cached(b *testing.B, q question) way {
	_, stmt := s.own(b, q)
	return way{"cached", func(_ context.Context, arg int) error {
		return scan(stmt.QueryContext(context.Background(), arg))(rawCell)
	}}
}

func (s benchSource) transaction(b *testing.B, q question) way {
	c, stmt := s.own(b, q)
	return way{"transaction", func(ctx context.Context, arg int) error {
		if _, err := c.ExecContext(ctx, "START TRANSACTION READ ONLY"); err != nil {
			return err
		}
		if err := scan(stmt.QueryContext(ctx, arg))(rawCell); err != nil {
			return err
		}
		_, err := c.ExecContext(ctx, "COMMIT")
		return err
	}}
}

func (s benchSource) set(b *testing.B, q question, limit string) way {
	c, stmt := s.own(b, q)
	return way{"set", func(ctx context.Context, arg int) error {
		if _, err := c.ExecContext(ctx, limit); err != nil {
			return err
		}
		return scan(stmt.QueryContext(ctx, arg))(rawCell)
	}}
}

func (s benchSource) prepare(b *testing.B, q question) way {
	c, _ := s.own(b, q)
	text := s.text(b, q)
	return way{"prepare", func(ctx context.Context, arg int) error {
		return scan(c.QueryContext(ctx, text, arg))(rawCell)
	}}
}

func (s benchSource) context(b *testing.B, q question) way {
	_, stmt := s.own(b, q)
	return way{"context", func(ctx context.Context, arg int) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		return scan(stmt.QueryContext(ctx, arg))(rawCell)
	}}
}

package executor

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/internal/mysqltest"
)

// BenchmarkPointSelect compares Run with a cached statement of database/sql on
// the same row, alternately, so that both see the same machine.
func BenchmarkPointSelect(b *testing.B) {
	for _, one := range mysqltest.Both(b) {
		b.Run(one.Flavour, func(b *testing.B) {
			s := prepared(b, one)
			e, _ := open(b, s.source())
			plan := planOf(b, e.source, "SELECT name FROM items WHERE id = ?")
			stmt := s.rawStatement(b)
			var ours, raw time.Duration
			for i := 0; b.Loop(); i++ {
				id := i%300 + 1
				start := time.Now()
				r, err := e.Run(context.Background(), plan, []any{id}, within(time.Minute))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := all(r); err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				var name string
				if err := stmt.QueryRowContext(context.Background(), id).Scan(&name); err != nil {
					b.Fatal(err)
				}
				ours += middle.Sub(start)
				raw += time.Since(middle)
			}
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "run-ns/op")
			b.ReportMetric(float64(raw.Nanoseconds())/float64(b.N), "stmt-ns/op")
		})
	}
}

func (s *server) rawStatement(b *testing.B) *sql.Stmt {
	b.Helper()
	cfg, err := driverConfig(*s.source().Connection)
	if err != nil {
		b.Fatal(err)
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		b.Fatal(err)
	}
	db := sql.OpenDB(connector)
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	stmt, err := db.PrepareContext(context.Background(), "SELECT name FROM "+s.schema+".items WHERE id = ? LIMIT 100001")
	if err != nil {
		b.Fatal(err)
	}
	return stmt
}

package authz_test

import (
	"strings"
	"testing"
	"time"

	"vitess.io/vitess/go/vt/sqlparser"
)

const threeJoins = `SELECT c.name, o.status, COUNT(*) AS n, SUM(o.total) AS revenue
FROM customers c JOIN orders o ON o.customer_id = c.id LEFT JOIN traps_priv.regions r ON r.city = c.city
WHERE o.placed_at >= ? AND o.status IN ('paid', 'open') AND r.region IS NOT NULL
GROUP BY c.name, o.status HAVING n > 1 ORDER BY revenue DESC, c.name LIMIT 20`

// BenchmarkThreeJoins compares the parser by itself with validating and with
// validating and authorizing, and with remembering the plan, in one run.
func BenchmarkThreeJoins(b *testing.B) {
	p := newPipeline(b, trapsYAML(b))
	parser, err := sqlparser.New(sqlparser.Options{MySQLServerVersion: "8.4.0"})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("parser", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := parser.Parse2(threeJoins); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.validator.Validate(threeJoins); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("validate+authorize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.plan(threeJoins); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("remembered", func(b *testing.B) {
		planner := p.planner()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := planner.Plan(threeJoins); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("validate+authorize+bind", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			plan, err := p.plan(threeJoins)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := plan.Bind([]any{"2024-01-01"}, rows); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRatioToTheParser takes turns with the parser by itself, so that both
// meet the same machine, and reports how many times its time a plan takes.
func BenchmarkRatioToTheParser(b *testing.B) {
	p := newPipeline(b, trapsYAML(b))
	parser, err := sqlparser.New(sqlparser.Options{MySQLServerVersion: "8.4.0"})
	if err != nil {
		b.Fatal(err)
	}
	var parsing, planning time.Duration
	for b.Loop() {
		start := time.Now()
		if _, _, err := parser.Parse2(threeJoins); err != nil {
			b.Fatal(err)
		}
		parsed := time.Now()
		if _, err := p.plan(threeJoins); err != nil {
			b.Fatal(err)
		}
		parsing += parsed.Sub(start)
		planning += time.Since(parsed)
	}
	b.ReportMetric(float64(planning)/float64(parsing), "x-parser")
}

// BenchmarkWorstCases times the largest texts of each shape that the caps admit
// or nearly admit.
func BenchmarkWorstCases(b *testing.B) {
	p := newPipeline(b, trapsYAML(b))
	for name, sql := range map[string]string{
		"long alias":   "SELECT ?" + strings.Repeat("*?", 60) + " AS x, COUNT(*) FROM orders GROUP BY 1 HAVING x" + strings.Repeat(" AND x", 800),
		"wide alias":   "SELECT " + strings.Repeat("- ", 58) + "(1 IN (1" + strings.Repeat(",1", 499) + ")) AS x, COUNT(*) FROM orders GROUP BY 1 HAVING COALESCE(x" + strings.Repeat(",x", 40) + ")",
		"tokens":       "SELECT id FROM orders WHERE 1" + strings.Repeat(" OR 1", 990),
		"parentheses":  "SELECT " + strings.Repeat("(", 64) + "1" + strings.Repeat(")", 64) + " FROM orders",
		"nested NOT":   "SELECT id FROM orders WHERE " + strings.Repeat("NOT ", 1900) + "1",
		"left-deep":    "SELECT id FROM orders WHERE 1" + strings.Repeat(" + 1", 990) + " > 0",
		"IN list":      "SELECT id FROM orders WHERE id IN (1" + strings.Repeat(",1", 499) + ")",
		"long string":  "SELECT id FROM orders WHERE status = '" + strings.Repeat("é", 8000) + "'",
		"long comment": "SELECT id /*" + strings.Repeat("x", 16000) + "*/ FROM orders",
		"aliases":      "SELECT CONCAT(status, '" + strings.Repeat("x", 7000) + "') AS s FROM orders ORDER BY " + strings.Repeat("LENGTH(s) + ", 20) + "1",
		"quotes":       "SELECT id FROM orders WHERE status = '" + strings.Repeat("''", 8000) + "'",
		"no end":       "SELECT " + strings.Repeat("`", 16000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = p.plan(sql)
			}
		})
	}
}

package projector

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"testing"
)

// table is 1,000 rows of six ordinary columns.
func table() *memory {
	src := &memory{types: []string{"BIGINT", "VARCHAR", "DECIMAL", "DATETIME", "DOUBLE", "TINYINT"}}
	for i := range 1000 {
		src.rows = append(src.rows, []driver.Value{
			int64(i), []byte(fmt.Sprintf("customer number %d", i)), []byte("1234.50"), []byte("2024-05-01 08:00:00"), float64(i) / 8, int64(i % 2),
		})
	}
	return src
}

var tablePlan = named("id", "name", "total", "placed_at", "score", "active")

func BenchmarkProject1000Rows(b *testing.B) {
	src := table()
	b.ReportAllocs()
	for b.Loop() {
		src.next, src.closed = 0, 0
		ev, err := project(src, tablePlan, nil, everyRow, Limits{4096, 1 << 20}, Pseudonyms{})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(ev.JSON())))
	}
}

// BenchmarkMapsOfAny1000Rows is the usual way: a map for each row, and
// encoding/json for the whole.
func BenchmarkMapsOfAny1000Rows(b *testing.B) {
	src := table()
	b.ReportAllocs()
	for b.Loop() {
		var rows []map[string]any
		for _, r := range src.rows {
			m := make(map[string]any, len(r))
			for i, c := range tablePlan {
				if raw, ok := r[i].([]byte); ok {
					m[c.Name] = string(raw)
				} else {
					m[c.Name] = r[i]
				}
			}
			rows = append(rows, m)
		}
		out, err := json.Marshal(map[string]any{"status": "OK", "rows": rows, "row_count": len(rows)})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(out)))
	}
}

func BenchmarkProjectOneJSONCell(b *testing.B) {
	doc := []byte(`{"order": {"id": 9007199254740993, "lines": [{"sku": "A-1", "qty": 2, "price": 10.50}, {"sku": "B-2", "qty": 1, "price": 3.00}]}, "note": "plain text"}`)
	src := &memory{types: []string{"JSON"}, rows: [][]driver.Value{{doc}}}
	plan := named("j")
	b.ReportAllocs()
	for b.Loop() {
		src.next, src.closed = 0, 0
		if _, err := project(src, plan, nil, everyRow, Limits{4096, 1 << 16}, Pseudonyms{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEncodingARowAllocatesNothing(t *testing.T) {
	src := table()
	plan := append(named(), tablePlan...)
	plan[1].Mask, plan[1].Schema, plan[1].Table, plan[1].Source = "pseudonym", "s", "t", "c"
	src.types[2] = "JSON"
	enc := newEncoder(columnsOf(plan, src.types, key(1)), Limits{4096, 1 << 20})
	enc.b = append(make([]byte, 0, 1<<20), enc.b...)
	next := 0
	if got := testing.AllocsPerRun(900, func() { enc.add(src.rows[next]); next++ }); got > 0 {
		t.Errorf("%v allocations a row", got)
	}
}

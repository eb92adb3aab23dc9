package authz_test

import (
	"math"
	"testing"
)

// What LIMIT and OFFSET ask for bounds the reading only of a query whose rows are
// the tables' rows.
func TestReachIsWhatLimitAndOffsetAskForWhereThatEndsTheReading(t *testing.T) {
	p := newPipeline(t, shop)
	for _, c := range []struct {
		sql    string
		params []any
		want   uint64
	}{
		{"SELECT id FROM orders", nil, 101},
		{"SELECT id FROM orders LIMIT 5", nil, 5},
		{"SELECT id FROM orders LIMIT 5 OFFSET 20", nil, 25},
		{"SELECT id FROM orders LIMIT ?, ?", []any{20, 5}, 25},
		{"SELECT id FROM orders LIMIT 5000 OFFSET 20", nil, 1021},
		{"SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.qty > 2 ORDER BY o.id LIMIT 5", nil, 5},
		{"SELECT id FROM orders LIMIT 5 OFFSET 18446744073709551615", nil, 5 + math.MaxInt64},
		{"SELECT id FROM orders HAVING id > 5 LIMIT 5", nil, 5},
		{"SELECT DISTINCT status FROM orders LIMIT 5", nil, 0},
		{"SELECT status FROM orders GROUP BY status LIMIT 5", nil, 0},
		{"SELECT COUNT(*) FROM orders LIMIT 5", nil, 0},
		{"SELECT 1 FROM orders HAVING MAX(id) > 5 LIMIT 5", nil, 0},
		{"SELECT 1 FROM orders ORDER BY MAX(id) LIMIT 5", nil, 0},
	} {
		plan, err := p.plan(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		bound, err := plan.Bind(c.params, rows)
		if err != nil || bound.Reach() != c.want {
			t.Errorf("%s: reach %d, %v; want %d", c.sql, bound.Reach(), err, c.want)
		}
	}
}

func TestThePolicyHashCoversTheCostGate(t *testing.T) {
	off := newPipeline(t, shop).policy.Hash()
	on := newPipeline(t, "limits: {max_estimated_rows: 1000}\n"+shop).policy.Hash()
	lower := newPipeline(t, "limits: {max_estimated_rows: 999}\n"+shop).policy.Hash()
	if off == on || on == lower {
		t.Error("two policies with different cost gates have one hash")
	}
}

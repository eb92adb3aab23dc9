package authz_test

import (
	"errors"
	"strings"
	"testing"

	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/refusal"
)

// deadly are queries that end the whole server (MariaDB 10.11, SIGSEGV) if they
// are sent as they are asked.
var deadly = []string{
	"SELECT city FROM customers GROUP BY city HAVING NOT city AND COUNT(*) > 0",
	"SELECT tier FROM customers GROUP BY tier HAVING tier > 0 AND NOT tier",
	"SELECT tier AS x FROM customers GROUP BY x, city HAVING NOT x AND city > 'a' AND MAX(id) > 0",
	"SELECT tier FROM customers GROUP BY tier HAVING NOT (tier OR tier > 1)",
	"SELECT tier FROM customers GROUP BY tier HAVING NOT (tier OR COUNT(*)) AND tier > 0",
}

func TestAServerOutlivesQueriesThatWouldEndIt(t *testing.T) {
	p := newPipeline(t, trapsYAML(t))
	for _, server := range mysqltest.Both(t) {
		db := server.Open(t, mysqltest.TrapAllow, "")
		for _, sql := range deadly {
			plan, err := p.plan(sql)
			if err != nil {
				t.Errorf("%q: %v", sql, err)
				continue
			}
			if _, err := query(db, plan.SQL(rows), nil); err != nil {
				t.Fatalf("%s: %q: %v", server.Flavour, plan.SQL(rows), err)
			}
		}
	}
}

// TestNoPlaceholderForADateIsZero keeps from MySQL 9.7 what ends it: the number 0
// for a placeholder that it takes for a date, in a function that counts days.
func TestNoPlaceholderForADateIsZero(t *testing.T) {
	p := newPipeline(t, trapsYAML(t))
	for _, f := range []string{"DATEDIFF(placed_at, ?)", "DATEDIFF(?, placed_at)", "TO_DAYS(?)", "DAYNAME(?)", "DAYOFWEEK(?)", "WEEKDAY(?)", "DAYOFYEAR(?)",
		"TO_DAYS(IFNULL(?, placed_at))", "DATEDIFF(placed_at, CASE WHEN qty THEN ? ELSE placed_at END)", "TO_DAYS(CAST(? AS DATE))", "ABS(TO_DAYS(DATE(?)))",
		"to_days(timestamp(?))"} {
		plan, err := p.plan("SELECT id FROM orders WHERE " + f + " > 5 ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		for _, zero := range []any{int64(0), uint64(0), 0, 0.0, 0.6, -0.1, 5e-324, false} {
			_, err := plan.Bind([]any{zero}, rows)
			var r *refusal.Refusal
			if !errors.As(err, &r) || r.Reason != refusal.ParamType || !strings.Contains(r.Hint, "as text") {
				t.Errorf("%s with %v: %v", f, zero, err)
			}
		}
		for _, other := range []any{int64(20240501), 20240501.5, "2024-05-01", "0", "0.6", "", nil, true} {
			if _, err := plan.Bind([]any{other}, rows); err != nil {
				t.Errorf("%s with %v: %v", f, other, err)
			}
		}
	}
	for _, f := range []string{"DATEDIFF(DATE_ADD(placed_at, INTERVAL ? DAY), NOW())", "DATEDIFF(placed_at, NOW()) = ?", "WEEK(placed_at, ?)"} {
		plan, err := p.plan("SELECT id FROM orders WHERE " + f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Bind([]any{0}, rows); err != nil {
			t.Errorf("%s with 0: %v", f, err)
		}
	}
}

package authz_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/validator"
)

const shop = `
data_sources:
  shop:
    default_schema: shop
    allow:
      shop:
        customers:
          columns: [id, name, city, tier]
          sensitive:
            email: redact
            phone: {mask: redact, filter: equality, type: text}
        orders: {columns: [id, customer_id, status, total, qty, placed_at]}
        "odd` + "`" + `name": {columns: [Id, "a.b", "Čas"]}
      archive:
        orders: {columns: [id, status]}
`

var rows = authz.RowLimits{Default: 100, Max: 1000}

type pipeline struct {
	source    config.DataSource
	validator *validator.Validator
	policy    *authz.Policy
}

func newPipeline(t testing.TB, yaml string) pipeline {
	t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	src := cfg.DataSources[0]
	policy, err := authz.Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	return pipeline{src, validator.New(validator.Options{Functions: src.Functions, Caps: src.Query}), policy}
}

func (p pipeline) plan(sql string) (authz.Plan, error) {
	q, err := p.validator.Validate(sql)
	if err != nil {
		return authz.Plan{}, err
	}
	return p.policy.Authorize(q)
}

func (p pipeline) reason(t *testing.T, sql string) refusal.Reason {
	t.Helper()
	_, err := p.plan(sql)
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		return ""
	}
	if r.Stage != refusal.Authorize {
		t.Errorf("%q: refused by %s", sql, r)
	}
	return r.Reason
}

func TestCanonicalSQLHasAllowlistedNamesQualifiedByOurAliases(t *testing.T) {
	p := newPipeline(t, shop)
	for sql, want := range map[string]string{
		"select ID, Status as s from orders as o": "SELECT `t1`.`id`, `t1`.`status` FROM `shop`.`orders` AS `t1` LIMIT 101",
		"SELECT c.name, COUNT(*) n FROM customers c LEFT JOIN archive.orders a ON a.id = c.id WHERE c.city IN ('Oslo', ?) GROUP BY name ORDER BY n DESC, 1 LIMIT 5": "SELECT `t1`.`name`, COUNT(*) FROM `shop`.`customers` AS `t1` LEFT JOIN `archive`.`orders` AS `t2` ON `t2`.`id` = `t1`.`id` WHERE (`t1`.`city` IN ('Oslo', ?)) GROUP BY `t1`.`name` ORDER BY 2 DESC, 1 LIMIT 5",
		"SELECT `a.b`, `čas` FROM `odd``name`":                                                          "",
		"SELECT `a.b`, `Čas` FROM `odd``name`":                                                          "SELECT `t1`.`a.b`, `t1`.`Čas` FROM `shop`.`odd``name` AS `t1` LIMIT 101",
		"SELECT name FROM customers WHERE name = 'it''s \\\\ é'":                                        "SELECT `t1`.`name` FROM `shop`.`customers` AS `t1` WHERE (`t1`.`name` = _utf8mb4 X'69742773205C20C3A9') LIMIT 101",
		"SELECT 2 * (qty + 1), (qty = 1) LIKE 0 FROM orders":                                            "SELECT 2 * (`t1`.`qty` + 1), (`t1`.`qty` = 1) LIKE 0 FROM `shop`.`orders` AS `t1` LIMIT 101",
		"SELECT qty - -1 FROM orders LIMIT 3 OFFSET 7":                                                  "SELECT `t1`.`qty` - (-1) FROM `shop`.`orders` AS `t1` LIMIT 3 OFFSET 7",
		"SELECT id FROM orders LIMIT 3 OFFSET 18446744073709551615":                                     "SELECT `t1`.`id` FROM `shop`.`orders` AS `t1` LIMIT 3 OFFSET 9223372036854775807",
		"SELECT id, id FROM orders ORDER BY id":                                                         "SELECT `t1`.`id`, `t1`.`id` FROM `shop`.`orders` AS `t1` ORDER BY `t1`.`id` LIMIT 101",
		"SELECT id AS x, ID AS X FROM orders GROUP BY x HAVING x > 1":                                   "SELECT `t1`.`id`, `t1`.`id` FROM `shop`.`orders` AS `t1` GROUP BY `t1`.`id` HAVING `t1`.`id` > 1 LIMIT 101",
		"SELECT id FROM customers WHERE tier = 1 AND (phone = ? AND city = ?)":                          "SELECT `t1`.`id` FROM `shop`.`customers` AS `t1` WHERE (`t1`.`tier` = 1) AND ((`t1`.`phone` = ?) AND (`t1`.`city` = ?)) LIMIT 101",
		"SELECT id FROM customers WHERE tier = 1 AND (city = ? AND (tier = 2 AND phone IN (?, ?)))":     "SELECT `t1`.`id` FROM `shop`.`customers` AS `t1` WHERE (`t1`.`tier` = 1) AND ((`t1`.`city` = ?) AND ((`t1`.`tier` = 2) AND (`t1`.`phone` IN (?, ?)))) LIMIT 101",
		"SELECT id FROM orders LIMIT ?, ?":                                                              "SELECT `t1`.`id` FROM `shop`.`orders` AS `t1` LIMIT ? OFFSET ?",
		"SELECT YEAR(placed_at) AS y, SUM(total) AS s FROM orders GROUP BY y HAVING s > 5 AND y > 2000": "SELECT YEAR(`t1`.`placed_at`), SUM(`t1`.`total`) FROM `shop`.`orders` AS `t1` GROUP BY 1 HAVING (SUM(`t1`.`total`) > 5) AND (MIN(YEAR(`t1`.`placed_at`)) > 2000) LIMIT 101",
		"SELECT qty * total AS v FROM orders HAVING v > 5":                                              "SELECT `t1`.`qty` * `t1`.`total` FROM `shop`.`orders` AS `t1` WHERE ((`t1`.`qty` * `t1`.`total`) > 5) LIMIT 101",
		"SELECT qty DIV 10 AS n, COUNT(*) FROM orders GROUP BY n, n IS NULL":                            "SELECT `t1`.`qty` DIV 10, COUNT(*) FROM `shop`.`orders` AS `t1` GROUP BY 1, (`t1`.`qty` DIV 10) IS NULL LIMIT 101",
		"SELECT UPPER(status), 2, COUNT(*), 1 FROM orders GROUP BY upper(status), 2":                    "SELECT UPPER(`t1`.`status`), 2, COUNT(*), 1 FROM `shop`.`orders` AS `t1` GROUP BY 1, 2 LIMIT 101",
		"SELECT payload FROM orders":                                                                    "",
		"SELECT GROUP_CONCAT(DISTINCT status ORDER BY status DESC SEPARATOR '''') AS g FROM orders":     "SELECT GROUP_CONCAT(DISTINCT `t1`.`status` ORDER BY `t1`.`status` DESC SEPARATOR X'27') FROM `shop`.`orders` AS `t1` LIMIT 101",
		"SELECT placed_at + INTERVAL 1 DAY, DATE_SUB(placed_at, INTERVAL ? MONTH) FROM orders":          "SELECT DATE_ADD(`t1`.`placed_at`, INTERVAL 1 DAY), DATE_SUB(`t1`.`placed_at`, INTERVAL ? MONTH) FROM `shop`.`orders` AS `t1` LIMIT 101",
		"SELECT id FROM customers WHERE phone = ? AND tier = 1":                                         "SELECT `t1`.`id` FROM `shop`.`customers` AS `t1` WHERE (`t1`.`phone` = ?) AND (`t1`.`tier` = 1) LIMIT 101",
	} {
		plan, err := p.plan(sql)
		if want == "" {
			if err == nil {
				t.Errorf("%q: accepted as %s", sql, plan.SQL(rows))
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", sql, err)
			continue
		}
		if got := plan.SQL(rows); got != want {
			t.Errorf("%q:\n got %s\nwant %s", sql, got, want)
		}
	}
}

var backquoted = regexp.MustCompile("`((?:[^`]|``)*)`")

func TestNoNameThatTheAskerChoseReachesTheServer(t *testing.T) {
	p := newPipeline(t, shop)
	allowed := map[string]bool{"shop": true, "archive": true, "odd``name": true, "a.b": true, "Čas": true, "Id": true}
	for _, n := range strings.Fields("customers id name city tier email phone orders customer_id status total qty placed_at t1 t2 t3") {
		allowed[n] = true
	}
	for _, sql := range []string{
		"SELECT EVIL.id AS EVIL1 FROM orders AS EVIL ORDER BY EVIL1",
		"SELECT COUNT(*) AS EVIL FROM orders GROUP BY status HAVING EVIL > 1 ORDER BY EVIL + 1",
		"SELECT 1 AS EVIL, COUNT(*) AS `EVIL 2` FROM customers GROUP BY EVIL",
		"SELECT EVIL.name `EVIL``` FROM customers EVIL JOIN orders `EVIL2` ON EVIL.id = `EVIL2`.customer_id",
	} {
		plan, err := p.plan(sql)
		if err != nil {
			t.Errorf("%q: %v", sql, err)
			continue
		}
		text := plan.SQL(rows)
		if strings.Contains(text, "EVIL") {
			t.Errorf("%q: %s", sql, text)
		}
		for _, m := range backquoted.FindAllStringSubmatch(text, -1) {
			if !allowed[m[1]] {
				t.Errorf("%q: name %q in %s", sql, m[1], text)
			}
		}
	}
}

// refused has at least one query for every reason of this stage.
var refused = map[string]refusal.Reason{
	"SELECT id FROM salaries":                          refusal.UnknownTable,
	"SELECT id FROM ORDERS":                            refusal.UnknownTable,
	"SELECT id FROM Shop.orders":                       refusal.UnknownTable,
	"SELECT TABLE_NAME FROM information_schema.TABLES": refusal.UnknownTable,
	"SELECT password FROM customers":                   refusal.UnknownColumn,
	"SELECT id FROM customers ORDER BY password":       refusal.UnknownColumn,
	"SELECT `a.c` FROM `odd``name`":                    refusal.UnknownColumn,
	"SELECT x.id FROM orders o":                        refusal.UnknownAlias,
	"SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id AND a.id = 1 JOIN archive.orders a ON a.id = o.id": refusal.UnknownAlias,
	"SELECT orders.id FROM orders o":                                           refusal.UnknownAlias,
	"SELECT archive.orders.id FROM orders":                                     refusal.UnknownAlias,
	"SELECT O.id FROM orders o":                                                refusal.UnknownAlias,
	"SELECT id FROM orders o JOIN customers c ON c.id = o.customer_id":         refusal.AmbiguousColumn,
	"SELECT o.id FROM orders o JOIN customers c ON 1 = 1 GROUP BY id":          refusal.AmbiguousColumn,
	"SELECT id AS x, qty AS x FROM orders ORDER BY x":                          refusal.AmbiguousAlias,
	"SELECT id AS x, id AS x, qty AS x FROM orders ORDER BY x":                 refusal.AmbiguousAlias,
	"SELECT o.id, c.id FROM orders o JOIN customers c ON 1 = 1 ORDER BY id":    refusal.AmbiguousAlias,
	"SELECT id + 1 AS x, id + 1 AS x FROM orders ORDER BY x":                   refusal.AmbiguousAlias,
	"SELECT email, email FROM customers ORDER BY email":                        refusal.SensitiveColumn,
	"SELECT id FROM customers WHERE tier = 1 AND (phone = ? OR tier = 2)":      refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE tier = 1 AND NOT (tier = 1 AND phone = ?)": refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE (tier = 1 AND phone = ?) = 1":              refusal.SensitiveFilter,
	"SELECT 1 AS tier FROM customers ORDER BY tier":                            refusal.AliasShadowsColumn,
	"SELECT 1 AS tier, COUNT(*) FROM customers GROUP BY tier":                  refusal.AliasShadowsColumn,
	"SELECT a.id FROM orders a JOIN customers a ON 1 = 1":                      refusal.DuplicateAlias,
	"SELECT a.id FROM orders a JOIN customers A ON 1 = 1":                      refusal.DuplicateAlias,
	"SELECT id FROM orders ORDER BY 2":                                         refusal.BadPosition,
	"SELECT id FROM orders ORDER BY 0":                                         refusal.BadPosition,
	"SELECT COUNT(*) FROM orders GROUP BY 1":                                   refusal.BadPosition,
	"SELECT COUNT(*) AS n FROM orders GROUP BY n":                              refusal.BadPosition,
	"SELECT id AS x FROM orders WHERE x = 1":                                   refusal.AliasNotUsable,
	"SELECT id AS x, x FROM orders":                                            refusal.AliasNotUsable,
	"SELECT id FROM orders HAVING qty > 1":                                     refusal.NotGrouped,
	"SELECT status AS s, COUNT(*) FROM orders HAVING s > 'a'":                  refusal.NotGrouped,
	"SELECT status, COUNT(*) FROM orders GROUP BY status HAVING qty > 1":       refusal.NotGrouped,
	"SELECT a.id FROM orders a JOIN orders b ON a.id = b.id HAVING b.id > 1":   refusal.NotGrouped,
	"SELECT DISTINCT UPPER(status) AS u FROM orders ORDER BY LENGTH(u)":        refusal.AliasNotUsable,
	"SELECT LOWER(email) FROM customers":                                       refusal.SensitiveColumn,
	"SELECT id FROM customers WHERE email = ?":                                 refusal.SensitiveColumn,
	"SELECT id FROM customers WHERE EMAIL IS NULL":                             refusal.SensitiveColumn,
	"SELECT email FROM customers ORDER BY 1":                                   refusal.SensitiveColumn,
	"SELECT email AS x FROM customers ORDER BY x":                              refusal.SensitiveColumn,
	"SELECT email AS x FROM customers HAVING x > 'a'":                          refusal.SensitiveColumn,
	"SELECT c.id FROM customers c JOIN customers d ON c.email = d.email":       refusal.SensitiveColumn,
	"SELECT COUNT(email) FROM customers":                                       refusal.SensitiveColumn,
	"SELECT DISTINCT email FROM customers":                                     refusal.SensitiveCombined,
	"SELECT email, COUNT(*) FROM customers":                                    refusal.SensitiveCombined,
	"SELECT email FROM customers GROUP BY id":                                  refusal.SensitiveCombined,
	"SELECT email FROM customers ORDER BY COUNT(*)":                            refusal.SensitiveCombined,
	"SELECT id FROM customers WHERE phone = '123'":                             refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE phone = ? OR id = 1":                       refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE NOT phone = ?":                             refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE phone IN (?, 'x')":                         refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE phone NOT IN (?)":                          refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE phone > ?":                                 refusal.SensitiveFilter,
	"SELECT id FROM customers WHERE phone = CONCAT(?, '')":                     refusal.SensitiveFilter,
	"SELECT c.id FROM customers c JOIN customers d ON c.phone = ?":             refusal.SensitiveFilter,
	"SELECT CONCAT(status, '" + strings.Repeat("x", 7000) + "') AS s FROM orders ORDER BY " + strings.Repeat("LENGTH(s) + ", 20) + "1": refusal.PlanTooLarge,
	"SELECT GROUP_CONCAT(status) AS s FROM orders HAVING LENGTH(CONCAT(s, s, s, s)) > 1":                                               refusal.TextTooLong,
	"SELECT GROUP_CONCAT(status) AS s FROM orders HAVING LOCATE(s, 'paid') > 0":                                                        refusal.PatternTooLong,
}

func TestNamesAndSensitiveColumnsAreRefusedWithTheirOwnReason(t *testing.T) {
	p := newPipeline(t, shop)
	for sql, want := range refused {
		if got := p.reason(t, sql); got != want {
			t.Errorf("%.120q: %q, want %q", sql, got, want)
		}
	}
}

func TestEveryReasonOfTheStageHasACase(t *testing.T) {
	seen := map[refusal.Reason]bool{}
	for _, r := range refused {
		seen[r] = true
	}
	for _, e := range refusal.Catalogue {
		if e.Stage == refusal.Authorize && !seen[e.Reason] {
			t.Errorf("no query is refused with %s", e.Reason)
		}
	}
}

func TestHiddenAndMissingNamesGetTheSameAnswer(t *testing.T) {
	p := newPipeline(t, shop)
	answer := func(sql string) refusal.Refusal {
		_, err := p.plan(sql)
		var r *refusal.Refusal
		if !errors.As(err, &r) {
			t.Fatalf("%q: accepted", sql)
		}
		return *r
	}
	// The policy can't know which of these exists; nothing in the answer may
	// depend on the spelling either.
	if a, b := answer("SELECT password_hash FROM customers"), answer("SELECT qwertyuiopasd FROM customers"); !reflect.DeepEqual(a, b) {
		t.Errorf("columns: %v and %v", a, b)
	}
	if a, b := answer("SELECT id FROM mysql.user"), answer("SELECT id FROM nosuc.tabl"); !reflect.DeepEqual(a, b) {
		t.Errorf("tables: %v and %v", a, b)
	}
}

func TestTheHintForAWildcardListsAllowedColumnsOnly(t *testing.T) {
	p := newPipeline(t, shop)
	for sql, want := range map[string]string{
		"SELECT * FROM customers LIMIT 5":                           "Name the columns that you need. Columns of customers: id, name, city, tier, email (redacted), phone (redacted).",
		"SELECT c.* FROM customers c JOIN secrets s ON s.id = c.id": "Name the columns that you need. Columns of customers: id, name, city, tier, email (redacted), phone (redacted).",
		"SELECT * FROM archive.orders, `odd``name`":                 "Name the columns that you need. Columns of orders: id, status; of `odd``name`: Id, `a.b`, `Čas`.",
		"SELECT * FROM secrets":                                     refusal.New(refusal.Wildcard, refusal.Position{}).Hint,
	} {
		_, err := p.planner().Plan(sql)
		var r *refusal.Refusal
		if !errors.As(err, &r) || r.Hint != want || r.Reason != refusal.Wildcard {
			t.Errorf("%q: %+v, want hint %q", sql, r, want)
		}
	}
}

func TestColumnsAreNamedAndMaskedByThePlan(t *testing.T) {
	plan, err := newPipeline(t, shop).plan("SELECT id, EMAIL, phone AS city, 1 + 1, name AS `" + strings.Repeat("ž", 60) + "`, CONCAT('" + strings.Repeat("x", 80) + "') FROM customers")
	if err != nil {
		t.Fatal(err)
	}
	col := func(name, source string, mask config.Mask) authz.Column {
		return authz.Column{Name: name, Mask: mask, Schema: "shop", Table: "customers", Source: source}
	}
	want := []authz.Column{
		col("id", "id", ""), col("email", "email", "redact"), col("city", "phone", "redact"), {Name: "1 + 1"},
		col(strings.Repeat("ž", 60), "name", ""), {Name: "CONCAT('" + strings.Repeat("x", 56)},
	}
	if got := plan.Columns(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestZeroValuesAreRefused(t *testing.T) {
	if _, err := (*authz.Policy)(nil).Authorize(validator.Query{}); err == nil {
		t.Error("a nil policy authorized")
	}
	if _, err := newPipeline(t, shop).policy.Authorize(validator.Query{}); err == nil {
		t.Error("a zero query was authorized")
	}
	if _, err := (authz.Plan{}).Bind(nil, rows); err == nil {
		t.Error("a zero plan was bound")
	}
	empty := newPipeline(t, "data_sources: {shop: {description: nothing allowed}}")
	if got := empty.reason(t, "SELECT id FROM orders"); got != refusal.UnknownTable {
		t.Errorf("an empty allowlist: %q", got)
	}
}

func TestThePolicyHashChangesWithThePolicy(t *testing.T) {
	a, b := newPipeline(t, shop), newPipeline(t, strings.Replace(shop, "qty, ", "", 1))
	if a.policy.Hash() == b.policy.Hash() || a.policy.Hash() != newPipeline(t, shop).policy.Hash() {
		t.Error("the hash doesn't identify the policy")
	}
}

func TestParametersAreBoundExactlyOrRefused(t *testing.T) {
	p := newPipeline(t, shop)
	for _, tt := range []struct {
		sql    string
		params []any
		want   []any // nil: refused
		reason refusal.Reason
	}{
		{"SELECT id FROM orders WHERE id = ?", []any{json.Number("18446744073709551615")}, []any{uint64(18446744073709551615)}, ""},
		{"SELECT id FROM orders WHERE id = ? AND status = ?", []any{json.Number("-9007199254740993"), "x"}, []any{int64(-9007199254740993), "x"}, ""},
		{"SELECT id FROM orders WHERE total > ?", []any{json.Number("1.50")}, []any{1.5}, ""},
		{"SELECT id FROM orders WHERE total > ?", []any{nil}, []any{nil}, ""},
		{"SELECT id FROM orders WHERE total > ?", []any{true}, []any{true}, ""},
		{"SELECT id FROM orders LIMIT ?, ?", []any{json.Number("20"), json.Number("10")}, []any{int64(10), int64(20)}, ""},
		{"SELECT id FROM orders LIMIT ?", []any{json.Number("5000")}, []any{int64(1001)}, ""},
		{"SELECT id FROM orders WHERE id = ?", nil, nil, refusal.ParamCount},
		{"SELECT id FROM orders WHERE status = '?'", []any{1}, nil, refusal.ParamCount},
		{"SELECT id FROM orders WHERE id = ?", []any{json.Number("18446744073709551616")}, nil, refusal.ParamType},
		{"SELECT id FROM orders WHERE id IN (?)", []any{[]any{1, 2}}, nil, refusal.ParamType},
		{"SELECT id FROM orders WHERE status = ?", []any{"\xff"}, nil, refusal.ParamType},
		{"SELECT id FROM customers WHERE phone = ?", []any{json.Number("0")}, nil, refusal.ParamType},
		{"SELECT id FROM customers WHERE phone IN (?, ?)", []any{"a", nil}, nil, refusal.ParamType},
		{"SELECT id FROM orders WHERE status IN (?, ?)", []any{strings.Repeat("a", 16<<10), "b"}, nil, refusal.ParamSize},
		{"SELECT id FROM orders WHERE status = ?", []any{strings.Repeat("a", 16<<10)}, []any{strings.Repeat("a", 16<<10)}, ""},
		{"SELECT id FROM orders LIMIT ?", []any{"2 or 1"}, nil, refusal.LimitParam},
		{"SELECT id FROM orders LIMIT ?", []any{json.Number("-1")}, nil, refusal.LimitParam},
		{"SELECT id FROM orders LIMIT ?", []any{nil}, nil, refusal.LimitParam},
		{"SELECT id FROM orders LIMIT ?", []any{2.7}, nil, refusal.LimitParam},
		{"SELECT id FROM orders LIMIT ? OFFSET ?", []any{json.Number("18446744073709551615"), json.Number("18446744073709551615")}, []any{int64(1001), int64(math.MaxInt64)}, ""},
		{"SELECT id FROM orders LIMIT 1 OFFSET ?", []any{json.Number("18446744073709551616")}, nil, refusal.ParamType},
	} {
		plan, err := p.plan(tt.sql)
		if err != nil {
			t.Errorf("%q: %v", tt.sql, err)
			continue
		}
		bound, err := plan.Bind(tt.params, rows)
		if tt.want == nil {
			var r *refusal.Refusal
			if !errors.As(err, &r) || r.Reason != tt.reason || r.Stage != refusal.Bind {
				t.Errorf("%q with %v: %v, want %s", tt.sql, tt.params, err, tt.reason)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(bound.Args(), tt.want) {
			t.Errorf("%q with %v: %v %v, want %v", tt.sql, tt.params, bound.Args(), err, tt.want)
		}
	}
}

func TestTheRowLimitIsTheSmallestOfAllAndOnlyACapTruncates(t *testing.T) {
	p := newPipeline(t, shop)
	for _, tt := range []struct {
		sql   string
		asked int
		want  authz.RowBudget
		limit string
	}{
		{"SELECT id FROM orders", 0, authz.RowBudget{Rows: 100, Capped: true}, "101"},
		{"SELECT id FROM orders", 100, authz.RowBudget{Rows: 100}, "100"},
		{"SELECT id FROM orders", 500, authz.RowBudget{Rows: 500}, "500"},
		{"SELECT id FROM orders", 5000, authz.RowBudget{Rows: 1000, Capped: true}, "1001"},
		{"SELECT id FROM orders LIMIT 0", 0, authz.RowBudget{Rows: 0}, "0"},
		{"SELECT id FROM orders LIMIT 500", 0, authz.RowBudget{Rows: 500}, "500"},
		{"SELECT id FROM orders LIMIT 500", 20, authz.RowBudget{Rows: 20}, "20"},
		{"SELECT id FROM orders LIMIT 18446744073709551615", 0, authz.RowBudget{Rows: 1000, Capped: true}, "1001"},
	} {
		plan, err := p.plan(tt.sql)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := plan.Bind(nil, authz.RowLimits{Asked: tt.asked, Default: 100, Max: 1000})
		if err != nil || bound.Budget() != tt.want || !strings.HasSuffix(bound.SQL(), " LIMIT "+tt.limit) {
			t.Errorf("%q asked %d: %+v %q %v", tt.sql, tt.asked, bound.Budget(), bound.SQL(), err)
		}
	}
}

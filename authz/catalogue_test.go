package authz_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/refusal"
)

// tools are what the catalogue may name instead of SQL.
var tools = map[string]bool{"describe_schema": true, "list_data_sources": true}

// oversized are the examples that are too long for the document.
var oversized = map[refusal.Reason]string{
	refusal.TooLong:       "SELECT id FROM orders WHERE status = '" + strings.Repeat("x", 20<<10) + "'",
	refusal.TooManyTokens: "SELECT id FROM orders WHERE id = 1" + strings.Repeat(" OR id = 1", 900),
	refusal.TooNested:     "SELECT " + strings.Repeat("(", 100) + "id" + strings.Repeat(")", 100) + " FROM orders",
	refusal.TooManyParams: "SELECT id FROM orders WHERE id IN (?" + strings.Repeat(", ?", 299) + ")",
	refusal.TooManyItems:  "SELECT id" + strings.Repeat(", id", 99) + " FROM orders",
	refusal.PlanTooLarge:  "SELECT CONCAT(status, '" + strings.Repeat("x", 7000) + "') AS a FROM orders ORDER BY " + strings.Repeat("LENGTH(a) + ", 20) + "1",
	refusal.ParamSize:     "SELECT id FROM orders WHERE status = ? with params [\"" + strings.Repeat("x", 20<<10) + "\"]",
}

// TestTheCatalogueTeaches proves what docs/refusals.md says: each example is
// refused for its reason, and what it tells to send instead is accepted.
func TestTheCatalogueTeaches(t *testing.T) {
	p := newPipeline(t, shop)
	planner := authz.NewPlanner(p.validator, p.policy)
	for _, e := range refusal.Catalogue {
		example := unescape(e.Example)
		if long := oversized[e.Reason]; long != "" {
			example = long
		} else if strings.Contains(e.Example, "…") {
			t.Errorf("%s: the example is cut, and the test has no whole one", e.Reason)
		}
		var r *refusal.Refusal
		if err := try(planner, example); !errors.As(err, &r) {
			t.Errorf("%s: the example is not refused: %v", e.Reason, err)
		} else if r.Reason != e.Reason || r.Stage != e.Stage || r.Code != e.Code {
			t.Errorf("%s: the example is refused by %s with %s, %s", e.Reason, r.Stage, r.Reason, r.Code)
		}
		if tools[e.Instead] {
			continue
		}
		if err := try(planner, e.Instead); err != nil {
			t.Errorf("%s: what to send instead is refused: %q: %v", e.Reason, e.Instead, err)
		}
	}
}

// try plans a text, and binds what follows "with params".
func try(p *authz.Planner, text string) error {
	sql, params, bind := strings.Cut(text, " with params ")
	plan, err := p.Plan(sql)
	if err != nil || !bind {
		return err
	}
	var values []any
	d := json.NewDecoder(strings.NewReader(params))
	d.UseNumber()
	if err := d.Decode(&values); err != nil {
		return err
	}
	_, err = plan.Bind(values, rows)
	return err
}

var unshowable = regexp.MustCompile(`\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\n`)

// unescape puts in the characters that a document can't show.
func unescape(s string) string {
	return unshowable.ReplaceAllStringFunc(s, func(e string) string {
		c, err := strconv.Unquote(`"` + e + `"`)
		if err != nil {
			return e
		}
		return c
	})
}

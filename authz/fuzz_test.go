package authz_test

import (
	"encoding/hex"
	"errors"
	"regexp"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/refusal"
)

var hexLiteral = regexp.MustCompile(`(_utf8mb4 )?X'([0-9A-F]*)'`)

// readable writes hexadecimal strings in quotes, which is how an asker would
// have to write them.
func readable(canonical string) string {
	return hexLiteral.ReplaceAllStringFunc(canonical, func(s string) string {
		b, _ := hex.DecodeString(hexLiteral.FindStringSubmatch(s)[2])
		return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(string(b)) + "'"
	})
}

// onlyAsked says that the canonical form may not be asked for: with all its
// parentheses it goes over a cap that the asker's text was under, or an alias
// that is written out stands for a constant as a sort key.
func onlyAsked(err error) bool {
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		return false
	}
	switch r.Reason {
	case refusal.TooLong, refusal.TooManyTokens, refusal.TooNested, refusal.TooManyItems, refusal.PlanTooLarge, refusal.OrderByConstant:
		return true
	}
	return false
}

// checkFixedPoint plans a query, then plans its canonical text: both must be the
// same, or our reading and our writing disagree.
func checkFixedPoint(t *testing.T, p pipeline, sql string) {
	first, err := p.plan(sql)
	if err != nil {
		return
	}
	limits := authz.RowLimits{Default: 10, Max: 10}
	text := first.SQL(limits)
	second, err := p.plan(readable(text))
	if onlyAsked(err) {
		return
	}
	if err != nil {
		t.Fatalf("%q: canonical text is refused: %v\n%s", sql, err, text)
	}
	again := second.SQL(limits)
	if body(again) == body(text) {
		return
	}
	// An alias's expression is written out in parentheses, also as an argument,
	// where an expression has none.
	third, err := p.plan(readable(again))
	if err != nil || body(third.SQL(limits)) != body(again) || withoutParentheses(again) != withoutParentheses(text) {
		t.Fatalf("%q: canonical text isn't a fixed point\nfirst  %s\nsecond %s\nthird  %v", sql, text, again, err)
	}
}

func withoutParentheses(s string) string {
	return strings.NewReplacer("(", "", ")", "").Replace(body(s))
}

// body is the text without its LIMIT, which depends on the call.
func body(sql string) string { return sql[:strings.LastIndex(sql, " LIMIT ")] }

func FuzzCanonicalFixedPoint(f *testing.F) {
	for _, c := range readTraps(f) {
		f.Add(c.SQL)
	}
	f.Add("SELECT UPPER(status) AS u, COUNT(*) FROM orders GROUP BY u HAVING u = 'it''s' ORDER BY LENGTH(u)")
	g := newGenerator(3, "main", "second")
	for range 150 {
		text, _ := g.query().asked()
		f.Add(text)
	}
	traps, generated := newPipeline(f, trapsYAML(f)), newPipeline(f, genYAML("main", "second"))
	f.Fuzz(func(t *testing.T, sql string) {
		checkFixedPoint(t, traps, sql)
		checkFixedPoint(t, generated, sql)
	})
}

func TestCanonicalTextIsAFixedPoint(t *testing.T) {
	p := newPipeline(t, trapsYAML(t))
	for _, c := range readTraps(t) {
		checkFixedPoint(t, p, c.SQL)
	}
	p = newPipeline(t, genYAML("main", "second"))
	g := newGenerator(2, "main", "second")
	for range 3000 {
		text, _ := g.query().asked()
		checkFixedPoint(t, p, text)
	}
}

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

// tooBig says that the canonical form, with all its parentheses, went over a cap
// that the asker's text was under.
func tooBig(err error) bool {
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		return false
	}
	switch r.Reason {
	case refusal.TooLong, refusal.TooManyTokens, refusal.TooNested, refusal.TooManyItems, refusal.PlanTooLarge:
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
	if tooBig(err) {
		return
	}
	if err != nil {
		t.Fatalf("%q: canonical text is refused: %v\n%s", sql, err, text)
	}
	if again := second.SQL(limits); body(again) != body(text) {
		t.Fatalf("%q: canonical text isn't a fixed point\nfirst  %s\nsecond %s", sql, text, again)
	}
}

// body is the text without its LIMIT, which depends on the call.
func body(sql string) string { return sql[:strings.LastIndex(sql, " LIMIT ")] }

func FuzzCanonicalFixedPoint(f *testing.F) {
	for _, c := range readTraps(f) {
		f.Add(c.SQL)
	}
	f.Add("SELECT UPPER(status) AS u, COUNT(*) FROM orders GROUP BY u HAVING u = 'it''s' ORDER BY LENGTH(u)")
	p := newPipeline(f, trapsYAML(f))
	f.Fuzz(func(t *testing.T, sql string) { checkFixedPoint(t, p, sql) })
}

func TestCanonicalTextIsAFixedPoint(t *testing.T) {
	p := newPipeline(t, trapsYAML(t))
	for _, c := range readTraps(t) {
		checkFixedPoint(t, p, c.SQL)
	}
}

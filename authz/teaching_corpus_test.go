package authz_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mysqlevidence/internal/refusal"
)

// constructs are the words by which a refusal names what it refuses, one of which
// must be in its message or hint. A reason that is absent names it by the word at
// the refusal's place.
var constructs = map[refusal.Reason][]string{
	refusal.CTE:              {"WITH"},
	refusal.Subquery:         {"subquery"},
	refusal.DerivedTable:     {"subquery in FROM", "table made by"},
	refusal.SetOperation:     {"UNION"},
	refusal.WindowFunction:   {"OVER", "window functions"},
	refusal.RegexpOperator:   {"egular expressions"},
	refusal.CommaJoin:        {"comma"},
	refusal.UserVariable:     {"variables"},
	refusal.Wildcard:         {"*"},
	refusal.TooManyItems:     {"select list", "joins", "IN list", "GROUP BY", "ORDER BY", "CASE"},
	refusal.NoFrom:           {"FROM"},
	refusal.CastTypeRefused:  {"CAST"},
	refusal.UnknownAlias:     {"alias"},
	refusal.NamedPlaceholder: {"placeholder"},
}

// isGeneric reports whether a refusal says no more than that something is wrong:
// its reason stands for many constructs, and its text is the catalogue's.
func isGeneric(r *refusal.Refusal) bool {
	switch r.Reason {
	case refusal.Syntax, refusal.UnsupportedSyntax, refusal.UnsupportedOp, refusal.UnknownFunction, refusal.FunctionArguments,
		refusal.ForbiddenFunction, refusal.MetadataFunction, refusal.ReservedWord, refusal.CastTypeRefused, refusal.TooManyItems,
		refusal.JoinKind, refusal.TableModifier, refusal.WriteStatement, refusal.NotSelect:
		plain := refusal.New(r.Reason, r.Position)
		return r.Message == plain.Message && r.Hint == plain.Hint
	}
	return false
}

// TestRefusedQuestionsAreTaught: of the real questions whose answer is outside the
// language, none gets a generic refusal, and each refusal names the construct.
func TestRefusedQuestionsAreTaught(t *testing.T) {
	v, _ := defaultValidator(t)
	refused := 0
	for _, q := range readCorpus[realQuestion](t, "questions/questions.jsonl.gz", 590) {
		_, err := v.Validate(q.SQL)
		var r *refusal.Refusal
		if !errors.As(err, &r) {
			continue
		}
		refused++
		says := r.Message + " " + r.Hint
		switch words := constructs[r.Reason]; {
		case isGeneric(r):
			t.Errorf("%s: generic: %s %s", q, r, r.Hint)
		case r.Position.IsZero():
			t.Errorf("%s: no place: %s", q, r)
		case words != nil && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(says, w) }):
			t.Errorf("%s: %s isn't named: %s", q, r.Reason, says)
		case words == nil && !strings.Contains(strings.ToUpper(says), strings.ToUpper(wordAt(q.SQL, r.Position))):
			t.Errorf("%s: %q isn't named: %s", q, wordAt(q.SQL, r.Position), says)
		}
	}
	if refused < 150 {
		t.Errorf("only %d questions are refused: the corpus isn't what it was", refused)
	}
}

// wordAt is the word or sign at a place.
func wordAt(sql string, at refusal.Position) string {
	line := []rune(strings.Split(sql, "\n")[at.Line-1])[at.Column-1:]
	n := 0
	for n < len(line) && (line[n] == '_' || line[n] >= '0' && line[n] <= '9' || line[n]|0x20 >= 'a' && line[n]|0x20 <= 'z') {
		n++
	}
	return string(line[:max(1, n)])
}

// untaught is how many statements of each reason keep a generic refusal. Calls of
// functions that are in none of our catalogues are the asker's own names, which
// no text may repeat; the rest are broken in ways of their own, or in grammars of
// which we know no word.
var untaught = map[refusal.Reason]int{refusal.UnknownFunction: 128, refusal.Syntax: 19, refusal.CastTypeRefused: 5}

// TestForeignStatementsAreTaught: others' test suites hold every dialect there is,
// and few of their statements get a generic refusal.
func TestForeignStatementsAreTaught(t *testing.T) {
	v, _ := defaultValidator(t)
	got := map[refusal.Reason]int{}
	for _, s := range readStatements(t) {
		_, err := v.Validate(s.SQL)
		var r *refusal.Refusal
		if errors.As(err, &r) && isGeneric(r) {
			got[r.Reason]++
		}
	}
	for reason, n := range got {
		if n > untaught[reason] {
			t.Errorf("%d generic refusals with %s, want at most %d", n, reason, untaught[reason])
		}
	}
}

package authz_test

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mysqlevidence/internal/function"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/validator"
)

// foreignStatement is one line of testdata/robustness/robustness.jsonl.gz: a SELECT
// from the test suite of a parser or a framework, written for a database that
// doesn't exist.
type foreignStatement struct{ SQL string }

func readStatements(t testing.TB) []foreignStatement {
	return readCorpus[foreignStatement](t, "robustness/robustness.jsonl.gz", 12255)
}

// defaultValidator is the validator of a data source that configures nothing.
func defaultValidator(t testing.TB) (*validator.Validator, function.Set) {
	t.Helper()
	functions, errs := function.NewSet("", nil, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return validator.New(validator.Options{Functions: functions}), functions
}

// TestEveryStatementIsAcceptedOrRefusedWithAReason: whatever others test their
// parsers with, ours says yes, or no with a reason of the catalogue, its place and
// a next step. A syntax error without a place would be a panic that Validate
// contained.
func TestEveryStatementIsAcceptedOrRefusedWithAReason(t *testing.T) {
	v, _ := defaultValidator(t)
	accepted := 0
	for _, s := range readStatements(t) {
		_, err := v.Validate(s.SQL)
		if err == nil {
			accepted++
			continue
		}
		var r *refusal.Refusal
		if !errors.As(err, &r) {
			t.Errorf("%q: %v is no refusal", s.SQL, err)
			continue
		}
		known := slices.ContainsFunc(refusal.Catalogue, func(e refusal.Entry) bool { return e.Reason == r.Reason })
		if !known || r.Stage != refusal.Validate || r.Position.Line < 1 || r.Message == "" || r.Hint == "" {
			t.Errorf("%q: refused by %+v", s.SQL, r)
		}
	}
	if accepted < 1700 {
		t.Errorf("only %d statements are accepted", accepted)
	}
}

// authorizeStatements authorizes what passes the validator against the policy
// that each statement implies. Tables of a system schema get one too, which no
// config can have: here they are tables like others.
func authorizeStatements(t testing.TB) (authorized, refused []question) {
	t.Helper()
	v, functions := defaultValidator(t)
	for _, s := range readStatements(t) {
		q, err := ask(v, functions, s.SQL, laneSchema)
		var r *refusal.Refusal
		switch {
		case errors.As(err, &r):
		case err != nil:
			t.Errorf("%q: %v", s.SQL, err)
		case q.error != nil:
			refused = append(refused, q)
		default:
			authorized = append(authorized, q)
		}
	}
	return authorized, refused
}

// TestAcceptedStatementsKeepTheirMeaning authorizes every statement once, and
// looks at what becomes of it in four ways.
func TestAcceptedStatementsKeepTheirMeaning(t *testing.T) {
	authorized, refused := authorizeStatements(t)
	if len(authorized) < 1600 {
		t.Errorf("only %d statements are authorized", len(authorized))
	}
	t.Run("those not authorized are listed with a reason", func(t *testing.T) { compareRefused(t, refused) })
	t.Run("the canonical text means what was asked", func(t *testing.T) { compareTrees(t, authorized) })
	for _, server := range mysqltest.Both(t) {
		t.Run("what is refused the server refuses too/"+server.Flavour, func(t *testing.T) {
			t.Parallel()
			runRefused(t, server, refused)
		})
		t.Run("the canonical text gives the same rows/"+server.Flavour, func(t *testing.T) {
			t.Parallel()
			some := share(authorized)
			compareRows(t, server, some, len(some)*8/10)
		})
	}
}

// compareRefused: a policy that allows all that a statement names lets it pass,
// except for the reasons of the list.
func compareRefused(t *testing.T, refused []question) {
	got := map[string]string{}
	for _, q := range refused {
		got[strconv.Quote(q.text)] = verdictOf(t, q.error)
	}
	compareExceptions(t, "../testdata/robustness/refused.txt", got)
}

// compareTrees parses the canonical text of each question back and finds the tree
// that was asked.
func compareTrees(t *testing.T, authorized []question) {
	v, _ := defaultValidator(t)
	for _, q := range authorized {
		if err := sameQuery(v, q); err != nil {
			t.Errorf("%v\nraw       %s\ncanonical %s", err, q.text, q.plan.SQL(rows))
		}
	}
}

// share is every third, and all where DIFFERENTIAL is set.
func share(all []question) []question {
	if os.Getenv("DIFFERENTIAL") != "" {
		return all
	}
	var some []question
	for i := 0; i < len(all); i += 3 {
		some = append(some, all[i])
	}
	return some
}

// runRefused: of the statements that a policy with all their names doesn't let
// pass, the servers run only those whose select aliases could mean two things.
func runRefused(t *testing.T, server *mysqltest.Server, refused []question) {
	l := newLane(t, server)
	for _, q := range refused {
		why := verdictOf(t, q.error)
		if why == "authorize ambiguous_alias" || why == "authorize alias_shadows_column" {
			continue
		}
		raw, ok := q.data.inOneSchema(q.text)
		if !ok {
			continue
		}
		if err := l.make(q.data); err != nil {
			t.Fatal(err)
		}
		if _, err := query(l.db, raw, q.data.params); number(err) == 0 {
			t.Errorf("%s, but the server runs it (%v): %s", why, err, q.text)
		}
	}
}

// verdictOf is a refusal as the lists of exceptions have it.
func verdictOf(t testing.TB, err error) string {
	t.Helper()
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%v is no refusal", err)
	}
	return string(r.Stage) + " " + string(r.Reason)
}

// compareExceptions compares exceptions, each with its verdict, with a file of
// them. The file has for each reason a line "class VERDICT: why" followed by its
// exceptions.
func compareExceptions(t *testing.T, path string, got map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	class := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		rest, isClass := strings.CutPrefix(line, "class ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case isClass:
			name, why, _ := strings.Cut(rest, ": ")
			if class = name; len(why) < 20 {
				t.Fatalf("a class without a reason: %q", line)
			}
		case class == "" || listed[line] != "":
			t.Fatalf("not under a reason, or twice: %q", line)
		default:
			listed[line] = class
		}
	}
	for name, verdict := range got {
		if listed[name] != verdict {
			t.Errorf("%s has the verdict %q, but in the list %q", name, verdict, listed[name])
		}
	}
	for name, verdict := range listed {
		if got[name] == "" {
			t.Errorf("%s is in the list under %q, but is no exception", name, verdict)
		}
	}
}

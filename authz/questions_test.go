package authz_test

import (
	"fmt"
	"slices"
	"testing"

	"mysqlevidence/internal/mysqltest"
)

// realQuestion is one line of testdata/questions/questions.jsonl.gz: a question that
// people asked of a database, with the SQL that answers it.
type realQuestion struct {
	Source   string   `json:"src"`
	Database string   `json:"db"`
	ID       any      `json:"id"`
	SQL      string   `json:"sql"`
	Needs    []string `json:"needs"` // what of SQL the answer takes
}

func (q realQuestion) String() string { return fmt.Sprintf("%s/%s/%v", q.Source, q.Database, q.ID) }

// acceptedNeeds are the needs that lie within the accepted language.
var acceptedNeeds = []string{
	"literals", "aggregates(SUM/AVG/MIN/MAX/COUNT x)", "scalar-fn(basic)", "CASE", "unqualified-cols", "COUNT(DISTINCT)",
	"DISTINCT", "arithmetic", "CAST", "INTERVAL", "db-qualified", "ordinal",
}

func (q realQuestion) isWithin() bool {
	return !slices.ContainsFunc(q.Needs, func(need string) bool { return !slices.Contains(acceptedNeeds, need) })
}

// askQuestions puts every question through the validator, and what passes through
// the authorizer. It returns each that is authorized, and the verdict on each
// that isn't what its needs say.
func askQuestions(t testing.TB) (authorized []question, exceptions map[string]string) {
	t.Helper()
	v, functions := defaultValidator(t)
	exceptions = map[string]string{}
	for _, line := range readCorpus[realQuestion](t, "questions/questions.jsonl.gz", 590) {
		q, err := ask(v, functions, line.SQL, laneSchema)
		if err == nil {
			err = q.error
		}
		switch {
		case err == nil && !line.isWithin():
			exceptions[line.String()] = "accepted"
		case err != nil && line.isWithin():
			exceptions[line.String()] = verdictOf(t, err)
		}
		if err == nil {
			authorized = append(authorized, q)
		}
	}
	return authorized, exceptions
}

// TestQuestionsWithinTheLanguageAreAnswered: a question whose answer takes only
// what the accepted language has passes validator and authorizer, and every other
// one is refused; testdata/questions/exceptions.txt has each exception and why.
// What passes keeps its meaning.
//
// The policy of a question comes from its names. Where it doesn't say to which of
// several tables a column belongs, the first has it.
func TestQuestionsWithinTheLanguageAreAnswered(t *testing.T) {
	authorized, exceptions := askQuestions(t)
	if len(authorized) < 416 {
		t.Errorf("only %d questions are authorized", len(authorized))
	}
	t.Run("exceptions are listed with a reason", func(t *testing.T) {
		compareExceptions(t, "../testdata/questions/exceptions.txt", exceptions)
	})
	t.Run("the canonical text means what was asked", func(t *testing.T) { compareTrees(t, authorized) })
	for _, server := range mysqltest.Both(t) {
		t.Run("the canonical text gives the same rows/"+server.Flavour, func(t *testing.T) {
			t.Parallel()
			compareRows(t, server, authorized, len(authorized)*7/10)
		})
	}
}

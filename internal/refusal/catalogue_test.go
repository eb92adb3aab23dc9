package refusal_test

import (
	"flag"
	"os"
	"testing"

	"mysqlevidence/internal/refusal"
)

var update = flag.Bool("update", false, "write docs/refusals.md")

func TestTheDocumentListsTheCatalogue(t *testing.T) {
	const path = "../../docs/refusals.md"
	if *update {
		if err := os.WriteFile(path, []byte(refusal.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != refusal.Markdown() {
		t.Error("docs/refusals.md is out of date: go test ./internal/refusal -update")
	}
}

func TestEveryReasonIsCompleteAndListedOnce(t *testing.T) {
	seen := map[refusal.Reason]bool{}
	for _, e := range refusal.Catalogue {
		if seen[e.Reason] {
			t.Errorf("%s is listed twice", e.Reason)
		}
		seen[e.Reason] = true
		if e.Stage == "" || e.Code == "" || e.Message == "" || e.Hint == "" || e.Example == "" || e.Instead == "" {
			t.Errorf("%s is incomplete: %+v", e.Reason, e)
		}
	}
}

func TestAnUnknownReasonStillRefuses(t *testing.T) {
	r := refusal.New("no such reason", refusal.Position{})
	if r.Code != refusal.ForbiddenSQL || r.Message == "" {
		t.Errorf("%+v", r)
	}
}

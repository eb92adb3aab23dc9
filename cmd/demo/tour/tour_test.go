package tour_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"mysqlevidence/boundary/ledger"
	"mysqlevidence/cmd/demo/engine"
	"mysqlevidence/cmd/demo/tour"
	"mysqlevidence/internal/mysqltest"
)

// onEmbedded is the embedded engine, started for the test.
func onEmbedded(t *testing.T) tour.Server {
	t.Helper()
	e, err := engine.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return tour.Server{Addr: e.Addr(), User: e.User(), Password: e.Password(), Title: "a test", Shortcoming: "It is not MySQL."}
}

func open(t *testing.T, server tour.Server) *tour.Service {
	t.Helper()
	service, err := tour.Open(server, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	return service
}

func recent(t *testing.T, service *tour.Service) []ledger.Record {
	t.Helper()
	records, err := service.Ledger.Recent(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestTheEmbeddedEngineAnswersTheTourAsMySQLDoes compares the evidence of each
// call, byte for byte, by its digest.
func TestTheEmbeddedEngineAnswersTheTourAsMySQLDoes(t *testing.T) {
	real := mysqltest.MySQL(t)
	digests := func(server tour.Server) map[string]string {
		service := open(t, server)
		if err := tour.Run(t.Context(), &bytes.Buffer{}, server, service); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, r := range recent(t, service) {
			if r.Tool == "run_query" {
				out[r.CallID] = r.Status + " " + r.EvidenceSHA256
			}
		}
		return out
	}
	got := digests(onEmbedded(t))
	want := digests(tour.Server{Addr: real.Addr(), User: mysqltest.Sakila.User, Password: mysqltest.Sakila.Password})
	if len(want) < 9 || !maps.Equal(got, want) {
		t.Errorf("embedded %v\nMySQL    %v", got, want)
	}
}

// TestTheTourLeavesOneRecordPerCallUnderTheHarnesssID plays the whole tour on the
// embedded engine.
func TestTheTourLeavesOneRecordPerCallUnderTheHarnesssID(t *testing.T) {
	ctx, server := t.Context(), onEmbedded(t)
	service := open(t, server)
	var out bytes.Buffer
	if err := tour.Run(ctx, &out, server, service); err != nil {
		t.Fatal(err)
	}
	records := recent(t, service)
	statuses := map[string]int{}
	for i, r := range records {
		if want := fmt.Sprintf("toolu_demo_%02d", len(records)-i); r.CallID != want || r.RunID != "demo-tour" {
			t.Errorf("record %d is %s of %s, want %s", i, r.CallID, r.RunID, want)
		}
		if r.Open() {
			t.Errorf("%s is open", r.CallID)
		}
		statuses[r.Status]++
	}
	if len(records) != 10 || statuses["OK"] != 4 || statuses["REFUSED"] != 5 || statuses["NO_EVIDENCE"] != 1 {
		t.Errorf("%d records: %v", len(records), statuses)
	}
	text := out.String()
	for _, want := range []string{"[REDACTED]", "NO_EVIDENCE", "truncated by rows", "REFUSED subquery", "REFUSED write_statement",
		"REFUSED forbidden_function", "REFUSED unknown_column", "hint: ", "It is not MySQL.", "toolu_demo_10"} {
		if !strings.Contains(text, want) {
			t.Errorf("the narration lacks %q", want)
		}
	}
	if strings.Contains(strings.ToLower(text), "@sakilacustomer.org") {
		t.Error("an e-mail address was shown")
	}
}

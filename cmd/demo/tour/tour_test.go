package tour_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mysqlevidence/cmd/demo/engine"
	"mysqlevidence/cmd/demo/tour"
)

// TestTheTourLeavesOneRecordPerCallUnderTheHarnesssID plays the whole tour on the
// embedded engine.
func TestTheTourLeavesOneRecordPerCallUnderTheHarnesssID(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	e, err := engine.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	server := tour.Server{Addr: e.Addr(), User: e.User(), Password: e.Password(), Title: "a test", Shortcoming: "It is not MySQL."}
	service, err := tour.Open(server, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	var out bytes.Buffer
	if err := tour.Run(ctx, &out, server, service); err != nil {
		t.Fatal(err)
	}
	records, err := service.Ledger.Recent(ctx, 100)
	if err != nil {
		t.Fatal(err)
	}
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

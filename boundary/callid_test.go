package boundary

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

func TestIDsAreTheFrameworksByteForByte(t *testing.T) {
	b := newBench(t)
	for _, id := range []string{"7", "007", "1e3", "null", "é", "e\u0301", "a\x00b", "a\nb", "<&>\"\\", "\u2028", strings.Repeat("x", 10_000), "\U0001F600"} {
		b.log.Reset()
		call := callOf("run_query", `{"data_source":"shop","sql":"SELECT * FROM orders"}`)
		call.ID, call.Run.RunID = id, "run "+id
		res := b.Invoke(context.Background(), call)
		b.want(t, res, call, CodeForbiddenSQL, "wildcard")
		var shown struct {
			Error struct {
				RequestID string `json:"request_id"`
			} `json:"error"`
		}
		if err := json.Unmarshal(res.JSON, &shown); err != nil || shown.Error.RequestID != id {
			t.Errorf("the fault has %q, %v; want %q", shown.Error.RequestID, err, id)
		}
		var line struct {
			RequestID string `json:"request_id"`
			RunID     string `json:"run_id"`
		}
		if err := json.Unmarshal(b.log.Bytes(), &line); err != nil || line.RequestID != id || line.RunID != "run "+id {
			t.Errorf("the log has %q, %v; want %q", line.RequestID, err, id)
		}
	}
}

func TestAnUnusableIDIsRefused(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ call, run, reason string }{
		{"", "r", "empty_call_id"}, {"c", "", "empty_run_id"}, {"\xff", "r", "invalid_call_id"},
		{"c", "\xff", "invalid_run_id"}, {strings.Repeat("x", maxID+1), "r", "long_call_id"},
	} {
		call := callOf("run_query", goodQuery)
		call.ID, call.Run.RunID = c.call, c.run
		res := b.Invoke(context.Background(), call)
		if res.Fault == nil || res.Fault.Code != CodeInvalidArguments || res.Fault.Reason != c.reason {
			t.Errorf("got %.200s, want %s", res.JSON, c.reason)
		}
	}
	if len(b.store.begun) != 0 || b.dials.Load() != 0 {
		t.Error("a call without a usable ID was recorded or ran")
	}
}

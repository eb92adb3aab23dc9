package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mysqlevidence/boundary"
)

// openTemp opens a ledger in a directory whose name would mislead a careless
// data source name.
func openTemp(t *testing.T) (*SQLite, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a ?b%20#c", "ledger.db")
	s, err := OpenSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, path
}

func invocation(run, call string) boundary.Invocation {
	return boundary.Invocation{
		Key:      boundary.Key{RunID: run, CallID: call},
		IDSource: "harness", Caller: "ann", Tool: "run_query", DataSource: "shop",
		AskedReason: "why?", SQL: "SELECT 1", PolicyHash: "p1",
		Started: time.Date(2026, 5, 1, 8, 0, 0, 123456789, time.FixedZone("", 3600)),
	}
}

func outcome() boundary.Outcome {
	return boundary.Outcome{
		Status: "FAILED", Code: "timeout", Stage: "execute", Reason: "deadline",
		Finished: time.Date(2026, 5, 1, 8, 0, 1, 5, time.UTC),
		Rows:     3, Bytes: 400, Truncated: true, CostGate: "skipped", EvidenceSHA256: "ab",
	}
}

func recent(t *testing.T, s *SQLite) []Record {
	t.Helper()
	out, err := s.Recent(context.Background(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestARecordComesBackAsItWasGiven(t *testing.T) {
	s, _ := openTemp(t)
	ctx := context.Background()
	inv, out := invocation("r", "c"), outcome()
	if err := s.Begin(ctx, inv); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(ctx, inv.Key, out); err != nil {
		t.Fatal(err)
	}
	got := recent(t, s)
	if len(got) != 1 {
		t.Fatalf("%d records, want 1", len(got))
	}
	inv.Started = inv.Started.UTC()
	want := Record{Invocation: inv, Outcome: out}
	if got[0] != want {
		t.Errorf("got  %+v\nwant %+v", got[0], want)
	}
}

var oddIDs = []string{
	"007", "7", "7.0", "1e3", "0x10", "-0", "9223372036854775808", " 7", "7 ", "NULL", "null", "''", "Toolu", "toolu",
	"é", "e\u0301", "日本\u2028語", "a\x00b", "a\x00c", "a\x00", "\x00", "<&>\"'", "%s", strings.Repeat("x", 10_000),
	strings.Repeat("x", 10_001), "\U0001F600",
}

func TestIDsAreKeptByteForByteAndStayDistinct(t *testing.T) {
	s, path := openTemp(t)
	ctx := context.Background()
	for _, id := range oddIDs {
		if err := s.Begin(ctx, invocation("run "+id, id)); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		if err := s.Begin(ctx, invocation("same run", id)); err != nil {
			t.Fatalf("%q in one run: %v", id, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := OpenSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	got := recent(t, again)
	for i, id := range oddIDs {
		r := got[len(got)-1-2*i]
		if r.CallID != id || r.RunID != "run "+id {
			t.Errorf("got %q in %q, want %q", r.CallID, r.RunID, id)
		}
		if err := again.Finish(ctx, r.Key, outcome()); err != nil {
			t.Errorf("%q isn't found again: %v", id, err)
		}
	}
}

func TestARepeatedCallIsRefusedAndCountedOnTheFirstRecord(t *testing.T) {
	s, _ := openTemp(t)
	ctx := context.Background()
	first := invocation("r", "c")
	if err := s.Begin(ctx, first); err != nil {
		t.Fatal(err)
	}
	again := first
	again.SQL, again.Caller = "SELECT 2", "eve"
	for range 2 {
		if err := s.Begin(ctx, again); !errors.Is(err, boundary.ErrDuplicate) {
			t.Fatalf("got %v, want ErrDuplicate", err)
		}
	}
	if err := s.Begin(ctx, invocation("r2", "c")); err != nil {
		t.Errorf("the same call ID in another run: %v", err)
	}
	got := recent(t, s)
	if len(got) != 2 {
		t.Fatalf("%d records, want 2", len(got))
	}
	if r := got[1]; r.Duplicates != 2 || r.SQL != first.SQL || r.Caller != first.Caller {
		t.Errorf("first record is %+v", r)
	}
}

func TestRecentIsNewestFirstAndBounded(t *testing.T) {
	s, _ := openTemp(t)
	for i := range 5 {
		if err := s.Begin(context.Background(), invocation("r", fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Recent(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].CallID != "4" || got[1].CallID != "3" {
		t.Errorf("got %+v", got)
	}
	if _, err := s.Recent(context.Background(), 0); err == nil {
		t.Error("a limit of 0 must be an error, not everything")
	}
}

func TestOnlyAnOpenCallCanBeFinished(t *testing.T) {
	s, _ := openTemp(t)
	ctx := context.Background()
	inv := invocation("r", "c")
	if err := s.Finish(ctx, inv.Key, outcome()); err == nil {
		t.Error("an unknown call was finished")
	}
	if err := s.Begin(ctx, inv); err != nil {
		t.Fatal(err)
	}
	if got := recent(t, s); !got[0].Open() {
		t.Error("a call without outcome must be open")
	}
	if err := s.Finish(ctx, inv.Key, outcome()); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(ctx, inv.Key, outcome()); err == nil {
		t.Error("a call was finished twice")
	}
	if got := recent(t, s); got[0].Open() {
		t.Error("a finished call must not be open")
	}
}

func TestTheFileIsReadableByItsOwnerOnly(t *testing.T) {
	s, path := openTemp(t)
	if err := s.Begin(context.Background(), invocation("r", "c")); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(names) < 2 {
		t.Fatalf("files %v, %v: want the database and its log", names, err)
	}
	for _, n := range append(names, filepath.Dir(path)) {
		info, err := os.Stat(n)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", n, info.Mode())
		}
	}
}

func TestAnUnknownLayoutIsRefused(t *testing.T) {
	s, path := openTemp(t)
	if _, err := s.write.Exec(`UPDATE ledger_version SET version = 99`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSQLite(path); err == nil || !strings.Contains(err.Error(), "99") {
		t.Errorf("got %v, want the layout named", err)
	}
	other := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(other, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSQLite(other); err == nil {
		t.Error("a file of text was taken for a ledger")
	}
}

// layout1 is a file as the first layout's program left it.
const layout1 = `
CREATE TABLE ledger_version (version INTEGER NOT NULL) STRICT;
CREATE TABLE calls (
	seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL, call_id TEXT NOT NULL, id_source TEXT NOT NULL, caller TEXT NOT NULL,
	tool TEXT NOT NULL, data_source TEXT NOT NULL, asked_reason TEXT NOT NULL, sql TEXT NOT NULL, policy_hash TEXT NOT NULL,
	started TEXT NOT NULL, duplicates INTEGER NOT NULL DEFAULT 0, finished TEXT, status TEXT NOT NULL DEFAULT '',
	code TEXT NOT NULL DEFAULT '', stage TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '',
	row_count INTEGER NOT NULL DEFAULT 0, byte_count INTEGER NOT NULL DEFAULT 0, truncated INTEGER NOT NULL DEFAULT 0,
	evidence_sha256 TEXT NOT NULL DEFAULT '', UNIQUE (run_id, call_id)) STRICT;
INSERT INTO ledger_version (version) VALUES (1);
INSERT INTO calls (run_id, call_id, id_source, caller, tool, data_source, asked_reason, sql, policy_hash, started)
	VALUES ('r', 'old', 'harness', 'ann', 'run_query', 'shop', '', 'SELECT 1', 'p1', '2026-05-01T07:00:00.000000000Z');`

func TestAFileOfTheFirstLayoutIsBroughtUpToDateWithItsRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(layout1); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is up to date already
		s, err := OpenSQLite(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := recent(t, s); len(got) == 0 || got[len(got)-1].CallID != "old" || got[len(got)-1].CostGate != "" {
			t.Errorf("got %+v", got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s, err := OpenSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Finish(context.Background(), boundary.Key{RunID: "r", CallID: "old"}, outcome()); err != nil {
		t.Error(err)
	}
	if got := recent(t, s); got[0].Outcome != outcome() {
		t.Errorf("got %+v", got[0].Outcome)
	}
}

func TestProcessesShareOneFile(t *testing.T) {
	const writers, each = 4, 25
	path := filepath.Join(t.TempDir(), "ledger.db")
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { // each with connections of its own, as another process has
			s, err := OpenSQLite(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for i := range each {
				inv := invocation(fmt.Sprint(w), fmt.Sprint(i))
				if err := s.Begin(context.Background(), inv); err != nil {
					t.Error(err)
				}
				if err := s.Finish(context.Background(), inv.Key, outcome()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s, err := OpenSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := recent(t, s); len(got) != writers*each {
		t.Errorf("%d records, want %d", len(got), writers*each)
	}
}

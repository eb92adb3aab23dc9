package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mysqlevidence/boundary/ledger"
	"mysqlevidence/internal/mysqltest"
)

const liveConfig = `
ledger: {sqlite: {path: calls.db}}
data_sources:
  shop:
    connection: {host: %q, port: %d, username: {env: QUERY_TEST_USER}, password: {env: QUERY_TEST_PASSWORD}, tls: {mode: plaintext}}
    default_schema: sakila
    allow:
      sakila:
        customer: {columns: [customer_id, first_name, active], sensitive: {email: redact}}
        rental: {columns: [rental_id, return_date]}
`

// live writes a config for a server at an address, and returns its path and the
// ledger's.
func live(t *testing.T, host string, port int) (cfg, records string) {
	t.Helper()
	t.Setenv("QUERY_TEST_USER", mysqltest.Sakila.User)
	t.Setenv("QUERY_TEST_PASSWORD", mysqltest.Sakila.Password)
	dir := t.TempDir()
	cfg = filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(cfg, fmt.Appendf(nil, liveConfig, host, port), 0o600); err != nil {
		t.Fatal(err)
	}
	return cfg, filepath.Join(dir, "calls.db")
}

func recorded(t *testing.T, path string) []ledger.Record {
	t.Helper()
	l, err := ledger.OpenSQLite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got, err := l.Recent(context.Background(), 100)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAQueryIsAnsweredAndRecordedAsItsOwnRun(t *testing.T) {
	server := mysqltest.MySQL(t)
	cfg, records := live(t, server.Host, server.Port)
	const sql = "SELECT customer_id, first_name, email FROM customer WHERE customer_id = ? OR first_name = ? ORDER BY 1"
	status, out, diagnostics := command(t, "", "query", "--config", cfg, "--format", "json", "--limit", "1", "--param", "148", "--param", "MARY", sql)
	want := `"rows":[[1,"MARY","[REDACTED]"]],"row_count":1,"truncated":false}` + "\n"
	if status != 0 || !strings.HasSuffix(out, want) || diagnostics != "" {
		t.Errorf("status %d, out %s, diagnostics %s", status, out, diagnostics)
	}
	if status, out, _ := command(t, sql, "query", "--config", cfg, "--param", "148", "--param", `"x"`, "-"); status != 0 || !strings.Contains(out, "148") || !strings.Contains(out, "(1 row)") {
		t.Errorf("status %d, out %s", status, out)
	}
	got := recorded(t, records)
	if len(got) != 2 || got[0].RunID == got[1].RunID {
		t.Fatalf("records %+v", got)
	}
	for _, r := range got {
		if !strings.HasPrefix(r.RunID, "cli-") || r.CallID != "1" || r.IDSource != "cli" || r.Caller != "local" || r.Status != "OK" {
			t.Errorf("record %+v", r)
		}
	}
}

func TestQuerysExitCodeAndDiagnosticsSayWhatHappened(t *testing.T) {
	server := mysqltest.MySQL(t)
	cfg, records := live(t, server.Host, server.Port)
	closed, _ := live(t, "127.0.0.1", 1)
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   []string
	}{
		{"refused", []string{"--config", cfg, "SELECT * FROM customer"}, 1, []string{"refused: forbidden_sql (wildcard) at line 1, column 8", "hint: ", "call 1 of run cli-"}},
		{"wrong parameter", []string{"--config", cfg, "--param", "[1]", "SELECT customer_id FROM customer WHERE customer_id = ?"}, 1, []string{"parameter_type"}},
		{"limit", []string{"--config", cfg, "--limit", "0", "SELECT customer_id FROM customer"}, 1, []string{"invalid_arguments"}},
		{"failed", []string{"--config", closed, "SELECT customer_id FROM customer"}, 3, []string{"failed: unavailable (server_unreachable)", "hint: "}},
		{"no config", []string{"SELECT 1"}, 2, []string{"--config"}},
		{"missing config", []string{"--config", "/nonexistent.yaml", "SELECT 1"}, 2, []string{"/nonexistent.yaml"}},
		{"format", []string{"--config", cfg, "--format", "xml", "SELECT 1"}, 2, []string{"xml"}},
		{"no SQL", []string{"--config", cfg}, 2, []string{"arg"}},
		{"flag", []string{"--config", cfg, "--nothing", "SELECT 1"}, 2, []string{"--nothing"}},
		{"data source", []string{"--config", cfg, "--data-source", "x", "SELECT 1"}, 2, []string{"shop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, diagnostics := command(t, "", append([]string{"query"}, c.args...)...)
			if status != c.status || out != "" {
				t.Errorf("status %d, want %d; out %q; diagnostics %s", status, c.status, out, diagnostics)
			}
			for _, s := range c.says {
				if !strings.Contains(diagnostics, s) {
					t.Errorf("%q is missing in %s", s, diagnostics)
				}
			}
		})
	}
	if got := recorded(t, records); len(got) != 3 {
		t.Errorf("%d records, want the three refusals", len(got))
	}
}

func TestAParameterIsTypedByJSONsSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"5": "5", "9007199254740993": "9007199254740993", "1.50": "1.50", `"5"`: `"5"`, "true": "true", "null": "null",
		"bare word": `"bare word"`, "": `""`, "05": `"05"`, "5;": `"5;"`, `a"b`: `"a\"b"`,
	} {
		args, err := queryArguments(queryFlags{params: []string{text}}, "shop", "SELECT 1")
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Params []json.RawMessage }
		if err := json.Unmarshal(args, &got); err != nil || string(got.Params[0]) != want {
			t.Errorf("%q: got %s, want %s", text, got.Params, want)
		}
	}
}

func TestATableShowsCellsThatCannotTouchTheTerminal(t *testing.T) {
	var out bytes.Buffer
	err := printTable(&out, []byte(`{"status":"OK","columns":[{"name":"a","type":"text"},{"name":"b\u001b","type":"json"}],
		"rows":[["x\u001b[31m\ty\n",{"k":[1,"\u001b"]}],[null,"NULL"],[9007199254740993,true]],"row_count":3,"truncated":true,"truncated_by":["rows"],"notice":"There is more."}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "a              b\\x1b\n" +
		"-              -----\n" +
		"x\\x1b[31m\\ty\\n  {\"k\":[1,\"\\u001b\"]}\n" +
		"NULL           NULL\n" +
		"9007199254740993  true\n(3 rows) truncated by rows\nThere is more.\n"
	got := out.String()
	if squeeze(got) != squeeze(want) || strings.ContainsAny(got, "\x1b\t") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func squeeze(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func TestServeAnswersOnStdoutAndLogsOnStderr(t *testing.T) {
	server := mysqltest.MySQL(t)
	cfg, records := live(t, server.Host, server.Port)
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
not json
{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"name":"run_query","arguments":{"data_source":"shop","sql":"SELECT first_name FROM customer WHERE customer_id = 148"}}}
`
	status, out, diagnostics := command(t, in, "serve", "--config", cfg)
	if status != 0 || !strings.Contains(out, `"ELEANOR"`) || !strings.Contains(out, `"code":-32700`) {
		t.Errorf("status %d, out %s", status, out)
	}
	for line := range strings.Lines(out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line on stdout that is no message: %s", line)
		}
	}
	if !strings.Contains(diagnostics, "request_id=q") || strings.Contains(diagnostics, "ELEANOR") {
		t.Errorf("the log is %s", diagnostics)
	}
	if got := recorded(t, records); len(got) != 1 || got[0].CallID != "q" || got[0].Open() {
		t.Errorf("records %+v", got)
	}
}

func TestWithoutALedgerInTheConfigItIsBesideTheConfig(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shop.yaml")
	if err := os.WriteFile(path, []byte("data_sources: {shop: {connection: {host: 127.0.0.1, username: {env: NOBODY}, tls: {mode: plaintext}}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := openService(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ledger.db")); err != nil {
		t.Error(err)
	}
}

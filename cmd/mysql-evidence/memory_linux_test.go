package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mysqlevidence/internal/mysqltest"
)

const memoryConfig = `
ledger: {sqlite: {path: calls.db}}
limits: {max_rows: 100000}
data_sources:
  big:
    connection: {host: %q, port: %d, username: {env: MEMORY_USER}, password: {env: MEMORY_PASSWORD}, tls: {mode: plaintext}}
    default_schema: %s
    allow:
      %s:
        digits: {columns: [d]}
        many: {columns: [a, b]}
        huge: {columns: [d, cell]}
`

// mostOverIdle is how much more memory a call on large data may take than one
// that reads a single row, in kilobytes.
const mostOverIdle = 16 << 10

// served is the program as a process of its own: in a test, the memory of other
// tests and of the race detector would be measured with it.
type served struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.Writer
	lines *bufio.Scanner
	id    int
}

func startServing(t *testing.T, program, cfg string) *served {
	t.Helper()
	cmd := exec.Command(program, "serve", "--config", cfg)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	s := &served{t: t, cmd: cmd, in: in, lines: bufio.NewScanner(out)}
	s.lines.Buffer(nil, 1<<20)
	s.call("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	return s
}

// call makes a request and returns the line of its answer.
func (s *served) call(method, params string) string {
	s.t.Helper()
	s.id++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.id, method, params); err != nil {
		s.t.Fatal(err)
	}
	if !s.lines.Scan() {
		s.t.Fatalf("no answer to %s: %v", params, s.lines.Err())
	}
	return s.lines.Text()
}

func (s *served) query(sql string, limit int) string {
	s.t.Helper()
	return s.call("tools/call", fmt.Sprintf(`{"name":"run_query","arguments":{"data_source":"big","sql":%q,"limit":%d}}`, sql, limit))
}

// resident is the process's memory now or, of the field VmHWM, at its highest, in
// kilobytes.
func (s *served) resident(field string) int {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), field+":")
	var kilobytes int
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		s.t.Fatal(err)
	}
	return kilobytes
}

func TestMemoryDoesNotGrowWithTableOrCell(t *testing.T) {
	program := filepath.Join(t.TempDir(), "mysql-evidence")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			s := startServing(t, program, bigData(t, server))
			if got := s.query("SELECT d FROM digits", 1); !strings.Contains(got, `"row_count":1`) {
				t.Fatal(got)
			}
			idle := s.resident("VmRSS")
			for _, c := range []struct{ sql, want string }{
				{"SELECT a, b FROM many", `"truncated_by":["bytes"]`}, // of ten million
				{"SELECT COUNT(*) FROM many WHERE a > 3", `"row_count":1`},
				{"SELECT d, cell FROM huge", `"truncated_by":["cells"]`},
				{"SELECT DISTINCT cell FROM huge", `row_too_large`}, // can't be cut, and isn't read
			} {
				if got := s.query(c.sql, 100000); !strings.Contains(got, c.want) {
					t.Errorf("%s: %.500s", c.sql, got)
				}
				over := s.resident("VmHWM") - idle
				t.Logf("%s: %d KB over the %d KB of idle", c.sql, over, idle)
				if over > mostOverIdle {
					t.Errorf("%s: %d KB more than the %d KB of idle", c.sql, over, idle)
				}
			}
		})
	}
}

// bigData makes a view of ten million rows and one with a cell of as many bytes
// as a packet may have, up to 64 million, and an account that may read them.
func bigData(t *testing.T, server *mysqltest.Server) (cfg string) {
	t.Helper()
	db, schema := server.DB(t), server.Scratch(t)
	user, password := "m_"+strings.ToLower(rand.Text()[:12]), rand.Text()
	must := func(text string) {
		t.Helper()
		if _, err := db.ExecContext(context.Background(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	var bytes int
	if err := db.QueryRowContext(t.Context(), "SELECT LEAST(64000000, @@max_allowed_packet - 1024)").Scan(&bytes); err != nil {
		t.Fatal(err)
	}
	must("CREATE TABLE " + schema + ".digits (d INT PRIMARY KEY)")
	must("INSERT INTO " + schema + ".digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)")
	from := schema + ".digits"
	must("CREATE VIEW " + schema + ".many AS SELECT q.d AS a, CONCAT('row ', w.d, e.d, r.d, y.d, u.d, i.d) AS b FROM " +
		from + " q, " + from + " w, " + from + " e, " + from + " r, " + from + " y, " + from + " u, " + from + " i")
	must(fmt.Sprintf("CREATE VIEW %s.huge AS SELECT d, REPEAT('x', %d) AS cell FROM %s WHERE d = 1", schema, bytes, from))
	must("CREATE USER '" + user + "'@'%' IDENTIFIED BY '" + password + "'")
	t.Cleanup(func() { must("DROP USER '" + user + "'@'%'") })
	must("GRANT SELECT ON " + schema + ".* TO '" + user + "'@'%'")
	t.Setenv("MEMORY_USER", user)
	t.Setenv("MEMORY_PASSWORD", password)
	cfg = filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(cfg, fmt.Appendf(nil, memoryConfig, server.Host, server.Port, schema, schema), 0o600); err != nil {
		t.Fatal(err)
	}
	return cfg
}

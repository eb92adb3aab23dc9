package boundary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mysqlevidence/config"
)

// bench is a boundary over a server that is nothing but a counter of connections:
// what must not reach a connection is seen not to.
type bench struct {
	*ToolBoundary
	store *memoryStore
	dials *atomic.Int32
	log   *bytes.Buffer
}

const benchConfig = `
limits: {in_flight: 3, in_flight_per_caller: 2, timeout: 2s}
data_sources:
  shop:
    description: The web shop
    tags: [production]
    connection: {host: 127.0.0.1, port: %d, username: {env: BOUNDARY_TEST_USER}, password: {env: BOUNDARY_TEST_USER}, tls: {mode: plaintext}}
    default_schema: shop
    allow:
      shop:
        orders: {columns: [id, status]}
        customers:
          columns: [id, name]
          sensitive: {email: redact}
      archive:
        orders: {columns: [id]}
        old: {columns: [id]}
`

func newBench(t *testing.T) *bench {
	t.Helper()
	t.Setenv("BOUNDARY_TEST_USER", "nobody")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dials := &atomic.Int32{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			dials.Add(1)
			c.Close()
		}
	}()
	cfg, err := config.Parse("test.yaml", fmt.Appendf(nil, benchConfig, l.Addr().(*net.TCPAddr).Port))
	if err != nil {
		t.Fatal(err)
	}
	store, log := newMemoryStore(), &bytes.Buffer{}
	b, err := New(cfg, Options{Store: store, Log: slog.New(slog.NewJSONHandler(&lockedWriter{w: log}, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); l.Close() })
	return &bench{b, store, dials, log}
}

type lockedWriter struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(p)
}

func callOf(tool, args string) Call {
	return Call{ID: "c1", IDSource: "harness", Tool: tool, Args: json.RawMessage(args), Run: RunContext{RunID: "r1", Caller: "ann"}}
}

const goodQuery = `{"data_source":"shop","sql":"SELECT id FROM orders WHERE status = ?","params":["secretvalue"],"reason":"ticket 7"}`

// want checks a fault, its record, and that the two agree.
func (b *bench) want(t *testing.T, res Result, call Call, code, reason string) {
	t.Helper()
	if res.Fault == nil {
		t.Fatalf("got %s, want %s", res.JSON, code)
	}
	if res.Fault.Code != code || res.Fault.Reason != reason || res.Fault.RequestID != call.ID {
		t.Errorf("got %s %s of %q, want %s %s of %q", res.Fault.Code, res.Fault.Reason, res.Fault.RequestID, code, reason, call.ID)
	}
	out, ok := b.store.finished[Key{call.Run.RunID, call.ID}]
	if !ok || out.Code != code || out.Reason != reason || out.Status != res.Fault.Status() || out.EvidenceSHA256 != "" {
		t.Errorf("the record is %+v", out)
	}
}

func TestARefusalIsRecordedAndReachesNoConnection(t *testing.T) {
	for _, c := range []struct{ name, tool, args, code, reason, sql string }{
		{"validate", "run_query", `{"data_source":"shop","sql":"SELECT * FROM orders WHERE status = 'secretvalue' AND id = 77"}`,
			CodeForbiddenSQL, "wildcard", "status = ? AND id = ?"},
		{"authorize", "run_query", `{"data_source":"shop","sql":"SELECT id FROM salaries WHERE x = 'secretvalue'"}`,
			CodeForbiddenSQL, "unknown_table", "x = ?"},
		{"bind", "run_query", `{"data_source":"shop","sql":"SELECT id FROM orders WHERE status = ?","params":["secretvalue",2]}`,
			CodeInvalidArguments, "parameter_count", "SELECT"},
		{"arguments", "run_query", `{"data_source":"shop","query":"SELECT 1","sql":"SELECT 'secretvalue'"}`,
			CodeInvalidArguments, "unknown_argument", "SELECT ?"},
		{"data source", "run_query", `{"data_source":"shop2","sql":"SELECT 'secretvalue'"}`,
			CodeInvalidArguments, "unknown_data_source", "SELECT ?"},
		{"tool", "drop_table", `{}`, CodeInvalidArguments, "unknown_tool", ""},
		{"sample", "sample_table", `{"data_source":"shop","table":"salaries"}`, CodeForbiddenSQL, "unknown_table", ""},
		{"describe", "describe_schema", `{"data_source":"shop","table":"salaries"}`, CodeForbiddenSQL, "unknown_table", ""},
		{"describe schema", "describe_schema", `{"data_source":"shop","schema":"mysql"}`, CodeForbiddenSQL, "unknown_table", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			call := callOf(c.tool, c.args)
			b.want(t, b.Invoke(context.Background(), call), call, c.code, c.reason)
			inv := b.store.begun[Key{"r1", "c1"}]
			if inv.Caller != "ann" || inv.IDSource != "harness" || inv.Tool != c.tool || inv.Started.IsZero() {
				t.Errorf("the record is %+v", inv)
			}
			if c.sql == "" && inv.SQL != "" || !strings.Contains(inv.SQL, c.sql) {
				t.Errorf("the recorded SQL is %q, want %q in it", inv.SQL, c.sql)
			}
			if strings.Contains(fmt.Sprint(inv)+b.log.String(), "secretvalue") {
				t.Errorf("a literal or a parameter is recorded: %+v\n%s", inv, b.log)
			}
			if n := b.dials.Load(); n != 0 {
				t.Errorf("%d connections were made", n)
			}
		})
	}
}

func TestHintsNameWhatIsConfigured(t *testing.T) {
	b := newBench(t)
	for i, c := range []struct{ tool, args, says string }{
		{"run_query", `{"data_source":"shopp","sql":"SELECT 1"}`, "shop"},
		{"sample_table", `{"data_source":"shop","table":"archive.old"}`, "shop.customers"},
		{"nothing", `{}`, "run_query"},
	} {
		call := callOf(c.tool, c.args)
		call.ID = fmt.Sprint(i)
		if res := b.Invoke(context.Background(), call); res.Fault == nil || !strings.Contains(res.Fault.Hint, c.says) {
			t.Errorf("%s: got %s", c.args, res.JSON)
		}
	}
}

func TestATableIsFoundWithoutItsSchemaOnlyIfThatIsPlain(t *testing.T) {
	b := newBench(t)
	s := b.sources["shop"]
	for _, c := range []struct{ schema, table, want string }{
		{"", "orders", "shop"}, {"archive", "orders", "archive"}, {"", "old", "archive"}, {"shop", "old", ""},
		{"", "Orders", ""}, {"SHOP", "orders", ""},
	} {
		if got, _, _ := s.findTable(c.schema, c.table); got != c.want {
			t.Errorf("%q.%q: got %q, want %q", c.schema, c.table, got, c.want)
		}
	}
}

func TestWithoutABeginNothingRuns(t *testing.T) {
	for name, broken := range map[string]func(*memoryStore){
		"error": func(s *memoryStore) { s.beginErr = errors.New("disk full at /var/secret/path") },
		"panic": func(s *memoryStore) { s.panicBegin = true },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			broken(b.store)
			res := b.Invoke(context.Background(), callOf("run_query", goodQuery))
			if res.Fault == nil || res.Fault.Code != CodeUnavailable || res.Fault.Reason != "record_unavailable" || !res.Fault.Retryable {
				t.Errorf("got %s", res.JSON)
			}
			if strings.Contains(string(res.JSON), "disk") {
				t.Errorf("the cause is shown: %s", res.JSON)
			}
			if name == "error" && !strings.Contains(b.log.String(), "disk full") {
				t.Errorf("the operator's log lacks the cause: %s", b.log)
			}
			if n := b.dials.Load(); n != 0 {
				t.Errorf("%d connections were made", n)
			}
		})
	}
}

func TestWithoutAFinishNothingIsReleased(t *testing.T) {
	for name, broken := range map[string]func(*memoryStore){
		"error": func(s *memoryStore) { s.finishErr = errors.New("disk full") },
		"panic": func(s *memoryStore) { s.panicFinish = true },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			broken(b.store)
			res := b.Invoke(context.Background(), callOf("list_data_sources", `{}`))
			if res.Fault == nil || res.Fault.Code != CodeUnavailable || strings.Contains(string(res.JSON), "web shop") {
				t.Errorf("got %s", res.JSON)
			}
		})
	}
}

func TestARepeatedCallRunsNothing(t *testing.T) {
	b := newBench(t)
	call := callOf("list_data_sources", `{}`)
	if res := b.Invoke(context.Background(), call); res.Fault != nil {
		t.Fatal(res.Fault)
	}
	first := b.store.finished[Key{"r1", "c1"}]
	res := b.Invoke(context.Background(), callOf("run_query", goodQuery))
	if res.Fault == nil || res.Fault.Code != CodeInvalidArguments || res.Fault.Reason != "duplicate_call" {
		t.Errorf("got %s", res.JSON)
	}
	if b.dials.Load() != 0 || b.store.finished[Key{"r1", "c1"}] != first {
		t.Error("the repeated call ran, or changed the first one's record")
	}
	call.Run.RunID = "r2"
	if res := b.Invoke(context.Background(), call); res.Fault != nil {
		t.Errorf("the same ID in another run: %v", res.Fault)
	}
}

func TestAnEndedRunIsRecordedAndReachesNoConnection(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late := callOf("run_query", goodQuery)
	late.Run.Deadline = time.Now().Add(-time.Second)
	for _, c := range []struct {
		ctx          context.Context
		call         Call
		code, reason string
	}{
		{cancelled, callOf("run_query", goodQuery), CodeCancelled, "cancelled"},
		{context.Background(), late, CodeTimeout, "deadline_passed"},
	} {
		b := newBench(t)
		b.want(t, b.Invoke(c.ctx, c.call), c.call, c.code, c.reason)
		if b.dials.Load() != 0 || b.store.cancelled {
			t.Errorf("%s: %d connections; the store's context had ended: %t", c.code, b.dials.Load(), b.store.cancelled)
		}
	}
}

func TestAnUnreachableServerIsUnavailableAndSoIsItsSchema(t *testing.T) {
	for tool, args := range map[string]string{"run_query": goodQuery, "describe_schema": `{"data_source":"shop"}`} {
		b := newBench(t)
		call := callOf(tool, args)
		res := b.Invoke(context.Background(), call)
		if res.Fault == nil || res.Fault.Code != CodeUnavailable || !res.Fault.Retryable {
			t.Errorf("%s: got %s", tool, res.JSON)
		}
		if strings.Contains(string(res.JSON), "127.0.0.1") || strings.Contains(string(res.JSON), "nobody") {
			t.Errorf("%s: host or account is shown: %s", tool, res.JSON)
		}
		if b.dials.Load() == 0 {
			t.Errorf("%s: the counter of connections counts nothing", tool)
		}
		if strings.Contains(b.log.String(), "secretvalue") {
			t.Errorf("%s: a parameter is in the log: %s", tool, b.log)
		}
		for line := range strings.Lines(b.log.String()) {
			if !strings.Contains(line, `"request_id":"c1"`) {
				t.Errorf("a log line without the call's ID: %s", line)
			}
		}
	}
}

func TestAPanicIsContainedAndRecorded(t *testing.T) {
	boom := func(*ToolBoundary, arguments, *Invocation) (job, *Fault) { panic("a cell's text") }
	later := func(*ToolBoundary, arguments, *Invocation) (job, *Fault) {
		return func(context.Context) (answer, error) { panic("a cell's text, while running") }, nil
	}
	for name, prepare := range map[string]func(*ToolBoundary, arguments, *Invocation) (job, *Fault){"prepare": boom, "run": later} {
		b := newBench(t)
		b.tools = append(b.tools, tool{spec: ToolSpec{Name: "panics"}, prepare: prepare})
		call := callOf("panics", "")
		b.want(t, b.Invoke(context.Background(), call), call, CodeInternal, "internal")
		if log := b.log.String(); strings.Contains(log, "a cell's text") || !strings.Contains(log, "invoke.go") {
			t.Errorf("%s: the log is %s", name, log)
		}
		if b.admission.total != 0 {
			t.Errorf("%s: a place is lost", name)
		}
	}
}

func TestAPlaceIsHeldForTheWholeCall(t *testing.T) {
	b := newBench(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	b.tools = append(b.tools, tool{spec: ToolSpec{Name: "waits"}, prepare: func(*ToolBoundary, arguments, *Invocation) (job, *Fault) {
		return func(context.Context) (answer, error) {
			entered <- struct{}{}
			<-leave
			return answer{json: []byte("{}"), status: StatusOK}, nil
		}, nil
	}})
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			call := callOf("waits", "")
			call.ID = fmt.Sprint(i)
			if res := b.Invoke(context.Background(), call); res.Fault != nil {
				t.Error(res.Fault)
			}
		})
		<-entered
	}
	third := callOf("run_query", goodQuery)
	third.ID = "third"
	b.want(t, b.Invoke(context.Background(), third), third, CodeRateLimited, "in_flight_per_caller")
	if b.dials.Load() != 0 {
		t.Error("a call that was not admitted made a connection")
	}
	close(leave)
	wg.Wait()
	if b.admission.total != 0 {
		t.Error("a place is lost")
	}
}

func TestDataSourcesAreListedWithoutTheirConnections(t *testing.T) {
	b := newBench(t)
	res := b.Invoke(context.Background(), callOf("list_data_sources", ""))
	want := `{"data_sources":[{"name":"shop","description":"The web shop","tags":["production"]}],"truncated":false}`
	if string(res.JSON) != want {
		t.Errorf("got %s, want %s", res.JSON, want)
	}
}

func TestOnlyConfiguredToolsAreOffered(t *testing.T) {
	b := newBench(t)
	if len(b.Tools()) != 4 {
		t.Fatalf("%d tools, want 4", len(b.Tools()))
	}
	var err error
	if b.tools, err = advertised([]string{"list_data_sources", "run_query"}); err != nil {
		t.Fatal(err)
	}
	text := b.Instructions()
	if !strings.Contains(text, "run_query:") || strings.Contains(text, "describe_schema") || strings.Contains(text, "sample_table") {
		t.Errorf("the instructions name other tools than those offered: %s", text)
	}
	call := callOf("sample_table", `{"data_source":"shop","table":"orders"}`)
	b.want(t, b.Invoke(context.Background(), call), call, CodeInvalidArguments, "unknown_tool")
	if _, err := advertised([]string{"explain_query"}); err == nil {
		t.Error("a tool that doesn't exist was advertised")
	}
}

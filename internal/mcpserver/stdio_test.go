package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mysqlevidence/boundary"
	"mysqlevidence/internal/lines"
)

func TestALineThatIsNoMessageIsAnsweredAndEndsNothing(t *testing.T) {
	c := serve(t, nil)
	c.initialize()
	for _, line := range []struct {
		text string
		code int
		id   string
	}{
		{`not json`, -32700, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, -32700, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, -32700, "null"},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", -32700, "null"},
		{`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, -32700, "null"},
		{strings.Repeat("x", lines.Max+2), -32700, "null"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, "null"},
		{`"ping"`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":5.5,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":5.0,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":-0,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, -32600, "null"},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, -32600, "1"},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600, "1"},
		{`{"id":1,"method":"ping"}`, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1}`, -32600, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"nothing"}`, -32601, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}`, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_query","name":"list_data_sources"}}`, -32602, "1"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_query","_meta":{"a":1,"a":2}}}`, -32602, "1"},
	} {
		c.send(line.text)
		m := c.receive()
		if m.Error == nil || m.Error.Code != line.code || string(m.ID) != line.id || len(m.Error.Message) > 500 {
			t.Errorf("%.100q: got %+v of %s", line.text, m.Error, m.ID)
		}
	}
	c.send("")
	c.send("\r")
	c.send(`{"jsonrpc":"2.0","method":"notifications/unknown"}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"a":1,"a":2}}`)
	if m := c.list("1", ""); m.Error != nil || string(m.ID) != "1" {
		t.Errorf("the session is not as before: %+v", m)
	}
	if got := c.records(); len(got) != 1 {
		t.Errorf("%d records, want that of the one call", len(got))
	}
}

func TestBeforeInitializeAProtocolErrorHasACode(t *testing.T) {
	c := serve(t, nil)
	if m := c.list("1", ""); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("got %+v", m)
	}
}

func TestAStatelessCallNeedsNoInitialize(t *testing.T) {
	c := serve(t, nil)
	const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"claudecode/toolUseId":"toolu_9"}`
	if m := c.list("1", meta); m.Error != nil || !strings.Contains(string(m.Result), `"shop"`) {
		t.Errorf("got %+v %s", m.Error, m.Result)
	}
	if r := c.records()[0]; r.CallID != "toolu_9" {
		t.Errorf("the record is %+v", r)
	}
}

func TestTheRequestsIDIsTheCallsIDToTheLetter(t *testing.T) {
	c := serve(t, nil)
	c.initialize()
	type want struct{ echoed, recorded string }
	for _, id := range []want{
		{"0", "0"}, {"-7", "-7"}, {"9007199254740992", "9007199254740992"}, {"-9007199254740992", "-9007199254740992"},
		{`"007"`, "007"}, {`"1e3"`, "1e3"}, {`"<&>"`, "<&>"}, {`"a\u0000b"`, "a\x00b"}, {`"a\"\\\n\t"`, "a\"\\\n\t"},
		{`"é"`, "é"}, {`"😀"`, "😀"}, {`"` + strings.Repeat("x", 10_000) + `"`, strings.Repeat("x", 10_000)},
	} {
		m := c.list(id.echoed, "")
		if m.Error != nil || string(m.ID) != id.echoed {
			t.Errorf("sent %.50s, got %.50s (%+v)", id.echoed, m.ID, m.Error)
		}
		all := c.records()
		if r := all[len(all)-1]; r.CallID != id.recorded || r.IDSource != "jsonrpc" || r.Caller != "local" {
			t.Errorf("sent %.50s, recorded %.50q from %s by %s", id.echoed, r.CallID, r.IDSource, r.Caller)
		}
	}
}

func TestTheFrameworksOwnIDComesFirst(t *testing.T) {
	c := serve(t, nil)
	c.initialize()
	for i, w := range []struct{ meta, id, source string }{
		{`,"_meta":{"claudecode/toolUseId":"toolu_1","other/id":"o"}`, "toolu_1", "meta:claudecode/toolUseId"},
		{`,"_meta":{"other/id":"toolu_2"}`, "toolu_2", "meta:other/id"},
		{`,"_meta":{"claudecode/toolUseId":7,"other/id":"toolu_3"}`, "toolu_3", "meta:other/id"},
		{`,"_meta":{"claudecode/toolUseId":""}`, "103", "jsonrpc"},
		{`,"_meta":{"unknown/id":"x"}`, "104", "jsonrpc"},
		{`,"_meta":null`, "105", "jsonrpc"},
		{`,"_meta":{"claudecode/toolUseId":"<a&b>\u0000é"}`, "<a&b>\x00é", "meta:claudecode/toolUseId"},
	} {
		if m := c.list(fmt.Sprint(100+i), w.meta); m.Error != nil {
			t.Fatalf("%s: %+v", w.meta, m.Error)
		}
		all := c.records()
		if r := all[len(all)-1]; r.CallID != w.id || r.IDSource != w.source {
			t.Errorf("%s: recorded %q from %s", w.meta, r.CallID, r.IDSource)
		}
	}
}

func TestARunIsTheFrameworksOrTheProcesss(t *testing.T) {
	c, other := serve(t, nil), serve(t, nil)
	c.initialize()
	other.initialize()
	c.list("1", "")
	c.list("2", `,"_meta":{"mysql-evidence/runId":"run é"}`)
	c.list("3", `,"_meta":{"mysql-evidence/runId":5}`)
	other.list("1", "")
	r, o := c.records(), other.records()
	if r[1].RunID != "run é" || r[0].RunID != r[2].RunID || r[0].RunID == "" || r[0].RunID == o[0].RunID {
		t.Errorf("runs are %q %q %q and %q", r[0].RunID, r[1].RunID, r[2].RunID, o[0].RunID)
	}
	if m := c.list("9", `,"_meta":{"mysql-evidence/runId":"run é","claudecode/toolUseId":"2"}`); !strings.Contains(string(m.Result), "duplicate_call") {
		t.Errorf("a repeated call was answered: %s", m.Result)
	}
}

func TestAFaultIsStructuredAndAnError(t *testing.T) {
	c := serve(t, nil)
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":"call-9","method":"tools/call","params":{"name":"run_query","arguments":{"data_source":"shop","sql":"SELECT * FROM orders"}}}`)
	var res struct {
		IsError           bool
		Content           []struct{ Type, Text string }
		StructuredContent struct {
			Status string
			Error  struct {
				Code, Reason, Hint string
				RequestID          string `json:"request_id"`
			}
		}
	}
	m := c.receive()
	if err := json.Unmarshal(m.Result, &res); err != nil {
		t.Fatal(err)
	}
	e := res.StructuredContent.Error
	if !res.IsError || res.StructuredContent.Status != "REFUSED" || e.Code != "forbidden_sql" || e.Reason != "wildcard" || e.RequestID != "call-9" || e.Hint == "" {
		t.Errorf("got %s", m.Result)
	}
	if len(res.Content) != 1 || res.Content[0].Type != "text" || !strings.Contains(res.Content[0].Text, `"request_id":"call-9"`) {
		t.Errorf("the text is %+v", res.Content)
	}
}

// slowStore delays each Begin until it is let go.
type slowStore struct {
	boundary.InvocationStore
	begun chan string
	goOn  chan struct{}
}

func (s slowStore) Begin(ctx context.Context, inv boundary.Invocation) error {
	s.begun <- inv.CallID
	<-s.goOn
	return s.InvocationStore.Begin(ctx, inv)
}

// await waits until a call is at its Begin.
func (s slowStore) await(t *testing.T) {
	t.Helper()
	select {
	case <-s.begun:
	case <-time.After(10 * time.Second):
		t.Fatal("a call didn't reach the store within 10 s")
	}
}

func serveSlow(t *testing.T) (*client, slowStore) {
	slow := slowStore{begun: make(chan string, 100), goOn: make(chan struct{})}
	return serve(t, func(s boundary.InvocationStore) boundary.InvocationStore { slow.InvocationStore = s; return slow }), slow
}

func TestCallsInFlightAreAnsweredAfterTheInputEnds(t *testing.T) {
	for _, how := range []string{"end of input", "signal"} {
		t.Run(how, func(t *testing.T) {
			c, slow := serveSlow(t)
			c.initialize()
			const calls = 5
			for i := range calls {
				c.send(fmt.Sprintf(listCall, fmt.Sprint(i), ""))
			}
			for range calls {
				slow.await(t)
			}
			if how == "signal" {
				c.stop()
			} else {
				c.in.Close()
			}
			time.Sleep(50 * time.Millisecond) // what would drop the calls has time to do so
			close(slow.goOn)
			for range calls {
				if m := c.receive(); m.Error != nil || !strings.Contains(string(m.Result), `"shop"`) {
					t.Errorf("got %+v %s", m.Error, m.Result)
				}
			}
			if err := c.end(); err != nil {
				t.Error(err)
			}
			for _, r := range c.records() {
				if r.Open() || r.Status != boundary.StatusOK {
					t.Errorf("record %+v", r)
				}
			}
		})
	}
}

func TestACancelledCallIsRecordedAsSuch(t *testing.T) {
	c, slow := serveSlow(t)
	c.initialize()
	close(slow.goOn)
	const calls = 200
	for i := range calls {
		// Both at once, so that the cancellation often comes before the handler.
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"run_query","arguments":{"data_source":"shop","sql":"SELECT id FROM orders"}}}`, i) +
			"\n" + fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		slow.await(t)
		c.receive()
	}
	got := c.records()
	if len(got) != calls {
		t.Fatalf("%d records, want %d", len(got), calls)
	}
	cancelled := 0
	for _, r := range got {
		if r.Code == boundary.CodeCancelled {
			cancelled++
		}
	}
	if cancelled == 0 {
		t.Error("no call saw its cancellation")
	}
}

func TestAnIDInUseIsNotTakenTwice(t *testing.T) {
	c, slow := serveSlow(t)
	c.initialize()
	c.send(fmt.Sprintf(listCall, "1", ""))
	slow.await(t)
	if m := c.list("1", ""); m.Error == nil || m.Error.Code != -32600 || string(m.ID) != "null" {
		t.Errorf("got %+v of %s", m.Error, m.ID)
	}
	close(slow.goOn)
	if m := c.receive(); m.Error != nil || string(m.ID) != "1" {
		t.Errorf("the first call's answer is %+v", m)
	}
}

// panicStore panics in the boundary's own goroutine; the boundary contains that.
type panicStore struct{ boundary.InvocationStore }

func (panicStore) Begin(context.Context, boundary.Invocation) error { panic("store") }

func TestCallsThatNameNoToolOrNoArgumentsAreRecordedToo(t *testing.T) {
	c := serve(t, nil)
	c.initialize()
	c.send(`{"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"nothing"}}`)
	if m := c.receive(); m.Error == nil || m.Error.Code != -32602 || string(m.ID) != `"u"` {
		t.Errorf("unknown tool: %+v %s", m.Error, m.Result)
	}
	c.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"run_query","arguments":[1]}}`)
	if m := c.receive(); m.Error != nil || !strings.Contains(string(m.Result), "malformed_arguments") {
		t.Errorf("arguments that are no object: %+v %s", m.Error, m.Result)
	}
	got := c.records()
	if len(got) != 2 || got[0].CallID != "u" || got[0].Outcome.Reason != "unknown_tool" || got[1].CallID != "a" || got[1].Outcome.Reason != "malformed_arguments" {
		t.Errorf("records: %+v", got)
	}
}

func TestAPanicEndsNothing(t *testing.T) {
	c := serve(t, func(s boundary.InvocationStore) boundary.InvocationStore { return panicStore{s} })
	c.initialize()
	if m := c.list("1", ""); m.Error != nil || !strings.Contains(string(m.Result), "unavailable") {
		t.Errorf("got %+v %s", m.Error, m.Result)
	}
	if m := c.list("2", ""); string(m.ID) != "2" {
		t.Errorf("got %+v", m)
	}
}

func TestManyCallsAtOnceAreEachAnsweredOnce(t *testing.T) {
	c := serve(t, nil)
	c.initialize()
	const calls = 300
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range calls {
			c.send(fmt.Sprintf(listCall, fmt.Sprint(i), ""))
		}
	})
	seen := map[string]bool{}
	for range calls {
		m := c.receive()
		if m.Error != nil || seen[string(m.ID)] {
			t.Errorf("got %+v of %s", m.Error, m.ID)
		}
		seen[string(m.ID)] = true
	}
	wg.Wait()
	if len(seen) != calls {
		t.Errorf("%d answers, want %d", len(seen), calls)
	}
}

func TestAPanicOutsideTheBoundaryIsAProtocolError(t *testing.T) {
	var log strings.Builder
	s := &session{log: slog.New(slog.NewTextHandler(&log, nil))}
	next := func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("a cell's text") }
	res, err := s.recoverPanics(next)(context.Background(), "tools/call", nil)
	var wire *jsonrpc.Error
	if res != nil || !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInternalError || strings.Contains(err.Error(), "cell") {
		t.Errorf("got %v, %v", res, err)
	}
	if strings.Contains(log.String(), "a cell's text") || !strings.Contains(log.String(), "stdio_test.go") {
		t.Errorf("the log is %s", log.String())
	}
}

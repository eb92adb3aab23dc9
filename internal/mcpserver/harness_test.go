package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"mysqlevidence/boundary"
	"mysqlevidence/boundary/ledger"
	"mysqlevidence/config"
)

// client speaks to a served boundary in lines, as a framework does.
type client struct {
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Reader
	ledger *ledger.SQLite
	log    *bytes.Buffer
	done   chan error
	stop   context.CancelFunc
}

const offlineConfig = `
data_sources:
  shop: {default_schema: shop, allow: {shop: {orders: {columns: [id]}}}}
`

// serve starts a session; store, when not nil, stands before the ledger.
func serve(t *testing.T, store func(boundary.InvocationStore) boundary.InvocationStore) *client {
	t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(offlineConfig))
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenSQLite(filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	var s boundary.InvocationStore = l
	if store != nil {
		s = store(l)
	}
	b, err := boundary.New(cfg, boundary.Options{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	c := &client{t: t, in: inW, out: bufio.NewReader(outR), ledger: l, log: &bytes.Buffer{}, done: make(chan error, 1), stop: stop}
	go func() {
		err := Serve(ctx, b, inR, outW, Options{CallIDKeys: []string{"claudecode/toolUseId", "other/id"}, Version: "test",
			Log: slog.New(slog.NewTextHandler(c.log, nil))})
		outW.Close()
		c.done <- err
	}()
	t.Cleanup(func() { stop(); inW.Close(); outR.Close(); b.Close(); l.Close() })
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// message is any answer, undecoded where it matters.
type message struct {
	ID    json.RawMessage `json:"id"`
	Error *struct {
		Code    int
		Message string
	} `json:"error"`
	Result json.RawMessage `json:"result"`
}

func (c *client) receive() message {
	c.t.Helper()
	got := make(chan message, 1)
	go func() {
		line, err := c.out.ReadBytes('\n')
		var m message
		if err == nil && json.Unmarshal(line, &m) == nil {
			got <- m
		}
		close(got)
	}()
	select {
	case m, ok := <-got:
		if !ok {
			c.t.Fatal("the session ended, or its output is not a message")
		}
		return m
	case <-time.After(10 * time.Second):
		c.t.Fatal("no answer within 10 s")
	}
	return message{}
}

func (c *client) initialize() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if m := c.receive(); m.Error != nil || string(m.ID) != `"init"` {
		c.t.Fatalf("initialize: %+v", m)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const listCall = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"list_data_sources","arguments":{}%s}}`

func (c *client) list(id, more string) message {
	c.t.Helper()
	c.send(fmt.Sprintf(listCall, id, more))
	return c.receive()
}

// records are the ledger's, the oldest first.
func (c *client) records() []ledger.Record {
	c.t.Helper()
	out, err := c.ledger.Recent(context.Background(), 1000)
	if err != nil {
		c.t.Fatal(err)
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func (c *client) end() error {
	c.t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(10 * time.Second):
		c.t.Fatal("the session doesn't end")
	}
	return nil
}

package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mysqlevidence/internal/lines"
)

// drainLimit bounds the wait for calls in flight after the input has ended. It
// is longer than any call may take (30 s), its record included.
const drainLimit = 45 * time.Second

// connection is one JSON-RPC stream of lines. It replaces the SDK's own because
// that one ends the session on a malformed line, loses the request's ID, and
// drops the answers of calls that are in flight when the input ends.
type connection struct {
	out  io.Writer
	log  *slog.Logger
	stop <-chan struct{} // ends the reading as the end of the input does

	lines  chan inputLine
	closed chan struct{}
	once   sync.Once

	writing sync.Mutex

	mu      sync.Mutex
	flights map[string]*flight // by idKey
	drained chan struct{}      // closed when the last flight ends; nil unless draining
}

type inputLine struct {
	data []byte
	err  error
}

// flight is a request that has no answer yet.
type flight struct {
	begun chan struct{} // closed when the tool's handler has it
	once  sync.Once
	parks bool // a subscription, which ends only with the session
}

var (
	_ mcp.Transport  = (*connection)(nil)
	_ mcp.Connection = (*connection)(nil)
)

func newConnection(in io.Reader, out io.Writer, stop <-chan struct{}, log *slog.Logger) *connection {
	c := &connection{
		out: out, log: log, stop: stop,
		lines:   make(chan inputLine),
		closed:  make(chan struct{}),
		flights: map[string]*flight{},
	}
	// A read from a pipe can't be interrupted, so it has a goroutine of its own;
	// it ends with the input or, at the latest, with the process.
	go c.readLines(bufio.NewReaderSize(in, 64<<10))
	return c
}

func (c *connection) readLines(r *bufio.Reader) {
	for {
		data, err := lines.Read(r)
		select {
		case c.lines <- inputLine{data, err}:
		case <-c.closed:
			return
		}
		if err != nil && !errors.Is(err, lines.ErrTooLong) {
			return
		}
	}
}

// Connect implements mcp.Transport; there is one connection.
func (c *connection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection: stdio has no session ID.
func (c *connection) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Read returns the next message. Lines that are none are answered here. When the
// input ends it waits for the calls in flight before it says so: the SDK cancels
// them as soon as it knows.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.stop:
			return nil, c.drain(io.EOF)
		case line := <-c.lines:
			if line.err != nil && !errors.Is(line.err, lines.ErrTooLong) {
				return nil, c.drain(line.err)
			}
			msg, err := c.accept(line)
			if msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

// accept returns neither message nor error for a line that is already dealt with.
func (c *connection) accept(line inputLine) (jsonrpc.Message, error) {
	if line.err != nil {
		return nil, c.reject(&rejection{code: jsonrpc.CodeParseError, message: fmt.Sprintf("a line has at most %d bytes", lines.Max)})
	}
	if len(bytes.TrimSpace(line.data)) == 0 {
		return nil, nil
	}
	msg, rej := decode(line.data)
	if rej != nil {
		return nil, c.reject(rej)
	}
	req, ok := msg.(*jsonrpc.Request)
	switch {
	case ok && req.ID.IsValid():
		if !c.board(req) {
			// The ID isn't echoed: the client would take this for the other's answer.
			return nil, c.reject(&rejection{code: jsonrpc.CodeInvalidRequest, message: "the request's id is already in use"})
		}
	case ok && req.Method == "notifications/cancelled":
		c.awaitHandler(req.Params)
	}
	return msg, nil
}

func (c *connection) board(req *jsonrpc.Request) bool {
	key := idKey(req.ID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[key] != nil {
		return false
	}
	f := &flight{begun: make(chan struct{}), parks: req.Method == "subscriptions/listen"}
	if req.Method != methodCallTool {
		f.begin()
	}
	c.flights[key] = f
	return true
}

func (f *flight) begin() { f.once.Do(func() { close(f.begun) }) }

// handling tells that the tool's handler has the request.
func (c *connection) handling(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.flights[key]; f != nil {
		f.begin()
	}
}

// awaitHandler holds a cancellation back until the handler has the call, because
// the SDK drops a call that is cancelled earlier, and it would go unrecorded.
func (c *connection) awaitHandler(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil || len(p.ID) == 0 {
		return
	}
	id, rej := decodeID(map[string]json.RawMessage{"id": p.ID})
	if rej != nil {
		return
	}
	c.mu.Lock()
	f := c.flights[idKey(id)]
	c.mu.Unlock()
	if f == nil {
		return
	}
	select {
	case <-f.begun:
	case <-c.closed:
	}
}

func (c *connection) land(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := idKey(id)
	if f := c.flights[key]; f != nil {
		f.begin()
		delete(c.flights, key)
	}
	if c.drained != nil && c.idle() {
		close(c.drained)
		c.drained = nil
	}
}

// idle is called with mu held.
func (c *connection) idle() bool {
	for _, f := range c.flights {
		if !f.parks {
			return false
		}
	}
	return true
}

// drain returns end once every call in flight is answered.
func (c *connection) drain(end error) error {
	drained := make(chan struct{})
	c.mu.Lock()
	if c.idle() {
		close(drained)
	} else {
		c.drained = drained
	}
	c.mu.Unlock()
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	select {
	case <-drained:
	case <-c.closed:
	case <-limit.C:
		c.log.Error("calls were still in flight when the session ended")
	}
	return end
}

// Write sends one message as one line.
func (c *connection) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, isResponse := msg.(*jsonrpc.Response)
	if isResponse {
		// Before the write: with the answer in hand the client may use the ID again.
		c.land(resp.ID)
		if resp.Error != nil {
			msg = &jsonrpc.Response{ID: resp.ID, Error: protocolError(resp.Error)}
		}
	}
	data, err := jsonrpc.EncodeMessage(msg) // without HTML escaping, so that IDs come back to the letter
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	return c.send(data)
}

func (c *connection) send(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// reject answers a line that is no message; the SDK can't encode a null ID.
func (c *connection) reject(r *rejection) error {
	c.log.Warn("a line was rejected", "cause", r.message)
	if r.silent {
		return nil
	}
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	message, err := json.Marshal(r.message)
	if err != nil {
		return fmt.Errorf("encode rejection: %w", err)
	}
	return c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, r.code, message))
}

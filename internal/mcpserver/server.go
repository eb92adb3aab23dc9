// Package mcpserver serves a ToolBoundary to one MCP client over a stream of
// lines (stdio). It is the only package that imports the MCP SDK.
//
// It guarantees that each well-formed tools/call reaches the boundary under the
// framework's own ID, to the letter; that a malformed line is answered and ends nothing;
// that a panic becomes a protocol error and not the end of the process; that
// calls in flight when the input ends are finished and answered; and that
// nothing but protocol messages is written to the output.
//
// It decides nothing: arguments, limits and refusals are the boundary's.
package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mysqlevidence/boundary"
)

// runIDKey is the _meta key by which a framework names the run of a call.
const runIDKey = "mysql-evidence/runId"

// localCaller is who calls over stdio: whoever started the process.
const localCaller = "local"

// Options configure Serve.
type Options struct {
	// CallIDKeys are the _meta keys that may hold the framework's call ID, tried
	// in order before the JSON-RPC ID.
	CallIDKeys []string
	Version    string       // of the program, told to the client
	Log        *slog.Logger // nil for none; must not write to the output
}

type session struct {
	boundary *boundary.ToolBoundary
	conn     *connection
	keys     []string
	run      string // for calls that name no run
	log      *slog.Logger
	tools    map[string]bool // those advertised
}

// Serve answers the client until the input ends or ctx is cancelled, and in both
// cases finishes the calls in flight first. The error is nil then.
func Serve(ctx context.Context, b *boundary.ToolBoundary, in io.Reader, out io.Writer, opts Options) error {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &session{
		boundary: b,
		conn:     newConnection(in, out, ctx.Done(), log),
		keys:     opts.CallIDKeys,
		run:      "stdio-" + rand.Text(),
		log:      log,
		tools:    map[string]bool{},
	}
	server := s.server(opts.Version)
	// The context is not handed on: the SDK would end the session on its end,
	// calls in flight included. The connection watches it instead.
	ss, err := server.Connect(context.WithoutCancel(ctx), s.conn, nil)
	if err != nil {
		return fmt.Errorf("start session: %w", err)
	}
	if err := ss.Wait(); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	return nil
}

func (s *session) server(version string) *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "mysql-evidence", Title: "MySQL evidence", Version: version},
		&mcp.ServerOptions{
			Instructions: s.boundary.Instructions(),
			Logger:       s.log,
			// The list of tools is fixed, and logging is not offered.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		})
	server.AddReceivingMiddleware(s.recoverPanics, s.recordUnknown)
	no := false
	for _, t := range s.boundary.Tools() {
		s.tools[t.Name] = true
		server.AddTool(&mcp.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description,
			InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
			Annotations: &mcp.ToolAnnotations{
				Title: t.Title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no,
			},
		}, s.call)
	}
	return server
}

// recoverPanics exists because the SDK lets a handler's panic end the process.
// The panic's text may quote a request, so only the stack is logged.
func (s *session) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic", "method", method, "kind", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		return next(ctx, method, req)
	}
}

// recordUnknown lets the boundary record a call of a tool that isn't advertised;
// the SDK would answer it by itself. The answer is the protocol's.
func (s *session) recordUnknown(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok || s.tools[call.Params.Name] {
			return next(ctx, method, req)
		}
		if _, err := s.call(ctx, call); err != nil {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool"}
	}
}

// call hands a tools/call to the boundary and its result back.
func (s *session) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	key := ""
	if req.Extra != nil && len(req.Extra.Header[idHeader]) == 1 {
		key = req.Extra.Header[idHeader][0]
	}
	s.conn.handling(key)
	id, source := s.callID(req.Params.Meta, key)
	run, ok := req.Params.Meta[runIDKey].(string)
	if !ok || run == "" {
		run = s.run
	}
	res := s.boundary.Invoke(ctx, boundary.Call{
		ID: id, IDSource: source, Tool: req.Params.Name, Args: req.Params.Arguments,
		Run: boundary.RunContext{RunID: run, Caller: localCaller},
	})
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: res.Text()}},
		StructuredContent: json.RawMessage(res.JSON),
		IsError:           res.Fault != nil,
	}, nil
}

// callID is the framework's: from _meta, else the request's own.
func (s *session) callID(meta mcp.Meta, key string) (id, source string) {
	for _, k := range s.keys {
		if v, ok := meta[k].(string); ok && v != "" {
			return v, "meta:" + k
		}
	}
	return idText(key), "jsonrpc"
}

package mcpserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mysqlevidence/internal/exactjson"
)

// idHeader carries the request's ID, as canonical JSON, to the tool handler: the
// SDK hands on no ID, but it does hand on the header of RequestExtra.
const idHeader = "Mysql-Evidence-Jsonrpc-Id"

const methodCallTool = "tools/call"

// maxID keeps integer IDs where every JSON reader has them exactly.
const maxID = 1 << 53

// integer leaves out -0, which would be echoed as 0.
var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// rejection is the answer to a line that is no message the server may act on.
type rejection struct {
	id      json.RawMessage // nil when the line's ID can't be known: null is sent
	code    int64
	message string
	silent  bool // a notification is never answered
}

// decode reads one line. Keys are compared exactly, and an ID that couldn't be
// echoed to the letter is rejected: the SDK's own decoder would take 5.5 for 5
// and null for a notification.
func decode(line []byte) (jsonrpc.Message, *rejection) {
	if err := exactjson.Check(line); err != nil {
		return nil, &rejection{code: jsonrpc.CodeParseError, message: "parse error: " + err.Error()}
	}
	members, err := exactjson.Object(line)
	if err != nil {
		return nil, &rejection{code: jsonrpc.CodeInvalidRequest,
			message: "send one JSON-RPC object a line; batches are not accepted: " + err.Error()}
	}
	m := map[string]json.RawMessage{}
	for _, member := range members {
		m[member.Key] = member.Value
	}
	id, rej := decodeID(m)
	if rej != nil {
		return nil, rej
	}
	if string(m["jsonrpc"]) != `"2.0"` {
		return nil, &rejection{id: m["id"], code: jsonrpc.CodeInvalidRequest, message: `"jsonrpc" must be "2.0"`}
	}
	if raw, ok := m["method"]; ok {
		return decodeRequest(id, raw, m)
	}
	return decodeResponse(id, m)
}

// decodeID returns the invalid ID when there is none.
func decodeID(m map[string]json.RawMessage) (jsonrpc.ID, *rejection) {
	raw, ok := m["id"]
	if !ok {
		return jsonrpc.ID{}, nil
	}
	var value any
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			value = s
		}
	} else if integer.Match(raw) {
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && -maxID <= n && n <= maxID {
			value = float64(n)
		}
	}
	if value == nil {
		return jsonrpc.ID{}, &rejection{code: jsonrpc.CodeInvalidRequest,
			message: "an id must be a string, or an integer within 2^53; it can't be null"}
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return jsonrpc.ID{}, &rejection{code: jsonrpc.CodeInvalidRequest, message: "the id is not accepted"}
	}
	return id, nil
}

func decodeRequest(id jsonrpc.ID, rawMethod json.RawMessage, m map[string]json.RawMessage) (jsonrpc.Message, *rejection) {
	req := &jsonrpc.Request{ID: id}
	if json.Unmarshal(rawMethod, &req.Method) != nil || rawMethod[0] != '"' {
		return nil, &rejection{id: m["id"], code: jsonrpc.CodeInvalidRequest, message: "method must be a string"}
	}
	if raw, ok := m["params"]; ok && string(raw) != "null" {
		req.Params = raw
		if message := checkParams(req.Method, raw); message != "" {
			return nil, &rejection{id: m["id"], code: jsonrpc.CodeInvalidParams, message: message, silent: !id.IsValid()}
		}
	}
	if id.IsValid() {
		req.Extra = &mcp.RequestExtra{Header: http.Header{idHeader: {idKey(id)}}}
	}
	return req, nil
}

// checkParams finds what the SDK's decoder would pass over (the last of two
// equal keys wins there) or answer by quoting the whole request.
func checkParams(method string, raw json.RawMessage) string {
	members, err := exactjson.Object(raw)
	if err != nil {
		return "params: " + err.Error()
	}
	if method != methodCallTool {
		return ""
	}
	named := false
	for _, m := range members {
		switch m.Key {
		case "name":
			named = m.Value[0] == '"'
		case "_meta":
			if _, err := exactjson.Object(m.Value); err != nil && string(m.Value) != "null" {
				return "_meta: " + err.Error()
			}
		}
	}
	if !named {
		return "the tool's name must be a string"
	}
	return ""
}

func decodeResponse(id jsonrpc.ID, m map[string]json.RawMessage) (jsonrpc.Message, *rejection) {
	result, hasResult := m["result"]
	rawError, hasError := m["error"]
	if !id.IsValid() || hasResult == hasError {
		return nil, &rejection{id: m["id"], code: jsonrpc.CodeInvalidRequest, message: "this is neither a request nor a response"}
	}
	resp := &jsonrpc.Response{ID: id, Result: result}
	if hasError {
		wire := &jsonrpc.Error{}
		if json.Unmarshal(rawError, wire) != nil {
			return nil, &rejection{silent: true, message: "a response with a malformed error"}
		}
		resp.Error = wire
	}
	return resp, nil
}

// idKey is the ID as canonical JSON: 7 and "7" differ, two spellings of one
// string don't.
func idKey(id jsonrpc.ID) string {
	switch v := id.Raw().(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case string:
		return strconv.Quote(v)
	}
	return ""
}

// idText is the ID as the text that is recorded: 7 for 7, and the string itself.
func idText(key string) string {
	if s, err := strconv.Unquote(key); err == nil {
		return s
	}
	return key
}

// maxErrorMessage bounds the text of a protocol error, in bytes: the SDK quotes
// what it was sent.
const maxErrorMessage = 300

// protocolError is what is sent for an error of the SDK: never without a code,
// and never a long quotation.
func protocolError(err error) *jsonrpc.Error {
	out := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		out = *wire
	}
	if len(out.Message) > maxErrorMessage {
		out.Message = "the request is not accepted"
	}
	return &out
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"mysqlevidence/internal/exactjson"
	"mysqlevidence/internal/lines"
	"mysqlevidence/internal/refusal"
)

// question is one query to vet.
type question struct {
	id        json.RawMessage // as it was written; nil for none
	sql       string
	params    []any
	hasParams bool
}

// malformedLine says why a line holds no question.
type malformedLine string

func (m malformedLine) Error() string { return string(m) }

// readQuestion reads one JSON line. Its errors are malformedLine; the question has
// the id all the same, where the line has one that can be repeated.
func readQuestion(line []byte) (question, error) {
	members, err := exactjson.Object(line)
	q := question{id: idOf(members)}
	if !utf8.Valid(line) {
		// encoding/json would replace bad bytes, and so vet another text.
		return q, malformedLine("not valid UTF-8; put such SQL into sql_b64")
	}
	// The same holds for half a surrogate pair.
	if bad := exactjson.Check(line); bad != nil {
		return q, malformedLine(noObject + ": " + bad.Error())
	}
	if duplicate, ok := errors.AsType[*exactjson.DuplicateError](err); ok {
		return q, malformedLine(duplicate.Error())
	}
	if err != nil {
		return q, malformedLine(noObject)
	}
	values := map[string]json.RawMessage{}
	for _, m := range members {
		if right := rightCase(m.Key); right != "" {
			return q, malformedLine("the key " + exactjson.ShowKey(m.Key) + " is not known; write " + right)
		}
		if string(m.Value) != "null" {
			values[m.Key] = m.Value
		}
	}
	return q, q.read(values)
}

const noObject = "not a JSON object with id, sql and params"

// idOf is the id as it was written, or nil where there is none, more than one, or
// one that isn't well-formed.
func idOf(members []exactjson.Member) json.RawMessage {
	var id json.RawMessage
	for _, m := range members {
		switch {
		case m.Key != "id":
		case id != nil || exactjson.Check(m.Value) != nil:
			return nil
		default:
			id = m.Value
		}
	}
	return id
}

// rightCase is the key that this one is in another case, or "".
func rightCase(key string) string {
	for _, known := range []string{"id", "sql", "sql_b64", "params"} {
		if key != known && strings.EqualFold(key, known) {
			return known
		}
	}
	return ""
}

// read takes the question from the line's values, those that are null left out.
func (q *question) read(values map[string]json.RawMessage) error {
	sql, plain := values["sql"]
	encoded, inBase64 := values["sql_b64"]
	if plain == inBase64 {
		return malformedLine("needs exactly one of sql and sql_b64")
	}
	if plain && json.Unmarshal(sql, &q.sql) != nil {
		return malformedLine("sql is not a string")
	}
	if inBase64 {
		var raw []byte
		if encoded[0] != '"' || json.Unmarshal(encoded, &raw) != nil {
			return malformedLine("sql_b64 is not base64")
		}
		q.sql = string(raw)
	}
	params, ok := values["params"]
	if !ok {
		return nil
	}
	q.hasParams = true
	dec := json.NewDecoder(bytes.NewReader(params))
	dec.UseNumber() // a 64-bit integer must arrive to the digit
	if dec.Decode(&q.params) != nil {
		return malformedLine("params is not a list")
	}
	return nil
}

// lineReader reads the lines that hold something.
type lineReader struct {
	in     *bufio.Reader
	number int // of the line that next returned, from 1
}

// newLineReader drops the byte order mark that some editors write first.
func newLineReader(in io.Reader) *lineReader {
	r := bufio.NewReader(in)
	if mark, _ := r.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = r.Discard(len(byteOrderMark)) // what was peeked at is there
	}
	return &lineReader{in: r}
}

const byteOrderMark = "\ufeff"

// next returns the next line that isn't blank, or io.EOF. A line that is too long
// is a malformedLine, and the one after it can be read.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := lines.Read(l.in)
		switch {
		case err == nil:
			l.number++
		case errors.Is(err, lines.ErrTooLong):
			l.number++
			return nil, malformedLine(fmt.Sprintf("longer than %d bytes", lines.Max))
		default:
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// The verdicts.
const (
	verdictAccept = "accept"
	verdictRefuse = "refuse"
	verdictError  = "error" // the line held no question
)

// verdict is one line of vet's output. What is empty is absent.
type verdict struct {
	ID           json.RawMessage   `json:"id,omitempty"`
	Verdict      string            `json:"verdict"`
	Stage        refusal.Stage     `json:"stage,omitempty"`
	Reason       refusal.Reason    `json:"reason,omitempty"`
	Position     *refusal.Position `json:"position,omitempty"`
	Message      string            `json:"message,omitempty"`
	Hint         string            `json:"hint,omitempty"`
	CanonicalSQL string            `json:"canonical_sql,omitempty"`
}

// verdictWriter returns what writes a verdict in the format.
func verdictWriter(out io.Writer, format string) (func(verdict) error, error) {
	switch format {
	case "jsonl":
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false) // SQL is full of < and >
		return func(v verdict) error { return enc.Encode(v) }, nil
	case "text":
		return func(v verdict) error {
			_, err := fmt.Fprintln(out, v.text())
			return err
		}, nil
	}
	return nil, fmt.Errorf("unknown format %q; it is jsonl or text", format)
}

// text is the verdict for people.
func (v verdict) text() string {
	s := v.Verdict
	if v.ID != nil {
		s = string(v.ID) + ": " + s
	}
	if v.Verdict == verdictAccept {
		return s + "\n  " + v.CanonicalSQL
	}
	if v.Reason != "" {
		s += fmt.Sprintf(" (%s, %s)", v.Stage, v.Reason)
	}
	if v.Position != nil {
		s += " at " + v.Position.String()
	}
	s += ": " + v.Message
	if v.Hint != "" {
		s += "\n  hint: " + v.Hint
	}
	return s
}

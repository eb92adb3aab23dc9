package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

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

// readQuestion reads one JSON line. Its errors are malformedLine.
func readQuestion(line []byte) (question, error) {
	// encoding/json would replace bad bytes, and so vet another text.
	if !utf8.Valid(line) {
		return question{}, malformedLine("not valid UTF-8; put such SQL into sql_b64")
	}
	var in struct {
		ID     json.RawMessage `json:"id"`
		SQL    *string         `json:"sql"`
		SQLB64 *string         `json:"sql_b64"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return question{}, malformedLine("not a JSON object with id, sql and params: " + err.Error())
	}
	q := question{id: in.ID}
	switch {
	case (in.SQL == nil) == (in.SQLB64 == nil):
		return question{}, malformedLine("needs exactly one of sql and sql_b64")
	case in.SQL != nil:
		q.sql = *in.SQL
	default:
		raw, err := base64.StdEncoding.DecodeString(*in.SQLB64)
		if err != nil {
			return question{}, malformedLine("sql_b64 is not base64")
		}
		q.sql = string(raw)
	}
	if len(in.Params) == 0 || string(in.Params) == "null" {
		return q, nil
	}
	q.hasParams = true
	dec := json.NewDecoder(bytes.NewReader(in.Params))
	dec.UseNumber() // a 64-bit integer must arrive to the digit
	if err := dec.Decode(&q.params); err != nil {
		return question{}, malformedLine("params is not a list")
	}
	return q, nil
}

// lineReader reads the lines that hold something.
type lineReader struct {
	in     *bufio.Reader
	number int // of the line that next returned, from 1
}

func newLineReader(in io.Reader) *lineReader { return &lineReader{in: bufio.NewReader(in)} }

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

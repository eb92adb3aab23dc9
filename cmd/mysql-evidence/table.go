package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// shown is what a table needs of an evidence envelope.
type shown struct {
	Columns []struct {
		Name string `json:"name"`
	} `json:"columns"`
	Rows        [][]json.RawMessage `json:"rows"`
	RowCount    int                 `json:"row_count"`
	TruncatedBy []string            `json:"truncated_by"`
	Notice      string              `json:"notice"`
}

// printTable writes an evidence envelope for a person.
func printTable(out io.Writer, evidence []byte) error {
	var e shown
	if err := json.Unmarshal(evidence, &e); err != nil {
		return fmt.Errorf("read evidence: %w", err)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	names := make([]string, len(e.Columns))
	rules := make([]string, len(e.Columns))
	for i, c := range e.Columns {
		names[i] = printable(c.Name)
		rules[i] = strings.Repeat("-", len([]rune(names[i])))
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
	fmt.Fprintln(w, strings.Join(rules, "\t"))
	for _, row := range e.Rows {
		cells := make([]string, len(row))
		for i, raw := range row {
			cells[i] = cell(raw)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	footer := "(" + strconv.Itoa(e.RowCount) + " rows)"
	if e.RowCount == 1 {
		footer = "(1 row)"
	}
	if len(e.TruncatedBy) > 0 {
		footer += " truncated by " + strings.Join(e.TruncatedBy, ", ")
	}
	if e.Notice != "" {
		footer += "\n" + e.Notice
	}
	if _, err := fmt.Fprintln(out, footer); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func cell(raw json.RawMessage) string {
	switch {
	case string(raw) == "null":
		return "NULL"
	case raw[0] == '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return printable(s)
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return "?"
	}
	return printable(compact.String())
}

// printable escapes what would move the cursor or colour the terminal: a row's
// text must not be able to draw over another's.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

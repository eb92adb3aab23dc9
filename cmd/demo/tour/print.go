package tour

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"mysqlevidence/boundary"
)

// printer writes the narration; the first error sticks.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) heading(text string) { p.line("\n── %s ──", text) }

func (p *printer) question(n int, st step) {
	p.heading(fmt.Sprintf("%d. %s", n, st.title))
	if text, ok := st.args["sql"].(string); ok {
		p.line("  sql     %s", strings.ReplaceAll(text, "\n", "\n          "))
		if params, ok := st.args["params"]; ok {
			p.line("  params  %v", params)
		}
		return
	}
	p.line("  %s %s", st.tool, compact(st.args))
}

// evidence is what the printer reads of an envelope.
type evidence struct {
	Status      string                  `json:"status"`
	Columns     []struct{ Name string } `json:"columns"`
	Rows        [][]json.RawMessage     `json:"rows"`
	RowCount    int                     `json:"row_count"`
	Truncated   bool                    `json:"truncated"`
	TruncatedBy []string                `json:"truncated_by"`
	Notice      string                  `json:"notice"`
}

// answer prints what came back, and fails if it isn't what the script expects.
func (p *printer) answer(st step, res boundary.Result) error {
	if f := res.Fault; f != nil {
		if st.status != f.Status() {
			return fmt.Errorf("%s: got %s %s: %s", st.title, f.Status(), f.Reason, f.Message)
		}
		p.line("  → %s %s (by %s%s)", f.Status(), f.Reason, f.Stage, place(f))
		p.line("    %s", f.Message)
		p.line("    hint: %s", f.Hint)
	} else if st.tool == "run_query" {
		if err := p.evidence(st, res.JSON); err != nil {
			return err
		}
	} else if err := p.schema(st, res.JSON); err != nil {
		return err
	}
	if st.note != "" {
		p.line("  ✎ %s", st.note)
	}
	return p.err
}

func place(f *boundary.Fault) string {
	if f.Where == nil {
		return ""
	}
	return fmt.Sprintf(" at line %d, column %d", f.Where.Line, f.Where.Column)
}

// schema prints the tables of a describe_schema.
func (p *printer) schema(st step, data []byte) error {
	var described struct {
		Tables []struct {
			Table, Description string
			Columns            []struct{ Name, Type, Key, Sensitive string }
		}
	}
	if err := json.Unmarshal(data, &described); err != nil || len(described.Tables) == 0 {
		return fmt.Errorf("%s: no table described (%v)", st.title, err)
	}
	p.line("  → OK, %d bytes of JSON, the accepted SQL in a few lines among them", len(data))
	for _, t := range described.Tables {
		p.line("    %s: %s", t.Table, t.Description)
		table := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
		for _, c := range t.Columns {
			fmt.Fprintf(table, "      %s\t%s\t%s\t%s\n", c.Name, c.Type, c.Key, c.Sensitive)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return p.err
}

const shownRows = 5

func (p *printer) evidence(st step, data []byte) error {
	var e evidence
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("%s: %w", st.title, err)
	}
	if e.Status != st.status {
		return fmt.Errorf("%s: got %s, want %s", st.title, e.Status, st.status)
	}
	p.line("  → %s, rows: %d, bytes of JSON: %d", e.Status, e.RowCount, len(data))
	table := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for i, c := range e.Columns {
		fmt.Fprint(table, indent(i), c.Name)
	}
	fmt.Fprintln(table)
	for _, row := range e.Rows[:min(shownRows, len(e.Rows))] {
		for i, cell := range row {
			fmt.Fprint(table, indent(i), string(cell))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if more := len(e.Rows) - shownRows; more > 0 {
		p.line("    … %d more", more)
	}
	if e.Truncated {
		p.line("    truncated by %s", strings.Join(e.TruncatedBy, " and "))
	}
	if e.Notice != "" {
		p.line("    notice: %s", e.Notice)
	}
	return p.err
}

func indent(i int) string {
	if i == 0 {
		return "    "
	}
	return "\t"
}

func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "?"
	}
	return strings.TrimSpace(b.String())
}

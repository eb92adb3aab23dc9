package tour

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"mysqlevidence/boundary"
)

// Run plays the tour and narrates it. An answer of another kind than the script
// expects is an error.
func Run(ctx context.Context, out io.Writer, server Server, service *Service) error {
	p := &printer{w: out}
	p.line("mysql-evidence: bounded, redacted evidence from MySQL. A tour in %d calls, on %s.", len(steps), server.Title)
	for i, st := range steps {
		args, err := json.Marshal(st.args)
		if err != nil {
			return err
		}
		call := boundary.Call{
			ID: fmt.Sprintf("toolu_demo_%02d", i+1), IDSource: "harness", Tool: st.tool, Args: args,
			Run: boundary.RunContext{RunID: "demo-tour", Caller: "demo-agent"},
		}
		p.question(i+1, st)
		answer := service.Boundary.Invoke(ctx, call)
		if err := p.answer(st, answer); err != nil {
			return err
		}
	}
	if err := ledgerLines(ctx, p, service); err != nil {
		return err
	}
	p.heading("What you have seen")
	p.line("MySQL was only ever sent text that our renderer wrote from our own tree, after every name had been")
	p.line("checked. Each refusal happened before a connection was taken.")
	if server.Shortcoming != "" {
		p.line("%s", server.Shortcoming)
	}
	return p.err
}

// ledgerLines shows the records that the calls left.
func ledgerLines(ctx context.Context, p *printer, service *Service) error {
	records, err := service.Ledger.Recent(ctx, len(steps))
	if err != nil {
		return err
	}
	slices.Reverse(records)
	p.heading("The ledger: one record a call, under the harness's own ID, never a row or a parameter")
	table := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  call\ttool\tstatus\treason\trows\tbytes\tevidence SHA-256\tSQL")
	for _, r := range records {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%d\t%d\t%.12s\t%s\n",
			r.CallID, r.Tool, r.Status, r.Outcome.Reason, r.Rows, r.Bytes, r.EvidenceSHA256, shorten(r.SQL, 60))
	}
	return table.Flush()
}

func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/validator"
)

func newVet() *cobra.Command {
	var path, source, format string
	cmd := &cobra.Command{
		Use:   "vet --config FILE [--data-source NAME] [SQL]",
		Short: "Say whether queries would be accepted, without connecting",
		Long: `Say whether queries would be accepted, without connecting.

The query is the argument, or JSON lines on standard input:
  {"id": …, "sql": "…", "params": [ … ]}
id is echoed; sql_b64 stands for sql where the bytes are not UTF-8. Without params
the placeholders are counted, but binding is not checked. Other keys are ignored, but
none may be there twice, nor one of these in another case. A verdict is written for
each, in the order of the input.

Exit codes: 0 all were accepted, 1 one was refused, 2 misused, a line was malformed, or
there was no query.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := newVetter(path, source)
			if err != nil {
				return err
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			write, err := verdictWriter(out, format)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				err = v.vetOne(args[0], write)
			} else {
				err = v.vetLines(cmd.InOrStdin(), write)
			}
			if writing := out.Flush(); writing != nil {
				return writing // a verdict that nobody saw must not count
			}
			return err
		},
	}
	cmd.Flags().StringVar(&source, "data-source", "", "the data source's name; may be left out when the config has one")
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl or text")
	return withConfig(cmd, &path)
}

// vetter runs the stages that need no connection.
type vetter struct {
	planner *authz.Planner
	rows    authz.RowLimits
}

func newVetter(path, source string) (*vetter, error) {
	cfg, err := config.Load(path)
	if err != nil {
		return nil, err
	}
	src, err := pick(cfg, source)
	if err != nil {
		return nil, err
	}
	policy, err := authz.Compile(src)
	if err != nil {
		return nil, fmt.Errorf("data source %s: %w", src.Name, err)
	}
	return &vetter{
		planner: authz.NewPlanner(validator.New(validator.Options{Functions: src.Functions, Caps: src.Query}), policy),
		rows:    authz.RowLimits{Default: src.Limits.Rows, Max: src.Limits.MaxRows},
	}, nil
}

// pick returns the data source of that name, or the only one.
func pick(cfg *config.Config, name string) (config.DataSource, error) {
	if name == "" && len(cfg.DataSources) == 1 {
		return cfg.DataSources[0], nil
	}
	names := ""
	for _, src := range cfg.DataSources {
		if src.Name == name {
			return src, nil
		}
		names += " " + src.Name
	}
	if name == "" {
		return config.DataSource{}, fmt.Errorf("name the data source: --data-source is one of%s", names)
	}
	return config.DataSource{}, fmt.Errorf("unknown data source %q; the config has%s", name, names)
}

// vet takes one question through the stages.
func (v *vetter) vet(q question) (verdict, error) {
	plan, err := v.planner.Plan(q.sql)
	if err != nil {
		return refused(q, err)
	}
	canonical := plan.SQL(v.rows)
	if q.hasParams {
		bound, err := plan.Bind(q.params, v.rows)
		if err != nil {
			return refused(q, err)
		}
		canonical = bound.SQL()
	}
	return verdict{ID: q.id, Verdict: verdictAccept, Stage: refusal.Bind, CanonicalSQL: canonical}, nil
}

// refused is the verdict behind a stage's error. Another error than a refusal is
// a bug of ours and no verdict.
func refused(q question, err error) (verdict, error) {
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		return verdict{}, err
	}
	out := verdict{ID: q.id, Verdict: verdictRefuse, Stage: r.Stage, Reason: r.Reason, Message: r.Message, Hint: r.Hint}
	if !r.Position.IsZero() {
		out.Position = &r.Position
	}
	return out, nil
}

// vetOne vets the query of the command line.
func (v *vetter) vetOne(sql string, write func(verdict) error) error {
	answer, err := v.vet(question{sql: sql})
	if err != nil {
		return err
	}
	if err := write(answer); err != nil {
		return err
	}
	if answer.Verdict == verdictRefuse {
		return errNo
	}
	return nil
}

// vetLines vets JSON lines. A line that can't be read doesn't stop the others,
// but the command fails in the end.
func (v *vetter) vetLines(in io.Reader, write func(verdict) error) error {
	input := newLineReader(in)
	anyRefused, asked, malformed := false, 0, 0
	for {
		line, err := input.next()
		if errors.Is(err, io.EOF) {
			break
		}
		var answer verdict
		if err == nil {
			answer, err = v.vetLine(line)
		}
		var bad malformedLine
		if errors.As(err, &bad) {
			malformed++
			answer, err = verdict{ID: answer.ID, Verdict: verdictError, Message: fmt.Sprintf("line %d: %s", input.number, bad)}, nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", input.number, err)
		}
		asked++
		anyRefused = anyRefused || answer.Verdict == verdictRefuse
		if err := write(answer); err != nil {
			return err
		}
	}
	switch {
	case asked == 0:
		// A check that looked at nothing must not pass.
		return errors.New("no query on standard input")
	case malformed > 0:
		return fmt.Errorf("malformed lines: %d", malformed)
	case anyRefused:
		return errNo
	}
	return nil
}

func (v *vetter) vetLine(line []byte) (verdict, error) {
	q, err := readQuestion(line)
	if err != nil {
		return verdict{ID: q.id}, err
	}
	return v.vet(q)
}

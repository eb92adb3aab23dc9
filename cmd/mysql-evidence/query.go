package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"mysqlevidence/boundary"
)

type queryFlags struct {
	config, source, format string
	params                 []string
	limit                  int
	limited                bool
}

func newQuery() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "query --config FILE [flags] SQL|-",
		Short: "Ask one question in SQL, as an agent would",
		Long: `Asks one question in SQL through the same checks, limits and ledger as an agent's
run_query. With - the SQL is read from stdin.

Each --param is one value, in order, typed by JSON's syntax: 5 is an integer, 1.5 a
float, true a boolean, null is NULL, '"5"' is a string; a bare word is a string.

The command is a run of its own, recorded under the run ID "cli-" and a random text,
with the caller "local"; its one call has the ID "1".

Exit codes: 0 answered (no row is an answer too), 1 refused, 2 misused, 3 failed.

` + ledgerHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.limited = cmd.Flags().Changed("limit")
			return query(cmd, f, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.source, "data-source", "", "the data source; may be left out when the config has one")
	flags.StringArrayVar(&f.params, "param", nil, "a value for the next ? (repeatable)")
	flags.IntVar(&f.limit, "limit", 0, "the most rows to return")
	flags.StringVar(&f.format, "format", "table", "json or table")
	return withConfig(cmd, &f.config)
}

func query(cmd *cobra.Command, f queryFlags, text string) error {
	if f.format != "json" && f.format != "table" {
		return asMisuse(fmt.Errorf("--format is json or table, not %q", f.format))
	}
	if text == "-" {
		var err error
		if text, err = readSQL(cmd.InOrStdin()); err != nil {
			return asFailure(err)
		}
	}
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := openService(f.config, log)
	if err != nil {
		return err
	}
	err = ask(cmd, s, f, text)
	if closed := s.close(); err == nil && closed != nil {
		err = asFailure(closed)
	}
	return err
}

func ask(cmd *cobra.Command, s *service, f queryFlags, text string) error {
	source, err := pick(s.cfg, f.source)
	if err != nil {
		return asMisuse(err)
	}
	args, err := queryArguments(f, source.Name, text)
	if err != nil {
		return asMisuse(err)
	}
	run := "cli-" + rand.Text()
	res := s.boundary.Invoke(cmd.Context(), boundary.Call{
		ID: "1", IDSource: "cli", Tool: "run_query", Args: args,
		Run: boundary.RunContext{RunID: run, Caller: "local"},
	})
	if res.Fault != nil {
		return asFault(res.Fault, run)
	}
	if f.format == "json" {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", res.JSON)
	} else {
		err = printTable(cmd.OutOrStdout(), res.JSON)
	}
	if err != nil {
		return asFailure(err)
	}
	return nil
}

// maxStdin bounds what is read of a text that the validator would refuse anyway.
const maxStdin = 1 << 20

func readSQL(in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxStdin+1))
	if err != nil {
		return "", fmt.Errorf("read SQL: %w", err)
	}
	return string(text), nil
}

// queryArguments writes the call as a framework would.
func queryArguments(f queryFlags, source, text string) (json.RawMessage, error) {
	args := map[string]any{"data_source": source, "sql": text}
	if f.limited {
		args["limit"] = f.limit
	}
	if len(f.params) > 0 {
		params := make([]any, len(f.params))
		for i, p := range f.params {
			params[i] = param(p)
		}
		args["params"] = params
	}
	data, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return data, nil
}

// param is the text as JSON if it is JSON, else as a string.
func param(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

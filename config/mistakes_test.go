package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestEveryMistakeOfAFileIsReportedAtOnceSortedByLine(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "mistakes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("mistakes.yaml", data)
	if err == nil {
		t.Fatal("a file full of mistakes loads")
	}
	golden := filepath.Join("testdata", "mistakes.golden")
	got := err.Error() + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// source wraps keys of one data source into a file whose rest is correct. Its
// first line is line 3 of the file.
func source(keys string) string {
	return "data_sources:\n  shop:\n" + indent(keys, 4)
}

// connection wraps keys of a connection; its first line is line 4.
func connection(keys string) string { return source("connection:\n" + indent(keys, 2)) }

// table wraps keys of one table; its first line is line 6.
func table(keys string) string {
	return source("allow:\n  shop:\n    orders:\n" + indent(keys, 6))
}

func indent(s string, n int) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(strings.Trim(s, "\n"), "\n", "\n"+pad) + "\n"
}

const anySource = "data_sources: {shop: {}}\n"

func TestAMistakeStopsTheLoadAndNamesItsLine(t *testing.T) {
	for _, group := range [][]mistake{formMistakes(), limitMistakes(), connectionMistakes(), sourceMistakes(), allowMistakes()} {
		for _, tt := range group {
			t.Run(tt.name, func(t *testing.T) {
				cfg, err := Parse("c.yaml", []byte(tt.file))
				if cfg != nil || err == nil {
					t.Fatalf("loads: %+v\n%s", cfg, tt.file)
				}
				var all Errors
				if !errors.As(err, &all) {
					t.Fatalf("the error is a %T, want Errors", err)
				}
				if err.Error() != tt.want {
					t.Errorf("file:\n%s\ngot:  %s\nwant: %s", tt.file, err, tt.want)
				}
			})
		}
	}
}

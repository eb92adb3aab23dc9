package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mysqlevidence/internal/ident"
)

// checkInvariants restates the rules on a Config that loaded, independently of
// how the checks are written.
func checkInvariants(t *testing.T, cfg *Config) {
	t.Helper()
	must := func(ok bool, rule string) {
		t.Helper()
		if !ok {
			t.Errorf("a Config loads although: %s\n%+v", rule, cfg)
		}
	}
	checkLimits(must, cfg.Limits)
	must(cfg.Limits.InFlight > 0 && cfg.Limits.InFlightPerCaller > 0, "calls in flight must be positive")
	must(len(cfg.DataSources) > 0, "there must be a data source")
	must(cfg.Ledger.SQLitePath != "", "there must be a ledger")
	must(cfg.PseudonymKey.Env == "" || cfg.PseudonymKey.File == "", "a secret has one origin")
	names := map[string]bool{}
	for _, s := range cfg.DataSources {
		must(s.Name != "" && !names[s.Name], "data sources have different names")
		names[s.Name] = true
		checkLimits(must, s.Limits)
		f := cfg.Limits
		must(s.Limits.MaxRows <= f.MaxRows && s.Limits.Rows <= f.Rows && s.Limits.SampleRows <= f.SampleRows && s.Limits.CellBytes <= f.CellBytes &&
			s.Limits.TotalBytes <= f.TotalBytes && s.Limits.Timeout <= f.Timeout, "a source only tightens")
		must(!f.CostGate.On || s.Limits.CostGate.On && s.Limits.CostGate.MaxEstimatedRows <= f.CostGate.MaxEstimatedRows, "a source only tightens the cost gate")
		q := s.Query
		must(q.Bytes > 0 && q.Bytes <= 16384 && q.Tokens > 0 && q.Tokens <= 2000 && q.Nesting > 0 && q.Nesting <= 64 &&
			q.Placeholders > 0 && q.Placeholders <= 256, "query caps are only lowered")
		for _, f := range []string{"SLEEP", "BENCHMARK", "LOAD_FILE", "VERSION", "REPEAT"} {
			_, ok := s.Functions.Lookup(f)
			must(!ok, "no config allows "+f)
		}
		if s.Connection != nil {
			checkConnection(must, *s.Connection)
		}
		checkAllow(must, cfg, s)
	}
}

func checkLimits(must func(bool, string), l Limits) {
	must(l.MaxRows >= 1 && l.MaxRows <= 100000, "max_rows is within the ceiling")
	must(l.Rows >= 1 && l.Rows <= l.MaxRows, "rows is within max_rows")
	must(l.SampleRows >= 1 && l.SampleRows <= l.MaxRows, "sample_rows is within max_rows")
	must(l.TotalBytes >= 1024, "total_bytes has room for an envelope")
	must(l.CellBytes >= 1 && l.CellBytes <= l.TotalBytes, "cell_bytes is within total_bytes")
	g := l.CostGate
	must(g == CostGate{} || g.On && g.MaxEstimatedRows >= 1 && g.MaxEstimatedRows <= 1_000_000_000, "the cost gate is off, or has a limit within the ceiling")
	must(l.Timeout >= time.Millisecond && l.Timeout <= 30*time.Second, "timeout is within the ceiling")
}

func checkConnection(must func(bool, string), c Connection) {
	must((c.Host == "") != (c.Socket == ""), "exactly one of host and socket")
	must(c.Host == "" || c.Port >= 1 && c.Port <= 65535, "a host has a port")
	must(c.MaxConnections >= 1, "the pool is bounded and not empty")
	must((c.Username.Env == "") != (c.Username.File == ""), "the user name is a reference")
	must(c.Password.Env == "" || c.Password.File == "", "the password has one origin")
	must(c.TLS.Mode == TLSVerify || c.TLS.Mode == TLSPlaintext, "TLS is verified, or there is none")
	must(c.TLS.Mode == TLSVerify || c.Socket != "" || c.TLS.AcceptPlaintext || isLoopback(c.Host), "plaintext stays on the machine")
}

func checkAllow(must func(bool, string), cfg *Config, s DataSource) {
	foundDefault := s.DefaultSchema == "" || len(s.Allow) == 0
	schemas := map[string]bool{}
	for _, schema := range s.Allow {
		folded := ident.Fold(schema.Name)
		must(schema.Name != "" && !schemas[folded], "schemas differ by more than case")
		schemas[folded] = true
		must(folded != "mysql" && folded != "sys" && folded != "information_schema" && folded != "performance_schema" && folded != "ndbinfo", "no system schema is allowed")
		foundDefault = foundDefault || schema.Name == s.DefaultSchema
		tables := map[string]bool{}
		for _, table := range schema.Tables {
			must(table.Name != "" && !tables[ident.Fold(table.Name)], "tables differ by more than case")
			tables[ident.Fold(table.Name)] = true
			must(len(table.Columns) > 0, "a table has a column")
			columns := map[string]bool{}
			for _, c := range table.Columns {
				folded := ident.Fold(c.Name)
				must(c.Name != "" && c.Name != "*" && c.Name != "%" && len([]rune(c.Name)) <= 64 && !columns[folded], "column names are exact and different")
				columns[folded] = true
				must(c.Mask == MaskNone || c.Mask == MaskRedact || c.Mask == MaskPseudonym, "masks are known")
				must(c.Mask != MaskPseudonym || cfg.PseudonymKey != (Secret{}), "a pseudonym has a key")
				must(c.FilterEquality == (c.FilterType == ParamText || c.FilterType == ParamInteger) && (!c.FilterEquality || c.Mask != MaskNone), "a filter has a type")
				must(!c.JSON || c.Mask == MaskNone, "JSON columns are plain")
			}
		}
	}
	must(foundDefault, "the default schema is allowed")
}

// FuzzParse: no file crashes the loader, a file that loads obeys the rules, and
// one that doesn't has mistakes in order, each on a line of the file.
func FuzzParse(f *testing.F) {
	for _, path := range []string{"example.yaml", filepath.Join("testdata", "mistakes.yaml")} {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, group := range [][]mistake{formMistakes(), limitMistakes(), connectionMistakes(), sourceMistakes(), allowMistakes()} {
		for _, m := range group {
			f.Add([]byte(m.file))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, err := Parse("c.yaml", data)
		if err == nil {
			checkInvariants(t, cfg)
			return
		}
		var all Errors
		if cfg != nil || !errors.As(err, &all) || len(all) == 0 {
			t.Fatalf("a refused file gives %v and %v", cfg, err)
		}
		last := lineCount(data)
		previous := 1
		for _, e := range all {
			if e.Line < previous || e.Line > last || e.Message == "" || bytes.ContainsRune([]byte(e.Error()), '\x1b') {
				t.Fatalf("line %d after line %d of %d: %q", e.Line, previous, last, e.Error())
			}
			previous = e.Line
		}
	})
}

package config

import (
	"path/filepath"
	"strings"
	"unicode"

	"mysqlevidence/internal/ident"
)

// checker turns the keys that were read into a Config, and reports whatever
// contradicts a rule. It goes on after a mistake, with a default in its place, so
// that one run finds them all.
type checker struct {
	*report
	dir  string // where relative paths start; "" leaves them alone
	file *fileKeys
}

func (c *checker) config() *Config {
	cfg := &Config{
		Limits:       c.limits(&c.file.Limits.v),
		PseudonymKey: c.secret(&c.file.PseudonymKey),
		Ledger:       c.ledger(&c.file.Ledger.v.SQLite.v.Path),
		CallID:       CallID{MetaKeys: c.metaKeys(&c.file.CallID.v.MetaKeys)},
		Server:       Server{Tools: c.tools(&c.file.Server.v.Tools)},
	}
	sources := &c.file.DataSources
	if len(sources.entries) == 0 && !sources.broken {
		c.fail(place{line: max(sources.line, 1), key: "data_sources"}, "must name at least one data source")
	}
	for i := range sources.entries {
		cfg.DataSources = append(cfg.DataSources, c.source(&sources.entries[i], cfg.Limits))
	}
	return cfg
}

// defaultLedger is the file of the ledger when none is named.
const defaultLedger = "ledger.db"

func (c *checker) ledger(path *text) Ledger {
	if path.ok && (!isPath(path.v) || strings.HasPrefix(path.v, ":") || strings.HasPrefix(path.v, "file:")) {
		c.fail(path.place, "must be the path of a file; a database in memory or a URI is not accepted")
	}
	return Ledger{SQLitePath: c.path(path.or(defaultLedger))}
}

func (c *checker) metaKeys(l *list) []string {
	if !l.present {
		return []string{"claudecode/toolUseId"}
	}
	return c.words(l, "key")
}

// offeredTools are the tools of this version, laterTools those of the contract
// that this version lacks.
var (
	offeredTools = []string{"list_data_sources", "describe_schema", "run_query", "sample_table"}
	laterTools   = []string{"explain_query", "get_query_history"}
)

func (c *checker) tools(l *list) []string {
	if !l.present {
		return nil
	}
	if len(l.items) == 0 {
		c.fail(l.place, "names no tool; leave the key out to offer all of them")
	}
	tools := c.words(l, "tool")
	for i := range l.items {
		switch t := &l.items[i]; {
		case !t.ok || contains(offeredTools, t.v):
		case contains(laterTools, t.v):
			c.fail(t.place, "the tool %s is not supported by this version", t.v)
		default:
			c.fail(t.place, "unknown tool %q%s", t.v, suggest(t.v, offeredTools))
		}
	}
	return tools
}

// words returns the items of a list, which must be different and not empty.
func (c *checker) words(l *list, kind string) []string {
	out := make([]string, 0, len(l.items))
	lines := map[string]int{}
	for i := range l.items {
		t := &l.items[i]
		if !t.ok {
			continue
		}
		first, repeated := lines[t.v]
		switch {
		case strings.TrimSpace(t.v) == "" || hasControl(t.v):
			c.fail(t.place, "a %s must not be empty or hold control characters", kind)
		case repeated:
			c.fail(t.place, "the %s %q is in the list twice, first on line %d", kind, t.v, first)
		default:
			lines[t.v] = t.line
			out = append(out, t.v)
		}
	}
	return out
}

// prose returns a text for people and models: any characters but control ones.
func (c *checker) prose(t *text) string {
	if strings.ContainsFunc(t.v, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		c.fail(t.place, "must not hold control characters")
	}
	return t.v
}

func (c *checker) secret(s *secret) Secret {
	ref := s.v
	if ref.File != "" {
		ref.File = c.path(ref.File)
	}
	return ref
}

// path makes a path of the file absolute.
func (c *checker) path(p string) string {
	if c.dir == "" || p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(c.dir, p)
}

// filePath returns the path that a key names, or "" when it is absent.
func (c *checker) filePath(t *text) string {
	if t.ok && !isPath(t.v) {
		c.fail(t.place, "must be the path of a file")
	}
	return c.path(t.v)
}

func isPath(s string) bool { return strings.TrimSpace(s) != "" && !hasControl(s) }

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

func contains(words []string, w string) bool {
	for _, known := range words {
		if known == w {
			return true
		}
	}
	return false
}

// suggest returns what a message about an unknown word ends in.
func suggest(written string, known []string) string {
	if near := ident.Nearest(written, known); near != "" {
		return `; did you mean "` + near + `"?`
	}
	return "; known are " + strings.Join(known, ", ")
}

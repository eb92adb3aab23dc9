package config

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a config file. Its message never repeats a value that
// could be a secret.
type Error struct {
	File    string
	Line    int    // 1-based; 0 when the file could not be read at all
	Key     string // where in the document, such as data_sources.shop.connection; "" for its top
	Message string
}

// Error gives the mistake as one line, in the form that editors can jump to.
func (e Error) Error() string {
	s := e.File + ": "
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	}
	if e.Key != "" {
		s += e.Key + ": "
	}
	return s + e.Message
}

// Errors is every mistake of one file, sorted by line. It is never empty when
// Load or Parse returns it.
type Errors []Error

// Error gives one mistake a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// place is where something stands in the file.
type place struct {
	line int
	key  string
}

// at returns the same key on another line.
func (p place) at(line int) place { return place{line: line, key: p.key} }

// child returns the place of a key below p.
func (p place) child(name string, line int) place {
	if !isPlain(name) {
		name = fmt.Sprintf("%q", name)
	}
	if p.key != "" {
		name = p.key + "." + name
	}
	return place{line: line, key: name}
}

// item returns the place of the i-th item of the list at p.
func (p place) item(i, line int) place {
	return place{line: line, key: fmt.Sprintf("%s[%d]", p.key, i)}
}

// isPlain reports whether a key can stand in a path without quotes.
func isPlain(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return name != ""
}

// report collects the mistakes of one file.
type report struct {
	file string
	errs Errors
}

// fail adds a mistake. Arguments must not hold what may be a secret.
func (r *report) fail(at place, format string, args ...any) {
	r.errs = append(r.errs, Error{File: r.file, Line: at.line, Key: at.key, Message: fmt.Sprintf(format, args...)})
}

// err returns the mistakes by line, or nil. Mistakes of one line stay in the
// order in which they were found.
func (r *report) err() error {
	if len(r.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(r.errs, func(a, b Error) int { return a.Line - b.Line })
	return r.errs
}

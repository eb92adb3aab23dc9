package function

import (
	"fmt"
	"slices"
	"strings"
)

// Set is the functions that one data source allows. The zero Set allows none.
type Set struct{ names map[string]Function }

// NewSet returns the default functions, plus add, minus remove. The flavour is
// the config's "mysql 8.4" or "mariadb 10.11", or "" if unknown; a function that
// isn't native everywhere can only be added where the flavour says it is. A name
// stands for all names of its function. Every mistake is returned, not only the
// first.
func NewSet(flavour string, add, remove []string) (Set, []error) {
	set := Set{names: make(map[string]Function, len(catalogue))}
	for n, f := range catalogue {
		if f.Default {
			set.names[n] = f
		}
	}
	var errs []error
	for _, name := range add {
		n := upper(name)
		f, ok := catalogue[n]
		switch {
		case !ok && Classify(n) != Unknown:
			errs = append(errs, fmt.Errorf("function %q can never be allowed", name))
		case !ok:
			errs = append(errs, fmt.Errorf("function %q is not in the catalogue of native functions", name))
		case !f.nativeIn(flavour):
			errs = append(errs, fmt.Errorf("function %q is native only in %s: name the data source's flavour", name, strings.Join(f.Only, " and ")))
		default:
			for _, same := range synonyms(n) {
				set.names[same] = catalogue[same]
			}
		}
	}
	for _, name := range remove {
		n := upper(name)
		if _, ok := catalogue[n]; !ok {
			errs = append(errs, fmt.Errorf("function %q is not in the catalogue of native functions", name))
		}
		for _, same := range synonyms(n) {
			delete(set.names, same)
		}
	}
	return set, errs
}

func (f Function) nativeIn(flavour string) bool {
	if len(f.Only) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Only, func(p string) bool {
		return flavour == p || strings.HasPrefix(flavour, p+".") || strings.HasPrefix(flavour, p+" ")
	})
}

// Lookup returns the allowed function of that name, in any case.
func (s Set) Lookup(name string) (Function, bool) {
	f, ok := s.names[upper(name)]
	return f, ok
}

// Names returns the allowed names, sorted.
func (s Set) Names() []string {
	out := make([]string, 0, len(s.names))
	for n := range s.names {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Classify says what kind of name a function outside the allowed set is.
func Classify(name string) Verdict {
	n := upper(name)
	switch {
	case metadata[n]:
		return Metadata
	case regexps[n]:
		return Regexp
	case forbidden[n]:
		return Forbidden
	case geometries[n] || strings.HasPrefix(n, "ST_") || strings.HasPrefix(n, "MBR"):
		return Geometry
	case unoffered[n]:
		return Unoffered
	}
	if _, ok := catalogue[n]; ok {
		return Addable
	}
	return Unknown
}

// Hint returns what to write instead of a function that isn't allowed, or "".
func Hint(name string) string { return instead[upper(name)] }

// Usage returns how an allowed function is called, where people often call it
// otherwise, or "".
func Usage(name string) string { return usage[upper(name)] }

// Word returns the name as the lists of this package spell it, in upper case, or
// "" for a name that none of them has. Only such a word may be shown.
func Word(name string) string {
	n := upper(name)
	_, native := catalogue[n]
	if native || instead[n] != "" || Classify(n) != Unknown && !strings.HasPrefix(n, "ST_") && !strings.HasPrefix(n, "MBR") {
		return n
	}
	return ""
}

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// upper folds ASCII only: U+017F and U+212A must not become S and K.
func upper(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return s
		}
	}
	return strings.ToUpper(s)
}

// Everything returns all functions that a config of that flavour can allow.
func Everything(flavour string) Set {
	set := Set{names: make(map[string]Function, len(catalogue))}
	for n, f := range catalogue {
		if f.nativeIn(flavour) {
			set.names[n] = f
		}
	}
	return set
}

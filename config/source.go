package config

import (
	"regexp"
	"strings"

	"mysqlevidence/internal/function"
)

var (
	sourceName  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	flavourForm = regexp.MustCompile(`^(mysql|mariadb) [0-9]{1,3}\.[0-9]{1,3}$`)
)

func (c *checker) source(e *entry[section[sourceKeys]], limits Limits) DataSource {
	k := &e.v.v
	if !sourceName.MatchString(e.name) {
		c.fail(e.place, "the name of a data source must be 1 to 64 of the characters A-Z a-z 0-9 _ -")
	}
	s := DataSource{
		Name:        e.name,
		Description: c.prose(&k.Description),
		Tags:        c.words(&k.Tags, "tag"),
		Flavour:     c.flavour(&k.Flavour),
		Limits:      c.sourceLimits(&k.Limits.v, limits),
		Query:       c.queryCaps(&k.Query.v),
		Allow:       c.allow(&k.Allow),
	}
	if k.Connection.present {
		s.Connection = c.connection(&k.Connection)
		s.Connection.AcceptPrivilegedAccount = k.AcceptPrivilegedAccount.v
	}
	s.Functions = c.functions(&k.Functions.v, s.Flavour)
	s.DefaultSchema = c.defaultSchema(&k.DefaultSchema, &k.Allow)
	return s
}

func (c *checker) flavour(t *text) string {
	if t.ok && !flavourForm.MatchString(t.v) {
		c.fail(t.place, `must look like "mysql 8.4" or "mariadb 10.11", not %q`, t.v)
		return ""
	}
	return t.v
}

// functions asks the catalogue name by name, so that each mistake has its line.
func (c *checker) functions(k *functionKeys, flavour string) function.Set {
	added := map[string]bool{}
	add := c.functionNames(&k.Add, func(name string) []error {
		added[strings.ToUpper(name)] = true
		_, errs := function.NewSet(flavour, []string{name}, nil)
		return errs
	})
	remove := c.functionNames(&k.Remove, func(name string) []error {
		_, errs := function.NewSet(flavour, nil, []string{name})
		return errs
	})
	for i := range k.Remove.items {
		if t := &k.Remove.items[i]; t.ok && added[strings.ToUpper(t.v)] {
			c.fail(t.place, "function %q is both added and removed", t.v)
		}
	}
	// What is wrong with these was reported above; a file with a mistake
	// doesn't load.
	set, _ := function.NewSet(flavour, add, remove)
	return set
}

func (c *checker) functionNames(l *list, check func(string) []error) []string {
	var names []string
	for i := range l.items {
		t := &l.items[i]
		if !t.ok {
			continue
		}
		errs := check(t.v)
		for _, err := range errs {
			c.fail(t.place, "%s", err)
		}
		if len(errs) == 0 {
			names = append(names, t.v)
		}
	}
	return names
}

// defaultSchema must be one that is allowed. Where nothing is allowed at all it
// can't mislead, so a file that is still being written loads.
func (c *checker) defaultSchema(t *text, allow *named[tables, *tables]) string {
	if !t.ok || len(allow.entries) == 0 && t.v != "" {
		return t.v
	}
	var schemas []string
	for i := range allow.entries {
		schemas = append(schemas, allow.entries[i].name)
	}
	if !contains(schemas, t.v) {
		c.fail(t.place, "the default schema %q is not in allow%s", t.v, suggest(t.v, schemas))
	}
	return t.v
}

package executor

import (
	"errors"
	"slices"
	"strings"
)

// grant is one line of SHOW GRANTS: of privileges on an object, or of roles.
// Names are as they are printed, with their quotes.
type grant struct {
	privileges []privilege
	object     string
	roles      []string
	to         string // `app`@`%`; of a role in MariaDB its name alone; PUBLIC
	account    bool   // to is a name with a host
	option     bool   // it may be granted on: GRANT OPTION, of roles ADMIN OPTION
}

// privilege is one privilege: its words in upper case and, if it is granted on
// columns, these.
type privilege struct {
	name    string
	columns []string
}

func (p privilege) String() string {
	if len(p.columns) == 0 {
		return p.name
	}
	return p.name + " (" + strings.Join(p.columns, ", ") + ")"
}

// reads reports whether the privilege allows nothing but reading.
func (p privilege) reads() bool {
	return p.name == "SELECT" || p.name == "USAGE" || p.name == "SHOW VIEW"
}

var errGrantUnknown = errors.New("not understood")

// parseGrant reads a line. The grants of one that grants nothing (a partial
// revoke, MariaDB's default role) are empty. What isn't understood to its end is
// an error: each word may change what the line grants.
func parseGrant(line string) (grant, error) {
	tokens := scanGrant(line)
	switch {
	case len(tokens) == 0:
		return grant{}, errGrantUnknown
	case tokens[0].is("REVOKE"): // MySQL's partial_revokes: it only takes away
		return grant{}, nil
	case len(tokens) > 3 && tokens[0].is("SET") && tokens[1].is("DEFAULT") && tokens[2].is("ROLE"):
		return grant{}, nil // MariaDB's; the role itself has a line of its own
	case !tokens[0].is("GRANT"):
		return grant{}, errGrantUnknown
	}
	return grantLine{text: line, tokens: tokens[1:]}.parse()
}

// grantLine is a line of SHOW GRANTS after the word GRANT.
type grantLine struct {
	text   string
	tokens []grantToken
}

func (l grantLine) parse() (grant, error) {
	// A name may be ON or TO as well, but only in quotes, which find skips.
	on, to := l.find("ON"), l.find("TO")
	if to < 0 || to+1 >= len(l.tokens) {
		return grant{}, errGrantUnknown
	}
	g, what := grant{}, to
	end := to + 2
	if end+1 < len(l.tokens) && l.tokens[end].is("@") {
		end, g.account = end+2, true
	}
	g.to = l.slice(to+1, end)
	ok := true
	if on >= 0 && on < to {
		g.object, what = l.slice(on+1, to), on
		g.privileges, ok = l.privileges(what)
		ok = ok && isObject(l.tokens[on+1:to])
	} else {
		g.roles, ok = l.roles(what)
	}
	var known bool
	if g.option, known = l.tail(end); !ok || !known {
		return grant{}, errGrantUnknown
	}
	return g, nil
}

// find returns the index of the bare word outside parentheses, or -1.
func (l grantLine) find(word string) int {
	depth := 0
	for i, t := range l.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && t.is(word):
			return i
		}
	}
	return -1
}

// slice is the source text of the tokens from i up to j.
func (l grantLine) slice(i, j int) string {
	if i >= j {
		return ""
	}
	return l.text[l.tokens[i].start:l.tokens[j-1].end]
}

// roles reads the names before TO. MySQL prints several in one line.
func (l grantLine) roles(to int) ([]string, bool) {
	var out []string
	start := 0
	for i := 0; i <= to; i++ {
		if i < to && !l.tokens[i].is(",") {
			continue
		}
		name := l.slice(start, i)
		if name == "" || !roleName(l.tokens[start:i]) {
			return nil, false
		}
		out, start = append(out, name), i+1
	}
	return out, true
}

// roleName reports whether the tokens are `name` or `name`@`host`.
func roleName(tokens []grantToken) bool {
	return len(tokens) == 1 && tokens[0].isName() ||
		len(tokens) == 3 && tokens[0].isName() && tokens[1].is("@") && tokens[2].isName()
}

// privileges reads the list before ON.
func (l grantLine) privileges(on int) ([]privilege, bool) {
	var out []privilege
	start, depth := 0, 0
	for i := 0; i <= on; i++ {
		switch t := l.tokens[i]; {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth == 0 && (i == on || t.is(",")):
			p, ok := onePrivilege(l.tokens[start:i])
			if !ok {
				return nil, false
			}
			out, start = append(out, p), i+1
		}
	}
	return out, start == on+1
}

// onePrivilege reads words, and columns in parentheses behind them.
func onePrivilege(tokens []grantToken) (privilege, bool) {
	var p privilege
	if open := slices.IndexFunc(tokens, func(t grantToken) bool { return t.is("(") }); open >= 0 {
		last, ok := len(tokens)-1, false
		if p.columns, ok = nameList(tokens[open+1 : max(last, open+1)]); !ok || !tokens[last].is(")") {
			return p, false
		}
		tokens = tokens[:open]
	}
	var words []string
	for _, t := range tokens {
		if !isWord(t.text[0]) {
			return p, false
		}
		words = append(words, strings.ToUpper(t.text))
	}
	p.name = strings.Join(words, " ")
	return p, p.name != ""
}

// nameList reads a list with commas.
func nameList(tokens []grantToken) ([]string, bool) {
	var out []string
	for i, t := range tokens {
		switch {
		case i%2 == 0 && t.isName():
			out = append(out, t.text)
		case i%2 == 1 && t.is(","):
		default:
			return nil, false
		}
	}
	return out, len(tokens)%2 == 1
}

// isObject reports whether the tokens are one thing: *.*, a schema, a table, a
// routine with its kind, or the account of a PROXY.
func isObject(tokens []grantToken) bool {
	for len(tokens) > 1 && isKind(tokens[0]) {
		tokens = tokens[1:]
	}
	part := func(i int) bool { return tokens[i].isName() || tokens[i].is("*") }
	switch len(tokens) {
	case 1:
		return part(0)
	case 3:
		return part(0) && (tokens[1].is(".") || tokens[1].is("@")) && part(2)
	}
	return false
}

func isKind(t grantToken) bool {
	switch strings.ToUpper(t.text) {
	case "TABLE", "FUNCTION", "PROCEDURE", "PACKAGE", "BODY", "LIBRARY":
		return true
	}
	return false
}

// tail reads what follows the grantee: how it authenticates, what it is limited
// to, and whether it may grant on. A word that isn't known isn't understood.
func (l grantLine) tail(from int) (option, ok bool) {
	rest := l.tokens[from:]
	for i, t := range rest {
		switch {
		case t.is("OPTION"):
			if i == 0 || !rest[i-1].is("GRANT") && !rest[i-1].is("ADMIN") {
				return false, false
			}
			option = true
		case !isWord(t.text[0]): // a text or a dot
		case t.text[0] >= '0' && t.text[0] <= '9':
		case i > 0 && (rest[i-1].is("VIA") || rest[i-1].is("OR")): // a plugin's name
		case !tailWord(t.text):
			return false, false
		}
		if t.is("(") || t.is(")") || t.is(",") {
			return false, false
		}
	}
	return option, true
}

func tailWord(word string) bool {
	switch strings.ToUpper(word) {
	case "IDENTIFIED", "BY", "PASSWORD", "VIA", "USING", "AS", "OR",
		"REQUIRE", "NONE", "SSL", "X509", "SUBJECT", "ISSUER", "CIPHER", "AND",
		"WITH", "GRANT", "ADMIN", "MAX_QUERIES_PER_HOUR", "MAX_UPDATES_PER_HOUR",
		"MAX_CONNECTIONS_PER_HOUR", "MAX_USER_CONNECTIONS", "MAX_STATEMENT_TIME":
		return true
	}
	return false
}

package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// checkAccount refuses an account that may do more than read. It is asked on
// each new session, so a privilege that is granted later is noticed when the
// next session is made.
func (o *opener) checkAccount(ctx context.Context, c conn) error {
	rows, err := queryText(ctx, c, "SHOW GRANTS")
	if err != nil {
		return err
	}
	found := []excess{}
	for _, row := range rows {
		found = append(found, inspectGrant(row[0])...)
	}
	if len(rows) == 0 {
		found = append(found, excess{what: "no grants at all, which can't be"})
	}
	if len(found) == 0 {
		return nil
	}
	if o.connection.AcceptPrivilegedAccount {
		o.log.LogAttrs(ctx, slog.LevelWarn, "SERVING WITH A PRIVILEGED ACCOUNT, as accept_privileged_account says",
			slog.String("excess", describe(found)))
		return nil
	}
	return unavailable(privilegedAccount, errors.New("the account may do more than read: "+describe(found)))
}

func describe(found []excess) string {
	lines := make([]string, len(found))
	for i, x := range found {
		lines[i] = x.what
		if x.revoke != "" {
			lines[i] += "; remove with: " + x.revoke
		}
	}
	return strings.Join(lines, " | ")
}

// excess is a privilege beyond reading, and the statement that takes it away.
type excess struct{ what, revoke string }

// inspectGrant reads one line of SHOW GRANTS. What it doesn't understand is
// excess.
//
// It can't see what SHOW GRANTS doesn't print: on old servers the rows of
// mysql.db for the anonymous user, which hold for everybody (usually the schema
// test). Against those stands the read-only session.
func inspectGrant(line string) []excess {
	tokens := scanGrant(line)
	if len(tokens) == 0 {
		return notUnderstood(line)
	}
	if tokens[0].is("REVOKE") {
		return nil // a partial revoke only takes away
	}
	if !tokens[0].is("GRANT") {
		return notUnderstood(line)
	}
	return grantLine{text: line, tokens: tokens[1:]}.inspect()
}

func notUnderstood(line string) []excess {
	return []excess{{what: fmt.Sprintf("a grant that isn't understood: %q", line)}}
}

// grantLine is a line of SHOW GRANTS after the word GRANT.
type grantLine struct {
	text   string
	tokens []grantToken
}

func (g grantLine) inspect() []excess {
	on, to := g.find("ON", 0), g.find("TO", 0)
	if to < 0 || !g.balanced() {
		return notUnderstood(g.text)
	}
	if on < 0 || on > to {
		role := g.slice(0, to)
		return []excess{{"the role " + role, "REVOKE " + role + " FROM " + g.account(to)}}
	}
	// The object's own name may be TO, but only in quotes, which find skips.
	object, account := g.slice(on+1, to), g.account(to)
	var found []excess
	for _, p := range g.privileges(on) {
		if p.name != "SELECT" && p.name != "USAGE" && p.name != "SHOW VIEW" {
			found = append(found, excess{p.text + " ON " + object, "REVOKE " + p.text + " ON " + object + " FROM " + account})
		}
	}
	if slices.ContainsFunc(g.tokens[to:], func(t grantToken) bool { return t.is("OPTION") }) {
		found = append(found, excess{"GRANT OPTION ON " + object, "REVOKE GRANT OPTION ON " + object + " FROM " + account})
	}
	return found
}

// balanced reports whether every parenthesis has its partner.
func (g grantLine) balanced() bool {
	depth := 0
	for _, t := range g.tokens {
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}

// find returns the index of the bare word outside parentheses, or -1.
func (g grantLine) find(word string, from int) int {
	depth := 0
	for i := from; i < len(g.tokens); i++ {
		switch t := g.tokens[i]; {
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
func (g grantLine) slice(i, j int) string {
	if i >= j {
		return ""
	}
	return g.text[g.tokens[i].start:g.tokens[j-1].end]
}

// account is the text of the name after TO: one word, or user@host.
func (g grantLine) account(to int) string {
	end := min(to+2, len(g.tokens))
	if end+1 < len(g.tokens) && g.tokens[end].is("@") {
		end += 2
	}
	return g.slice(to+1, end)
}

// privilege is one privilege: its words in upper case, and its text with the
// columns.
type privilege struct{ name, text string }

func (g grantLine) privileges(on int) []privilege {
	var out []privilege
	start, depth := 0, 0
	for i := 0; i <= on; i++ {
		t := g.tokens[i]
		if depth == 0 && (i == on || t.is(",")) {
			out = append(out, g.privilege(start, i))
			start = i + 1
			continue
		}
		switch {
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
	}
	return out
}

func (g grantLine) privilege(start, end int) privilege {
	var words []string
	for _, t := range g.tokens[start:end] {
		if t.is("(") {
			break
		}
		words = append(words, strings.ToUpper(t.text))
	}
	return privilege{name: strings.Join(words, " "), text: g.slice(start, end)}
}

// grantToken is a bare word, a quoted name with its quotes, or one other
// character.
type grantToken struct {
	text       string
	start, end int
}

// is compares with a bare word or a character; a quoted name never matches.
func (t grantToken) is(word string) bool { return strings.EqualFold(t.text, word) }

// scanGrant splits a line. A line with a quote that isn't closed has no tokens.
func scanGrant(line string) []grantToken {
	var out []grantToken
	for i := 0; i < len(line); {
		start := i
		switch c := line[i]; {
		case c == ' ':
			i++
			continue
		case c == '`' || c == '\'' || c == '"':
			if i = afterQuote(line, i); i < 0 {
				return nil
			}
		case isWord(c):
			for i < len(line) && isWord(line[i]) {
				i++
			}
		default:
			i++
		}
		out = append(out, grantToken{text: line[start:i], start: start, end: i})
	}
	return out
}

// afterQuote returns the index after the closing quote, or -1. A doubled quote is
// part of the text, and in strings so is one after a backslash.
func afterQuote(line string, i int) int {
	quote := line[i]
	for i++; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quote != '`':
			i++
		case line[i] != quote:
		case i+1 < len(line) && line[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

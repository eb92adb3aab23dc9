package executor

import "strings"

// grantToken is a bare word, a quoted name with its quotes, or one other
// character.
type grantToken struct {
	text       string
	start, end int
}

// is compares with a bare word or a character; a quoted name never matches.
func (t grantToken) is(word string) bool { return strings.EqualFold(t.text, word) }

// isName reports whether the token can be a name: quoted, or a bare word, as it
// is printed with sql_quote_show_create off.
func (t grantToken) isName() bool { return isQuote(t.text[0]) || isWord(t.text[0]) }

// scanGrant splits a line. A line with a quote that isn't closed has no tokens.
func scanGrant(line string) []grantToken {
	var out []grantToken
	for i := 0; i < len(line); {
		start := i
		switch c := line[i]; {
		case c == ' ':
			i++
			continue
		case isQuote(c):
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

func isQuote(c byte) bool { return c == '`' || c == '\'' || c == '"' }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quoteName writes a name as SHOW GRANTS does.
func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

package mysqltest

import "strings"

// statements splits a script for the mysql command-line client into what a
// driver can send: one statement each, without its delimiter. It knows the
// DELIMITER command, strings, quoted names and comments. Comments stay in the
// statement they belong to; the server drops them.
func statements(script string) []string {
	var out []string
	delimiter := ";"
	for script != "" {
		if script = skipBlank(script); script == "" {
			break
		}
		if rest, d, ok := delimiterCommand(script); ok {
			script, delimiter = rest, d
			continue
		}
		end := statementEnd(script, delimiter)
		if s := strings.TrimSpace(script[:end]); s != "" {
			out = append(out, s)
		}
		script = strings.TrimPrefix(script[end:], delimiter)
	}
	return out
}

// skipBlank drops space and comments before a statement, but no executable
// comment: that is a statement.
func skipBlank(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		n := commentLen(s)
		if n == 0 || strings.HasPrefix(s, "/*!") || strings.HasPrefix(s, "/*M!") {
			return s
		}
		s = s[n:]
	}
}

func delimiterCommand(s string) (rest, delimiter string, ok bool) {
	line, rest, _ := strings.Cut(s, "\n")
	word, delimiter, _ := strings.Cut(strings.TrimSpace(line), " ")
	delimiter = strings.TrimSpace(delimiter)
	return rest, delimiter, strings.EqualFold(word, "DELIMITER") && delimiter != ""
}

// statementEnd is the offset of the delimiter that ends the statement at the
// start of s, or the length of s.
func statementEnd(s, delimiter string) int {
	for i := 0; i < len(s); {
		switch n := commentLen(s[i:]); {
		case n > 0:
			i += n
		case s[i] == '\'' || s[i] == '"' || s[i] == '`':
			i += quotedLen(s[i:])
		case strings.HasPrefix(s[i:], delimiter):
			return i
		default:
			i++
		}
	}
	return len(s)
}

// commentLen is the length of the comment at the start of s, or 0. Two dashes
// begin a comment only before a space or control character.
func commentLen(s string) int {
	switch {
	case strings.HasPrefix(s, "#"),
		strings.HasPrefix(s, "--") && (len(s) == 2 || s[2] <= ' '):
		return endAfter(s, "\n")
	case strings.HasPrefix(s, "/*"):
		return 2 + endAfter(s[2:], "*/")
	}
	return 0
}

// quotedLen is the length of the string or name in the quotes s begins with.
// A doubled quote needs no case of its own: it reads as two strings in a row.
func quotedLen(s string) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote != '`':
			i++
		case s[i] == quote:
			return i + 1
		}
	}
	return len(s)
}

func endAfter(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

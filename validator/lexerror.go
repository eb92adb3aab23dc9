package validator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// lexError says what the tokenizer stumbled over.
func (s *scanner) lexError(tok token) *refusal.Refusal {
	if tok.start >= len(s.sql) {
		return refusal.New(refusal.Syntax, tok.pos)
	}
	rest := s.sql[tok.start:]
	c, size := utf8.DecodeRuneInString(rest)
	next := byte(' ')
	if len(rest) > size {
		next = rest[size]
	}
	switch c {
	case '\'', '"':
		return s.openString(tok)
	case '`':
		if strings.HasPrefix(rest, "```") {
			return refusal.New(refusal.MarkdownFence, tok.pos).Hintf("Delete the line with ``` and what follows it.")
		}
		return syntax(tok, "A backquoted name begins here and is empty or doesn't end.", "Close the name with a backtick.")
	case '/':
		return syntax(tok, "A comment begins here and doesn't end.", "Delete the comment.")
	case '@':
		return refusal.New(refusal.UserVariable, tok.pos)
	case ':':
		return refusal.New(refusal.NamedPlaceholder, tok.pos)
	case '\\':
		return s.backslash(tok, next)
	case '[', ']':
		return s.bracket(tok)
	case '{', '}':
		return s.brace(tok, rest)
	}
	switch {
	case unicode.IsSpace(c):
		return refusal.New(refusal.FormatCharacter, tok.pos)
	case strings.ContainsRune("‘’“”„«»‹›", c):
		return refusal.New(refusal.UnquotedName, tok.pos).Messagef("A typographic quote stands where a plain one must stand.").
			Hintf("Write ' round a string and ` round a name.")
	case c >= '！' && c <= '～' || c == '。' || c == '、':
		return refusal.New(refusal.UnquotedName, tok.pos).Messagef("A full-width sign stands outside quotes.").
			Hintf("Write the plain sign instead, such as , ; ( ) or =.")
	case c >= utf8.RuneSelf:
		return refusal.New(refusal.UnquotedName, tok.pos)
	case c >= '0' && c <= '9' || c == '.':
		return syntax(tok, "This number is not complete.", "Write a plain number such as 12, 1.5 or 1e3; put backticks around a name that begins with a digit.")
	case c == 'x' || c == 'X' || c == 'b' || c == 'B':
		return refusal.New(refusal.HexLiteral, tok.pos)
	}
	return syntax(tok, "This character has no meaning here.", "Delete the character at this position, or put the text in quotes.")
}

// openString says why a string doesn't end. The cause is often an earlier string
// that a quote inside it ended too early.
func (s *scanner) openString(tok token) *refusal.Refusal {
	for j := 1; j < len(s.out.tokens); j++ {
		before, t := s.out.tokens[j-1], s.out.tokens[j]
		if before.typ != sqlparser.STRING {
			continue
		}
		if j > 1 && s.out.tokens[j-2].typ == sqlparser.ESCAPE && strings.HasPrefix(s.sql[before.start:], `'\'`) {
			return badEscape(before)
		}
		if before.end == t.start && t.isBareWord() {
			return s.out.brokenString(j)
		}
	}
	if n := len(s.out.tokens); n > 1 && s.out.tokens[n-1].end == tok.start && s.out.tokens[n-2].typ == sqlparser.STRING &&
		s.out.tokens[n-2].end == s.out.tokens[n-1].start {
		return s.out.brokenString(n - 1)
	}
	if n := len(s.out.tokens); n > 0 && s.out.tokens[n-1].typ == sqlparser.ESCAPE && strings.HasPrefix(s.sql[tok.start:], `'\'`) {
		return badEscape(tok)
	}
	return syntax(tok, "A string begins here and doesn't end.",
		"Close the string; write a quote inside it twice ('it''s'), or pass the value as a parameter with ?.")
}

func badEscape(tok token) *refusal.Refusal {
	return refusal.New(refusal.LikeEscape, tok.pos).Messagef("A backslash after ESCAPE escapes the quote that should end the string.").
		Hintf("Use another character, as in LIKE 'a|%%' ESCAPE '|'; or leave ESCAPE out: the backslash escapes by itself.")
}

// backslash tells Markdown, a text that was escaped twice, and a client's command.
func (s *scanner) backslash(tok token, next byte) *refusal.Refusal {
	r := refusal.New(refusal.MarkdownEscape, tok.pos)
	switch {
	case len(s.out.tokens) == 0:
		r = refusal.New(refusal.ShowStatement, tok.pos)
	case next == 'n' || next == 'r' || next == 't':
		r.Messagef("A backslash and a letter stand where a line break was meant: the text was escaped twice.").
			Hintf("Send a space or a real line break instead of the two characters.")
	case next == 'N':
		r.Messagef("A backslash and N are not accepted for NULL.").Hintf("Write NULL.")
	case next == '\'' || next == '"' || next == '`':
		r.Messagef("A backslash stands before a quote outside a string: the text was escaped twice.").Hintf("Delete the backslash before the quote.")
	}
	return r
}

func (s *scanner) bracket(tok token) *refusal.Refusal {
	hint := "Put backticks around the name instead of square brackets."
	if n := len(s.out.tokens); n > 1 && (s.out.endsValue(n-1) && s.out.tokens[n-1].end == tok.start) {
		hint = "JSON_EXTRACT(doc, '$[0]') reads an element of an array."
	}
	return syntax(tok, "Square brackets are not MySQL.", hint)
}

// brace tells ODBC's escapes, JSON round the query, and a template's placeholders.
func (s *scanner) brace(tok token, rest string) *refusal.Refusal {
	inside := strings.ToLower(strings.TrimLeft(rest[1:], " "))
	kind, _, _ := strings.Cut(inside, " ")
	switch {
	case len(s.out.tokens) == 0:
		return refusal.New(refusal.NotSelect, tok.pos).Messagef("The text begins with a brace.").
			Hintf("Send the SELECT itself, not JSON or a template round it.")
	case kind == "d" || kind == "t" || kind == "ts":
		return refusal.New(refusal.TypedLiteral, tok.pos).Messagef("{d '…'}, {t '…'} and {ts '…'} are not accepted.").
			Hintf("Write the date as a plain string: '2024-01-31'.")
	case kind == "fn":
		return syntax(tok, "{fn …} is not accepted.", "Write the function without the braces and fn.")
	case kind == "oj":
		return syntax(tok, "{oj …} is not accepted.", "Write the join without the braces and oj.")
	}
	return refusal.New(refusal.NamedPlaceholder, tok.pos).Messagef("A placeholder in braces was not filled in.").
		Hintf("Write ? for each parameter, and give the values in order in params.")
}

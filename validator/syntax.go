package validator

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// syntaxError turns the parser's error into a refusal that says the likely cause.
// The parser's own text quotes the input, so only its position is used. Nothing
// here can accept a text; what it tries decides only what is said.
func (v *Validator) syntaxError(s *scanned, err error) *refusal.Refusal {
	i := s.tokenEndingAt(errorOffset(err))
	if i == len(s.tokens)-1 {
		// Without a blank at the end, the last token and the end have one place.
		_, _, err = v.parser.Parse2(s.text + " ")
		i = s.tokenEndingAt(errorOffset(err))
	}
	if i < 0 {
		i = len(s.tokens) // the text ended where more was expected
	}
	for _, cause := range []func(int) *refusal.Refusal{
		s.brokenString, s.castTypeNear, s.habitNear, s.wildcardNear, s.doubleQuoted, s.clauseAtEnd,
		func(i int) *refusal.Refusal { return v.unknownCall(s, i) },
		func(i int) *refusal.Refusal { return v.reservedWord(s, i) },
		s.textEnded, s.unbalanced, s.outOfOrder, s.commaTooMany,
		func(i int) *refusal.Refusal { return v.wrongCall(s, i) },
		s.joinWithout, s.inFrom, s.parts, s.inLimit, s.neighbours,
	} {
		if r := cause(i); r != nil {
			return r
		}
	}
	return refusal.New(refusal.Syntax, s.tokens[min(i, len(s.tokens)-1)].pos)
}

// syntax makes a refusal of the reason syntax_error, with texts of ours.
func syntax(tok token, message, hint string) *refusal.Refusal {
	r := refusal.New(refusal.Syntax, tok.pos)
	r.Message, r.Hint = message, hint
	return r
}

// brokenString finds a string that a quote inside it ended: what follows stands
// against it without a space.
func (s *scanned) brokenString(i int) *refusal.Refusal {
	for j := min(i, len(s.tokens)-1); j > 0 && j > i-2; j-- {
		before, tok := s.tokens[j-1], s.tokens[j]
		if before.typ == sqlparser.STRING && before.end == tok.start && tok.isBareWord() {
			return syntax(before, "A quote inside this string ends it too early.",
				"Write the quote inside the string twice ('it''s'), or pass the value as a parameter with ?.")
		}
	}
	return nil
}

// wildcardNear finds a * that stands for columns and not for times.
func (s *scanned) wildcardNear(i int) *refusal.Refusal {
	for j := max(1, i-2); j <= min(i, len(s.tokens)-1); j++ {
		if s.typeAt(j) != '*' {
			continue
		}
		before, call := s.typeAt(j-1), s.enclosingCall(j)
		switch {
		case s.word(call) == "count" && (before == '.' || before == sqlparser.DISTINCT):
			r := refusal.New(refusal.Wildcard, s.tokens[j].pos)
			r.Hint = "To count rows write COUNT(*); to count values COUNT(column); else name the column."
			return r
		case call == 0 && (before == ',' || before == '.' || before == sqlparser.SELECT || before == sqlparser.DISTINCT):
			r := refusal.New(refusal.Wildcard, s.tokens[j].pos)
			r.Tables = s.namedTables()
			return r
		}
	}
	return nil
}

// doubleQuoted finds a string in double quotes where a name must stand.
func (s *scanned) doubleQuoted(i int) *refusal.Refusal {
	for _, j := range []int{i, i - 1} {
		if j < 1 || s.typeAt(j) != sqlparser.STRING || s.text[s.tokens[j].start] != '"' {
			continue
		}
		switch before := s.typeAt(j - 1); {
		case before == '.', before == sqlparser.FROM, before == sqlparser.JOIN, before == sqlparser.INTO, s.typeAt(j+1) == '.':
			r := refusal.New(refusal.UnquotedName, s.tokens[j].pos)
			r.Message, r.Hint = "Double quotes make a string in MySQL, not a name.", "Put backticks around the name instead of double quotes, here and wherever a name is meant."
			return r
		}
	}
	return nil
}

// clauseRank is the order in which the clauses of a SELECT stand.
var clauseRank = map[string]int{"from": 1, "join": 1, "left": 1, "inner": 1, "where": 2, "group": 3, "having": 4, "order": 5, "limit": 6}

var clauseNames = map[string]string{"from": "FROM", "join": "JOIN", "left": "JOIN", "inner": "JOIN", "where": "WHERE",
	"group": "GROUP BY", "having": "HAVING", "order": "ORDER BY", "limit": "LIMIT"}

// outOfOrder finds a clause after one that it must precede, or a second one of a
// kind, outside all parentheses.
func (s *scanned) outOfOrder(i int) *refusal.Refusal {
	word := s.word(i)
	rank := clauseRank[word]
	if rank == 0 || s.openBefore(i) > 0 {
		return nil
	}
	depth, last, lastWord := 0, 0, ""
	for j := 1; j < i; j++ {
		switch w := s.word(j); {
		case w == "(":
			depth++
		case w == ")":
			depth--
		case depth == 0 && clauseRank[w] > last && !(w == "left" && s.word(j+1) == "("):
			last, lastWord = clauseRank[w], w
		}
	}
	switch {
	case last < rank || last == 1:
		return nil
	case last == rank:
		return syntax(s.tokens[i], "There is a second "+clauseNames[word]+".",
			"Keep one "+clauseNames[word]+": join conditions with AND, items with commas.")
	}
	return syntax(s.tokens[i], clauseNames[word]+" stands after "+clauseNames[lastWord]+".",
		"Move it: the order is SELECT … FROM … JOIN … ON … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT.")
}

// commaTooMany finds a comma with nothing after it.
func (s *scanned) commaTooMany(i int) *refusal.Refusal {
	switch before, w := s.typeAt(i-1), s.word(i); {
	case before == ',' && (w == ")" || w == "," || clauseRank[w] > 0):
		return syntax(s.tokens[i-1], "Nothing stands after this comma.", "Delete the comma, or write what should follow it.")
	case before == sqlparser.SELECT && w == "from":
		r := syntax(s.tokens[i], "Nothing stands between SELECT and FROM.", "Name the columns after SELECT.")
		return r
	case before == sqlparser.IN && w != "(":
		return syntax(s.tokens[i], "IN has no parentheses after it.", "Write IN (?, ?) with one ? for each value; a ? can't stand for a whole list.")
	case before == '(' && w == ")" && s.typeAt(i-2) == sqlparser.IN:
		return syntax(s.tokens[i], "The parentheses after IN are empty.", "Write at least one value: IN (?); or leave the condition out.")
	}
	return nil
}

// neverNames are words that hold a query together; nobody means them as names.
var neverNames = wordSet(`select distinct all from where and or not xor on join outer inner case when then else end as in is
	null true false with by using having between like union escape`)

// reservedWord finds a word of the language that was meant as a name. It is tried
// out: with backticks round the word the parser must get further.
func (v *Validator) reservedWord(s *scanned, i int) *refusal.Refusal {
	for _, j := range []int{i, i - 1} {
		if j < 1 || j >= len(s.tokens) {
			continue
		}
		tok := s.tokens[j]
		if c := tok.first(); c < 'a' || c > 'z' || tok.typ == sqlparser.ID || neverNames[strings.ToLower(tok.val)] {
			continue
		}
		quoted := s.text[:tok.start] + "`" + s.text[tok.start:tok.end] + "`" + s.text[tok.end:]
		_, _, err := v.parser.Parse2(quoted)
		if err == nil || errorOffset(err) > s.offsetOf(i)+2 {
			return refusal.New(refusal.ReservedWord, tok.pos).
				Messagef("%s is a reserved word and is used as a name.", strings.ToUpper(tok.val)).
				Hintf("Put backticks around the name: `%s`.", tok.val)
		}
	}
	return nil
}

// offsetOf is the end of a token, or of the text.
func (s *scanned) offsetOf(i int) int {
	if i < len(s.tokens) {
		return s.tokens[i].end
	}
	return len(s.text)
}

// errorOffset reads the byte offset from "syntax error at position N near …".
func errorOffset(err error) int {
	if err == nil {
		return -1
	}
	_, rest, ok := strings.Cut(err.Error(), "at position ")
	if !ok {
		return -1
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	n, err := strconv.Atoi(rest[:digits])
	if err != nil {
		return -1
	}
	return n - 1
}

func (s *scanned) tokenEndingAt(offset int) int {
	for i, t := range s.tokens {
		if t.end == offset {
			return i
		}
	}
	return -1
}

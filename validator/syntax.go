package validator

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// clauseWords are the words of the language itself; where the parser stops at
// one of them, something before it is missing or wrong.
var clauseWords = wordSet(`select distinct from where group by having order limit offset join inner left right
	outer on and or not xor as in is null true false like between case when then else end escape div mod asc desc
	interval using for union`)

// syntaxError turns the parser's error into a refusal. The parser's own text
// quotes the input, so only its position is used.
func (s *scanned) syntaxError(err error) *refusal.Refusal {
	i := s.tokenEndingAt(errorOffset(err))
	if i < 0 {
		last := s.tokens[len(s.tokens)-1]
		return refusal.New(refusal.Syntax, last.pos).Messagef("The query ends too early.").
			Hintf("Something is missing at the end; check that every parenthesis is closed and every clause is complete.")
	}
	for _, j := range []int{i, i - 1} {
		if s.isCastType(j) {
			return refusal.New(refusal.CastTypeRefused, s.tokens[j].pos)
		}
		if s.isReservedName(j) {
			return refusal.New(refusal.ReservedWord, s.tokens[j].pos)
		}
	}
	tok := s.tokens[i]
	switch {
	case tok.typ == ')' && s.typeAt(i-1) == '(':
		return refusal.New(refusal.Syntax, tok.pos).Hintf("The parentheses are empty: an IN list needs at least one value.")
	case tok.typ == '*':
		return refusal.New(refusal.Wildcard, tok.pos)
	case tok.typ == '=' && s.typeAt(i-1) == '=':
		return refusal.New(refusal.Syntax, tok.pos).Hintf("Write one = to compare.")
	case tok.typ == sqlparser.LIMIT || s.typeAt(i-1) == sqlparser.LIMIT || s.typeAt(i-2) == sqlparser.LIMIT:
		return refusal.New(refusal.LimitValue, tok.pos)
	}
	return refusal.New(refusal.Syntax, tok.pos)
}

// isCastType reports whether the token stands where CAST or CONVERT want a type.
func (s *scanned) isCastType(i int) bool {
	if i < 1 || i >= len(s.tokens) {
		return false
	}
	nesting, separated := 0, false
	for j := i - 1; j > 0; j-- {
		switch s.tokens[j].typ {
		case ')':
			nesting++
		case sqlparser.AS, ',':
			separated = separated || nesting == 0 && j == i-1
		case '(':
			if nesting == 0 {
				before := s.typeAt(j - 1)
				return separated && (before == sqlparser.CAST || before == sqlparser.CONVERT)
			}
			nesting--
		}
	}
	return false
}

// isReservedName reports whether the token is a keyword where a name may have
// been meant.
func (s *scanned) isReservedName(i int) bool {
	if i < 1 || i >= len(s.tokens) {
		return false
	}
	tok := s.tokens[i]
	if tok.val == "" || tok.typ == sqlparser.ID || tok.typ == sqlparser.STRING || tok.typ == sqlparser.VALUE_ARG {
		return false
	}
	c := tok.val[0] | 0x20
	return c >= 'a' && c <= 'z' && !clauseWords[strings.ToLower(tok.val)]
}

// errorOffset reads the byte offset from "syntax error at position N near …".
func errorOffset(err error) int {
	_, rest, ok := strings.Cut(err.Error(), "at position ")
	if !ok {
		return -1
	}
	digits := rest
	if i := strings.IndexByte(rest, ' '); i >= 0 {
		digits = rest[:i]
	}
	n, err := strconv.Atoi(digits)
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

package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// tokenReasons are tokens that no accepted query contains: quoted names and
// strings have token types of their own. The converter would refuse the same
// constructs; here the exact place is known.
var tokenReasons = map[int]refusal.Reason{
	sqlparser.AT_ID:          refusal.UserVariable,
	sqlparser.AT_AT_ID:       refusal.SystemVariable,
	sqlparser.ASSIGNMENT_OPT: refusal.UserVariable,
	sqlparser.LIST_ARG:       refusal.NamedPlaceholder,
	sqlparser.OFFSET_ARG:     refusal.NamedPlaceholder,
	sqlparser.NCHAR_STRING:   refusal.NationalString,
	// 0x and 0X41 are identifiers for MySQL and literals for the parser.
	sqlparser.HEX:           refusal.HexLiteral,
	sqlparser.HEXNUM:        refusal.HexLiteral,
	sqlparser.BIT_LITERAL:   refusal.HexLiteral,
	sqlparser.BITNUM:        refusal.HexLiteral,
	sqlparser.COLLATE:       refusal.Collate,
	sqlparser.REGEXP:        refusal.RegexpOperator,
	sqlparser.RLIKE:         refusal.RegexpOperator,
	sqlparser.OVER:          refusal.WindowFunction,
	sqlparser.UNION:         refusal.SetOperation,
	sqlparser.INTO:          refusal.Into,
	sqlparser.NATURAL:       refusal.JoinKind,
	sqlparser.CROSS:         refusal.CrossJoin,
	sqlparser.LATERAL:       refusal.DerivedTable,
	sqlparser.JSON_TABLE:    refusal.DerivedTable,
	sqlparser.EXISTS:        refusal.Subquery,
	sqlparser.FORCE:         refusal.TableModifier,
	sqlparser.USE:           refusal.TableModifier,
	sqlparser.IGNORE:        refusal.TableModifier,
	sqlparser.PARTITION:     refusal.TableModifier,
	int('&'):                refusal.BitOperator,
	int('|'):                refusal.BitOperator,
	int('^'):                refusal.BitOperator,
	int('~'):                refusal.BitOperator,
	sqlparser.SHIFT_LEFT:    refusal.BitOperator,
	sqlparser.SHIFT_RIGHT:   refusal.BitOperator,
	int('!'):                refusal.UnsupportedOp,
	sqlparser.STRAIGHT_JOIN: refusal.JoinKind,
	sqlparser.BINARY:        refusal.CastTypeRefused,
}

// checkToken applies the rules that need one token and the one before it.
func (s *scanner) checkToken(tok token) *refusal.Refusal {
	if reason, ok := tokenReasons[tok.typ]; ok {
		return s.tokenRefusal(tok, reason)
	}
	switch tok.typ {
	case '(':
		s.nesting++
		if s.nesting > s.v.caps.Nesting {
			return refusal.New(refusal.TooNested, tok.pos).Messagef("More than %d parentheses are open.", s.v.caps.Nesting)
		}
	case ')':
		s.nesting--
	case sqlparser.VALUE_ARG:
		// :name and ? are the same token; the byte tells.
		if s.sql[tok.start] != '?' {
			return refusal.New(refusal.NamedPlaceholder, tok.pos)
		}
		s.out.params++
		if s.out.params > s.v.caps.Placeholders {
			return refusal.New(refusal.TooManyParams, tok.pos).Messagef("The query has more than %d placeholders.", s.v.caps.Placeholders)
		}
	case sqlparser.STRING:
		if n := len(s.out.tokens); n > 0 && s.out.tokens[n-1].typ == sqlparser.STRING {
			return refusal.New(refusal.AdjacentStrings, tok.pos)
		}
	case sqlparser.OR:
		if s.sql[tok.start] == '|' {
			return refusal.New(refusal.ConcatOperator, tok.pos)
		}
	}
	return nil
}

func (s *scanner) tokenRefusal(tok token, reason refusal.Reason) *refusal.Refusal {
	afterSelect := s.out.tokens[len(s.out.tokens)-1].typ == sqlparser.SELECT
	switch {
	case reason == refusal.JoinKind && afterSelect: // SELECT STRAIGHT_JOIN
		return refusal.New(refusal.SelectOption, tok.pos)
	case tok.typ == sqlparser.LIST_ARG:
		return refusal.New(reason, tok.pos).Hintf("Write ? for a parameter; for a cast write CAST(x AS CHAR) instead of x::text.")
	case tok.typ == sqlparser.BINARY:
		return refusal.New(reason, tok.pos).Messagef("BINARY is not accepted, as an operator or a type.")
	}
	return refusal.New(reason, tok.pos)
}

// checkShape applies the rules that need the tokens around one.
func (s *scanned) checkShape() *refusal.Refusal {
	for i := 1; i < len(s.tokens); i++ {
		tok := s.tokens[i]
		switch tok.typ {
		case sqlparser.SELECT:
			return refusal.New(refusal.Subquery, tok.pos)
		case sqlparser.ROW:
			// The parser drops ROW from ROW(x).
			if s.typeAt(i+1) == '(' {
				return refusal.New(refusal.RowValue, tok.pos)
			}
		case sqlparser.RIGHT:
			if n := s.typeAt(i + 1); n == sqlparser.JOIN || n == sqlparser.OUTER {
				return refusal.New(refusal.JoinKind, tok.pos).Hintf("Swap the two tables and write LEFT JOIN.")
			}
		case sqlparser.FULL:
			// To MySQL, a FULL JOIN b is an inner join with the alias full.
			if n := s.typeAt(i + 1); n == sqlparser.JOIN || n == sqlparser.OUTER {
				return refusal.New(refusal.JoinKind, tok.pos).Hintf("MySQL has no FULL JOIN: run two LEFT JOIN queries.")
			}
		case sqlparser.MATCH:
			if s.typeAt(i+1) == '(' {
				return refusal.New(refusal.UnsupportedSyntax, tok.pos).Messagef("MATCH … AGAINST is not accepted.").Hintf("Use LIKE with %% and _; if match is a name, put backticks around it.")
			}
			return refusal.New(refusal.ReservedWord, tok.pos).Hintf("Put backticks around the name: `match`.")
		case sqlparser.ID:
			if r := s.checkWord(i); r != nil {
				return r
			}
		}
	}
	return nil
}

// checkWord looks at words that MySQL knows and the parser takes for names.
func (s *scanned) checkWord(i int) *refusal.Refusal {
	tok := s.tokens[i]
	if tok.end-tok.start != len(tok.val) { // quoted
		return nil
	}
	switch strings.ToLower(tok.val) {
	case "intersect", "except":
		return refusal.New(refusal.SetOperation, tok.pos)
	case "qualify":
		return refusal.New(refusal.WindowFunction, tok.pos)
	case "ilike":
		return refusal.New(refusal.UnsupportedOp, tok.pos).Hintf("Write LIKE: MySQL's LIKE ignores case under the usual collations.")
	case "top":
		if i == 1 && s.typeAt(i+1) == sqlparser.INTEGRAL {
			return refusal.New(refusal.Syntax, tok.pos).Hintf("Write LIMIT at the end of the query instead of TOP.")
		}
	case "fetch":
		return refusal.New(refusal.Syntax, tok.pos).Hintf("Write LIMIT n instead of FETCH FIRST n ROWS; if fetch is a name, put backticks around it.")
	}
	return nil
}

func (s *scanned) typeAt(i int) int {
	if i < 0 || i >= len(s.tokens) {
		return 0
	}
	return s.tokens[i].typ
}

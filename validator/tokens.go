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
	case sqlparser.SELECT:
		if len(s.out.tokens) > 0 {
			return s.secondSelect(tok)
		}
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

// tokenRefusal words the refusal of one token by what stands before it.
func (s *scanner) tokenRefusal(tok token, reason refusal.Reason) *refusal.Refusal {
	n := len(s.out.tokens) - 1
	r := refusal.New(reason, tok.pos)
	switch tok.typ {
	case sqlparser.EXISTS:
		return s.exists(tok)
	case sqlparser.OVER:
		return s.window(tok)
	case sqlparser.STRAIGHT_JOIN:
		if s.out.typeAt(n) == sqlparser.SELECT {
			return refusal.New(refusal.SelectOption, tok.pos)
		}
		return r.Messagef("STRAIGHT_JOIN is not accepted.").Hintf("Write JOIN instead.")
	case sqlparser.NATURAL:
		return r.Messagef("NATURAL JOIN is not accepted.").Hintf("Write JOIN with its condition: JOIN b ON a.id = b.id.")
	case sqlparser.CROSS:
		return r.Messagef("CROSS JOIN is not accepted.").Hintf("Write JOIN … ON with the condition that relates the two tables.")
	case sqlparser.LIST_ARG:
		if s.out.endsValue(n) {
			return s.postgresCast(tok)
		}
		return r.Hintf("Write (?, ?) with one ? for each value.")
	case sqlparser.BINARY:
		if before := s.out.typeAt(n); before == sqlparser.AS || before == ',' && s.out.enclosingCall(n+1) > 0 {
			return castType(tok.pos, "binary")
		}
		return r.Messagef("BINARY is not accepted.").Hintf("Delete BINARY; text compares by the column's collation.")
	case sqlparser.USE, sqlparser.FORCE, sqlparser.IGNORE:
		return r.Messagef("Index hints are not accepted.").Hintf("Delete the index hint with its parentheses; the server chooses the index.")
	case sqlparser.PARTITION:
		return r.Messagef("PARTITION is not accepted.").Hintf("Delete PARTITION with its parentheses, and narrow the rows with WHERE.")
	case '~':
		if s.out.endsValue(n) || s.out.typeAt(n) == '!' {
			return refusal.New(refusal.RegexpOperator, tok.pos).Messagef("~ doesn't match a pattern in MySQL, and regular expressions are not accepted.")
		}
	case '^':
		return r.Messagef("^ is a bit operator in MySQL, and not accepted.").Hintf("For a power write POW(a, b).")
	case '!':
		if strings.HasPrefix(s.sql[tok.end:], "~") {
			return refusal.New(refusal.RegexpOperator, tok.pos).Messagef("!~ is not MySQL, and regular expressions are not accepted.").
				Hintf("Use NOT LIKE with %% and _.")
		}
		return r.Messagef("! is not accepted.").Hintf("Write NOT.")
	}
	return r
}

// checkShape applies the rules that need the tokens around one.
func (s *scanned) checkShape() *refusal.Refusal {
	for i := 1; i < len(s.tokens); i++ {
		tok := s.tokens[i]
		switch tok.typ {
		case sqlparser.ROW:
			// The parser drops ROW from ROW(x).
			if s.typeAt(i+1) == '(' {
				return refusal.New(refusal.RowValue, tok.pos)
			}
		case sqlparser.RIGHT:
			if n := s.typeAt(i + 1); n == sqlparser.JOIN || n == sqlparser.OUTER {
				return refusal.New(refusal.JoinKind, tok.pos).Messagef("RIGHT JOIN is not accepted.").
					Hintf("Swap the two tables and write LEFT JOIN: FROM b LEFT JOIN a ON ….")
			}
		case sqlparser.FULL:
			// To MySQL, a FULL JOIN b is an inner join with the alias full.
			if n := s.typeAt(i + 1); n == sqlparser.JOIN || n == sqlparser.OUTER {
				return refusal.New(refusal.JoinKind, tok.pos).Messagef("FULL JOIN is not MySQL.").
					Hintf("Run two LEFT JOIN queries, one from each table.")
			}
		case sqlparser.MATCH:
			if s.typeAt(i+1) == '(' {
				return refusal.New(refusal.UnsupportedSyntax, tok.pos).Messagef("MATCH … AGAINST is not accepted.").Hintf("Use LIKE with %% and _; if match is a name, put backticks around it.")
			}
			return refusal.New(refusal.ReservedWord, tok.pos).Messagef("MATCH is a reserved word and is used as a name.").
				Hintf("Put backticks around the name: `match`.")
		case sqlparser.NOW, sqlparser.CURDATE, sqlparser.CURTIME:
			// The parser takes the bare word for a call, MySQL for a column.
			if prev := s.typeAt(i - 1); s.typeAt(i+1) != '(' && prev != '.' {
				return refusal.New(refusal.ReservedWord, tok.pos).Messagef("Without parentheses %s is a name to MySQL.", strings.ToUpper(tok.val)).
					Hintf("Write %s() for the time; if it is a column, put backticks around it.", strings.ToUpper(tok.val))
			}
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
	if !tok.isBareWord() {
		return nil
	}
	switch strings.ToLower(tok.val) {
	case "intersect", "except":
		if s.typeAt(i-1) == '*' && s.typeAt(i+1) == '(' { // * EXCEPT (columns)
			r := refusal.New(refusal.Wildcard, s.tokens[i-1].pos)
			r.Tables = s.namedTables()
			return r
		}
		return refusal.New(refusal.SetOperation, tok.pos)
	case "qualify":
		return refusal.New(refusal.WindowFunction, tok.pos).Messagef("QUALIFY is not accepted, nor are window functions.")
	case "ilike":
		return refusal.New(refusal.UnsupportedOp, tok.pos).Messagef("ILIKE is not MySQL.").
			Hintf("Write LIKE: it ignores case under the usual collations.")
	case "semi", "anti", "asof":
		// To MySQL they are an alias of the table before them.
		if s.typeAt(i+1) == sqlparser.JOIN && s.tokens[i-1].typ == sqlparser.ID {
			return s.habitNear(i)
		}
	case "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9":
		return refusal.New(refusal.NamedPlaceholder, tok.pos).Messagef("$1 and its like are not placeholders of MySQL.")
	}
	return nil
}

func (s *scanned) typeAt(i int) int {
	if i < 0 || i >= len(s.tokens) {
		return 0
	}
	return s.tokens[i].typ
}

package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// adviceOn says which type of CAST stands for one that MySQL doesn't take there, or
// that is not accepted, and gives the word as we may show it.
func adviceOn(word string) (name, hint string) {
	switch word {
	case "int", "integer", "bigint", "smallint", "tinyint", "mediumint", "int2", "int4", "int8", "int64", "int32", "number", "bool", "boolean", "serial", "long", "year":
		hint = "Write SIGNED for a whole number, as in CAST(a AS SIGNED)."
	case "signed", "unsigned":
		hint = "Write SIGNED or UNSIGNED by itself, as in CAST(a AS SIGNED)."
	case "varchar", "varchar2", "nvarchar", "text", "string", "nchar", "character", "longtext", "mediumtext", "tinytext", "clob", "uuid", "char", "bpchar", "binary", "varbinary", "bytea", "blob", "enum", "utf8":
		hint = "Write CHAR, as in CAST(a AS CHAR) or CAST(a AS CHAR(20))."
	case "numeric", "money", "decimal", "dec", "bigdecimal", "bignumeric":
		hint = "Write DECIMAL with digits and scale, as in CAST(a AS DECIMAL(20,4))."
	case "double", "float4", "float8", "float64", "real", "precision", "float":
		hint = "Write DOUBLE, as in CAST(a AS DOUBLE)."
	case "timestamp", "timestamptz", "datetime2", "smalldatetime", "datetimeoffset", "datetime":
		hint = "Write DATETIME, as in CAST(a AS DATETIME)."
	case "json", "jsonb", "variant", "map", "struct", "array":
		hint = "Leave the cast out; JSON_EXTRACT(doc, '$.key') reads a document."
	case "interval":
		hint = "Write INTERVAL 30 DAY after + or -, without a cast."
	case "date", "time":
		hint = "Write DATE(a) or CAST(a AS DATE)."
	default:
		return "", ""
	}
	return strings.ToUpper(word), hint
}

// castType refuses a type that CAST doesn't take.
func castType(pos refusal.Position, word string) *refusal.Refusal {
	r := refusal.New(refusal.CastTypeRefused, pos)
	if name, hint := adviceOn(strings.ToLower(word)); name != "" {
		r.Messagef("CAST to %s is not accepted.", name).Hintf("%s", hint)
	}
	return r
}

// castTypeNear finds a type of CAST or CONVERT that the parser stopped at.
func (s *scanned) castTypeNear(i int) *refusal.Refusal {
	if k := s.enclosingCall(i); k > 0 && s.typeAt(k) == sqlparser.CONVERT && k+2 < len(s.tokens) {
		if name, hint := adviceOn(s.word(k + 2)); name != "" { // as SQL Server has it
			return refusal.New(refusal.CastTypeRefused, s.tokens[k+2].pos).
				Messagef("CONVERT takes the value first and the type second in MySQL.").Hintf("%s", hint)
		}
	}
	for j := max(1, i-2); j <= min(i, len(s.tokens)-1); j++ {
		if s.isCastType(j) {
			return castType(s.tokens[j].pos, s.tokens[j].val)
		}
	}
	return nil
}

// isCastType reports whether the token stands where CAST or CONVERT want a type.
func (s *scanned) isCastType(i int) bool {
	before := s.typeAt(i - 1)
	if before != sqlparser.AS && before != ',' || !s.tokens[i].isBareWord() {
		return false
	}
	nesting := 0
	for j := i - 2; j > 0; j-- {
		switch s.tokens[j].typ {
		case ')':
			nesting++
		case '(':
			if nesting == 0 {
				call := s.typeAt(j - 1)
				return call == sqlparser.CAST && before == sqlparser.AS || call == sqlparser.CONVERT && before == ','
			}
			nesting--
		}
	}
	return false
}

// postgresCast refuses a::type.
func (s *scanner) postgresCast(tok token) *refusal.Refusal {
	r := refusal.New(refusal.CastTypeRefused, tok.pos)
	r.Message = ":: is PostgreSQL's way to cast, not MySQL's."
	r.Hint = "Write CAST(a AS CHAR), CAST(a AS SIGNED), CAST(a AS DECIMAL(20,4)) or CAST(a AS DATE) instead of a::type."
	if _, hint := adviceOn(strings.ToLower(strings.TrimLeft(tok.val, ":"))); hint != "" {
		r.Hint = "Instead of a::type: " + strings.ToLower(hint[:1]) + hint[1:]
	}
	return r
}

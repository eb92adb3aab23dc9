package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// maskedBytes bounds what Mask returns.
const maskedBytes = 4 << 10

// Mask returns refused text in a form that may be recorded: every literal is a
// "?", comments are gone, and the text ends where it can't be read any further.
// At most 4 KiB are returned.
func Mask(sql string) (masked string) {
	defer func() {
		if recover() != nil { // see Validate
			masked = "?"
		}
	}()
	if len(sql) > maxBytes {
		sql = sql[:maxBytes]
	}
	tkn := newParser().NewStringTokenizer(sql)
	tkn.SkipSpecialComments = true
	var b strings.Builder
	for b.Len() < maskedBytes {
		start := tkn.Pos
		typ, _ := tkn.Scan()
		if typ == 0 {
			break
		}
		if typ == sqlparser.LEX_ERROR {
			b.WriteString(" …")
			break
		}
		if b.Len() > 0 && typ != ',' && typ != ')' && typ != '.' && typ != ';' {
			b.WriteByte(' ')
		}
		switch typ {
		case sqlparser.COMMENT:
			b.WriteString("/* */")
		case sqlparser.STRING, sqlparser.NCHAR_STRING, sqlparser.INTEGRAL, sqlparser.DECIMAL, sqlparser.FLOAT,
			sqlparser.HEX, sqlparser.HEXNUM, sqlparser.BIT_LITERAL, sqlparser.BITNUM:
			b.WriteByte('?')
		case sqlparser.AT_ID, sqlparser.AT_AT_ID: // the name may be a quoted text
			b.WriteString("@?")
		default:
			b.WriteString(strings.ToValidUTF8(strings.TrimSpace(sql[start:min(tkn.Pos, len(sql))]), "?"))
		}
	}
	return b.String()
}

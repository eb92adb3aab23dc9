package validator

import (
	"math"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// maxDigits is the most digits of a DECIMAL. Of a literal with more before its
// point both servers make 65 nines without a word; more behind the point are
// rounded, as in any division.
const maxDigits = 65

func (c *converter) number(e *sqlparser.Literal) tree.Expr {
	pos := c.find(e.Val)
	switch {
	case !isNumber(e.Val):
		c.refuse(refusal.Syntax, pos)
	case e.Type == sqlparser.FloatVal && overflows(e.Val):
		// Both servers fail the whole query (error 1367), wherever the number stands.
		c.refuse(refusal.NumberTooLarge, pos).Messagef("The number is larger than any that MySQL has.").
			Hintf("Write a number below 1.7e308, or leave the condition out: every value is smaller.")
	case e.Type != sqlparser.FloatVal && wholeDigits(e.Val) > maxDigits:
		c.refuse(refusal.NumberTooLarge, pos)
	}
	return &tree.Number{Node: at(pos), Text: e.Val, Integer: e.Type == sqlparser.IntVal}
}

func overflows(s string) bool {
	f, _ := strconv.ParseFloat(s, 64) // what is too small becomes 0, as on the servers
	return math.IsInf(f, 0)
}

// wholeDigits counts the digits before the point, without leading zeros.
func wholeDigits(s string) int {
	whole, _, _ := strings.Cut(s, ".")
	return len(strings.TrimLeft(whole, "0"))
}

// isNumber reports whether a literal is in the alphabet that may reach the
// renderer: digits, at most one point, and an exponent.
func isNumber(s string) bool {
	mantissa, exponent, hasExponent := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, hasExponent = s[:i], s[i+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || !areDigits(whole) || !areDigits(fraction) {
		return false
	}
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	return areDigits(exponent) && hasExponent == (exponent != "")
}

func areDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

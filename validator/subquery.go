package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// setWords join two SELECTs; the parser takes them for an alias.
var setWords = wordSet(`intersect except minus`)

// secondSelect refuses a SELECT that isn't the first token, with a hint by where
// it stands.
func (s *scanner) secondSelect(tok token) *refusal.Refusal {
	n := len(s.out.tokens)
	for j := n - 1; j >= max(0, n-2); j-- {
		if setWords[s.out.word(j)] {
			return refusal.New(refusal.SetOperation, s.out.tokens[j].pos)
		}
	}
	if s.out.typeAt(n-1) != '(' {
		return refusal.New(refusal.MultipleStatements, tok.pos).Messagef("A second SELECT begins here.")
	}
	r := refusal.New(refusal.Subquery, tok.pos)
	switch s.out.typeAt(n - 2) {
	case sqlparser.FROM, sqlparser.JOIN, sqlparser.LATERAL:
		return refusal.New(refusal.DerivedTable, tok.pos).Messagef("A subquery in FROM is not accepted.").
			Hintf("Join its tables in this query's FROM, with its conditions in WHERE and its sums by GROUP BY; or run it first and use its values; the operator can offer a view for more.")
	case sqlparser.IN:
		if s.out.typeAt(n-3) == sqlparser.NOT {
			r.Hintf("Use LEFT JOIN … ON … and WHERE the joined key IS NULL; or run the inner query first and pass its values in a NOT IN (?, ?) list.")
		}
	case '=', '<', '>', sqlparser.LE, sqlparser.GE, sqlparser.NE:
		r.Hintf("Run the inner query first and pass its value with ?; for the largest or smallest value use ORDER BY with LIMIT 1.")
	case sqlparser.ANY, sqlparser.ALL, sqlparser.SOME:
		r.Hintf("Run the inner query first and pass its values in an IN (?, ?) list, or its MIN or MAX with ?.")
	case sqlparser.SELECT, ',', '+', '-', '*', '/', '(':
		r.Hintf("Use LEFT JOIN with GROUP BY and an aggregate, or run the inner query by itself and combine the values.")
	}
	return r
}

// exists refuses EXISTS before its subquery.
func (s *scanner) exists(tok token) *refusal.Refusal {
	r := refusal.New(refusal.Subquery, tok.pos).Messagef("EXISTS with a subquery is not accepted.")
	if s.out.typeAt(len(s.out.tokens)-1) == sqlparser.NOT {
		return r.Hintf("Use LEFT JOIN … ON … and WHERE the joined key IS NULL.")
	}
	return r.Hintf("Use JOIN … ON, with SELECT DISTINCT where rows would repeat.")
}

// window refuses OVER, with a hint by the function before it.
func (s *scanner) window(tok token) *refusal.Refusal {
	r := refusal.New(refusal.WindowFunction, tok.pos)
	switch s.calledBefore() {
	case "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile":
		r.Hintf("Use ORDER BY with LIMIT: the rows come in that order, so number them yourself; for the first of each group use GROUP BY with MIN or MAX.")
	case "lag", "lead", "first_value", "last_value", "nth_value":
		r.Hintf("Select the rows with ORDER BY and compare each with the one before it yourself; the first and last are MIN and MAX with GROUP BY.")
	case "sum", "count", "avg", "min", "max":
		r.Hintf("Use the aggregate with GROUP BY; for a share of the whole run a second query for the total; for a running total add the ordered rows up yourself.")
	}
	return r
}

// calledBefore is the name of the call that ends with the last token, in lower
// case, or "".
func (s *scanner) calledBefore() string {
	nesting := 0
	for j := len(s.out.tokens) - 1; j > 0; j-- {
		switch s.out.typeAt(j) {
		case ')':
			nesting++
		case '(':
			if nesting--; nesting == 0 {
				return strings.ToLower(s.out.tokens[j-1].val)
			}
		default:
			if nesting == 0 {
				return ""
			}
		}
	}
	return ""
}

package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
)

// clauseWords are the words of the language itself that a message may name.
var clauseWords = wordSet(`select distinct from where group by having order limit offset join inner left right
	outer on and or not xor as in is null true false like between case when then else end escape div mod asc desc
	interval using for`)

// clauseAtEnd finds a word at the end that something must follow.
func (s *scanned) clauseAtEnd(i int) *refusal.Refusal {
	w := s.word(i - 1)
	if i < len(s.tokens) || !clauseWords[w] || w == "null" || w == "end" || s.hash.Line != 0 {
		return nil
	}
	return syntax(s.tokens[i-1], "Nothing stands after the last "+strings.ToUpper(w)+".", "Write what should follow it, or delete it.")
}

// textEnded says what is missing where the text ended too early.
func (s *scanned) textEnded(i int) *refusal.Refusal {
	if i < len(s.tokens) {
		return nil
	}
	last := s.tokens[len(s.tokens)-1]
	r := syntax(last, "The query ends too early.", "Something is missing at the end: complete the last clause.")
	w := s.word(len(s.tokens) - 1)
	switch {
	case s.word(len(s.tokens)-2) == "between":
		r.Message, r.Hint = "BETWEEN has no AND.", "Write BETWEEN low AND high."
	case s.hash.Line != 0:
		r.Position = s.hash
		r.Message, r.Hint = "Everything after # is a comment in MySQL, and the query ends too early without it.", "Delete the #; write ? for a parameter."
	case s.openCases(i) > 0:
		r.Message, r.Hint = "The query ends inside a CASE.", "Complete it: CASE WHEN condition THEN value ELSE value END."
	case s.openBefore(i) > 0:
		r.Messagef("The query ends inside parentheses; %d of them are open.", s.openBefore(i)).Hintf("Close each with ), or complete what stands inside.")
	case w == "=" || w == "<" || w == ">" || w == "+" || w == "-" || w == "/" || w == "," || w == ".":
		r.Messagef("Nothing stands after the last %s.", w).Hintf("Write what should follow it, or delete it.")
	default:
		if j := s.joinWithout(i); j != nil {
			return j
		}
	}
	return r
}

// unbalanced finds a parenthesis or a CASE that doesn't match.
func (s *scanned) unbalanced(i int) *refusal.Refusal {
	w := s.word(i)
	open := s.openBefore(i)
	switch {
	case w == ")" && open == 0:
		return syntax(s.tokens[i], "This ) closes nothing.", "Delete it, or open a parenthesis before it.")
	case (clauseRank[w] > 0 || w == ")") && s.openCases(i) > 0:
		return syntax(s.tokens[i], "A CASE before this place has no END.", "Complete it: CASE WHEN condition THEN value ELSE value END.")
	case clauseRank[w] > 0 && w != "order" && w != "left" && open > 0 && !takesFrom[s.word(s.enclosingCall(i))]:
		return syntax(s.tokens[i], "A parenthesis is still open before this place.", "Close it with ).")
	}
	return nil
}

var takesFrom = wordSet(`extract trim substring substr mid`)

// openBefore counts the parentheses that are open before token i.
func (s *scanned) openBefore(i int) int {
	open := 0
	for _, t := range s.tokens[:min(i, len(s.tokens))] {
		switch t.typ {
		case '(':
			open++
		case ')':
			open = max(0, open-1)
		}
	}
	return open
}

func (s *scanned) openCases(i int) int {
	open := 0
	for _, t := range s.tokens[:min(i, len(s.tokens))] {
		switch t.typ {
		case sqlparser.CASE:
			open++
		case sqlparser.END:
			open--
		}
	}
	return open
}

// enclosingCall is the token of the name whose call holds token i, or 0.
func (s *scanned) enclosingCall(i int) int {
	nesting := 0
	for j := min(i, len(s.tokens)) - 1; j > 1; j-- {
		switch s.tokens[j].typ {
		case ')':
			nesting++
		case '(':
			if nesting > 0 {
				nesting--
				break
			}
			if before := s.tokens[j-1]; before.typ == sqlparser.ID || isCast(before.typ) || before.val != "" && function.Word(before.val) != "" {
				return j - 1
			}
			return 0
		}
	}
	return 0
}

func isCast(typ int) bool { return typ == sqlparser.CAST || typ == sqlparser.CONVERT }

// callAt is the token of the name of the call that the parser stopped in, or 0.
func (s *scanned) callAt(i int) int {
	k := s.enclosingCall(i)
	if k == 0 && s.typeAt(i) == '(' && s.typeAt(i-1) == sqlparser.ID {
		k = i - 1
	}
	if before := s.typeAt(k - 1); before == sqlparser.FROM || before == sqlparser.JOIN || before == sqlparser.AS {
		return 0
	}
	return k
}

// unknownCall refuses the call that the parser stopped in, if it isn't allowed.
func (v *Validator) unknownCall(s *scanned, i int) *refusal.Refusal {
	k := s.callAt(i)
	if k == 0 || isCast(s.tokens[k].typ) {
		return nil
	}
	if _, ok := v.functions.Lookup(s.tokens[k].val); ok {
		return nil
	}
	return functionRefusal(v.functions, s.tokens[k].val, s.tokens[k].pos)
}

// wrongCall refuses a call of an allowed function whose grammar is another.
func (v *Validator) wrongCall(s *scanned, i int) *refusal.Refusal {
	k := s.callAt(i)
	if k == 0 {
		return nil
	}
	if isCast(s.tokens[k].typ) {
		return refusal.New(refusal.FunctionArguments, s.tokens[k].pos).Messagef("CAST or CONVERT is not called like this.").
			Hintf("Write CAST(a AS CHAR), or CONVERT(a, CHAR).")
	}
	f, ok := v.functions.Lookup(s.tokens[k].val)
	if !ok {
		return nil
	}
	return refusal.New(refusal.FunctionArguments, s.tokens[min(i, len(s.tokens)-1)].pos).
		Messagef("%s is not called like this.", f.Name).Hintf("%s", arity(f))
}

// joinWithout finds a LEFT JOIN whose condition is missing.
func (s *scanned) joinWithout(i int) *refusal.Refusal {
	for j := min(i, len(s.tokens)) - 1; j > max(0, i-8); j-- {
		switch s.typeAt(j) {
		case sqlparser.ON, sqlparser.USING, sqlparser.WHERE, sqlparser.FROM:
			return nil
		case sqlparser.JOIN:
			return refusal.New(refusal.CrossJoin, s.tokens[j].pos)
		}
	}
	return nil
}

// inFrom finds a name of three parts, or a call, where a table must stand.
func (s *scanned) inFrom(i int) *refusal.Refusal {
	for j := i; j > max(0, i-6); j-- {
		switch s.typeAt(j - 1) {
		case sqlparser.FROM, sqlparser.JOIN:
			if s.typeAt(i) == '(' {
				return refusal.New(refusal.DerivedTable, s.tokens[j].pos)
			}
			if s.typeAt(i) == '.' {
				return syntax(s.tokens[i], "A table's name has too many parts.", "Write the table, or schema.table.")
			}
			if s.typeAt(i) == sqlparser.STRING {
				return syntax(s.tokens[i], "A string stands where a table must stand.", "Write the table's name without quotes, or in backticks.")
			}
			return nil
		}
	}
	return nil
}

// parts finds a dot where no name can go on.
func (s *scanned) parts(i int) *refusal.Refusal {
	switch {
	case s.typeAt(i) != '.':
		return nil
	case s.typeAt(i-1) == ')':
		return syntax(s.tokens[i], "A dot can't follow a parenthesis.", "Write a column as alias.column; JSON_EXTRACT(doc, '$.key') reads a part of a document.")
	}
	return syntax(s.tokens[i], "This name has too many parts.", "Write column, alias.column or schema.table.column.")
}

func (s *scanned) inLimit(i int) *refusal.Refusal {
	if s.typeAt(i) == sqlparser.LIMIT || s.typeAt(i-1) == sqlparser.LIMIT || s.typeAt(i-2) == sqlparser.LIMIT {
		return refusal.New(refusal.LimitValue, s.tokens[min(i, len(s.tokens)-1)].pos)
	}
	return nil
}

// neighbours says what can be known from the token at the place and the one
// before it.
func (s *scanned) neighbours(i int) *refusal.Refusal {
	if i < 1 || i >= len(s.tokens) {
		return nil
	}
	tok, w := s.tokens[i], s.word(i)
	switch {
	case s.typeAt(i-1) == sqlparser.AS:
		return syntax(tok, "What stands after AS is no name.", "Write a plain word as the alias, or one in backticks.")
	case (w == "asc" || w == "desc") && s.endsValue(i-1):
		return syntax(tok, "ASC and DESC belong to ORDER BY only.", "Delete the word here, and write it in ORDER BY.")
	case s.endsValue(i-1) && s.beginsValue(i):
		return syntax(tok, "Two values or names stand side by side.", "Write an operator or a comma between them, or AS before an alias.")
	case clauseWords[w] && s.endsValue(i-1):
		return syntax(tok, strings.ToUpper(w)+" can't follow here.", "Check what stands before "+strings.ToUpper(w)+
			"; the order is SELECT … FROM … JOIN … ON … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT.")
	case !s.endsValue(i-1) && (!s.beginsValue(i) || clauseWords[w]):
		if before := s.word(i - 1); clauseWords[before] {
			return syntax(s.tokens[i-1], "A value or a name is missing after "+strings.ToUpper(before)+".", "Write what should follow it, or delete it.")
		}
		return syntax(tok, "A value or a name is missing before this place.", "Write the value, or delete the sign before this place.")
	}
	return nil
}

// endsValue reports whether a value can end with the token.
func (s *scanned) endsValue(i int) bool {
	switch w := s.word(i); w {
	case "", "#", "'", ")", "null", "true", "false", "end":
		return i > 0
	default:
		return s.typeAt(i) == sqlparser.ID || s.tokens[i].isBareWord() && !clauseWords[w]
	}
}

// beginsValue reports whether a value can begin with the token.
func (s *scanned) beginsValue(i int) bool {
	switch w := s.word(i); w {
	case "", "#", "'", "(", "null", "true", "false", "case":
		return true
	default:
		return s.typeAt(i) == sqlparser.ID || s.tokens[i].isBareWord() && !clauseWords[w]
	}
}

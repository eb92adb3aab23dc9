package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// habit is something that people write for another database, or for a template,
// and that the parser stops at. The words are matched in a row against the tokens
// near the place: "a|b" is either, "#" a number or a placeholder, "'" a string.
type habit struct {
	words   string
	reason  refusal.Reason
	message string
	hint    string
}

// habits are tried only on text that the parser has refused, so none of them can
// refuse a query that is right.
var habits = []habit{
	{"# #", refusal.NamedPlaceholder, "?1 and its like are not placeholders of MySQL.", "Write ? without a number, and give the values in order in params."},
	{"fetch first|next", refusal.Syntax, "FETCH FIRST is not MySQL.", "Write LIMIT n at the end instead, or LIMIT n OFFSET m."},
	{"offset # row|rows", refusal.LimitValue, "OFFSET … ROWS is not MySQL.", "Write LIMIT n OFFSET m at the end."},
	{"offset # limit", refusal.LimitValue, "OFFSET stands before LIMIT.", "Write LIMIT n OFFSET m, in this order."},
	{"offset #", refusal.LimitValue, "OFFSET has no LIMIT before it.", "Write LIMIT n OFFSET m at the end."},
	{"limit all", refusal.LimitValue, "LIMIT ALL is not MySQL.", "Delete LIMIT ALL, or write LIMIT and a number."},
	{"limit # percent|%", refusal.LimitValue, "LIMIT takes a number of rows, not a percentage.", "Write LIMIT and a number."},
	{"top #|(", refusal.Syntax, "TOP is not MySQL.", "Delete TOP and its number, and write LIMIT n at the end of the query."},
	{"first|skip # distinct|first|#", refusal.Syntax, "A number of rows after SELECT is not MySQL.", "Write LIMIT n OFFSET m at the end of the query."},
	{"tablesample", refusal.TableModifier, "TABLESAMPLE is not MySQL.", "Delete it; narrow the rows with WHERE and LIMIT n."},
	{"as of", refusal.TableModifier, "AS OF is not accepted: a table is read as it is now.", "Delete AS OF and its time."},
	{"for system_time", refusal.TableModifier, "FOR SYSTEM_TIME is not accepted: a table is read as it is now.", "Delete FOR SYSTEM_TIME and what belongs to it."},
	{"with ( nolock|readuncommitted|readpast|index|updlock|rowlock", refusal.TableModifier, "Table hints such as WITH (NOLOCK) are not MySQL.", "Delete WITH and its parentheses: reading takes no locks."},
	{"with ur|cs|rs", refusal.TableModifier, "WITH UR and its like are not MySQL.", "Delete WITH and the word after it: reading takes no locks."},
	{"option (", refusal.OptimizerHint, "OPTION (…) is not MySQL.", "Delete OPTION and its parentheses."},
	{"for update|share|no|key", refusal.Locking, "", ""},
	{"lock in", refusal.Locking, "", ""},
	{"for xml|json|browse", refusal.UnsupportedSyntax, "FOR XML and FOR JSON are not MySQL.", "Delete FOR and what follows: the answer is JSON already."},
	{"for read|fetch", refusal.Locking, "FOR READ ONLY is not MySQL.", "Delete it: every query only reads."},
	{"grouping sets", refusal.Rollup, "GROUPING SETS is not MySQL.", "Group by the plain columns, and run one more query for each other grouping."},
	{"rollup|cube (", refusal.Rollup, "ROLLUP and CUBE are not accepted.", "Group by the plain columns, and run one more query for each total."},
	{"nulls first|last", refusal.Syntax, "NULLS FIRST and NULLS LAST are not MySQL.", "Sort by the test first: ORDER BY a IS NULL, a puts NULL last; ORDER BY a IS NOT NULL, a puts it first."},
	{"filter (", refusal.UnsupportedSyntax, "FILTER (WHERE …) is not MySQL.", "Put the condition into the aggregate: SUM(CASE WHEN condition THEN a END), or COUNT(CASE WHEN condition THEN 1 END)."},
	{"within group", refusal.UnsupportedSyntax, "WITHIN GROUP is not MySQL.", "To join text write GROUP_CONCAT(a ORDER BY b SEPARATOR ', '); for a median use ORDER BY with LIMIT 1 OFFSET n."},
	{"at time zone", refusal.UnsupportedSyntax, "AT TIME ZONE is not MySQL.", "Times are in UTC; add or subtract the hours: a + INTERVAL 2 HOUR."},
	{"distinct on", refusal.UnsupportedSyntax, "DISTINCT ON is not MySQL.", "Write GROUP BY with the columns of DISTINCT ON, and MIN or MAX of the others."},
	{"is not distinct from", refusal.UnsupportedOp, "IS NOT DISTINCT FROM is not MySQL.", "Write a <=> b, which takes NULL for a value."},
	{"is distinct from", refusal.UnsupportedOp, "IS DISTINCT FROM is not MySQL.", "Write NOT (a <=> b), which takes NULL for a value."},
	{"is #|'", refusal.UnsupportedOp, "IS takes NULL, TRUE or FALSE only.", "Compare with a value by =; for NULL write IS NULL."},
	{"similar to", refusal.RegexpOperator, "SIMILAR TO is not MySQL.", ""},
	{"sounds like", refusal.UnsupportedOp, "SOUNDS LIKE is not accepted.", "Write LIKE with % and _."},
	{"any|some|all ( #|'", refusal.UnsupportedOp, "ANY, SOME and ALL are not accepted.", "Write IN (?, ?) with one ? for each value, or one comparison for each, joined with OR or AND."},
	{"any|some|all (", refusal.UnsupportedOp, "ANY, SOME and ALL are not accepted.", "Write IN (?, ?) with one ? for each value, or a JOIN."},
	{"connect by", refusal.UnsupportedSyntax, "CONNECT BY is not MySQL.", "Join the table with itself, once for each level."},
	{"start with", refusal.UnsupportedSyntax, "START WITH … CONNECT BY is not MySQL.", "Join the table with itself, once for each level."},
	{"pivot|unpivot (|xml", refusal.UnsupportedSyntax, "PIVOT is not MySQL.", "Write one SUM(CASE WHEN … THEN … END) for each column, with GROUP BY."},
	{"left|right|full semi|anti|array|asof", refusal.JoinKind, "SEMI, ANTI and ASOF joins are not MySQL.", "For the rows that have a match write JOIN … ON with SELECT DISTINCT; for those without LEFT JOIN … ON … WHERE the key is NULL."},
	{"semi|anti|asof|global|array join|left|any", refusal.JoinKind, "SEMI, ANTI and ASOF joins are not MySQL.", "For the rows that have a match write JOIN … ON with SELECT DISTINCT; for those without LEFT JOIN … ON … WHERE the key is NULL."},
	{"left|right|inner any|all join", refusal.JoinKind, "ANY JOIN and ALL JOIN are not MySQL.", "Write JOIN … ON or LEFT JOIN … ON."},
	{"left inner", refusal.JoinKind, "A join is either LEFT or INNER.", "Write LEFT JOIN … ON, or JOIN … ON."},
	{"outer join", refusal.JoinKind, "OUTER JOIN has no side.", "Write LEFT JOIN … ON."},
	{"outer|cross apply", refusal.JoinKind, "APPLY is not MySQL.", "Write JOIN … ON or LEFT JOIN … ON."},
	{"isnull", refusal.UnsupportedOp, "ISNULL after a value is not MySQL.", "Write IS NULL."},
	{"notnull", refusal.UnsupportedOp, "NOTNULL is not MySQL.", "Write IS NOT NULL."},
	{"interval '", refusal.Syntax, "INTERVAL with its unit inside quotes is not MySQL.", "Write the number and the unit without quotes, as in INTERVAL 30 DAY."},
	{"interval # years|quarters|months|weeks|days|hours|minutes|seconds", refusal.Syntax, "The unit after INTERVAL is in the plural.", "Write the unit in the singular, as in INTERVAL 30 DAY."},
	{"% s|d|i|f|(", refusal.NamedPlaceholder, "%s and its like are not placeholders of MySQL.", ""},
	{"= =", refusal.UnsupportedOp, "== is not MySQL.", "Write one = to compare."},
	{"= >", refusal.UnsupportedOp, "=> is not MySQL.", "Write >= for greater or equal; arguments of a function have no names."},
	{"* *", refusal.UnsupportedOp, "** is not MySQL.", "Write POW(a, b) for a power."},
	{"! ~", refusal.RegexpOperator, "", ""},
	{"like|glob any|some|all", refusal.UnsupportedOp, "LIKE ANY is not MySQL.", "Write one LIKE for each pattern, joined with OR."},
	{"glob '|#", refusal.UnsupportedOp, "GLOB is not MySQL.", "Write LIKE, with % for any text and _ for one character."},
	{"group by all", refusal.Syntax, "GROUP BY ALL is not MySQL.", "Name the columns after GROUP BY."},
	{"except|exclude|replace (", refusal.Wildcard, "", ""},
	{"->|->> ' ->|->>", refusal.UnsupportedOp, "-> is written twice in a row.", "Write one path: doc->'$.a.b', or doc->>'$.a.b' for text."},
	{"' ->|->>", refusal.UnsupportedOp, "-> reads from a column only.", "Write JSON_EXTRACT(doc, '$.key')."},
	{"->|->> #|null", refusal.UnsupportedOp, "-> takes a path in quotes.", "Write doc->'$[0]' for an element, doc->'$.key' for a key."},
	{"current timestamp|date|time|timezone", refusal.Syntax, "CURRENT and a word by itself are not MySQL.", "Write NOW(), CURDATE() or CURTIME()."},
	{"+|- # day|days|week|weeks|month|months|year|years|hour|hours|minute|minutes|second|seconds", refusal.Syntax, "A number and a unit have no INTERVAL before them.", "Write + INTERVAL 1 DAY."},
	{"( + )", refusal.JoinKind, "(+) is not MySQL.", "Write LEFT JOIN … ON."},
	{"member of", refusal.UnsupportedOp, "MEMBER OF is not accepted.", "Write JSON_CONTAINS(doc, '1', '$.list')."},
	{". .", refusal.Syntax, "Dots stand where something was left out.", "Write out what the dots stand for."},
	{"procedure", refusal.UnsupportedSyntax, "PROCEDURE is not accepted.", "Delete PROCEDURE and what follows it."},
}

// habitNear finds the habit that the parser stopped at: it begins at most three
// tokens before the place, or at it.
func (s *scanned) habitNear(i int) *refusal.Refusal {
	for j := max(1, i-3); j <= i; j++ {
		for _, h := range habits {
			n, ok := s.matches(h.words, j)
			if !ok || j+n < i || h.words == "# #" && !s.isNumbered(j) {
				continue
			}
			r := refusal.New(h.reason, s.tokens[j].pos)
			if h.message != "" {
				r.Message = h.message
			}
			if h.hint != "" {
				r.Hint = h.hint
			}
			if h.reason == refusal.Wildcard {
				r.Tables = s.namedTables()
			}
			return r
		}
	}
	return nil
}

// matches reports whether the words stand at token j, and how many they are.
func (s *scanned) matches(words string, j int) (int, bool) {
	n := 0
	for _, alternatives := range strings.Fields(words) {
		w := s.word(j + n)
		if w == "" || !hasAlternative(alternatives, w) {
			return 0, false
		}
		n++
	}
	return n, true
}

func hasAlternative(alternatives, w string) bool {
	for _, a := range strings.Split(alternatives, "|") {
		if a == w {
			return true
		}
	}
	return false
}

// isNumbered tells ?1 from two values side by side.
func (s *scanned) isNumbered(j int) bool {
	return s.tokens[j].typ == sqlparser.VALUE_ARG && s.tokens[j].end == s.tokens[j+1].start
}

// word is a token as habits name it: a bare word in lower case, a sign, "#" for
// a number or a placeholder, "'" for a string, "" for everything else, quoted
// names among it.
func (s *scanned) word(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	tok := s.tokens[i]
	switch tok.typ {
	case sqlparser.STRING:
		return "'"
	case sqlparser.INTEGRAL, sqlparser.DECIMAL, sqlparser.FLOAT, sqlparser.VALUE_ARG:
		return "#"
	case sqlparser.JSON_EXTRACT_OP:
		return "->"
	case sqlparser.JSON_UNQUOTE_EXTRACT_OP:
		return "->>"
	}
	if tok.typ < 0x80 && tok.val == "" {
		return string(rune(tok.typ))
	}
	if tok.isBareWord() {
		return strings.ToLower(tok.val)
	}
	return ""
}

// isBareWord reports whether the token is a word without quotes.
func (t token) isBareWord() bool {
	return t.val != "" && t.typ != sqlparser.STRING && t.typ != sqlparser.VALUE_ARG && t.end-t.start == len(t.val)
}

// first is the first byte of a bare word in lower case, else 0.
func (t token) first() byte {
	if !t.isBareWord() {
		return 0
	}
	return t.val[0] | 0x20
}

// namedTables lists what stands after FROM and JOIN, for the hint of a refusal
// that comes before the tree.
func (s *scanned) namedTables() []refusal.TableName {
	var out []refusal.TableName
	for i := 1; i < len(s.tokens) && len(out) <= maxJoins; i++ {
		if before := s.typeAt(i - 1); before == sqlparser.FROM || before == sqlparser.JOIN {
			if name := s.tokens[i].val; name != "" && s.typeAt(i+1) == '.' && i+2 < len(s.tokens) {
				out = append(out, refusal.TableName{Schema: name, Name: s.tokens[i+2].val})
			} else if name != "" {
				out = append(out, refusal.TableName{Name: name})
			}
		}
	}
	return out
}

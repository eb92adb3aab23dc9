package validator

import (
	"errors"
	"strings"
	"testing"

	"mysqlevidence/config"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/seal"
)

func newValidator(t testing.TB) *Validator {
	t.Helper()
	set, errs := function.NewSet("mysql 8.4", nil, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return New(Options{Functions: set})
}

// refusals has at least one text for every reason of this stage, with the place
// that the refusal must point at ("" for none).
var refusals = []struct {
	reason refusal.Reason
	at     string
	sql    string
}{
	{refusal.EmptyStatement, "", ""},
	{refusal.EmptyStatement, "", " \n-- nothing\n"},
	{refusal.EmptyStatement, "1:1", ";"},
	{refusal.InvalidUTF8, "1:9", "SELECT '\xe9' FROM t"},
	{refusal.ControlCharacter, "2:3", "SELECT\nid\x00 FROM t"},
	{refusal.ControlCharacter, "1:12", "SELECT 'é' \u0085FROM t"},
	{refusal.FormatCharacter, "1:10", "SELECT `x\u202ey` FROM t"},
	{refusal.FormatCharacter, "1:10", "SELECT id\u00a0FROM t"},
	{refusal.TooLong, "", "SELECT '" + strings.Repeat("a", maxBytes) + "' FROM t"},
	{refusal.TooManyTokens, "1:3006", "SELECT 1" + strings.Repeat("+ 1", maxTokens) + " FROM t"},
	{refusal.TooNested, "1:72", "SELECT " + strings.Repeat("(", 65) + "1" + strings.Repeat(")", 65) + " FROM t"},
	{refusal.TooNested, "1:18", "SELECT id FROM t WHERE a" + strings.Repeat(" = 1", 70)},
	{refusal.TooManyParams, "1:543", "SELECT id FROM t WHERE id IN (?" + strings.Repeat(",?", 256) + ")"},
	{refusal.TooManyItems, "1:8", "SELECT 1" + strings.Repeat(",1", 64) + " FROM t"},
	{refusal.TooManyItems, "1:27", "SELECT id FROM t WHERE id IN (1" + strings.Repeat(",1", 500) + ")"},
	{refusal.MarkdownFence, "1:1", "```sql\nSELECT id FROM t\n```"},
	{refusal.MarkdownEscape, "1:16", "SELECT customer\\_id FROM t"},
	{refusal.Syntax, "1:8", "SELECT FROM t"},
	{refusal.Syntax, "1:29", "SELECT id FROM t WHERE id = 'x"},
	{refusal.ReservedWord, "1:8", "SELECT rank FROM t"},
	{refusal.ReservedWord, "1:16", "SELECT id FROM match"},
	{refusal.UnquotedName, "1:8", "SELECT 商品 FROM t"},
	{refusal.NotSelect, "1:1", "EXPLAIN SELECT id FROM t"},
	{refusal.NotSelect, "1:1", "TABLE t"},
	{refusal.WriteStatement, "1:1", "DELETE FROM t"},
	{refusal.WriteStatement, "1:1", "DROP TABLE IF EXISTS t"},
	{refusal.ShowStatement, "1:1", "SHOW TABLES"},
	{refusal.ShowStatement, "1:1", "desc t"},
	{refusal.MultipleStatements, "1:19", "SELECT id FROM t; DROP TABLE t"},
	{refusal.MultipleStatements, "1:18", "SELECT id FROM t;;"},
	{refusal.TrailingText, "1:19", "SELECT id FROM t; It's the answer"},
	{refusal.CTE, "1:1", "WITH x AS (SELECT 1) SELECT a FROM x"},
	{refusal.Subquery, "1:31", "SELECT id FROM t WHERE id IN (SELECT id FROM u)"},
	{refusal.Subquery, "1:24", "SELECT id FROM t WHERE EXISTS (SELECT 1)"},
	{refusal.SetOperation, "1:18", "SELECT id FROM t UNION SELECT id FROM u"},
	{refusal.SetOperation, "1:18", "SELECT id FROM t INTERSECT SELECT id FROM u"},
	{refusal.Parenthesised, "1:1", "(SELECT id FROM t)"},
	{refusal.Wildcard, "1:8", "SELECT * FROM t"},
	{refusal.Wildcard, "1:14", "SELECT id, t.* FROM t"},
	{refusal.NoFrom, "1:8", "SELECT 1"},
	{refusal.NoFrom, "1:15", "SELECT 1 FROM dual"},
	{refusal.NoFrom, "1:15", "SELECT x FROM DUAL `dual`"},
	{refusal.NoFrom, "1:44", "SELECT 1 WHERE EXTRACT(YEAR FROM `dual`) = 1"},
	{refusal.ExecutableComment, "1:11", "SELECT id /*!50000 , x */ FROM t"},
	{refusal.ExecutableComment, "1:11", "SELECT id /*M!100100 , x */ FROM t"},
	{refusal.OptimizerHint, "1:8", "SELECT /*+ MAX_EXECUTION_TIME(0) */ id FROM t"},
	{refusal.OptimizerHint, "1:8", "SELECT /*vt+ X */ id FROM t"},
	{refusal.SlashComment, "1:18", "SELECT id FROM t // x"},
	{refusal.AdjacentStrings, "1:12", "SELECT 'a' 'b' FROM t"},
	{refusal.NationalString, "1:8", "SELECT N'a' FROM t"},
	{refusal.NamedPlaceholder, "1:29", "SELECT id FROM t WHERE id = :id"},
	{refusal.NamedPlaceholder, "1:29", "SELECT id FROM t WHERE id = :v1"},
	{refusal.CastTypeRefused, "1:10", "SELECT id::int FROM t"},
	{refusal.HexLiteral, "1:8", "SELECT 0X41 FROM t"},
	{refusal.HexLiteral, "1:8", "SELECT b'1' FROM t"},
	{refusal.NumberTooLarge, "1:8", "SELECT 1e400 FROM t"},
	{refusal.NumberTooLarge, "1:9", "SELECT -1.7e309 FROM t"},
	{refusal.NumberTooLarge, "1:9", "SELECT (1e99999999999999999999) FROM t"},
	{refusal.NumberTooLarge, "1:8", "SELECT 1" + strings.Repeat("0", 309) + "e0 FROM t"},
	{refusal.NumberTooLarge, "1:28", "SELECT id FROM t WHERE a < 1" + strings.Repeat("0", 65)},
	{refusal.NumberTooLarge, "1:8", "SELECT 1" + strings.Repeat("0", 65) + ".5 FROM t"},
	{refusal.TypedLiteral, "1:28", "SELECT id FROM t WHERE d > DATE'2024-01-31'"},
	{refusal.Charset, "1:8", "SELECT _latin1'a' FROM t"},
	{refusal.Charset, "1:18", "SELECT CONVERT(a USING utf8mb4) FROM t"},
	{refusal.Collate, "1:10", "SELECT a COLLATE utf8mb4_bin FROM t"},
	{refusal.UserVariable, "1:8", "SELECT @a FROM t"},
	{refusal.SystemVariable, "1:8", "SELECT @@global. FROM t"},
	{refusal.MetadataFunction, "1:8", "SELECT DATABASE() FROM t"},
	{refusal.MetadataFunction, "1:8", "SELECT current_user FROM t"},
	{refusal.ForbiddenFunction, "1:8", "SELECT SLEEP(5) FROM t"},
	{refusal.ForbiddenFunction, "1:8", "SELECT `sleep`(5) FROM t"},
	{refusal.ForbiddenFunction, "1:8", "SELECT sysdate FROM t"},
	{refusal.ForbiddenFunction, "1:8", "SELECT DEFAULT(a) FROM t"},
	{refusal.UnknownFunction, "1:8", "SELECT f_peek() FROM t"},
	{refusal.UnknownFunction, "1:8", "SELECT SHA1(a) FROM t"},
	{refusal.UnknownFunction, "1:8", "SELECT STD(a) FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT ROUND(a, 1, 2) FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT REPLACE(a, 'x', 'yy') FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT COUNT(a, b) FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT CONCAT_WS(CONCAT_WS('xxxx', '', ''), '', '') FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT CONCAT_WS('aaaaaaaaaaaaaaaaa', a, b) FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT JSON_EXTRACT(a, '$', '$') FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT JSON_EXTRACT(a, '$**[0]') FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT JSON_EXTRACT(a, ?) FROM t"},
	{refusal.FunctionArguments, "1:8", "SELECT JSON_EXTRACT(a, CONCAT('$', '.x')) FROM t"},
	{refusal.QualifiedFunction, "1:8", "SELECT s.lower(a) FROM t"},
	{refusal.WindowFunction, "1:16", "SELECT SUM(id) OVER () FROM t"},
	{refusal.AggregatePlace, "1:24", "SELECT id FROM t WHERE SUM(a) > 1"},
	{refusal.AggregatePlace, "1:12", "SELECT SUM(MAX(a)) FROM t"},
	{refusal.ConcatOperator, "1:10", "SELECT a || b FROM t"},
	{refusal.RegexpOperator, "1:10", "SELECT a REGEXP 'x' FROM t"},
	{refusal.RegexpOperator, "1:8", "SELECT REGEXP_LIKE(a, 'x') FROM t"},
	{refusal.BitOperator, "1:10", "SELECT a & 1 FROM t"},
	{refusal.UnsupportedOp, "1:8", "SELECT !a FROM t"},
	{refusal.UnsupportedOp, "1:26", "SELECT id FROM t WHERE a ILIKE 'x'"},
	{refusal.RowValue, "1:8", "SELECT (a, b) = (1, 2) FROM t"},
	{refusal.RowValue, "1:8", "SELECT ROW(a) FROM t"},
	{refusal.LikeEscape, "1:35", "SELECT id FROM t WHERE a LIKE 'b' ESCAPE 'cc'"},
	{refusal.CastTypeRefused, "1:18", "SELECT CAST(a AS BINARY(9)) FROM t"},
	{refusal.CastTypeRefused, "1:18", "SELECT CAST(a AS JSON) FROM t"},
	{refusal.CastTypeRefused, "1:18", "SELECT CAST(a AS INT) FROM t"},
	{refusal.CastTypeRefused, "1:18", "SELECT CAST(a AS VARCHAR(10)) FROM t"},
	{refusal.CastTypeRefused, "1:19", "SELECT CONVERT(a, INTEGER) FROM t"},
	{refusal.CommaJoin, "1:19", "SELECT a.id FROM a, b"},
	{refusal.CrossJoin, "1:20", "SELECT a.id FROM a CROSS JOIN b"},
	{refusal.CrossJoin, "1:25", "SELECT a.id FROM a JOIN b"},
	{refusal.JoinKind, "1:20", "SELECT a.id FROM a RIGHT JOIN b ON 1 = 1"},
	{refusal.JoinKind, "1:20", "SELECT a.id FROM a NATURAL JOIN b"},
	{refusal.JoinKind, "1:20", "SELECT a.id FROM a FULL JOIN b ON 1 = 1"},
	{refusal.JoinUsing, "1:27", "SELECT a.id FROM a JOIN b USING (id)"},
	{refusal.JoinNested, "1:20", "SELECT a.id FROM a JOIN (b JOIN c ON 1 = 1) ON 1 = 1"},
	{refusal.TableModifier, "1:18", "SELECT id FROM t USE INDEX (i)"},
	{refusal.TableModifier, "1:18", "SELECT id FROM t PARTITION (p0)"},
	{refusal.DerivedTable, "1:15", "SELECT x FROM JSON_TABLE('[1]', '$[*]' COLUMNS(x INT PATH '$')) AS j"},
	{refusal.SelectOption, "1:8", "SELECT SQL_NO_CACHE id FROM t"},
	{refusal.SelectOption, "1:8", "SELECT STRAIGHT_JOIN id FROM t"},
	{refusal.Locking, "1:18", "SELECT id FROM t FOR UPDATE"},
	{refusal.Locking, "1:18", "SELECT id FROM t LOCK IN SHARE MODE"},
	{refusal.Into, "1:18", "SELECT id FROM t INTO OUTFILE '/tmp/x'"},
	{refusal.Rollup, "1:33", "SELECT a FROM t GROUP BY a WITH ROLLUP"},
	{refusal.OrderByConstant, "1:27", "SELECT id FROM t ORDER BY ?"},
	{refusal.OrderByConstant, "1:28", "SELECT id FROM t ORDER BY -TRUE"},
	{refusal.OrderByConstant, "1:30", "SELECT id FROM t ORDER BY -(-?)"},
	{refusal.OrderByConstant, "1:28", "SELECT id FROM t GROUP BY -'1'"},
	{refusal.OrderByConstant, "1:27", "SELECT id FROM t ORDER BY 'a'"},
	{refusal.OrderByConstant, "1:33", "SELECT GROUP_CONCAT(id ORDER BY 1) FROM t"},
	{refusal.LimitValue, "1:24", "SELECT id FROM t LIMIT 1+1"},
	{refusal.LimitValue, "1:24", "SELECT id FROM t LIMIT 18446744073709551616"},
	{refusal.UnknownFunction, "1:8", "SELECT POINT(1, 2) FROM t"},
	{refusal.UnsupportedSyntax, "1:8", "SELECT MATCH(a) AGAINST ('x') FROM t"},
	{refusal.UnsupportedSyntax, "1:8", "SELECT INTERVAL 1 DAY + d FROM t"},
	{refusal.Syntax, "1:1", "\""},
}

func TestEachForbiddenConstructIsRefusedWithItsOwnReason(t *testing.T) {
	v := newValidator(t)
	for _, tt := range refusals {
		_, err := v.Validate(tt.sql)
		var r *refusal.Refusal
		if !errors.As(err, &r) {
			t.Errorf("%.80q: accepted, want %s", tt.sql, tt.reason)
			continue
		}
		if r.Reason != tt.reason || r.Stage != refusal.Validate {
			t.Errorf("%.80q: %s, want %s", tt.sql, r, tt.reason)
		}
		if r.Position.String() != tt.at {
			t.Errorf("%.80q: %s at %q, want %q", tt.sql, r.Reason, r.Position, tt.at)
		}
		if r.Message == "" || r.Hint == "" || r.Code == "" {
			t.Errorf("%.80q: a refusal without message, hint or code: %+v", tt.sql, r)
		}
	}
}

func TestEveryReasonOfTheStageHasACase(t *testing.T) {
	seen := map[refusal.Reason]bool{}
	for _, tt := range refusals {
		seen[tt.reason] = true
	}
	for _, e := range refusal.Catalogue {
		if e.Stage == refusal.Validate && !seen[e.Reason] {
			t.Errorf("no text is refused with %s", e.Reason)
		}
	}
}

func TestARefusalNeverQuotesALiteral(t *testing.T) {
	v := newValidator(t)
	const canary = "XCANARYX"
	for _, sql := range []string{
		"SELECT 'a' '" + canary + "' FROM t",
		"SELECT id FROM t WHERE a = '" + canary,
		"SELECT id FROM t WHERE a = '" + canary + "' GARBAGE HERE",
		"SELECT id FROM t; " + canary + " '" + canary,
		"SELECT " + canary + "() FROM t",
		"SELECT id FROM t WHERE `" + canary + "` REGEXP 'x'",
		canary,
	} {
		_, err := v.Validate(sql)
		if err == nil {
			t.Errorf("%q: accepted", sql)
			continue
		}
		var r *refusal.Refusal
		errors.As(err, &r)
		if strings.Contains(r.Message+r.Hint+err.Error(), canary) {
			t.Errorf("%q: quoted in %v", sql, err)
		}
	}
}

func TestCapsCanBeLoweredAndNotRaised(t *testing.T) {
	set, _ := function.NewSet("", nil, nil)
	low := New(Options{Functions: set, Caps: config.QueryCaps{Bytes: 40, Tokens: 8, Nesting: 1, Placeholders: 1}})
	for sql, want := range map[string]refusal.Reason{
		"SELECT id FROM t WHERE id = 1234567890 AND 1": refusal.TooLong,
		"SELECT a, b, c, d FROM t":                     refusal.TooManyTokens,
		"SELECT ((1)) FROM t":                          refusal.TooNested,
		"SELECT ?, ? FROM t":                           refusal.TooManyParams,
	} {
		_, err := low.Validate(sql)
		var r *refusal.Refusal
		if !errors.As(err, &r) || r.Reason != want {
			t.Errorf("%q: %v, want %s", sql, err, want)
		}
	}
	high := New(Options{Functions: set, Caps: config.QueryCaps{Bytes: 1 << 20, Tokens: 1 << 20, Nesting: 1 << 20, Placeholders: 1 << 20}})
	if high.caps != (config.QueryCaps{Bytes: maxBytes, Tokens: maxTokens, Nesting: maxNesting, Placeholders: maxPlaceholders}) {
		t.Errorf("caps above the ceiling: %+v", high.caps)
	}
}

func TestTheZeroValidatorAllowsNoFunction(t *testing.T) {
	v := New(Options{})
	if _, err := v.Validate("SELECT LOWER(a) FROM t"); err == nil {
		t.Error("a function was allowed without a function set")
	}
	if _, err := v.Validate("SELECT COUNT(*) FROM t"); err == nil {
		t.Error("an aggregate was allowed without a function set")
	}
	if _, err := v.Validate("SELECT a FROM t"); err != nil {
		t.Error(err)
	}
}

// openGeneric calls an accessor with a key whose type is never named, as code
// outside the module can.
func openGeneric[K, T any](accessor func(K) T) T {
	var key K
	return accessor(key)
}

func TestAZeroKeyOpensNothing(t *testing.T) {
	q, err := newValidator(t).Validate("SELECT a FROM t")
	if err != nil {
		t.Fatal(err)
	}
	if openGeneric(q.Tree) != nil {
		t.Error("a zero key opened the tree")
	}
	if q.Tree(seal.Open()) == nil {
		t.Error("the key doesn't open the tree")
	}
}

func TestUnaliasedItemsAreNamedByTheirSourceText(t *testing.T) {
	q, err := newValidator(t).Validate("SELECT DISTINCT a, COUNT( /* all */ * ), CONCAT(a, ', ', b) AS c,\n 1 +\n 2 FROM t GROUP BY a")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "COUNT( * )", "", "1 + 2"}
	for i, it := range q.Tree(seal.Open()).Items {
		if it.Text != want[i] {
			t.Errorf("item %d: %q, want %q", i, it.Text, want[i])
		}
	}
}

func TestOnlyNumbersPassAsNumbers(t *testing.T) {
	for in, want := range map[string]bool{
		"0": true, "00012": true, "1.5": true, "1.": true, ".5": true, "1e5": true, "1.5E+10": true, ".5e-3": true,
		"": false, ".": false, "1e": false, "1e+": false, "e5": false, "1e+-5": false, "1.2.3": false, "0x41": false, "1a": false, "-1": false, "1 ": false,
	} {
		if got := isNumber(in); got != want {
			t.Errorf("isNumber(%q) = %v", in, got)
		}
	}
}

func TestMaskKeepsNoLiteralAndNoComment(t *testing.T) {
	for in, want := range map[string]string{
		"DELETE FROM t WHERE a = 'secret' AND b=12.5 /* secret */ # secret": "DELETE FROM t WHERE a = ? AND b = ? /* */ /* */",
		"SELECT X'41', N'x', 0x41, \"secret\" FROM `a b`":                   "SELECT ?, ?, ?, ? FROM `a b`",
		"SELECT @'secret', @@\"secret\", @a FROM t":                         "SELECT @?, @?, @? FROM t",
		"SELECT 'secret":         "SELECT …",
		"SELECT a /*! secret */": "SELECT a /* */",
	} {
		if got := Mask(in); got != want {
			t.Errorf("Mask(%q) = %q, want %q", in, got, want)
		}
	}
	if n := len(Mask("SELECT " + strings.Repeat("a ", 8000))); n > maskedBytes+maxBytes {
		t.Errorf("%d bytes", n)
	}
}

func TestABareClockIsACallOnlyWhereItIsOneToMySQL(t *testing.T) {
	v := newValidator(t)
	for sql, want := range map[string]refusal.Reason{
		"SELECT now FROM t":                                    refusal.ReservedWord,
		"SELECT id FROM t WHERE d < CurDate":                   refusal.ReservedWord,
		"SELECT curtime, id FROM t":                            refusal.ReservedWord,
		"SELECT NOW(), CURDATE (), CURRENT_DATE FROM t":        "",
		"SELECT current_timestamp, localtime, utc_date FROM t": "",
		"SELECT `now`, t.now FROM t WHERE `curdate` = 1":       "",
	} {
		_, err := v.Validate(sql)
		var r *refusal.Refusal
		if errors.As(err, &r); (r == nil) != (want == "") || r != nil && r.Reason != want {
			t.Errorf("%s: %v, want %s", sql, err, want)
		}
	}
}

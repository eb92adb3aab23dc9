package refusal

// Reason is the stable code of one kind of refusal.
type Reason string

// Entry is what the catalogue knows of a reason.
type Entry struct {
	Reason  Reason
	Stage   Stage
	Code    Code
	Message string // why, in one plain sentence
	Hint    string // the next step, when nothing more specific is known
	Example string // SQL that is refused for this reason; \x0b and the like stand for the byte
	Instead string // SQL that is accepted, or the tool to call
}

// Reasons of the stage validate: the text and its shape.
const (
	EmptyStatement     Reason = "empty_statement"
	InvalidUTF8        Reason = "invalid_utf8"
	ControlCharacter   Reason = "control_character"
	FormatCharacter    Reason = "format_character"
	TooLong            Reason = "too_long"
	TooManyTokens      Reason = "too_many_tokens"
	TooNested          Reason = "too_nested"
	TooManyParams      Reason = "too_many_placeholders"
	TooManyItems       Reason = "too_many_items"
	MarkdownFence      Reason = "markdown_fence"
	MarkdownEscape     Reason = "markdown_escape"
	Syntax             Reason = "syntax_error"
	ReservedWord       Reason = "reserved_word"
	UnquotedName       Reason = "unquoted_name"
	NotSelect          Reason = "not_select"
	WriteStatement     Reason = "write_statement"
	ShowStatement      Reason = "metadata_statement"
	MultipleStatements Reason = "multiple_statements"
	TrailingText       Reason = "trailing_text"
	CTE                Reason = "cte"
	Subquery           Reason = "subquery"
	SetOperation       Reason = "set_operation"
	Parenthesised      Reason = "parenthesised_query"
	Wildcard           Reason = "wildcard"
	NoFrom             Reason = "no_from"
	ExecutableComment  Reason = "executable_comment"
	OptimizerHint      Reason = "optimizer_hint"
	SlashComment       Reason = "slash_comment"
	AdjacentStrings    Reason = "adjacent_strings"
	NationalString     Reason = "national_string"
	NamedPlaceholder   Reason = "named_placeholder"
	HexLiteral         Reason = "hex_or_bit_literal"
	TypedLiteral       Reason = "typed_literal"
	NumberTooLarge     Reason = "number_too_large"
	Charset            Reason = "charset"
	Collate            Reason = "collate"
	UserVariable       Reason = "user_variable"
	SystemVariable     Reason = "system_variable"
	MetadataFunction   Reason = "metadata_function"
	ForbiddenFunction  Reason = "forbidden_function"
	UnknownFunction    Reason = "unknown_function"
	FunctionArguments  Reason = "function_arguments"
	QualifiedFunction  Reason = "qualified_function"
	WindowFunction     Reason = "window_function"
	AggregatePlace     Reason = "aggregate_misplaced"
	ConcatOperator     Reason = "concat_operator"
	RegexpOperator     Reason = "regexp"
	BitOperator        Reason = "bit_operator"
	UnsupportedOp      Reason = "unsupported_operator"
	RowValue           Reason = "row_value"
	LikeEscape         Reason = "like_escape"
	CastTypeRefused    Reason = "cast_type"
	CommaJoin          Reason = "comma_join"
	CrossJoin          Reason = "join_without_condition"
	JoinKind           Reason = "join_kind"
	JoinUsing          Reason = "join_using"
	JoinNested         Reason = "join_nested"
	TableModifier      Reason = "table_modifier"
	DerivedTable       Reason = "derived_table"
	SelectOption       Reason = "select_option"
	Locking            Reason = "locking"
	Into               Reason = "into"
	Rollup             Reason = "rollup"
	OrderByConstant    Reason = "order_by_constant"
	LimitValue         Reason = "limit_value"
	UnsupportedSyntax  Reason = "unsupported_syntax"
)

// Reasons of the stage authorize: names and sensitive columns.
const (
	UnknownTable       Reason = "unknown_table"
	UnknownColumn      Reason = "unknown_column"
	UnknownAlias       Reason = "unknown_alias"
	AmbiguousColumn    Reason = "ambiguous_column"
	AmbiguousAlias     Reason = "ambiguous_alias"
	AliasShadowsColumn Reason = "alias_shadows_column"
	DuplicateAlias     Reason = "duplicate_table_alias"
	BadPosition        Reason = "bad_position"
	AliasNotUsable     Reason = "alias_not_usable"
	NotGrouped         Reason = "not_grouped"
	SensitiveColumn    Reason = "sensitive_column"
	SensitiveCombined  Reason = "sensitive_with_grouping"
	SensitiveFilter    Reason = "sensitive_filter"
	PlanTooLarge       Reason = "plan_too_large"
	TextTooLong        Reason = "text_too_long"
	PatternTooLong     Reason = "pattern_too_long"
)

// Reasons of the stage bind: the parameters.
const (
	ParamCount Reason = "parameter_count"
	ParamType  Reason = "parameter_type"
	LimitParam Reason = "limit_parameter"
	ParamSize  Reason = "parameters_too_long"
)

// Catalogue lists every reason once, in the order of the documentation.
var Catalogue = []Entry{
	v(EmptyStatement, "There is no SQL in the text.", "Send one SELECT statement.", "   ", "SELECT id FROM orders LIMIT 5"),
	v(InvalidUTF8, "The text is not valid UTF-8.", "Encode the SQL as UTF-8.", "SELECT id FROM orders WHERE status = 'caf\\xe9'", "SELECT id FROM orders WHERE status = 'café'"),
	v(ControlCharacter, "The text contains a control character; only tab, line feed and carriage return are accepted.", "Delete the character at this position, or pass the value as a parameter with ?.", "SELECT id\\x0b FROM orders", "SELECT id FROM orders"),
	v(FormatCharacter, "The text contains an invisible, bidirectional or non-standard space character.", "Replace the character at this position by an ordinary space, or delete it.", "SELECT\\u00a0id FROM orders", "SELECT id FROM orders"),
	v(TooLong, "The text is longer than this data source accepts.", "Shorten the query; pass long values as parameters with ?.", "SELECT … 20 KiB …", "SELECT id FROM orders"),
	v(TooManyTokens, "The text has more tokens than this data source accepts.", "Split the question into several queries.", "SELECT id FROM orders WHERE id = 1 OR id = 2 OR …", "SELECT id FROM orders WHERE id BETWEEN 1 AND 900"),
	v(TooNested, "The query is nested more deeply than this data source accepts.", "Flatten the expression: fewer parentheses, nested calls or chained operators.", "SELECT ((((…id…)))) FROM orders", "SELECT id FROM orders"),
	v(TooManyParams, "The query has more placeholders than this data source accepts.", "Use fewer ? placeholders; split a long IN list into several queries.", "SELECT id FROM orders WHERE id IN (?, ?, … 300 times)", "SELECT id FROM orders WHERE id IN (?, ?)"),
	v(TooManyItems, "A list in the query has more items than is accepted.", "Shorten the list or split the question: at most 64 select items, 500 values in IN, 8 joins, 20 items in GROUP BY or ORDER BY.", "SELECT id, id, … 100 times … FROM orders", "SELECT id, status FROM orders"),
	s(MarkdownFence, "The SQL is wrapped in a Markdown fence.", "Send the SQL without the Markdown fence: nothing before SELECT and no ``` lines.", "```sql\\nSELECT id FROM orders\\n```", "SELECT id FROM orders"),
	s(MarkdownEscape, "A backslash stands before a character outside a string; that is Markdown, not SQL.", "Delete the backslash: write _ and * as they are.", "SELECT customer\\_id FROM orders", "SELECT customer_id FROM orders"),
	s(Syntax, "The text is not a SELECT that the parser understands.", "Check the SQL near this position; the accepted dialect is MySQL's.", "SELECT id FROM orders WHERE id 1", "SELECT id FROM orders WHERE id = 1"),
	s(ReservedWord, "A reserved word of MySQL is used as a name.", "Put backticks around the name at this position.", "SELECT COUNT(*) AS rank FROM orders", "SELECT COUNT(*) AS `rank` FROM orders"),
	s(UnquotedName, "A character outside ASCII stands outside quotes.", "Put backticks around the name at this position, or quotes around the value.", "SELECT id AS 订单 FROM orders", "SELECT id AS `订单` FROM orders"),
	v(NotSelect, "Only one SELECT statement is accepted.", "Write the question as a SELECT.", "EXPLAIN SELECT id FROM orders", "SELECT id FROM orders"),
	v(WriteStatement, "This tool only reads: the statement would change data, schema or session.", "Ask with a SELECT. Changes must be made by a person with another tool.", "DELETE FROM orders WHERE id = 1", "SELECT id, status FROM orders WHERE id = 1"),
	v(ShowStatement, "SHOW, DESCRIBE and other metadata statements are not accepted.", "Call describe_schema: it lists the tables and columns that you may use.", "SHOW TABLES", "describe_schema"),
	v(MultipleStatements, "There is more than one statement in the text.", "Send one SELECT; delete the other statements.", "SELECT id FROM orders; SELECT id FROM customers", "SELECT id FROM orders"),
	v(TrailingText, "Something follows the statement's semicolon.", "Delete everything after the semicolon.", "SELECT id FROM orders; This lists the orders", "SELECT id FROM orders"),
	v(CTE, "WITH (a common table expression) is not accepted.", "Write one SELECT with joins and GROUP BY, or ask in several queries; the operator can offer a view for more.", "WITH x AS (SELECT customer_id FROM orders) SELECT COUNT(*) FROM x", "SELECT COUNT(customer_id) FROM orders"),
	v(Subquery, "A subquery is not accepted anywhere in the query.", "Use a JOIN, or run the inner query first and pass its values in an IN (?, ?) list.", "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders)", "SELECT DISTINCT c.name FROM customers c JOIN orders o ON o.customer_id = c.id"),
	v(SetOperation, "UNION, INTERSECT and EXCEPT are not accepted.", "Run the two queries one after the other.", "SELECT id FROM orders UNION SELECT id FROM customers", "SELECT id FROM orders"),
	v(Parenthesised, "The query stands in parentheses.", "Send the SELECT without parentheses round it.", "(SELECT id FROM orders) LIMIT 5", "SELECT id FROM orders LIMIT 5"),
	v(Wildcard, "* and t.* are not accepted: the columns must be named.", "Name the columns; describe_schema lists the ones that you may use.", "SELECT * FROM orders", "SELECT id, status FROM orders"),
	v(NoFrom, "The query has no FROM with a table.", "Select from a table of the allowlist; constants and the clock need no database.", "SELECT 1", "SELECT id FROM orders LIMIT 1"),
	v(ExecutableComment, "A comment of the form /*! */ or /*M! */ is code for some servers.", "Delete the comment.", "SELECT id /*!50000 , status */ FROM orders", "SELECT id FROM orders"),
	v(OptimizerHint, "Optimizer hints and parser directives are not accepted.", "Delete the comment that begins with /*+ or /*vt+.", "SELECT /*+ NO_INDEX(orders) */ id FROM orders", "SELECT id FROM orders"),
	s(SlashComment, "// is not a comment in MySQL.", "Delete it, or write -- followed by a space.", "SELECT id FROM orders // note", "SELECT id FROM orders -- note"),
	v(AdjacentStrings, "Two string literals stand side by side.", "Join them into one literal, or use CONCAT.", "SELECT id FROM orders WHERE status = 'pa' 'id'", "SELECT id FROM orders WHERE status = 'paid'"),
	v(NationalString, "N'…' strings are not accepted.", "Write the string without the N.", "SELECT id FROM orders WHERE status = N'paid'", "SELECT id FROM orders WHERE status = 'paid'"),
	v(NamedPlaceholder, "Named placeholders are not accepted.", "Write ? for each parameter, and give the values in order in params.", "SELECT id FROM orders WHERE id = :id", "SELECT id FROM orders WHERE id = ?"),
	v(HexLiteral, "Hexadecimal and bit literals are not accepted.", "Write a decimal number or a quoted string, or pass the value as a parameter with ?.", "SELECT id FROM orders WHERE id = 0x10", "SELECT id FROM orders WHERE id = 16"),
	v(TypedLiteral, "DATE'…', TIME'…' and TIMESTAMP'…' literals are not accepted.", "Write the date as a plain string: '2024-01-31'.", "SELECT id FROM orders WHERE placed_at > DATE'2024-01-31'", "SELECT id FROM orders WHERE placed_at > '2024-01-31'"),
	v(NumberTooLarge, "The number has more than 65 digits before its point; MySQL would put another in its place.", "Write it as a floating-point number, as in 1e70, or pass it as a parameter with ?.", "SELECT id FROM orders WHERE total < 1e400", "SELECT id FROM orders WHERE total < 1e40"),
	v(Charset, "Character set names and introducers are not accepted.", "Delete the character set; all text is utf8mb4.", "SELECT CONVERT(status USING latin1) FROM orders", "SELECT status FROM orders"),
	v(Collate, "COLLATE is not accepted.", "Delete COLLATE; compare LOWER(a) with LOWER(b) if case matters.", "SELECT id FROM orders WHERE status COLLATE utf8mb4_bin = 'paid'", "SELECT id FROM orders WHERE status = 'paid'"),
	v(UserVariable, "User variables and := are not accepted.", "Pass values as parameters with ?.", "SELECT id FROM orders WHERE id = @id", "SELECT id FROM orders WHERE id = ?"),
	v(SystemVariable, "System variables are not accepted.", "Ask about the data only; list_data_sources tells the server's flavour.", "SELECT @@version FROM orders", "list_data_sources"),
	v(MetadataFunction, "Functions that tell about the server, the session or the account are not accepted.", "Ask about the data only; describe_schema names the schemas and tables.", "SELECT DATABASE() FROM orders", "describe_schema"),
	v(ForbiddenFunction, "This function is never allowed: it waits, locks, has side effects, or can't be bounded.", "Ask without it.", "SELECT SLEEP(5) FROM orders", "SELECT id FROM orders"),
	v(UnknownFunction, "This function is not in the list of allowed functions.", "Use one of MySQL's plain functions for text, numbers or dates; stored functions are not accepted.", "SELECT STRFTIME('%Y', placed_at) FROM orders", "SELECT DATE_FORMAT(placed_at, '%Y') FROM orders"),
	v(FunctionArguments, "The function is called with arguments that it doesn't take here.", "Check the number and kind of the function's arguments.", "SELECT ROUND() FROM orders", "SELECT ROUND(total, 2) FROM orders"),
	v(QualifiedFunction, "A function call with a schema name is a stored function, which is not accepted.", "Call the native function by its bare name.", "SELECT shop.lower(status) FROM orders", "SELECT LOWER(status) FROM orders"),
	v(WindowFunction, "Window functions (OVER) are not accepted.", "Use GROUP BY with an aggregate, or ORDER BY with LIMIT; the operator can offer a view for more.", "SELECT id, ROW_NUMBER() OVER (ORDER BY total) FROM orders", "SELECT id FROM orders ORDER BY total LIMIT 10"),
	v(AggregatePlace, "An aggregate function stands where none may stand.", "Use aggregates in the select list, HAVING or ORDER BY, not nested and not in WHERE, ON or GROUP BY; filter on them with HAVING.", "SELECT customer_id FROM orders WHERE SUM(qty) > 1 GROUP BY customer_id", "SELECT customer_id FROM orders GROUP BY customer_id HAVING SUM(qty) > 1"),
	v(ConcatOperator, "|| means OR in MySQL and concatenation elsewhere, so it is not accepted.", "Use CONCAT(a, b) to join text, or OR between conditions.", "SELECT name || ', ' || city FROM customers", "SELECT CONCAT(name, ', ', city) FROM customers"),
	v(RegexpOperator, "Regular expressions are not accepted.", "Use LIKE with % and _.", "SELECT id FROM customers WHERE name REGEXP '^a'", "SELECT id FROM customers WHERE name LIKE 'a%'"),
	v(BitOperator, "Bit operators are not accepted.", "Use arithmetic and MOD instead.", "SELECT id FROM orders WHERE qty & 4", "SELECT id FROM orders WHERE MOD(qty DIV 4, 2)"),
	v(UnsupportedOp, "This operator is not accepted.", "Write it with the operators = <> < <= > >= <=> + - * / % DIV MOD AND OR NOT XOR LIKE IN BETWEEN IS.", "SELECT id FROM orders WHERE !qty", "SELECT id FROM orders WHERE NOT qty"),
	v(RowValue, "Row values and comparisons of rows are not accepted.", "Compare the columns one by one, joined with AND.", "SELECT id FROM orders WHERE (id, qty) = (1, 2)", "SELECT id FROM orders WHERE id = 1 AND qty = 2"),
	v(LikeEscape, "ESCAPE takes one character in quotes.", "Write for instance LIKE 'a|%' ESCAPE '|'.", "SELECT id FROM orders WHERE status LIKE 'a%' ESCAPE 'xx'", "SELECT id FROM orders WHERE status LIKE 'a|%' ESCAPE '|'"),
	v(CastTypeRefused, "CAST to this type is not accepted.", "Use SIGNED, UNSIGNED, CHAR, DECIMAL(p,s), DOUBLE, FLOAT, DATE, DATETIME or TIME.", "SELECT CAST(total AS INT) FROM orders", "SELECT CAST(total AS SIGNED) FROM orders"),
	v(CommaJoin, "Tables joined with a comma are not accepted.", "Write JOIN … ON … for each table.", "SELECT o.id FROM orders o, customers c WHERE c.id = o.customer_id", "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"),
	v(CrossJoin, "A JOIN has no ON condition.", "Give each JOIN its ON condition; CROSS JOIN is not accepted.", "SELECT o.id FROM orders o JOIN customers c", "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"),
	v(JoinKind, "Only [INNER] JOIN and LEFT JOIN are accepted.", "Rewrite with LEFT JOIN (swap the tables of a RIGHT JOIN) or JOIN … ON.", "SELECT o.id FROM customers c RIGHT JOIN orders o ON c.id = o.customer_id", "SELECT o.id FROM orders o LEFT JOIN customers c ON c.id = o.customer_id"),
	v(JoinUsing, "JOIN … USING is not accepted.", "Write the condition out: ON a.id = b.id.", "SELECT a.status FROM orders a JOIN orders b USING (id)", "SELECT a.status FROM orders a JOIN orders b ON a.id = b.id"),
	v(JoinNested, "Parenthesised or nested joins are not accepted.", "Join the tables one after the other, each with its ON condition.", "SELECT c.id FROM customers c LEFT JOIN (orders a JOIN orders b ON b.id = a.id) ON a.customer_id = c.id", "SELECT c.id FROM customers c LEFT JOIN orders a ON a.customer_id = c.id LEFT JOIN orders b ON b.id = a.id"),
	v(TableModifier, "Index hints, PARTITION and other modifiers of a table are not accepted.", "Name the table only.", "SELECT id FROM orders USE INDEX (i)", "SELECT id FROM orders"),
	v(DerivedTable, "A table made by a query or a function is not accepted in FROM.", "Name tables of the allowlist, joined with JOIN … ON.", "SELECT x.n FROM (SELECT COUNT(*) AS n FROM orders) AS x", "SELECT COUNT(*) AS n FROM orders"),
	v(SelectOption, "Modifiers after SELECT other than DISTINCT are not accepted.", "Delete the word after SELECT.", "SELECT SQL_NO_CACHE id FROM orders", "SELECT id FROM orders"),
	v(Locking, "FOR UPDATE, FOR SHARE and LOCK IN SHARE MODE are not accepted.", "Delete the locking clause.", "SELECT id FROM orders FOR UPDATE", "SELECT id FROM orders"),
	v(Into, "SELECT … INTO is not accepted.", "Delete the INTO clause.", "SELECT id INTO @x FROM orders", "SELECT id FROM orders"),
	v(Rollup, "ROLLUP is not accepted.", "Run a second query for the total.", "SELECT status, COUNT(*) FROM orders GROUP BY status WITH ROLLUP", "SELECT status, COUNT(*) FROM orders GROUP BY status"),
	v(OrderByConstant, "A constant or a placeholder can't be an item of GROUP BY or ORDER BY.", "Name a column, a select alias, or a position such as 1.", "SELECT id FROM orders ORDER BY ?", "SELECT id FROM orders ORDER BY 1"),
	v(LimitValue, "LIMIT and OFFSET take a plain non-negative integer or ?.", "Write LIMIT 10, LIMIT 10 OFFSET 20, or LIMIT ?.", "SELECT id FROM orders LIMIT 1+1", "SELECT id FROM orders LIMIT 2"),
	v(UnsupportedSyntax, "This construct is not part of the accepted language.", "Use plain SELECT … FROM … JOIN … ON … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT.", "SELECT id FROM orders WHERE MATCH(status) AGAINST ('paid')", "SELECT id FROM orders WHERE status LIKE '%paid%'"),

	a(UnknownTable, "This table does not exist or is not in the allowlist.", "Call describe_schema for the tables that you may use.", "SELECT id FROM salaries", "SELECT id FROM orders"),
	a(UnknownColumn, "This column does not exist or is not in the allowlist.", "Call describe_schema for the columns that you may use.", "SELECT password FROM customers", "SELECT id FROM customers"),
	a(UnknownAlias, "No table of this query has this name or alias.", "Qualify the column with the alias that FROM or JOIN gives the table; aliases are case-sensitive.", "SELECT x.id FROM orders o", "SELECT o.id FROM orders o"),
	a(AmbiguousColumn, "More than one table of this query has a column of this name.", "Qualify the column with its table's alias.", "SELECT id FROM orders o JOIN customers c ON c.id = o.customer_id", "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"),
	a(AmbiguousAlias, "More than one select item has this name.", "Give the items different aliases, or use a position such as 1.", "SELECT id AS x, qty AS x FROM orders ORDER BY x", "SELECT id AS x, qty AS x FROM orders ORDER BY 1"),
	a(AliasShadowsColumn, "This name is both a select alias and a column of another meaning.", "Give the item another alias, or qualify the column with its table's alias.", "SELECT 1 AS tier, COUNT(*) FROM customers GROUP BY tier", "SELECT 1 AS one, COUNT(*) FROM customers GROUP BY tier"),
	a(DuplicateAlias, "Two tables have the same name or alias, or names that differ only by case.", "Give each table an alias of its own: FROM orders a JOIN orders b ON ….", "SELECT c.id FROM customers c JOIN orders c ON c.id = c.customer_id", "SELECT c.id FROM customers c JOIN orders o ON c.id = o.customer_id"),
	a(BadPosition, "The position names no select item that may stand here.", "Use a position from 1 to the number of select items; GROUP BY can't take an aggregate's.", "SELECT id FROM orders ORDER BY 5", "SELECT id FROM orders ORDER BY 1"),
	a(AliasNotUsable, "A select alias can't be used here.", "Write the expression itself in place of the alias; a condition on an aggregate belongs in HAVING, not WHERE.", "SELECT qty AS amount FROM orders WHERE amount > 1", "SELECT qty AS amount FROM orders WHERE qty > 1"),
	a(NotGrouped, "HAVING names a column that is neither grouped, aggregated nor selected.", "Put the condition into WHERE, group by the column, or use an aggregate such as MIN or MAX.", "SELECT status FROM orders GROUP BY status HAVING qty > 1", "SELECT status FROM orders WHERE qty > 1 GROUP BY status"),
	a(SensitiveColumn, "A sensitive column may only be a bare item of the select list; its value comes back redacted.", "Select the column by itself, and filter, sort, join or group by another column.", "SELECT id FROM customers WHERE email LIKE 'a%'", "SELECT id, email FROM customers WHERE id = ?"),
	a(SensitiveCombined, "A sensitive column can't be selected in a query with DISTINCT, GROUP BY or aggregates.", "Leave the column out, or ask without DISTINCT, GROUP BY and aggregates.", "SELECT DISTINCT email FROM customers", "SELECT email FROM customers"),
	a(SensitiveFilter, "This sensitive column may only be compared with parameters: col = ? or col IN (?, …), as a condition of WHERE joined by AND.", "Write col = ? and pass the value in params.", "SELECT id FROM customers WHERE phone = '123'", "SELECT id FROM customers WHERE phone = ?"),
	a(PlanTooLarge, "With its aliases written out, the query is larger than is accepted.", "Use positions in ORDER BY, or fewer references to large select items.", "SELECT CONCAT(…) AS a FROM orders ORDER BY LENGTH(a) + LENGTH(a) + …", "SELECT qty + 1 AS a FROM orders ORDER BY 1"),
	a(TextTooLong, "This expression can make a text much longer than what it reads.", "Join fewer columns in one expression, and apply functions such as GROUP_CONCAT, JSON_EXTRACT or HEX to columns, not to each other.", "SELECT GROUP_CONCAT(status) AS s FROM orders HAVING LENGTH(CONCAT(s, s, s, s)) > 1", "SELECT GROUP_CONCAT(status) AS s FROM orders HAVING LENGTH(s) > 1"),
	a(PatternTooLong, "What is searched for can be too long: a search takes time by the product of both lengths.", "Search for a literal, a parameter or a column.", "SELECT GROUP_CONCAT(status) AS s FROM orders HAVING LOCATE(s, 'paid') > 0", "SELECT GROUP_CONCAT(status) AS s FROM orders HAVING LOCATE('paid', s) > 0"),

	b(ParamCount, "The number of parameters differs from the number of placeholders.", "Give one value in params for each ?; a ? inside a string is text.", "SELECT id FROM orders WHERE id = ? with params []", "SELECT id FROM orders WHERE id = ? with params [1]"),
	b(ParamType, "A parameter has a type that isn't accepted here.", "Parameters are strings, numbers, booleans or null; write one ? for each value of a list.", "SELECT id FROM orders WHERE id = ? with params [{\"a\": 1}]", "SELECT id FROM orders WHERE id = ? with params [1]"),
	b(ParamSize, "The parameters are longer than is accepted.", "Pass at most 16 KiB of text in all parameters together.", "SELECT id FROM orders WHERE status = ? with params [\"… 20 KiB …\"]", "SELECT id FROM orders WHERE status = ? with params [\"paid\"]"),
	b(LimitParam, "A parameter of LIMIT or OFFSET is not a non-negative integer.", "Pass an integer of 0 or more.", "SELECT id FROM orders LIMIT ? with params [-1]", "SELECT id FROM orders LIMIT ? with params [10]"),
}

var byReason = func() map[Reason]Entry {
	m := make(map[Reason]Entry, len(Catalogue))
	for _, e := range Catalogue {
		m[e.Reason] = e
	}
	return m
}()

func v(r Reason, message, hint, example, instead string) Entry {
	return Entry{r, Validate, ForbiddenSQL, message, hint, example, instead}
}

// s is a refusal of validate whose cause is the text's form, not its intent.
func s(r Reason, message, hint, example, instead string) Entry {
	return Entry{r, Validate, SyntaxError, message, hint, example, instead}
}

func a(r Reason, message, hint, example, instead string) Entry {
	return Entry{r, Authorize, ForbiddenSQL, message, hint, example, instead}
}

func b(r Reason, message, hint, example, instead string) Entry {
	return Entry{r, Bind, InvalidArguments, message, hint, example, instead}
}

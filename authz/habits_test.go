package authz_test

import (
	"errors"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/refusal"
)

// habit is what agents send by habit: the refusal that they get, a word that it
// must say, and the query that they have when they do what its hint says.
type habit struct {
	text     string
	reason   refusal.Reason
	at       string
	says     string
	repaired string
}

// Habits of discovery, of chat, and of hand.
var plainHabits = []habit{
	{"SHOW TABLES", refusal.ShowStatement, "1:1", "orders, ", ""},
	{"DESCRIBE orders", refusal.ShowStatement, "1:1", "Columns of orders: id, customer_id, status, total, qty, placed_at.", "SELECT id, customer_id, status, total, qty, placed_at FROM orders"},
	{"DESC shop.customers;", refusal.ShowStatement, "1:1", "Columns of customers: id, name, city, tier, email (redacted)", "SELECT id, name, city, tier, email FROM customers"},
	{"SHOW CREATE TABLE orders", refusal.ShowStatement, "1:1", "Columns of orders: id", "SELECT id FROM orders"},
	{"SHOW COLUMNS FROM hidden", refusal.ShowStatement, "1:1", "Tables that you may use", ""},
	{`\d orders`, refusal.ShowStatement, "1:1", "Tables that you may use", ""},
	{"PRAGMA table_info(orders)", refusal.ShowStatement, "1:1", "Columns of orders: id", "SELECT id FROM orders"},
	{"SELECT 1", refusal.NoFrom, "1:8", "orders", "SELECT 1 FROM orders"},
	{"TABLE orders", refusal.NotSelect, "1:1", "Columns of orders: id", "SELECT id FROM orders"},
	{"SELECT * FROM orders LIMIT 5", refusal.Wildcard, "1:8", "Columns of orders: id, customer_id, status", "SELECT id, customer_id, status FROM orders LIMIT 5"},
	{"SELECT o.*, FROM orders o", refusal.Wildcard, "1:10", "Columns of orders: id", "SELECT o.id FROM orders o"},
	{"SELECT COUNT(o.*) FROM orders o", refusal.Wildcard, "1:16", "COUNT(*)", "SELECT COUNT(*) FROM orders o"},
	{"SELECT * FROM orders, customers", refusal.Wildcard, "1:8", "of customers: id", "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"},
	{"EXPLAIN SELECT id FROM orders", refusal.NotSelect, "1:1", "explain_query", "SELECT id FROM orders"},
	{"USE shop", refusal.WriteStatement, "1:1", "schema.table", "SELECT id FROM shop.orders"},
	{"SET @a = 1", refusal.WriteStatement, "1:1", "SET", "SELECT id FROM orders WHERE id = ?"},
	{"SELECT DATABASE()", refusal.MetadataFunction, "1:8", "describe_schema", ""},
	{"```sql\nSELECT id FROM orders\n```", refusal.MarkdownFence, "1:1", "```", "SELECT id FROM orders"},
	{"SELECT id FROM orders\n```", refusal.MarkdownFence, "2:1", "Delete the line with ```", "SELECT id FROM orders\n"},
	{"SELECT id FROM orders;\n```\nThis lists", refusal.MarkdownFence, "2:1", "Delete the line with ```", "SELECT id FROM orders;\n"},
	{"`SELECT id FROM orders`", refusal.NotSelect, "1:1", "backticks", "SELECT id FROM orders"},
	{"Here is the query: SELECT id FROM orders", refusal.NotSelect, "1:1", "delete the words before", "SELECT id FROM orders"},
	{`{"sql": "SELECT id FROM orders"}`, refusal.NotSelect, "1:1", "JSON", "SELECT id FROM orders"},
	{"SELECT id FROM orders; It lists the orders.", refusal.TrailingText, "1:24", "after the semicolon", "SELECT id FROM orders;"},
	{"SELECT id FROM orders;;", refusal.MultipleStatements, "1:23", "semicolon", "SELECT id FROM orders;"},
	{";SELECT id FROM orders", refusal.EmptyStatement, "1:1", "semicolon", "SELECT id FROM orders"},
	{`SELECT customer\_id FROM orders`, refusal.MarkdownEscape, "1:16", "backslash", "SELECT customer_id FROM orders"},
	{`SELECT COUNT(\*) FROM orders`, refusal.MarkdownEscape, "1:14", "backslash", "SELECT COUNT(*) FROM orders"},
	{`SELECT id\nFROM orders`, refusal.MarkdownEscape, "1:10", "line break", "SELECT id\nFROM orders"},
	{`SELECT id FROM orders WHERE status = \'paid\'`, refusal.MarkdownEscape, "1:38", "before the quote", "SELECT id FROM orders WHERE status = 'paid'"},
	{"SELECT id FROM orders WHERE status = ‘paid’", refusal.UnquotedName, "1:38", "typographic", "SELECT id FROM orders WHERE status = 'paid'"},
	{"SELECT id，status FROM orders", refusal.UnquotedName, "1:10", "full-width", "SELECT id,status FROM orders"},
	{"SELECT id FROM customers WHERE name = 'O'Brien'", refusal.Syntax, "1:39", "'it''s'", "SELECT id FROM customers WHERE name = 'O''Brien'"},
	{"SELECT id FROM customers WHERE name = 'Oslo", refusal.Syntax, "1:39", "Close the string", "SELECT id FROM customers WHERE name = 'Oslo'"},
	{"SELECT id, FROM orders", refusal.Syntax, "1:10", "comma", "SELECT id FROM orders"},
	{"SELECT id FROM orders WHERE (qty = 1", refusal.Syntax, "1:36", ")", "SELECT id FROM orders WHERE (qty = 1)"},
	{"SELECT id FROM orders WHERE qty = 1)", refusal.Syntax, "1:36", "closes nothing", "SELECT id FROM orders WHERE qty = 1"},
	{"SELECT CASE WHEN qty > 1 THEN 2 FROM orders", refusal.Syntax, "1:33", "END", "SELECT CASE WHEN qty > 1 THEN 2 END FROM orders"},
	{"SELECT SUM(CASE WHEN qty > 1 THEN 2) FROM orders", refusal.Syntax, "1:36", "END", "SELECT SUM(CASE WHEN qty > 1 THEN 2 END) FROM orders"},
	{"SELECT id FROM orders WHERE qty BETWEEN 1", refusal.Syntax, "1:41", "AND", "SELECT id FROM orders WHERE qty BETWEEN 1 AND 2"},
	{"SELECT * EXCEPT (id) FROM orders", refusal.Wildcard, "1:8", "Columns of orders: id", "SELECT status FROM orders"},
	{"SELECT id FROM orders LIMIT 5 ORDER BY id", refusal.Syntax, "1:31", "ORDER BY stands after LIMIT", "SELECT id FROM orders ORDER BY id LIMIT 5"},
	{"SELECT id FROM orders WHERE qty = 1 WHERE id = 2", refusal.Syntax, "1:37", "second WHERE", "SELECT id FROM orders WHERE qty = 1 AND id = 2"},
	{"SELECT id FROM orders WHERE id IN ()", refusal.Syntax, "1:36", "IN", "SELECT id FROM orders WHERE id IN (?)"},
	{"SELECT id FROM orders WHERE id IN ?", refusal.Syntax, "1:35", "IN (?, ?)", "SELECT id FROM orders WHERE id IN (?, ?)"},
	{"SELECT id FROM orders WHERE", refusal.Syntax, "1:23", "WHERE", "SELECT id FROM orders"},
	{"SELECT COUNT(*) rank FROM orders", refusal.ReservedWord, "1:17", "`rank`", "SELECT COUNT(*) `rank` FROM orders"},
	{"SELECT id AS match FROM orders", refusal.ReservedWord, "1:14", "`match`", "SELECT id AS `match` FROM orders"},
	{"SELECT id AS order FROM orders", refusal.ReservedWord, "1:14", "`order`", "SELECT id AS `order` FROM orders"},
	{"SELECT id FROM orders WHERE id = :id", refusal.NamedPlaceholder, "1:34", "?", "SELECT id FROM orders WHERE id = ?"},
	{"SELECT id FROM orders WHERE id = $1", refusal.NamedPlaceholder, "1:34", "$1", "SELECT id FROM orders WHERE id = ?"},
	{"SELECT id FROM orders WHERE id = ?1", refusal.NamedPlaceholder, "1:34", "?1", "SELECT id FROM orders WHERE id = ?"},
	{"SELECT id FROM orders WHERE id = %s", refusal.NamedPlaceholder, "1:34", "%s", "SELECT id FROM orders WHERE id = ?"},
	{"SELECT id FROM orders WHERE id = {id}", refusal.NamedPlaceholder, "1:34", "braces", "SELECT id FROM orders WHERE id = ?"},
	{"SELECT id FROM order", refusal.ReservedWord, "1:16", "`order`", ""},
	{"SELECT orders.id FROM orders o", refusal.UnknownAlias, "1:8", "Write the alias of orders", "SELECT o.id FROM orders o"},
	{"SELECT O.id FROM orders o", refusal.UnknownAlias, "1:8", "case-sensitive", "SELECT o.id FROM orders o"},
	{"SELECT o.city FROM orders o JOIN customers c ON c.id = o.customer_id", refusal.UnknownColumn, "1:8", "is in customers", "SELECT c.city FROM orders o JOIN customers c ON c.id = o.customer_id"},
	{"SELECT id FROM Orders", refusal.UnknownTable, "1:16", "Write orders", "SELECT id FROM orders"},
	{"SELECT idd FROM orders", refusal.UnknownColumn, "1:8", "Did you mean id?", "SELECT id FROM orders"},
	{"SELECT COUNT(*) AS n FROM orders WHERE n > 1", refusal.AliasNotUsable, "1:40", "HAVING", "SELECT COUNT(*) AS n FROM orders HAVING n > 1"},
}

// Habits of other databases, and of a wider SQL.
var foreignHabits = []habit{
	{"SELECT TOP 5 id FROM orders", refusal.Syntax, "1:8", "LIMIT n", "SELECT id FROM orders LIMIT 5"},
	{"SELECT id FROM orders FETCH FIRST 5 ROWS ONLY", refusal.Syntax, "1:23", "LIMIT n", "SELECT id FROM orders LIMIT 5"},
	{"SELECT id FROM orders ORDER BY id OFFSET 5 ROWS", refusal.LimitValue, "1:35", "LIMIT n OFFSET m", "SELECT id FROM orders ORDER BY id LIMIT 5 OFFSET 5"},
	{`SELECT id FROM "orders"`, refusal.UnquotedName, "1:16", "backticks", "SELECT id FROM `orders`"},
	{"SELECT [id] FROM orders", refusal.Syntax, "1:8", "backticks", "SELECT `id` FROM orders"},
	{"SELECT id FROM db.shop.orders", refusal.Syntax, "1:23", "schema.table", "SELECT id FROM shop.orders"},
	{"SELECT total::int FROM orders", refusal.CastTypeRefused, "1:13", "CAST(a AS SIGNED)", "SELECT CAST(total AS SIGNED) FROM orders"},
	{"SELECT total::text FROM orders", refusal.CastTypeRefused, "1:13", "CAST(a AS CHAR)", "SELECT CAST(total AS CHAR) FROM orders"},
	{"SELECT CAST(total AS INTEGER) FROM orders", refusal.CastTypeRefused, "1:22", "SIGNED", "SELECT CAST(total AS SIGNED) FROM orders"},
	{"SELECT CAST(id AS VARCHAR(10)) FROM orders", refusal.CastTypeRefused, "1:19", "CHAR(20)", "SELECT CAST(id AS CHAR(10)) FROM orders"},
	{"SELECT CAST(total AS NUMERIC) FROM orders", refusal.CastTypeRefused, "1:22", "DECIMAL(20,4)", "SELECT CAST(total AS DECIMAL(20,4)) FROM orders"},
	{"SELECT CAST(placed_at AS TIMESTAMP) FROM orders", refusal.CastTypeRefused, "1:26", "DATETIME", "SELECT CAST(placed_at AS DATETIME) FROM orders"},
	{"SELECT CONVERT(varchar(10), total) FROM orders", refusal.CastTypeRefused, "1:16", "CAST(a AS CHAR)", "SELECT CAST(total AS CHAR) FROM orders"},
	{"SELECT id FROM customers WHERE name ILIKE 'a%'", refusal.UnsupportedOp, "1:37", "LIKE", "SELECT id FROM customers WHERE name LIKE 'a%'"},
	{"SELECT name || city FROM customers", refusal.ConcatOperator, "1:13", "CONCAT(a, b)", "SELECT CONCAT(name, city) FROM customers"},
	{"SELECT id FROM customers WHERE name ~ '^a'", refusal.RegexpOperator, "1:37", "LIKE", "SELECT id FROM customers WHERE name LIKE 'a%'"},
	{"SELECT id FROM customers WHERE name REGEXP '^a'", refusal.RegexpOperator, "1:37", "LIKE", "SELECT id FROM customers WHERE name LIKE 'a%'"},
	{"SELECT id FROM customers WHERE name SIMILAR TO 'a%'", refusal.RegexpOperator, "1:37", "SIMILAR TO", "SELECT id FROM customers WHERE name LIKE 'a%'"},
	{"SELECT id FROM orders WHERE qty == 1", refusal.UnsupportedOp, "1:33", "one =", "SELECT id FROM orders WHERE qty = 1"},
	{"SELECT id FROM orders WHERE qty IS DISTINCT FROM 1", refusal.UnsupportedOp, "1:33", "<=>", "SELECT id FROM orders WHERE NOT (qty <=> 1)"},
	{"SELECT id FROM orders WHERE id = ANY (1, 2)", refusal.UnsupportedOp, "1:34", "IN (?, ?)", "SELECT id FROM orders WHERE id IN (?, ?)"},
	{"SELECT STRFTIME('%Y', placed_at) FROM orders", refusal.UnknownFunction, "1:8", "DATE_FORMAT", "SELECT DATE_FORMAT(placed_at, '%Y') FROM orders"},
	{"SELECT DATE_TRUNC('month', placed_at) FROM orders", refusal.UnknownFunction, "1:8", "DATE_FORMAT(date, '%Y-%m-01')", "SELECT DATE_FORMAT(placed_at, '%Y-%m-01') FROM orders"},
	{"SELECT EXTRACT(EPOCH FROM placed_at) FROM orders", refusal.FunctionArguments, "1:16", "UNIX_TIMESTAMP", "SELECT UNIX_TIMESTAMP(placed_at) FROM orders"},
	{"SELECT DATEDIFF(month, placed_at, NOW()) FROM orders", refusal.FunctionArguments, "1:8", "TIMESTAMPDIFF(MONTH", "SELECT TIMESTAMPDIFF(MONTH, placed_at, NOW()) FROM orders"},
	{"SELECT id FROM orders WHERE placed_at > GETDATE()", refusal.UnknownFunction, "1:41", "NOW()", "SELECT id FROM orders WHERE placed_at > NOW()"},
	{"SELECT DIVIDE(total, qty) FROM orders", refusal.UnknownFunction, "1:8", "a / b", "SELECT total / qty FROM orders"},
	{"SELECT ISNULL(total, 0) FROM orders", refusal.FunctionArguments, "1:8", "IFNULL(a, b)", "SELECT IFNULL(total, 0) FROM orders"},
	{"SELECT NVL(total, 0) FROM orders", refusal.UnknownFunction, "1:8", "IFNULL(a, b)", "SELECT IFNULL(total, 0) FROM orders"},
	{"SELECT STRING_AGG(status, ', ' ORDER BY status) FROM orders", refusal.UnknownFunction, "1:8", "GROUP_CONCAT", "SELECT GROUP_CONCAT(status ORDER BY status SEPARATOR ', ') FROM orders"},
	{"SELECT STDDEV(qty) FROM orders", refusal.UnknownFunction, "1:8", "SQRT(AVG(a * a) - AVG(a) * AVG(a))", "SELECT SQRT(AVG(qty * qty) - AVG(qty) * AVG(qty)) FROM orders"},
	{"SELECT DAY_OF_WEEK(placed_at) FROM orders", refusal.UnknownFunction, "1:8", "DAYOFWEEK", "SELECT DAYOFWEEK(placed_at) FROM orders"},
	{"SELECT id FROM orders ORDER BY RAND()", refusal.ForbiddenFunction, "1:32", "RAND", "SELECT id FROM orders ORDER BY id LIMIT 10"},
	{"SELECT ANY_VALUE(status) FROM orders", refusal.ForbiddenFunction, "1:8", "MIN(column)", "SELECT MIN(status) FROM orders"},
	{"SELECT COUNT(*) FILTER (WHERE qty > 1) FROM orders", refusal.UnsupportedSyntax, "1:17", "COUNT(CASE WHEN condition THEN 1 END)", "SELECT COUNT(CASE WHEN qty > 1 THEN 1 END) FROM orders"},
	{"SELECT id FROM orders WHERE placed_at > NOW() - INTERVAL '30 days'", refusal.Syntax, "1:49", "INTERVAL 30 DAY", "SELECT id FROM orders WHERE placed_at > NOW() - INTERVAL 30 DAY"},
	{"SELECT id FROM orders WHERE placed_at > NOW() - INTERVAL 30 DAYS", refusal.Syntax, "1:49", "INTERVAL 30 DAY", "SELECT id FROM orders WHERE placed_at > NOW() - INTERVAL 30 DAY"},
	{"SELECT id FROM orders WHERE placed_at > DATE '2024-01-31'", refusal.TypedLiteral, "1:41", "plain string", "SELECT id FROM orders WHERE placed_at > '2024-01-31'"},
	{"SELECT id FROM orders ORDER BY total DESC NULLS LAST", refusal.Syntax, "1:43", "IS NULL", "SELECT id FROM orders ORDER BY total IS NULL, total DESC"},
	{"SELECT status FROM orders GROUP BY status DESC", refusal.Syntax, "1:43", "ORDER BY", "SELECT status FROM orders GROUP BY status ORDER BY status DESC"},
	{"SELECT DISTINCT ON (status) status, id FROM orders", refusal.UnsupportedSyntax, "1:8", "GROUP BY", "SELECT status, MIN(id) FROM orders GROUP BY status"},
	{"SELECT id FROM orders WITH (NOLOCK)", refusal.TableModifier, "1:23", "NOLOCK", "SELECT id FROM orders"},
	{"SELECT id FROM orders FOR UPDATE OF orders", refusal.Locking, "1:23", "FOR UPDATE", "SELECT id FROM orders"},
	{"SELECT status, COUNT(*) FROM orders GROUP BY GROUPING SETS ((status), ())", refusal.Rollup, "1:46", "GROUPING SETS", "SELECT status, COUNT(*) FROM orders GROUP BY status"},
	{"SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders)", refusal.Subquery, "1:41", "JOIN", "SELECT DISTINCT c.name FROM customers c JOIN orders o ON o.customer_id = c.id"},
	{"SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)", refusal.Subquery, "1:45", "LEFT JOIN", "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.customer_id IS NULL"},
	{"SELECT name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)", refusal.Subquery, "1:40", "LEFT JOIN", "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.customer_id IS NULL"},
	{"SELECT id FROM orders WHERE total = (SELECT MAX(total) FROM orders)", refusal.Subquery, "1:38", "ORDER BY with LIMIT 1", "SELECT id FROM orders ORDER BY total DESC LIMIT 1"},
	{"SELECT x.n FROM (SELECT COUNT(*) AS n FROM orders) x", refusal.DerivedTable, "1:18", "FROM", "SELECT COUNT(*) AS n FROM orders"},
	{"WITH x AS (SELECT id FROM orders) SELECT COUNT(*) FROM x", refusal.CTE, "1:1", "WITH", "SELECT COUNT(*) FROM orders"},
	{"SELECT id FROM orders UNION ALL SELECT id FROM customers", refusal.SetOperation, "1:23", "UNION", "SELECT id FROM orders"},
	{"SELECT id, ROW_NUMBER() OVER (ORDER BY total) FROM orders", refusal.WindowFunction, "1:25", "ORDER BY with LIMIT", "SELECT id FROM orders ORDER BY total LIMIT 10"},
	{"SELECT SUM(total) OVER (PARTITION BY status) FROM orders", refusal.WindowFunction, "1:19", "GROUP BY", "SELECT status, SUM(total) FROM orders GROUP BY status"},
	{"SELECT o.id FROM orders o NATURAL JOIN customers c", refusal.JoinKind, "1:27", "NATURAL JOIN", "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"},
	{"SELECT a.id FROM orders a JOIN orders b USING (id)", refusal.JoinUsing, "1:41", "ON a.id = b.id", "SELECT a.id FROM orders a JOIN orders b ON a.id = b.id"},
	{"SELECT o.id FROM customers c RIGHT JOIN orders o ON c.id = o.customer_id", refusal.JoinKind, "1:30", "Swap", "SELECT o.id FROM orders o LEFT JOIN customers c ON c.id = o.customer_id"},
	{"SELECT o.id FROM orders o FULL OUTER JOIN customers c ON c.id = o.customer_id", refusal.JoinKind, "1:27", "FULL JOIN", "SELECT o.id FROM orders o LEFT JOIN customers c ON c.id = o.customer_id"},
	{"SELECT o.id FROM orders o LEFT SEMI JOIN customers c ON c.id = o.customer_id", refusal.JoinKind, "1:27", "SEMI", "SELECT DISTINCT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"},
	{"SELECT o.id FROM orders o, customers c WHERE c.id = o.customer_id", refusal.CommaJoin, "1:26", "comma", "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"},
	{"SELECT o.id FROM orders o CROSS JOIN customers c", refusal.CrossJoin, "1:27", "CROSS JOIN", "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id"},
	{"SELECT o.id FROM orders o LEFT JOIN customers c WHERE o.id = 1", refusal.CrossJoin, "1:32", "ON", "SELECT o.id FROM orders o LEFT JOIN customers c ON c.id = o.customer_id WHERE o.id = 1"},
	{"SELECT id FROM orders WHERE status LIKE '5|%' ESCAPE '\\'", refusal.LikeEscape, "1:54", "ESCAPE '|'", "SELECT id FROM orders WHERE status LIKE '5|%' ESCAPE '|'"},
}

// Habits that are MySQL: they need no teaching.
var acceptedHabits = []string{
	"SELECT id FROM orders;", "SELECT id FROM orders; -- the orders", "SELECT id FROM orders LIMIT 5, 10",
	"SELECT COUNT(*) many FROM orders HAVING many > 1", "SELECT customer_id, COUNT(*) n FROM orders GROUP BY 1 HAVING n > 1 ORDER BY n DESC",
	"SELECT id FROM orders WHERE placed_at >= CURDATE() - INTERVAL 30 DAY", "SELECT EXTRACT(YEAR FROM placed_at) FROM orders",
	`SELECT id FROM orders WHERE status = "paid"`, "SELECT id FROM orders WHERE id != 3 AND qty <> 2",
}

// TestARefusedAgentCanRepairInOneStep proves the hints: the refusal names the
// construct at its place, and the query that follows the hint is accepted.
func TestARefusedAgentCanRepairInOneStep(t *testing.T) {
	p := newPipeline(t, shop)
	planner := authz.NewPlanner(p.validator, p.policy)
	for _, h := range append(plainHabits, foreignHabits...) {
		_, err := planner.Plan(h.text)
		var r *refusal.Refusal
		if !errors.As(err, &r) {
			t.Errorf("%q: accepted", h.text)
			continue
		}
		if r.Reason != h.reason || r.Position.String() != h.at {
			t.Errorf("%q: %s at %s, want %s at %s (%s %s)", h.text, r.Reason, r.Position, h.reason, h.at, r.Message, r.Hint)
		}
		if says := r.Message + " " + r.Hint; !strings.Contains(says, h.says) {
			t.Errorf("%q: %q isn't said in: %s", h.text, h.says, says)
		}
		if h.repaired == "" {
			continue
		}
		if _, err := planner.Plan(h.repaired); err != nil {
			t.Errorf("%q: what the hint leads to is refused: %q: %v", h.text, h.repaired, err)
		}
	}
	for _, sql := range acceptedHabits {
		if _, err := planner.Plan(sql); err != nil {
			t.Errorf("%q: %v", sql, err)
		}
	}
}

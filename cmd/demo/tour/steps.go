package tour

// step is one call of the tour. The tour plays the agent harness, so each call
// has an ID as a harness would give it.
type step struct {
	title string
	tool  string
	args  map[string]any
	// status is what must come of it: OK, NO_EVIDENCE or REFUSED.
	status string
	// note says what to look at.
	note string
}

func sql(text string, params ...any) map[string]any {
	args := map[string]any{"data_source": "sakila", "sql": text}
	if len(params) > 0 {
		args["params"] = params
	}
	return args
}

// steps is the whole tour. Its questions are ones on which the embedded engine
// and MySQL agree to the letter.
var steps = []step{
	{
		title: "An agent looks at what there is", tool: "describe_schema",
		args:   map[string]any{"data_source": "sakila", "table": "customer"},
		status: "OK", note: "Only the allowlist is described. The table has more columns; nobody learns their names.",
	},
	{
		title: "A question, answered", tool: "run_query",
		args: sql(`SELECT c.name AS category, COUNT(*) AS films, MAX(f.length) AS longest
FROM film f JOIN film_category fc ON fc.film_id = f.film_id JOIN category c ON c.category_id = fc.category_id
WHERE f.rating = ? GROUP BY c.name ORDER BY films DESC, category LIMIT 5`, "PG-13"),
		status: "OK", note: "Three tables, a parameter, GROUP BY: parsed, authorized, rendered anew, run as a prepared statement.",
	},
	{
		title: "A sensitive column", tool: "run_query",
		args:   sql("SELECT customer_id, first_name, last_name, email FROM customer WHERE last_name = ?", "SMITH"),
		status: "OK", note: "Redacted by its place in the plan, not by what its value looks like.",
	},
	{
		title: "… which can't be read back by other means", tool: "run_query",
		args:   sql("SELECT first_name FROM customer WHERE email LIKE 'mary%'"),
		status: "REFUSED", note: "A filter, an ORDER BY, even a COUNT would tell what the value is.",
	},
	{
		title: "A column that isn't allowed", tool: "run_query",
		args:   sql("SELECT title, replacement_cost FROM film LIMIT 3"),
		status: "REFUSED", note: "The same answer as for a column that doesn't exist. The hint is enough to try again.",
	},
	{
		title: "A subquery", tool: "run_query",
		args:   sql("SELECT title FROM film WHERE film_id IN (SELECT film_id FROM inventory)"),
		status: "REFUSED", note: "",
	},
	{
		title: "A DELETE", tool: "run_query",
		args:   sql("DELETE FROM rental"),
		status: "REFUSED", note: "Refused before a connection is taken; the account couldn't do it either.",
	},
	{
		title: "A SLEEP", tool: "run_query",
		args:   sql("SELECT SLEEP(60) FROM film"),
		status: "REFUSED", note: "",
	},
	{
		title: "No rows is an answer", tool: "run_query",
		args:   sql("SELECT title FROM film WHERE length > ?", 1000),
		status: "NO_EVIDENCE", note: "Not an error, not null, and not the same as everything redacted.",
	},
	{
		title: "Too much to hand over", tool: "run_query",
		args:   sql("SELECT rental_id, rental_date, customer_id FROM rental ORDER BY rental_id"),
		status: "OK", note: "The table has 16,044 rows; the evidence says that it is cut, and by what.",
	},
}

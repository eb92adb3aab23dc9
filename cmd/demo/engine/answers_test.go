package engine

import "testing"

// The texts are in the form that the product sends; the rows are those of a MySQL
// 8.4 with the same data.
func TestAnswersAreMySQLs(t *testing.T) {
	c := connect(t, running(t))
	exec(t, c, pinned)
	for _, q := range []struct {
		text string
		args []any
		want []string
	}{
		{
			"SELECT `t1`.`title`, COUNT(*) FROM `sakila`.`film` AS `t1` INNER JOIN `sakila`.`inventory` AS `t2` ON (`t2`.`film_id` = `t1`.`film_id`) " +
				"INNER JOIN `sakila`.`rental` AS `t3` ON (`t3`.`inventory_id` = `t2`.`inventory_id`) WHERE (`t1`.`rating` = ?) GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 6",
			[]any{"PG"},
			[]string{"BUCKET BROTHERHOOD|34", "GRIT CLOCKWORK|32", "GOODFELLAS SALUTE|31", "RUSH GOODFELLAS|31", "FROST HEAD|30", "GRAFFITI LOVE|30"},
		},
		{
			"SELECT `t1`.`customer_id`, `t1`.`email` FROM `sakila`.`customer` AS `t1` WHERE (`t1`.`last_name` = ?) LIMIT ?",
			[]any{"smith", 1001},
			[]string{"1|MARY.SMITH@sakilacustomer.org"},
		},
		{
			"SELECT DATE_FORMAT(`t1`.`rental_date`, '%Y-%m'), COUNT(*), COUNT(DISTINCT `t1`.`customer_id`) FROM `sakila`.`rental` AS `t1` WHERE (`t1`.`rental_id` > ?) GROUP BY 1 ORDER BY 1",
			[]any{0},
			[]string{"2005-05|1156|520", "2005-06|2311|590", "2005-07|6709|599", "2005-08|5686|599", "2006-02|182|158"},
		},
		{
			"SELECT `t1`.`title` FROM `sakila`.`film` AS `t1` LEFT JOIN `sakila`.`inventory` AS `t2` ON (`t2`.`film_id` = `t1`.`film_id`) WHERE ((`t2`.`inventory_id` IS NULL) AND (`t1`.`title` LIKE ?)) ORDER BY 1",
			[]any{"a%"},
			[]string{"ALICE FANTASIA", "APOLLO TEEN", "ARGONAUTS TOWN", "ARK RIDGEMONT", "ARSENIC INDEPENDENCE"},
		},
		{
			"SELECT `t1`.`city` FROM `sakila`.`city` AS `t1` WHERE (`t1`.`city` = _utf8mb4 X'4120434F52554E4120284C6120636F7275C3B16129') LIMIT ?",
			[]any{5},
			[]string{"A Coruña (La Coruña)"}, // neither case nor accents count
		},
		{
			"SELECT `t1`.`title` FROM `sakila`.`film` AS `t1` WHERE (`t1`.`length` > ?) LIMIT 1001",
			[]any{1000},
			nil,
		},
		{ // a column of text compared with a number: both are numbers
			"SELECT `t1`.`title` FROM `sakila`.`film` AS `t1` WHERE ((`t1`.`title` = 0) AND (`t1`.`film_id` > ?)) ORDER BY 1 DESC LIMIT 2",
			[]any{0},
			[]string{"ZORRO ARK", "ZOOLANDER FICTION"},
		},
		{ // joined by decimals
			"SELECT `t1`.`film_id`, COUNT(*) FROM `sakila`.`film` AS `t1` INNER JOIN `sakila`.`film` AS `t2` ON (`t2`.`rental_rate` = `t1`.`rental_rate`) WHERE (`t1`.`film_id` <= ?) GROUP BY 1 ORDER BY 1",
			[]any{3},
			[]string{"1|341", "2|336", "3|323"},
		},
		{ // joined by texts that differ in case
			"SELECT COUNT(*) FROM `sakila`.`actor` AS `t1` INNER JOIN `sakila`.`customer` AS `t2` ON (LOWER(`t1`.`first_name`) = `t2`.`first_name`) WHERE (`t1`.`actor_id` > ?)",
			[]any{0},
			[]string{"110"},
		},
		{ // sorted by a key, backwards
			"SELECT `t1`.`rental_id` FROM `sakila`.`rental` AS `t1` ORDER BY 1 DESC LIMIT ?",
			[]any{3},
			[]string{"16049", "16048", "16047"},
		},
		{
			"SELECT `t1`.`original_language_id`, `t1`.`film_id` FROM `sakila`.`film` AS `t1` WHERE (`t1`.`film_id` <= ?) ORDER BY 1, 2 DESC",
			[]any{2},
			[]string{"NULL|2", "NULL|1"},
		},
		{
			"SELECT `t1`.`customer_id`, CAST(SUM(`t1`.`amount`) AS DECIMAL(10, 2)) FROM `sakila`.`payment` AS `t1` GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
			[]any{3},
			[]string{"526|221.55", "148|216.54", "144|195.58"},
		},
	} {
		same(t, q.text, ask(t, c, q.text, q.args...), q.want...)
	}
}

func TestAJoinOfTextWithANumberFailsRatherThanLies(t *testing.T) {
	c := connect(t, running(t))
	got, err := query(t.Context(), c, "SELECT COUNT(*) FROM sakila.film AS a LEFT JOIN sakila.film AS b ON ((b.title = a.film_id) AND (b.film_id > ?))", 0)
	if err == nil {
		t.Errorf("gave %q", got)
	}
}

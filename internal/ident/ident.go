// Package ident handles the names of schemas, tables, columns and keys: how they
// compare, how people must write them, and what a misspelt one was meant to be.
package ident

import "strings"

// Show returns a name as a query must write it: bare if MySQL takes it so, else
// in backticks.
func Show(name string) string {
	if isPlain(name) && !reserved[strings.ToLower(name)] {
		return name
	}
	return Quote(name)
}

// Quote writes a name in backticks (MySQL manual, "Schema Object Names": a
// backtick inside is doubled).
func Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Fold lower-cases A to Z and nothing else, which is how column names compare
// here: a full Unicode fold would make U+212A (Kelvin) equal to k.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			return fold(s, i)
		}
	}
	return s
}

func fold(s string, from int) string {
	b := []byte(s)
	for i := from; i < len(b); i++ {
		if b[i] >= 'A' && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// isPlain reports whether the name is made of ASCII letters, digits and
// underscores and doesn't begin with a digit.
func isPlain(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// reserved is MySQL 9.7's list: SELECT WORD FROM information_schema.KEYWORDS
// WHERE RESERVED = 1.
var reserved = words(`
	accessible add all alter analyze and as asc asensitive before between bigint binary blob both by call
	cascade case change char character check collate column condition constraint continue convert create cross
	cube cume_dist current_date current_time current_timestamp current_user cursor database databases day_hour
	day_microsecond day_minute day_second dec decimal declare default delayed delete dense_rank desc describe
	deterministic distinct distinctrow div double drop dual each else elseif empty enclosed escaped except exists
	exit explain external false fetch first_value float float4 float8 for force foreign from fulltext function
	generated get grant group grouping groups having high_priority hour_microsecond hour_minute hour_second if
	ignore in index infile inner inout insensitive insert int int1 int2 int3 int4 int8 integer intersect interval
	into io_after_gtids io_before_gtids is iterate join json_table key keys kill lag last_value lateral lead
	leading leave left library like limit linear lines load localtime localtimestamp lock long longblob longtext
	loop low_priority match maxvalue mediumblob mediumint mediumtext middleint minute_microsecond minute_second
	mod modifies natural no_write_to_binlog not nth_value ntile null numeric of on optimize optimizer_costs
	option optionally or order out outer outfile over partition percent_rank precision primary procedure purge
	qualify range rank read read_write reads real recursive references regexp release rename repeat replace
	require resignal restrict return revoke right rlike row row_number rows schema schemas second_microsecond
	select sensitive separator set show signal smallint spatial specific sql sql_big_result sql_calc_found_rows
	sql_small_result sqlexception sqlstate sqlwarning ssl starting stored straight_join system table tablesample
	terminated then tinyblob tinyint tinytext to trailing trigger true undo union unique unlock unsigned update
	usage use using utc_date utc_time utc_timestamp values varbinary varchar varcharacter varying virtual when
	where while window with write xor year_month zerofill

`)

func words(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

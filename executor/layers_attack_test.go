package executor

import (
	"strconv"
	"strings"
	"time"
)

// attack is one statement that must do no harm. Its text may have {words} that
// an arena fills in.
type attack struct {
	name string
	text string
	// mariadb is the text there, if it is another one.
	mariadb string
	// reads says that the statement has had its effect only if it gave a value;
	// others have had it when they gave no error.
	reads bool
	// waits says that it holds the session busy until it is stopped.
	waits bool
}

// in is the attack's text for the server, with the arena's words.
func (a attack) in(w words, mariadb bool) string {
	text := a.text
	if mariadb && a.mariadb != "" {
		text = a.mariadb
	}
	return w.fill(text)
}

// attacks are the statements of which SECURITY.md says what stops them.
var attacks = []attack{
	{name: "`INSERT`", text: "INSERT INTO {s}.t VALUES (9, 'x', 'x')"},
	{name: "`UPDATE`", text: "UPDATE {s}.t SET label = 'x'"},
	{name: "`DELETE`", text: "DELETE FROM {s}.t"},
	{name: "`REPLACE`", text: "REPLACE INTO {s}.t VALUES (1, 'x', 'x')"},
	{name: "`TRUNCATE`", text: "TRUNCATE TABLE {s}.t"},
	{name: "`CREATE TABLE`", text: "CREATE TABLE {s}.made (id INT)"},
	{name: "`ALTER TABLE`", text: "ALTER TABLE {s}.t ADD COLUMN made INT"},
	{name: "`DROP TABLE`", text: "DROP TABLE {s}.t"},
	{name: "`CREATE TEMPORARY TABLE`", text: "CREATE TEMPORARY TABLE {s}.made (id INT)"},
	{name: "`GRANT`", text: "GRANT INSERT ON {s}.t TO '{victim}'@'%'"},
	{name: "`SET GLOBAL`", text: "SET GLOBAL slow_launch_time = {slow}"},
	{name: "`SET SESSION transaction_read_only = 0`", text: "SET SESSION transaction_read_only = 0", mariadb: "SET SESSION tx_read_only = 0"},
	{name: "a stored function that writes", text: "SELECT {s}.writes(id) FROM {s}.t LIMIT 1", reads: true},
	{name: "`CALL` of a procedure that writes", text: "CALL {s}.writer()"},
	{name: "`SELECT … INTO OUTFILE`", text: "SELECT id FROM {s}.t INTO OUTFILE '{file}.{n}'"},
	{name: "`SELECT … INTO @x`", text: "SELECT id FROM {s}.t LIMIT 1 INTO @x"},
	{name: "`LOAD DATA`", text: "LOAD DATA INFILE '{file}' INTO TABLE {s}.t FIELDS TERMINATED BY ','"},
	{name: "`LOAD DATA LOCAL`", text: "LOAD DATA LOCAL INFILE '{local}' INTO TABLE {s}.t FIELDS TERMINATED BY ','"},
	{name: "`LOAD_FILE()`", text: "SELECT LOAD_FILE('{file}') FROM {s}.t", reads: true},
	{name: "`FOR UPDATE`", text: "SELECT id FROM {s}.t FOR UPDATE", reads: true},
	{name: "`FOR SHARE`", text: "SELECT id FROM {s}.t FOR SHARE", mariadb: "SELECT id FROM {s}.t LOCK IN SHARE MODE", reads: true},
	{name: "`LOCK TABLES`", text: "LOCK TABLES {s}.t READ"},
	{name: "`GET_LOCK()` of a free lock", text: "SELECT GET_LOCK('{s}.{n}', 0) FROM {s}.t LIMIT 1", reads: true},
	{name: "`GET_LOCK()` of a held lock", text: "SELECT GET_LOCK('{s}.held', {seconds}) FROM {s}.t LIMIT 1", waits: true},
	{name: "`SLEEP()`", text: "SELECT SLEEP({seconds}) FROM {s}.t LIMIT 1", waits: true},
	{name: "`BENCHMARK()`", text: "SELECT BENCHMARK({loops}, SHA2('x', 512)) FROM {s}.t LIMIT 1", waits: true},
	{name: "two statements in one text", text: "SELECT id FROM {s}.t; DELETE FROM {s}.t"},
	{name: "`KILL` of another account's connection", text: "KILL {other}"},
	{name: "`KILL` of a connection of its own account", text: "KILL {own}"},
	{name: "reading a column that isn't granted", text: "SELECT secret FROM {s}.t", reads: true},
	{name: "reading a table that isn't granted", text: "SELECT id FROM {s}.hidden", reads: true},
	{name: "reading the accounts in `mysql`", text: "SELECT User FROM mysql.user", mariadb: "SELECT User FROM mysql.global_priv", reads: true},
	{name: "hidden names in `information_schema`", reads: true,
		text: "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '{s}' AND COLUMN_NAME = 'secret'"},
	{name: "allowed names in `information_schema`", reads: true,
		text: "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '{s}' AND COLUMN_NAME = 'label'"},
}

// words fill in the texts.
type words map[string]string

func (w words) fill(text string) string {
	pairs := make([]string, 0, 2*len(w))
	for name, value := range w {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// patience sets how long a waiting statement waits: not at all where only its
// admission is asked for, and longer than any deadline where its end is.
func (w words) patience(d time.Duration) {
	w["seconds"] = strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
	w["loops"] = strconv.FormatInt(int64(d/time.Nanosecond)+1, 10)
}

package engine

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// endless is a statement that takes minutes.
const endless = "SELECT COUNT(*) FROM sakila.rental AS r INNER JOIN sakila.payment AS p ON (p.amount < r.staff_id)"

// pinned sets what the product sets on each of its sessions.
const pinned = "SET NAMES utf8mb4, SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', " +
	"SESSION time_zone = '+00:00', SESSION autocommit = 1, SESSION sql_auto_is_null = 0, SESSION group_concat_max_len = 1048576, " +
	"SESSION transaction_read_only = 1, SESSION max_execution_time = 10000"

func exec(t *testing.T, c *sql.Conn, text string) {
	t.Helper()
	if _, err := c.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func TestPinnedSettingsReadBack(t *testing.T) {
	c := connect(t, running(t))
	exec(t, c, pinned)
	same(t, "settings", ask(t, c, "SELECT @@SESSION.character_set_client, @@SESSION.character_set_connection, @@SESSION.character_set_results, "+
		"COLLATION(_utf8mb4 X'61') = @@SESSION.collation_connection, @@SESSION.time_zone, @@SESSION.autocommit, @@SESSION.sql_auto_is_null, "+
		"@@SESSION.group_concat_max_len, @@SESSION.transaction_read_only, @@SESSION.max_execution_time, @@lower_case_table_names"),
		"utf8mb4|utf8mb4|utf8mb4|1|+00:00|1|0|1048576|1|10000|0")
	// The engine prints the modes in an order of its own.
	same(t, "sql_mode", ask(t, c, "SELECT @@SESSION.sql_mode"),
		"ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_ZERO_DATE,NO_ZERO_IN_DATE,ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES")
	if got := ask(t, c, "SELECT CONCAT_WS('|', @@server_uuid, @@hostname, @@port, @@datadir)"); len(got) != 1 || len(got[0]) < 36 {
		t.Errorf("the server's identity is %q", got)
	}
}

func TestTheAccountMayOnlyRead(t *testing.T) {
	for _, text := range []string{"SHOW GRANTS", "SHOW GRANTS FOR CURRENT_USER()", "show grants for current_user"} {
		same(t, text, ask(t, connect(t, running(t)), text),
			"GRANT USAGE ON *.* TO `evidence`@`localhost`", "GRANT SELECT, SHOW VIEW ON `sakila`.* TO `evidence`@`localhost`")
	}
}

func TestNothingCanBeWritten(t *testing.T) {
	e := running(t)
	c := connect(t, e)
	for _, text := range []string{
		"INSERT INTO sakila.actor (first_name, last_name) VALUES ('a', 'b')",
		"REPLACE INTO sakila.category VALUES (1, 'a', NOW())",
		"UPDATE sakila.actor SET first_name = 'a'",
		"DELETE FROM sakila.actor",
		"TRUNCATE TABLE sakila.actor",
		"LOAD DATA INFILE '/etc/hostname' INTO TABLE sakila.category",
		"CREATE TABLE sakila.x (a INT)",
		"CREATE TEMPORARY TABLE sakila.x (a INT)",
		"CREATE DATABASE x",
		"CREATE VIEW sakila.x AS SELECT 1",
		"/* SELECT */ CREATE OR REPLACE VIEW sakila.staff_list AS SELECT 1",
		"CREATE PROCEDURE sakila.x() SELECT 1",
		"CREATE USER x IDENTIFIED BY 'x'",
		"GRANT ALL ON *.* TO evidence@localhost",
		"DROP VIEW sakila.staff_list",
		"DROP TABLE sakila.actor",
		"ALTER TABLE sakila.actor ADD COLUMN a INT",
		"CREATE INDEX x ON sakila.actor (first_name)",
		"SET GLOBAL secure_file_priv = ''",
		"SELECT * FROM mysql.user",
		"SHOW GRANTS FOR root",
	} {
		if got, err := query(t.Context(), c, text); err == nil {
			t.Errorf("%s: gave %q", text, got)
		}
	}
	c = connect(t, e) // some of them end the connection
	same(t, "actors", ask(t, c, "SELECT COUNT(*), MIN(first_name) FROM sakila.actor"), "200|ADAM")
	same(t, "views", ask(t, c, "SELECT COUNT(*) FROM sakila.staff_list"), "2")
}

func TestFilesAreOutOfReach(t *testing.T) {
	c := connect(t, running(t))
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	same(t, "LOAD_FILE", ask(t, c, "SELECT LOAD_FILE('"+secret+"')"), "NULL")
	if _, err := query(t.Context(), c, "SELECT 1 INTO OUTFILE '"+secret+".out'"); err == nil {
		t.Error("INTO OUTFILE gave no error")
	}
	if _, err := os.Stat(secret + ".out"); err == nil {
		t.Error("INTO OUTFILE wrote the file")
	}
}

func TestAStatementEndsAtItsTimeLimit(t *testing.T) {
	c := connect(t, running(t))
	exec(t, c, "SET SESSION max_execution_time = 200")
	for name, args := range map[string][]any{"text": nil, "prepared": {1}} {
		text := endless
		if args != nil {
			text += " WHERE (r.rental_id > ?)"
		}
		begun := time.Now()
		_, err := query(t.Context(), c, text, args...)
		if took := time.Since(begun); number(err) != 3024 || took > 3*time.Second {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
	same(t, "the connection afterwards", ask(t, c, "SELECT 1"), "1")
}

func TestAnAccountKillsItsOwnStatement(t *testing.T) {
	e := running(t)
	c, side := connect(t, e), connect(t, e)
	id := ask(t, c, "SELECT CONNECTION_ID()")[0]
	failed := make(chan error)
	go func() {
		_, err := query(context.Background(), c, endless+" WHERE (r.rental_id > ?)", 1)
		failed <- err
	}()
	time.Sleep(100 * time.Millisecond)
	exec(t, side, "KILL QUERY "+id)
	if err := <-failed; number(err) != 1317 {
		t.Errorf("the killed statement ended with %v", err)
	}
	same(t, "the connection afterwards", ask(t, c, "SELECT 1"), "1")

	exec(t, side, "KILL "+id)
	if _, err := query(t.Context(), c, "SELECT 1"); err == nil {
		t.Error("the killed connection answers")
	}
	if _, err := side.ExecContext(t.Context(), "KILL QUERY 4000000000"); number(err) != 1094 {
		t.Errorf("an unknown thread: %v", err)
	}
}

func TestAResultThatIsCutIsAnError(t *testing.T) {
	e := running(t)
	c, side := connect(t, e), connect(t, e)
	id := ask(t, c, "SELECT CONNECTION_ID()")[0]
	rows, err := c.QueryContext(t.Context(), "SELECT r.rental_id FROM sakila.rental AS r INNER JOIN sakila.payment AS p ON (p.amount > r.staff_id)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	more := rows.Next()
	exec(t, side, "KILL QUERY "+id)
	for more {
		more = rows.Next()
	}
	if rows.Err() == nil {
		t.Error("the rows ended as if they were all")
	}
}

func TestTablesAreDescribed(t *testing.T) {
	c := connect(t, running(t))
	same(t, "columns", ask(t, c, "SELECT column_name, column_type, is_nullable, column_key, column_comment FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", "sakila", "customer"),
		"customer_id|smallint unsigned|NO|PRI|", "store_id|tinyint unsigned|NO|MUL|", "first_name|varchar(45)|NO||", "last_name|varchar(45)|NO|MUL|",
		"email|varchar(50)|YES||", "address_id|smallint unsigned|NO|MUL|", "active|tinyint(1)|NO||", "create_date|datetime|NO||", "last_update|timestamp|YES||")
	same(t, "columns of a view", ask(t, c, "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position", "sakila", "sales_by_store"),
		"store", "manager", "total_sales")
	same(t, "keys", ask(t, c, "SELECT index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? ORDER BY 1, 2", "sakila", "film_actor"),
		"idx_fk_film_id|1|film_id|1", "PRIMARY|1|actor_id|0", "PRIMARY|2|film_id|0")
	same(t, "foreign keys", ask(t, c, "SELECT column_name, referenced_table_name, referenced_column_name FROM information_schema.key_column_usage WHERE table_schema = ? AND table_name = ? AND referenced_table_name IS NOT NULL ORDER BY 1", "sakila", "rental"),
		"customer_id|customer|customer_id", "inventory_id|inventory|inventory_id", "staff_id|staff|staff_id")
	same(t, "kinds", ask(t, c, "SELECT table_type, COUNT(*) FROM information_schema.tables WHERE table_schema = ? GROUP BY 1 ORDER BY 1", "sakila"),
		fmt.Sprintf("BASE TABLE|%d", 16), "VIEW|6")
}

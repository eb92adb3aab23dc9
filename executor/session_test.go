package executor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/internal/mysqltest"
)

func TestASessionIsPinned(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Limits.Timeout = 7500 * time.Millisecond
		e, _ := open(t, src)
		readOnly, limit, want := "@@transaction_read_only", "@@max_execution_time", "7500"
		if s.mariadb {
			readOnly, limit, want = "@@tx_read_only", "@@max_statement_time", "7.5"
		}
		onSession(t, e, func(c conn) {
			row, err := queryRow(t.Context(), c, "SELECT @@time_zone, @@character_set_client, @@character_set_results, "+readOnly+", "+limit+", @@autocommit, @@group_concat_max_len > 4 * 4096, @@sql_mode")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(row[:7], " "), "+00:00 utf8mb4 utf8mb4 1 "+want+" 1 1"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if !sameModes(row[7]) {
				t.Errorf("sql_mode is %s", row[7])
			}
		})
	})
}

func TestASettingThatDoesNotHoldIsFoundAndTheSessionGivenUp(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		readOnly := "transaction_read_only = 0"
		if s.mariadb {
			readOnly = "tx_read_only = 0"
		}
		for _, change := range []string{
			"SET SESSION sql_mode = 'ANSI_QUOTES'", "SET SESSION time_zone = '+02:00'", "SET NAMES latin1", "SET SESSION " + readOnly,
			"SET SESSION group_concat_max_len = 1024", "SET SESSION autocommit = 0", "SET SESSION sql_auto_is_null = 1",
			"SET NAMES utf8mb4 COLLATE utf8mb4_bin",
		} {
			first, err := e.pool.acquire(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			if err := exec(first.conn, change); err != nil {
				t.Fatalf("%s: %v", change, err)
			}
			if err := e.pool.opener.pins.verify(t.Context(), first.conn, first.flavour); err == nil {
				t.Errorf("%s: not noticed", change)
			}
			first.suspect = true
			e.pool.release(first, true)
			second, err := e.pool.acquire(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			if second == first {
				t.Errorf("%s: the session is used again", change)
			}
			e.pool.release(second, true)
		}
	})
}

func TestAServerOfAnotherFlavourIsNotServed(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Flavour = "mysql 5.6"
		e, log := open(t, src)
		_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(time.Second*5))
		wantFault(t, err, Unavailable, flavourMismatch)
		if !strings.Contains(log.String(), "mysql 5.6") {
			t.Errorf("the log doesn't say why: %s", log)
		}
	})
}

// Even with every privilege and the operator's blessing, the engine refuses.
func TestAWriteIsRefusedByTheEngine(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.Username, src.Connection.Password = s.env(mysqltest.Root.User), s.env(mysqltest.Root.Password)
		src.Connection.AcceptPrivilegedAccount = true
		e, _ := open(t, src)
		table := s.schema + ".groups_"
		onSession(t, e, func(c conn) {
			for _, text := range []string{
				"INSERT INTO " + table + " (id) VALUES (2)",
				"UPDATE " + table + " SET label = 'x'",
				"DELETE FROM " + table,
				"REPLACE INTO " + table + " (id) VALUES (1)",
				"TRUNCATE " + table,
				"CREATE TABLE " + s.schema + ".made (id INT)",
				"DROP TABLE " + table,
				"ALTER TABLE " + table + " ADD COLUMN x INT",
				"CREATE TEMPORARY TABLE " + s.schema + ".made (id INT)",
				"SELECT id FROM " + table + " FOR UPDATE",
				"SELECT 1; SELECT 2",
			} {
				err := exec(c, text)
				number := uint16(1792)
				if strings.Contains(text, ";") {
					number = 1064
				}
				answer, ok := err.(*mysql.MySQLError)
				if !ok || answer.Number != number {
					t.Errorf("%s: %v", text, err)
				}
			}
		})
		var n int
		if err := s.root.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM "+table+" WHERE label = 'one'").Scan(&n); err != nil || n != 1 {
			t.Errorf("the table changed: %d, %v", n, err)
		}
	})
}

func TestATooSmallGrantIsTheOperatorsToMend(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.Username, src.Connection.Password = s.account("SELECT (id, name) ON " + s.schema + ".items")
		e, _ := open(t, src)
		wantOne(t, e)
		_, err := runAll(t.Context(), t, e, "SELECT price FROM items", nil, within(5*time.Second))
		wantFault(t, err, Unavailable, "not_granted")
	})
}

// Wherever in the set-up of a session it falls, a cancel is a cancel.
func TestACancelDuringSetUpIsACancel(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		for i := range 60 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Duration(i)*200*time.Microsecond, cancel)
			made, err := e.pool.opener.open(ctx)
			if err != nil {
				wantFault(t, fault(stopCause(ctx), err), Cancelled, "cancelled")
			} else {
				made.close()
			}
			cancel()
		}
	})
}

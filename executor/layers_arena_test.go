package executor

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
)

// party is an account of the arena.
type party struct{ user, password config.Secret }

// arena is a small database with something to damage, and three accounts: one as
// a data source should have, one with every privilege, and a bystander.
type arena struct {
	*server
	words      words
	intended   party
	privileged party
	victim     party
	pristine   string
	runs       int
}

func newArena(t *testing.T, one *mysqltest.Server) *arena {
	s := &server{Server: one, t: t, mariadb: one.Flavour == "mariadb", root: one.DB(t), schema: one.Scratch(t)}
	s.root.SetMaxOpenConns(1) // the lock that it holds is its connection's
	a := &arena{server: s, words: words{"s": s.schema}}
	a.build()
	a.exec("CREATE FUNCTION " + s.schema + ".writes(n INT) RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO " + s.schema + ".hidden VALUES (n + 100); RETURN 1; END")
	a.exec("CREATE PROCEDURE " + s.schema + ".writer() MODIFIES SQL DATA INSERT INTO " + s.schema + ".t VALUES (9, 'x', 'x')")
	a.intended.user, a.intended.password = s.account("SELECT (id, label) ON " + s.schema + ".t")
	a.privileged.user, a.privileged.password = s.account("ALL PRIVILEGES ON *.*")
	a.exec("GRANT GRANT OPTION ON *.* TO '" + s.value(a.privileged.user) + "'@'%'")
	a.victim.user, a.victim.password = s.account("SELECT ON " + s.schema + ".t")
	a.words["victim"] = s.value(a.victim.user)
	a.files()
	var slow string
	if err := s.root.QueryRowContext(t.Context(), "SELECT @@GLOBAL.slow_launch_time").Scan(&slow); err != nil {
		t.Fatal(err)
	}
	a.words["slow"] = slow // as it is: the attempt changes nothing for others
	a.exec("DO GET_LOCK('" + s.schema + ".held', 0)")
	a.pristine = a.state()
	return a
}

func (a *arena) build() {
	a.t.Helper()
	a.exec("CREATE TABLE " + a.schema + ".t (id INT PRIMARY KEY, label VARCHAR(20), secret VARCHAR(20))")
	a.exec("INSERT INTO " + a.schema + ".t VALUES (1, 'one', 'a'), (2, 'two', 'b'), (3, 'three', 'c')")
	a.exec("CREATE TABLE " + a.schema + ".hidden (id INT PRIMARY KEY)")
	a.exec("INSERT INTO " + a.schema + ".hidden VALUES (1)")
}

// files makes a file that the server can read, and one that the driver can.
func (a *arena) files() {
	a.t.Helper()
	// NULL is any directory to MariaDB, and none to MySQL.
	dir, ask := "", "SELECT @@secure_file_priv"
	if a.mariadb {
		ask = "SELECT COALESCE(@@secure_file_priv, '')"
	}
	if err := a.root.QueryRowContext(a.t.Context(), ask).Scan(&dir); err != nil {
		a.t.Fatal(err)
	}
	if dir == "" {
		dir = os.TempDir() // the server's own: any directory will do
	}
	a.words["file"] = filepath.Join(dir, a.schema)
	a.exec("SELECT '7,x,x' INTO DUMPFILE '" + a.words["file"] + "'")
	a.words["local"] = filepath.Join(a.t.TempDir(), "rows.csv")
	if err := os.WriteFile(a.words["local"], []byte("8,x,x\n"), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// state is everything that an attack could change, as root sees it.
func (a *arena) state() string {
	a.t.Helper()
	var out strings.Builder
	for _, text := range []string{
		"CHECKSUM TABLE " + a.schema + ".t, " + a.schema + ".hidden",
		"SELECT COUNT(*) FROM " + a.schema + ".t",
		"SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '" + a.schema + "' ORDER BY 1, 2",
		"SHOW GRANTS FOR '" + a.words["victim"] + "'@'%'",
		"SELECT @@GLOBAL.slow_launch_time",
	} {
		rows, err := a.root.QueryContext(context.Background(), text)
		if err != nil {
			fmt.Fprintln(&out, err)
			continue
		}
		columns, err := rows.Columns()
		if err != nil {
			a.t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new([]byte)
			}
			if err := rows.Scan(values...); err != nil {
				a.t.Fatal(err)
			}
			for _, v := range values {
				fmt.Fprintf(&out, "%s\t", *v.(*[]byte))
			}
		}
		if err := rows.Err(); err != nil {
			fmt.Fprintln(&out, err)
		}
	}
	return out.String()
}

// restore repairs what the last attack has damaged.
func (a *arena) restore() {
	a.t.Helper()
	if a.state() == a.pristine {
		return
	}
	a.exec("DROP TABLE IF EXISTS " + a.schema + ".t, " + a.schema + ".hidden, " + a.schema + ".made")
	a.build()
	name := a.words["victim"]
	a.exec("REVOKE ALL PRIVILEGES, GRANT OPTION FROM '" + name + "'@'%'")
	a.exec("GRANT SELECT ON " + a.schema + ".t TO '" + name + "'@'%'")
	// MySQL forgets no grant with the table, but be sure.
	a.exec("GRANT SELECT (id, label) ON " + a.schema + ".t TO '" + a.value(a.intended.user) + "'@'%'")
	if now := a.state(); now != a.pristine {
		a.t.Fatalf("the arena can't be repaired:\n%s\nwas\n%s", now, a.pristine)
	}
}

// targets opens the connections that KILL is aimed at, and numbers the run.
func (a *arena) targets(by party) (done func()) {
	a.t.Helper()
	a.runs++
	a.words["n"] = strconv.Itoa(a.runs)
	other, own := a.connect(a.victim, true), a.connect(by, true)
	a.words["other"], a.words["own"] = a.idOf(other), a.idOf(own)
	return func() { other.close(); own.close() }
}

func (a *arena) idOf(w wire) string {
	a.t.Helper()
	row, err := queryRow(context.Background(), w.conn, "SELECT CONNECTION_ID()")
	if err != nil {
		a.t.Fatal(err)
	}
	return row[0]
}

func (a *arena) connection(by party) config.Connection {
	return config.Connection{Host: a.Host, Port: a.Port, Username: by.user, Password: by.password,
		TLS: config.TLS{Mode: config.TLSPlaintext}, MaxConnections: 2, AcceptPrivilegedAccount: true}
}

// connect makes a connection without a pinned session. Careless ones have every
// setting of the driver that a careless program would have.
func (a *arena) connect(by party, careless bool) wire {
	a.t.Helper()
	if !careless {
		w, err := dial(context.Background(), a.connection(by))
		if err != nil {
			a.t.Fatal(err)
		}
		return w
	}
	cfg, err := driverConfig(a.connection(by))
	if err != nil {
		a.t.Fatal(err)
	}
	cfg.MultiStatements, cfg.AllowAllFiles = true, true
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		a.t.Fatal(err)
	}
	raw, err := connector.Connect(context.Background())
	if err != nil {
		a.t.Fatal(err)
	}
	return wire{conn: raw.(conn)}
}

// everything reads all result sets and reports whether there was a value.
func everything(rows driver.Rows, err error) (value bool, _ error) {
	if err != nil {
		return false, err
	}
	for {
		all, err := readAll(rows)
		if err != nil {
			return value, errors.Join(err, rows.Close())
		}
		value = value || slices.ContainsFunc(all, func(row []string) bool { return row[0] != "" })
		more, ok := rows.(driver.RowsNextResultSet)
		if !ok || !more.HasNextResultSet() {
			return value, rows.Close()
		}
		if err := more.NextResultSet(); err != nil {
			return value, errors.Join(err, rows.Close())
		}
	}
}

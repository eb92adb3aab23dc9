package executor

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/seal"
	"mysqlevidence/validator"
)

// server is a real server with a database of this test's own and a reader.
type server struct {
	*mysqltest.Server
	t       testing.TB
	mariadb bool
	root    *sql.DB
	schema  string
	reader  config.Secret
	passwd  config.Secret
}

// onEach runs the test on both servers.
func onEach(t *testing.T, test func(t *testing.T, s *server)) {
	for _, one := range mysqltest.Both(t) {
		t.Run(one.Flavour, func(t *testing.T) { test(t, prepared(t, one)) })
	}
}

func prepared(t testing.TB, one *mysqltest.Server) *server {
	s := &server{Server: one, t: t, mariadb: one.Flavour == "mariadb", root: one.DB(t), schema: one.Scratch(t)}
	s.fixture()
	return s
}

func (s *server) exec(text string, args ...any) {
	s.t.Helper()
	if _, err := s.root.ExecContext(context.Background(), text, args...); err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
}

// env puts a secret into a variable of its own.
func (s *server) env(value string) config.Secret {
	name := "EXECUTOR_TEST_" + rand.Text()
	s.t.Setenv(name, value)
	return config.Secret{Env: name}
}

// fixture makes the database: items has 300 rows, so that joining it five
// times never ends, and a wide text.
func (s *server) fixture() {
	s.t.Helper()
	s.exec("CREATE TABLE " + s.schema + `.groups_ (id INT PRIMARY KEY, label VARCHAR(20), hidden INT, hidden_code INT UNIQUE, UNIQUE KEY secret_key (hidden, id))`)
	s.exec("CREATE TABLE " + s.schema + `.items (
		id INT PRIMARY KEY COMMENT 'number', name VARCHAR(50) NOT NULL, price DECIMAL(10,2), small TINYINT UNSIGNED,
		big BIGINT UNSIGNED, wide TEXT, tier ENUM('gold','lead'), hidden INT, group_id INT, code INT,
		KEY by_name (name, small), KEY by_hidden (hidden), KEY by_both (name, hidden),
		FOREIGN KEY (hidden) REFERENCES ` + s.schema + `.groups_ (id), FOREIGN KEY (code) REFERENCES ` + s.schema + `.groups_ (hidden_code),
		CONSTRAINT to_group FOREIGN KEY (group_id) REFERENCES ` + s.schema + `.groups_ (id)) COMMENT 'things'`)
	s.exec("CREATE TABLE " + s.schema + ".unlisted (id INT PRIMARY KEY, item_id INT, FOREIGN KEY (item_id) REFERENCES " + s.schema + ".items (id))")
	s.exec("CREATE VIEW " + s.schema + ".cheap AS SELECT id, name FROM " + s.schema + ".items WHERE price < 10")
	s.exec("INSERT INTO " + s.schema + ".groups_ VALUES (1, 'one', 7, 7)")
	var rows strings.Builder
	for i := 1; i <= 300; i++ {
		fmt.Fprintf(&rows, ",(%d,'item %d',%d.50,%d,18446744073709551615,REPEAT('w',1000),'gold',1,1,7)", i, i, i, i%100)
	}
	s.exec("INSERT INTO " + s.schema + ".items VALUES " + rows.String()[1:])
	s.reader, s.passwd = s.account("SELECT ON " + s.schema + ".*")
}

// account makes an account with the privileges and returns its secrets.
func (s *server) account(grants ...string) (user, password config.Secret) {
	s.t.Helper()
	name, pwd := "u_"+strings.ToLower(rand.Text()[:12]), rand.Text()
	return s.accountNamed(name, pwd, grants...)
}

func (s *server) accountNamed(name, pwd string, grants ...string) (user, password config.Secret) {
	s.t.Helper()
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(pwd)
	s.exec(fmt.Sprintf("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", name, quoted))
	s.t.Cleanup(func() { s.exec(fmt.Sprintf("DROP USER '%s'@'%%'", name)) })
	for _, g := range grants {
		s.exec(fmt.Sprintf("GRANT %s TO '%s'@'%%'", g, name))
	}
	return s.env(name), s.env(pwd)
}

// source is a data source of the reader's.
func (s *server) source() config.DataSource {
	set, errs := function.NewSet("", nil, nil)
	if len(errs) > 0 {
		s.t.Fatal(errs)
	}
	plain := func(names ...string) []config.Column {
		var out []config.Column
		for _, n := range names {
			out = append(out, config.Column{Name: n})
		}
		return out
	}
	items := append(plain("id", "name", "price", "small", "big", "wide", "group_id", "code"), config.Column{Name: "Tier", Mask: config.MaskRedact})
	return config.DataSource{
		Name: "shop", DefaultSchema: s.schema, Functions: set,
		Connection: &config.Connection{
			Host: s.Host, Port: s.Port, Username: s.reader, Password: s.passwd,
			TLS: config.TLS{Mode: config.TLSPlaintext}, MaxConnections: 4,
		},
		Limits: config.Limits{Rows: 1000, MaxRows: 100000, CellBytes: 4096, TotalBytes: 65536, Timeout: 30 * time.Second},
		Query:  config.QueryCaps{Bytes: 16384, Tokens: 2000, Nesting: 64, Placeholders: 256},
		Allow: []config.Schema{{Name: s.schema, Tables: []config.Table{
			{Name: "items", Columns: items},
			{Name: "groups_", Columns: plain("id", "label")},
			{Name: "cheap", Columns: plain("id", "name", "gone")},
			{Name: "nowhere", Columns: plain("id")},
		}}},
	}
}

// logBuffer collects log lines from several goroutines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// open opens the source; everything it logs is in the buffer.
func open(t testing.TB, src config.DataSource) (*Executor, *logBuffer) {
	t.Helper()
	log := &logBuffer{}
	e, err := Open(src, slog.New(slog.NewJSONHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e, log
}

// planOf validates and authorizes.
func planOf(t testing.TB, src config.DataSource, text string) authz.Plan {
	t.Helper()
	q, err := validator.New(validator.Options{Functions: src.Functions, Caps: src.Query}).Validate(text)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := authz.Compile(src)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Authorize(q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// within are limits that cut nothing but the time.
func within(d time.Duration) Limits {
	return Limits{Rows: authz.RowLimits{Default: 100000, Max: 100000}, Timeout: d, CellBytes: 4096}
}

// all reads the rows as text and closes them.
func all(r *Rows) ([][]string, error) {
	defer func() { _ = r.Close() }()
	var out [][]string
	for {
		row, err := r.Next(seal.Open())
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, texts(row))
	}
}

// runAll runs a text to its end.
func runAll(ctx context.Context, t testing.TB, e *Executor, text string, params []any, l Limits) ([][]string, error) {
	t.Helper()
	r, err := e.Run(ctx, planOf(t, e.source, text), params, l)
	if err != nil {
		return nil, err
	}
	return all(r)
}

// wantOne expects the answer of a query by number: the pool works.
func wantOne(t testing.TB, e *Executor) {
	t.Helper()
	got, err := runAll(context.Background(), t, e, "SELECT name FROM items WHERE id = ?", []any{42}, within(20*time.Second))
	if err != nil || len(got) != 1 || got[0][0] != "item 42" {
		t.Fatalf("a plain query gave %v, %v", got, err)
	}
}

// wantFault expects an error of the kind and reason.
func wantFault(t testing.TB, err error, kind Kind, reason string) *Error {
	t.Helper()
	var f *Error
	if !errors.As(err, &f) || f.Kind != kind || f.Reason != reason {
		t.Fatalf("got %v, want %s %s", err, kind, reason)
	}
	return f
}

// endless runs until it is killed.
const endless = "SELECT COUNT(*) FROM items a JOIN items b ON a.name <> b.name JOIN items c ON b.name <> c.name " +
	"JOIN items d ON c.name <> d.name JOIN items e ON d.name <> e.name"

// busy counts the reader's threads that run something.
func (s *server) busy() int {
	s.t.Helper()
	return s.threads("AND COMMAND NOT IN ('Sleep', 'Daemon')")
}

func (s *server) threads(condition string) int {
	s.t.Helper()
	name := s.value(s.reader)
	var n int
	row := s.root.QueryRowContext(context.Background(), "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = ? "+condition, name)
	if err := row.Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *server) value(ref config.Secret) string {
	s.t.Helper()
	cfg, err := driverConfig(config.Connection{Host: "h", Port: 1, Username: ref, TLS: config.TLS{Mode: config.TLSPlaintext}})
	if err != nil {
		s.t.Fatal(err)
	}
	return cfg.User
}

// eventually waits for a condition, generously.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}

// onSession sends a text on a pinned session, round everything that guards it.
func onSession(t testing.TB, e *Executor, do func(c conn)) {
	t.Helper()
	s, err := e.pool.acquire(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	do(s.conn)
	e.pool.release(s, true)
}

func exec(c conn, text string) error {
	_, err := c.ExecContext(context.Background(), text, nil)
	return err
}

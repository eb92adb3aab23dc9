package boundary_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mysqlevidence/boundary"
	"mysqlevidence/boundary/ledger"
	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
)

// service is a boundary on a real server, with a real ledger.
type service struct {
	*boundary.ToolBoundary
	ledger *ledger.SQLite
	dir    string // the ledger's
	log    *bytes.Buffer
	calls  int
}

const sakilaAllow = `
      sakila:
        customer:
          description: Who rents
          columns: [customer_id, store_id, first_name, active]
          sensitive: {email: redact, last_name: {mask: pseudonym, filter: equality, type: text}}
        rental: {columns: [rental_id, rental_date, inventory_id, customer_id]}
        payment: {columns: [payment_id, customer_id, rental_id, amount, payment_date]}
        staff: {columns: [staff_id, first_name]}
`

func sakilaConfig(s *mysqltest.Server, allow string) string {
	return fmt.Sprintf(`
pseudonym_key: {env: SERVER_TEST_KEY}
data_sources:
  shop:
    connection: {host: %q, port: %d, username: {env: SERVER_TEST_USER}, password: {env: SERVER_TEST_PASSWORD}, tls: {mode: plaintext}}
    default_schema: sakila
    allow: %s`, s.Host, s.Port, allow)
}

func start(t *testing.T, text string, before func(boundary.InvocationStore) boundary.InvocationStore) *service {
	t.Helper()
	return startAs(t, mysqltest.Sakila, text, before)
}

func startAs(t *testing.T, a mysqltest.Account, text string, before func(boundary.InvocationStore) boundary.InvocationStore) *service {
	t.Helper()
	t.Setenv("SERVER_TEST_USER", a.User)
	t.Setenv("SERVER_TEST_PASSWORD", a.Password)
	if _, ok := os.LookupEnv("SERVER_TEST_KEY"); !ok {
		t.Setenv("SERVER_TEST_KEY", "a key of thirty-two bytes or more, for tests")
	}
	cfg, err := config.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := &service{dir: t.TempDir(), log: &bytes.Buffer{}}
	if s.ledger, err = ledger.OpenSQLite(filepath.Join(s.dir, "ledger.db")); err != nil {
		t.Fatal(err)
	}
	var store boundary.InvocationStore = s.ledger
	if before != nil {
		store = before(s.ledger)
	}
	if s.ToolBoundary, err = boundary.New(cfg, boundary.Options{Store: store, Log: slog.New(slog.NewTextHandler(s.log, nil))}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); s.ledger.Close() })
	return s
}

func (s *service) call(ctx context.Context, tool string, args any) boundary.Result {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	s.calls++
	return s.Invoke(ctx, boundary.Call{ID: fmt.Sprint("call ", s.calls), IDSource: "harness", Tool: tool, Args: text,
		Run: boundary.RunContext{RunID: "run", Caller: "ann"}})
}

type args map[string]any

func (s *service) ask(sql string, params ...any) boundary.Result {
	return s.call(context.Background(), "run_query", args{"data_source": "shop", "sql": sql, "params": params})
}

// last is the newest record.
func (s *service) last(t *testing.T) ledger.Record {
	t.Helper()
	got, err := s.ledger.Recent(context.Background(), 1)
	if err != nil || len(got) != 1 {
		t.Fatalf("%d records, %v", len(got), err)
	}
	return got[0]
}

type evidence struct {
	Status  string `json:"status"`
	Columns []struct {
		Name     string `json:"name"`
		Redacted bool   `json:"redacted"`
	} `json:"columns"`
	Rows      [][]any `json:"rows"`
	RowCount  int     `json:"row_count"`
	Truncated bool    `json:"truncated"`
}

func evidenceOf(t *testing.T, r boundary.Result) evidence {
	t.Helper()
	if r.Fault != nil {
		t.Fatalf("fault %v: %s", r.Fault, r.JSON)
	}
	var e evidence
	if err := json.Unmarshal(r.JSON, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAQuestionIsAnsweredAndTheAnswerCanBeProved(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			s := start(t, sakilaConfig(server, sakilaAllow), nil)
			r := s.call(context.Background(), "run_query", args{"data_source": "shop", "reason": "ticket 12", "params": []any{148, "2005-01-01"},
				"sql": "SELECT c.first_name, COUNT(*) AS n, SUM(p.amount) AS total FROM customer c JOIN rental r ON r.customer_id = c.customer_id " +
					"JOIN payment p ON p.rental_id = r.rental_id WHERE c.customer_id = ? AND r.rental_date > ? GROUP BY c.first_name"})
			e := evidenceOf(t, r)
			if e.Status != "OK" || e.RowCount != 1 || fmt.Sprint(e.Rows) != "[[ELEANOR 46 216.54]]" || e.Truncated {
				t.Errorf("got %.500s", r.JSON)
			}
			sum := sha256.Sum256(r.JSON)
			rec := s.last(t)
			if rec.EvidenceSHA256 != hex.EncodeToString(sum[:]) || rec.Bytes != len(r.JSON) || rec.Rows != 1 || rec.Status != "OK" || rec.Open() {
				t.Errorf("the outcome is %+v", rec.Outcome)
			}
			if rec.CallID != "call 1" || rec.RunID != "run" || rec.Caller != "ann" || rec.DataSource != "shop" || rec.AskedReason != "ticket 12" ||
				rec.PolicyHash == "" || !strings.Contains(rec.SQL, "`sakila`.`customer`") {
				t.Errorf("the record is %+v", rec.Invocation)
			}
		})
	}
}

func TestNoRowAndNoParameterIsRecordedOrLogged(t *testing.T) {
	s := start(t, sakilaConfig(mysqltest.MySQL(t), sakilaAllow), nil)
	e := evidenceOf(t, s.ask("SELECT first_name FROM customer WHERE customer_id = ? AND first_name <> ?", 148, "NEVERSTORED"))
	if fmt.Sprint(e.Rows) != "[[ELEANOR]]" {
		t.Fatalf("got %v", e.Rows)
	}
	if r := s.ask("SELECT nothing FROM customer WHERE first_name = 'NEVERSTORED'", "NEVERSTORED"); r.Fault == nil {
		t.Fatal("an unknown column was read")
	}
	if r := s.ask("SELECT CAST(9223372036854775807 AS SIGNED) + CAST(customer_id AS SIGNED) FROM customer WHERE first_name <> ?", "NEVERSTORED"); r.Fault == nil {
		t.Fatal("a number out of range was given")
	}
	s.Close()
	s.ledger.Close()
	s.assertNowhere(t, "ELEANOR")
	s.assertNowhere(t, "NEVERSTORED")
}

func TestSensitiveValuesStayInside(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			s := start(t, sakilaConfig(server, sakilaAllow), nil)
			r := s.ask("SELECT customer_id, email, last_name FROM customer WHERE last_name = ?", "HUNT")
			e := evidenceOf(t, r)
			if e.RowCount != 1 || e.Rows[0][1] != "[REDACTED]" || !e.Columns[1].Redacted || !e.Columns[2].Redacted ||
				!strings.HasPrefix(fmt.Sprint(e.Rows[0][2]), "p_") {
				t.Errorf("got %.500s", r.JSON)
			}
			if strings.Contains(r.Text(), "HUNT") {
				t.Errorf("a sensitive value is shown: %s", r.Text())
			}
			again := evidenceOf(t, s.ask("SELECT last_name FROM customer WHERE customer_id = ?", e.Rows[0][0]))
			if again.Rows[0][0] != e.Rows[0][2] {
				t.Errorf("one value has the pseudonyms %v and %v", again.Rows[0][0], e.Rows[0][2])
			}
			if r := s.ask("SELECT COUNT(*) FROM customer WHERE email = ?", "a"); r.Fault == nil || r.Fault.Reason != "sensitive_column" {
				t.Errorf("a filter on a redacted column: %s", r.JSON)
			}
			s.Close()
			s.ledger.Close()
			s.assertNowhere(t, "HUNT")
		})
	}
}

// assertNowhere looks for a value in the ledger's files and in the log.
func (s *service) assertNowhere(t *testing.T, value string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no ledger file: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(value)) {
			t.Errorf("%s holds %q", f, value)
		}
	}
	if strings.Contains(s.log.String(), value) {
		t.Errorf("the log holds %q", value)
	}
}

func TestWithoutThePseudonymKeyThereIsNoAnswer(t *testing.T) {
	t.Setenv("SERVER_TEST_KEY", "")
	s := start(t, sakilaConfig(mysqltest.MySQL(t), sakilaAllow), nil)
	r := s.ask("SELECT last_name FROM customer WHERE customer_id = 1")
	if r.Fault == nil || r.Fault.Code != "unavailable" || r.Fault.Reason != "pseudonym_key" || strings.Contains(string(r.JSON), "SERVER_TEST_KEY") {
		t.Errorf("got %.500s", r.JSON)
	}
	if !strings.Contains(s.log.String(), "SERVER_TEST_KEY") {
		t.Errorf("the log doesn't name the variable: %s", s.log)
	}
	evidenceOf(t, s.ask("SELECT email FROM customer WHERE customer_id = 1")) // needs no key
}

func TestNoRowIsAnAnswer(t *testing.T) {
	s := start(t, sakilaConfig(mysqltest.MySQL(t), sakilaAllow), nil)
	if e := evidenceOf(t, s.ask("SELECT customer_id FROM customer WHERE customer_id = ?", -1)); e.Status != "NO_EVIDENCE" || e.Rows == nil {
		t.Errorf("got %+v", e)
	}
	if rec := s.last(t); rec.Status != "NO_EVIDENCE" || rec.EvidenceSHA256 == "" {
		t.Errorf("the record is %+v", rec)
	}
}

// failing is a store whose second half is broken.
type failing struct{ boundary.InvocationStore }

func (failing) Finish(context.Context, boundary.Key, boundary.Outcome) error {
	return errors.New("full")
}

func TestEvidenceThatCannotBeRecordedIsNotReleased(t *testing.T) {
	s := start(t, sakilaConfig(mysqltest.MySQL(t), sakilaAllow),
		func(l boundary.InvocationStore) boundary.InvocationStore { return failing{l} })
	r := s.ask("SELECT first_name FROM customer WHERE customer_id = ?", 148)
	if r.Fault == nil || r.Fault.Code != "unavailable" || strings.Contains(r.Text(), "ELEANOR") {
		t.Errorf("got %.500s", r.JSON)
	}
	if rec := s.last(t); !rec.Open() {
		t.Errorf("the record is %+v", rec)
	}
}

// slow reads billions of combinations.
const slow = "SELECT COUNT(*) FROM rental a JOIN rental b ON a.customer_id < b.rental_id + ? JOIN payment c ON c.payment_id < a.rental_id + b.rental_id"

func TestARunningQueryEndsWithItsCallerOrItsDeadline(t *testing.T) {
	s := start(t, sakilaConfig(mysqltest.MySQL(t), sakilaAllow), nil)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	text, _ := json.Marshal(args{"data_source": "shop", "sql": slow, "params": []int{1}})
	for i, c := range []struct {
		ctx      context.Context
		deadline time.Duration
		code     string
	}{{ctx, 0, "cancelled"}, {context.Background(), 300 * time.Millisecond, "timeout"}} {
		call := boundary.Call{ID: fmt.Sprint(i), Tool: "run_query", Args: text, Run: boundary.RunContext{RunID: "r", Caller: "ann"}}
		began := time.Now()
		if c.deadline > 0 {
			call.Run.Deadline = began.Add(c.deadline)
		}
		r := s.Invoke(c.ctx, call)
		if took := time.Since(began); r.Fault == nil || r.Fault.Code != c.code || took < 250*time.Millisecond || took > 3*time.Second {
			t.Errorf("%s: got %s after %v", c.code, r.JSON, took)
		}
		if rec := s.last(t); rec.Code != c.code || rec.Open() || rec.EvidenceSHA256 != "" {
			t.Errorf("%s: the record is %+v", c.code, rec)
		}
	}
}

func TestAServersErrorIsToldInOurWords(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			s := start(t, sakilaConfig(server, sakilaAllow), nil)
			r := s.ask("SELECT CAST(9223372036854775807 AS SIGNED) + CAST(customer_id AS SIGNED) FROM customer")
			if r.Fault == nil || r.Fault.Code != "invalid_arguments" || r.Fault.Stage != "execute" || r.Fault.Hint == "" || strings.Contains(string(r.JSON), "BIGINT value") {
				t.Errorf("got %.500s", r.JSON)
			}
			for line := range strings.Lines(s.log.String()) {
				if !strings.Contains(line, `request_id="call 1"`) {
					t.Errorf("a line without the call's ID: %s", line)
				}
			}
		})
	}
}

func TestASampleShowsTheAllowedColumnsUnderTheSameRules(t *testing.T) {
	s := start(t, sakilaConfig(mysqltest.MySQL(t), sakilaAllow), nil)
	r := s.call(context.Background(), "sample_table", args{"data_source": "shop", "table": "customer"})
	e := evidenceOf(t, r)
	var names []string
	for _, c := range e.Columns {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "customer_id store_id first_name active email last_name" || e.RowCount != 10 || e.Rows[0][4] != "[REDACTED]" {
		t.Errorf("got %.500s", r.JSON)
	}
	if e := evidenceOf(t, s.call(context.Background(), "sample_table", args{"data_source": "shop", "schema": "sakila", "table": "staff", "limit": 1})); e.RowCount != 1 || e.Truncated {
		t.Errorf("got %+v", e)
	}
}

func TestAWideTableOfOddNamesCanBeSampled(t *testing.T) {
	server := mysqltest.MySQL(t)
	schema, db := server.Scratch(t), server.DB(t)
	var names, defs []string
	for i := range 70 {
		names = append(names, fmt.Sprintf(`"select é %d"`, i))
		defs = append(defs, fmt.Sprintf("`select é %d` INT", i))
	}
	if _, err := db.Exec("CREATE TABLE " + schema + ".`group` (" + strings.Join(defs, ",") + ")"); err != nil {
		t.Fatal(err)
	}
	allow := fmt.Sprintf("{%s: {group: {columns: [%s]}}}\n    accept_privileged_account: true\n    query: {bytes: 100, tokens: 20}\n", schema, strings.Join(names, ", "))
	text := strings.Replace(sakilaConfig(server, allow), "default_schema: sakila", "default_schema: "+schema, 1)
	s := startAs(t, mysqltest.Root, text, nil)
	if e := evidenceOf(t, s.call(context.Background(), "sample_table", args{"data_source": "shop", "table": "group"})); len(e.Columns) != 64 || e.Status != "NO_EVIDENCE" {
		t.Errorf("got %d columns, %s", len(e.Columns), e.Status)
	}
}

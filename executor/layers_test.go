package executor

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/validator"
)

var updateLayers = flag.Bool("update", false, "rewrite the table of layers in SECURITY.md")

const (
	securityFile = "../SECURITY.md"
	tableBegins  = "<!-- layers: written by `go test ./executor -run Layers -update` -->\n"
	tableEnds    = "<!-- end of layers -->\n"
)

// passes is the outcome of a layer that doesn't stop the statement.
const passes = "—"

// verdict is what each layer by itself does to one attack, and what the executor
// does with all of them when the validator has let the attack through.
type verdict struct {
	validator, account, session, driver, deadline string
	intended, privileged                          string
}

// Nothing in this test goes through the validator but the first column: the
// statements are sent as commands that only this package can make.
func TestLayers(t *testing.T) {
	servers := mysqltest.Both(t)
	verdicts := make([][]verdict, len(attacks))
	for _, one := range servers {
		a := newArena(t, one)
		for i, attack := range attacks {
			verdicts[i] = append(verdicts[i], a.judge(attack))
		}
	}
	for i, attack := range attacks {
		for _, v := range verdicts[i] {
			if v.validator == passes {
				t.Errorf("%s: the validator and authz accept it", attack.name)
			}
		}
	}
	table := layerTable(verdicts)
	file, err := os.ReadFile(securityFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(file), tableBegins)
	_, after, closed := strings.Cut(rest, tableEnds)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", securityFile)
	}
	want := before + tableBegins + table + tableEnds + after
	if *updateLayers {
		if err := os.WriteFile(securityFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(file) {
		t.Errorf("%s doesn't say what stops the attacks; with -update it would say:\n%s", securityFile, table)
	}
}

// judge tries the attack against each layer alone, then against all but the
// validator, after which nothing may have changed on the server.
func (a *arena) judge(at attack) verdict {
	a.t.Helper()
	v := verdict{validator: a.refusal(at)}
	a.words.patience(0)
	bare := a.alone(at, a.privileged, true, nil)
	if bare == serverOff { // which nothing of ours did
		v.account, v.session, v.driver, v.deadline = bare, bare, bare, passes
		v.intended, v.privileged = a.whole(at, a.intended), a.whole(at, a.privileged)
		return v
	}
	if bare != passes {
		a.t.Errorf("%s: without any layer: %s", at.name, bare)
	}
	v.account = a.alone(at, a.intended, true, nil)
	v.session = a.alone(at, a.privileged, true, a.pin)
	v.driver = a.alone(at, a.privileged, false, nil)
	v.intended, v.privileged = a.whole(at, a.intended), a.whole(at, a.privileged)
	v.deadline = passes
	if at.waits {
		v.deadline = v.privileged
	}
	return v
}

// refusal is the reason for which the first two stages refuse the attack.
func (a *arena) refusal(at attack) string {
	a.t.Helper()
	src := a.dataSource(a.intended)
	text := at.in(a.words, a.mariadb)
	q, err := validator.New(validator.Options{Functions: src.Functions, Caps: src.Query}).Validate(text)
	if err == nil {
		var policy *authz.Policy
		if policy, err = authz.Compile(src); err == nil {
			_, err = policy.Authorize(q)
		}
	}
	if err == nil {
		return passes
	}
	var r *refusal.Refusal
	if !errors.As(err, &r) {
		a.t.Fatalf("%s: %v", at.name, err)
	}
	return "`" + string(r.Reason) + "`"
}

func (a *arena) dataSource(by party) config.DataSource {
	a.t.Helper()
	set, errs := function.NewSet("", nil, nil)
	if len(errs) > 0 {
		a.t.Fatal(errs)
	}
	c := a.connection(by)
	return config.DataSource{Name: "arena", DefaultSchema: a.schema, Functions: set, Connection: &c,
		Limits: config.Limits{Rows: 10, MaxRows: 10, CellBytes: 4096, TotalBytes: 65536, Timeout: 30 * time.Second},
		Query:  config.QueryCaps{Bytes: 16384, Tokens: 2000, Nesting: 64, Placeholders: 256},
		Allow:  []config.Schema{{Name: a.schema, Tables: []config.Table{{Name: "t", Columns: []config.Column{{Name: "id"}, {Name: "label"}}}}}},
	}
}

// pin makes the session what the executor makes it.
func (a *arena) pin(w wire) {
	a.t.Helper()
	p := newPins(30*time.Second, 4096)
	f := flavour{mariadb: a.mariadb}
	if err := errors.Join(p.apply(context.Background(), w.conn, f), p.verify(context.Background(), w.conn, f)); err != nil {
		a.t.Fatal(err)
	}
}

// alone sends the attack over a connection that has one layer at most. As the
// driver's settings the executor's way of sending counts too: it prepares.
func (a *arena) alone(at attack, by party, careless bool, prepare func(wire)) string {
	a.t.Helper()
	defer a.restore()
	defer a.targets(by)()
	w := a.connect(by, careless)
	defer w.close()
	if prepare != nil {
		prepare(w)
	}
	text := at.in(a.words, a.mariadb)
	if careless {
		value, err := everything(w.conn.QueryContext(context.Background(), text, nil))
		return outcome(at, value, err)
	}
	var held statements
	stmt, err := held.prepare(w.conn, text)
	if err != nil {
		return outcome(at, false, err)
	}
	value, err := everything(stmt.QueryContext(context.Background(), nil))
	return outcome(at, value, err)
}

// whole sends the attack as the executor sends what has passed the validator.
func (a *arena) whole(at attack, by party) string {
	a.t.Helper()
	defer a.targets(by)()
	limit := 20 * time.Second
	a.words.patience(time.Second)
	if at.waits {
		limit = 300 * time.Millisecond
		a.words.patience(time.Hour)
	}
	e, _ := open(a.t, a.dataSource(by))
	defer func() { _ = e.Close() }()
	var value bool
	c, err := e.query(context.Background(), limit, newCommand(at.in(a.words, a.mariadb), nil))
	for err == nil {
		var row []any
		if row, err = next(c); err == nil {
			value = value || row[0] != nil
		}
	}
	if c != nil {
		c.close()
	}
	if now := a.state(); now != a.pristine {
		a.t.Errorf("%s: the server has changed:\n%s\nwas\n%s", at.name, now, a.pristine)
		a.restore()
	}
	if errors.Is(err, errPanicked) {
		// MySQL 9.7 refuses to prepare SET GLOBAL with a packet that no client can
		// read. The text protocol says why.
		return a.alone(at, by, true, a.pin)
	}
	return outcome(at, value, err)
}

func next(c *cursor) ([]any, error) {
	row, err := c.next()
	out := make([]any, len(row))
	for i, v := range row {
		out[i] = v
	}
	return out, err
}

// outcome says in a word what stopped the attack.
func outcome(at attack, value bool, err error) string {
	var f *Error
	var kept serverError
	var answer *mysql.MySQLError
	switch {
	case isEnd(err) && at.reads && !value:
		return "nothing to see"
	case isEnd(err):
		return passes
	case errors.As(err, &answer):
		return answerWord(answer.Number)
	case errors.As(err, &kept):
		return answerWord(kept.number)
	case errors.As(err, &f) && f.Kind == Timeout:
		return "deadline"
	}
	return "driver"
}

// serverOff is a server's own default that stops an attack before we can.
const serverOff = "off on the server"

func answerWord(number uint16) string {
	switch number {
	case 1044, 1045, 1095, 1142, 1143, 1227, 1370:
		return "not granted"
	case 1792:
		return "read-only"
	case 1295:
		return "not preparable"
	case 1064:
		return "one statement"
	case 3948:
		return serverOff
	}
	return "error " + strconv.Itoa(int(number))
}

func isEnd(err error) bool { return err == nil || errors.Is(err, io.EOF) }

// layerTable writes the verdicts, a column for each server in each cell only
// where they differ.
func layerTable(verdicts [][]verdict) string {
	var out strings.Builder
	out.WriteString("| | `validator`, `authz` | the account's grants | the pinned session | driver settings, prepared statements | deadline | all but the first, intended account | all but the first, privileged account |\n")
	out.WriteString("|---|---|---|---|---|---|---|---|\n")
	for i, attack := range attacks {
		cell := func(of func(verdict) string) string { return both(verdicts[i], of) }
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", attack.name,
			cell(func(v verdict) string { return v.validator }), cell(func(v verdict) string { return v.account }),
			cell(func(v verdict) string { return v.session }), cell(func(v verdict) string { return v.driver }),
			cell(func(v verdict) string { return v.deadline }),
			cell(func(v verdict) string { return orOnly(v.intended) }), cell(func(v verdict) string { return orOnly(v.privileged) }))
	}
	return out.String()
}

func orOnly(outcome string) string {
	if outcome == passes {
		return "**validator only**"
	}
	return outcome
}

func both(of []verdict, part func(verdict) string) string {
	if first := part(of[0]); first == part(of[1]) {
		return first
	}
	return "MySQL " + part(of[0]) + ", MariaDB " + part(of[1])
}

package authz_test

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/tree"
)

// compareRows makes the database that each question implies and asks it twice, as
// the text was written and as we write it. Both give the same rows or both fail;
// ours never fails alone. At least so many must give rows.
func compareRows(t *testing.T, server *mysqltest.Server, questions []question, least int) {
	t.Helper()
	const lanes = 4
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := map[string]int{}
	work := make(chan question)
	for range lanes {
		l := newLane(t, server)
		wg.Go(func() {
			for q := range work {
				outcome, err := l.compare(q)
				mu.Lock()
				total[outcome]++
				mu.Unlock()
				if err != nil {
					t.Errorf("%v\nraw       %s\ncanonical %s\n%s", err, q.text, q.plan.SQL(manyRows), strings.Join(q.data.setup(), "\n"))
				}
			}
		})
	}
	for _, q := range questions {
		work <- q
	}
	close(work)
	wg.Wait()
	t.Logf("%d compared:%s", len(questions), tallied(total))
	if total["same rows"] < least {
		t.Errorf("only %d gave rows", total["same rows"])
	}
}

// lane is one session with a database of its own.
type lane struct {
	db   *sql.DB
	made []string // the tables that exist
	as   string   // the statements that made them
}

// laneSchema stands for the lane's database in the questions.
const laneSchema = "derived"

var manyRows = authz.RowLimits{Default: 1 << 30, Max: 1 << 30}

func newLane(t *testing.T, server *mysqltest.Server) *lane {
	t.Helper()
	l := &lane{db: server.Open(t, mysqltest.Root, server.Scratch(t))}
	l.db.SetMaxOpenConns(1)
	// The executor's settings, and a clock that stands still.
	for _, s := range []string{
		"SET NAMES utf8mb4",
		"SET SESSION sql_mode = '" + pinnedMode + "'",
		"SET SESSION time_zone = '+00:00', SESSION group_concat_max_len = 1048576, timestamp = 1717243200",
	} {
		if _, err := l.db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func (l *lane) compare(q question) (string, error) {
	bound, err := q.plan.Bind(q.data.params, manyRows)
	if err != nil {
		return "not bound", err
	}
	raw, ok := q.data.inOneSchema(q.text)
	if !ok {
		return "two tables of one name", nil
	}
	canonical := bound.SQL()
	for _, t := range q.data.tables {
		canonical = strings.ReplaceAll(canonical, ident.Quote(t.schema)+"."+ident.Quote(t.name), ident.Quote(t.name))
	}
	if err := l.make(q.data); err != nil {
		return "no tables", err
	}
	want, rawErr := query(l.db, raw, q.data.params)
	got, err := query(l.db, canonical, bound.Args())
	return verdict(q, want, rawErr, got, err)
}

// onlyRaw are the errors that the raw text may meet where ours runs.
var onlyRaw = map[uint16]string{
	1064: "our parser reserves fewer words, and takes a space before a parenthesis",
	1630: "our parser takes a space before a parenthesis",
	1247: "MariaDB takes no alias of an aggregate in an expression",
	1463: "MariaDB takes no HAVING on a column where nothing is grouped",
}

func verdict(q question, want []string, rawErr error, got []string, err error) (string, error) {
	keys := q.sortedBy()
	ordered := slices.EqualFunc(want, got, func(a, b string) bool { return cellsOf(a, keys) == cellsOf(b, keys) })
	slices.Sort(want)
	slices.Sort(got)
	switch {
	case err != nil && rawErr == nil:
		return "only ours fails", err
	case err != nil && number(err) != number(rawErr):
		return "both fail, not alike", fmt.Errorf("raw: %w, ours: %w", rawErr, err)
	case err != nil:
		return fmt.Sprintf("both fail %d", number(err)), nil
	case rawErr != nil && onlyRaw[number(rawErr)] == "":
		return "only the raw text fails", rawErr
	case rawErr != nil:
		return "only the raw text fails: " + onlyRaw[number(rawErr)], nil
	case slices.Equal(got, want) && len(got) == 0:
		return "no rows", nil
	case slices.Equal(got, want) && !ordered:
		return "same rows, ordered otherwise", fmt.Errorf("rows are ordered otherwise by the items %v", keys)
	case slices.Equal(got, want):
		return "same rows", nil
	case q.tree.Limit != nil && len(got) == len(want):
		return "other rows under LIMIT", nil
	}
	return "different rows", fmt.Errorf("raw %d rows %q\nours %d rows %q", len(want), want[:min(9, len(want))], len(got), got[:min(9, len(got))])
}

// sortedBy are the select items by which ORDER BY sorts, up to the first key that
// isn't selected: rows that tie in them may come in any order.
func (q question) sortedBy() []int {
	p := pair{data: q.data, asked: q.tree, afterItems: true}
	var keys []int
	for _, o := range q.tree.OrderBy {
		i := -1
		switch e := o.Expr.(type) {
		case *tree.Number:
			if n, err := strconv.Atoi(e.Text); err == nil {
				i = n - 1
			}
		case *tree.Column:
			if item, ok := p.item(e); ok {
				i = item
			}
		}
		if i < 0 {
			break
		}
		keys = append(keys, i)
	}
	return keys
}

// cellsOf is what of a row stands in those columns.
func cellsOf(row string, columns []int) string {
	all := strings.Split(row, "|")
	var some []string
	for _, i := range columns {
		if i < len(all) {
			some = append(some, all[i])
		}
	}
	return strings.Join(some, "|")
}

// make makes the tables that a question needs, unless they are there.
func (l *lane) make(d *derived) error {
	setup := d.setup()
	if as := strings.Join(setup, ";"); as == l.as {
		return nil
	} else {
		l.as = as
	}
	if len(l.made) > 0 {
		if _, err := l.db.Exec("DROP TABLE IF EXISTS " + strings.Join(l.made, ", ")); err != nil {
			return err
		}
	}
	l.made = nil
	for _, t := range d.tables {
		l.made = append(l.made, ident.Quote(t.name))
	}
	for _, s := range setup {
		if _, err := l.db.Exec(s); err != nil {
			return fmt.Errorf("%w: %s", err, s)
		}
	}
	return nil
}

func tallied(tally map[string]int) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(tally)) {
		fmt.Fprintf(&b, "\n%6d %s", tally[k], k)
	}
	return b.String()
}

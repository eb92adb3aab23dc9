package authz_test

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/authz"
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/mysqltest"
)

// accepted is how many accepted queries the differential test compares on each
// server; DIFFERENTIAL raises it, DIFFERENTIAL_SEED starts elsewhere.
func accepted(t *testing.T) (count int, seed uint64) {
	count, seed = 1000, 1
	for name, set := range map[string]func(uint64){
		"DIFFERENTIAL":      func(n uint64) { count = int(n) },
		"DIFFERENTIAL_SEED": func(n uint64) { seed = n },
	} {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			set(n)
		}
	}
	return count, seed
}

// TestRawAndCanonicalTextAgree runs random accepted queries twice under column
// grants equal to the allowlist: as the asker wrote them, and as we render them.
//
// Both give the same rows, in an order that ORDER BY allows, with columns of the
// same types; or both fail with the same error. Ours never meets a privilege
// error, and runs where the raw text doesn't only if the raw text stumbled over
// what we resolve: a column that is ambiguous with a hidden one, an alias that
// the server took for one, or a name that it can't resolve where we can.
func TestRawAndCanonicalTextAgree(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			t.Parallel()
			count, seed := accepted(t)
			c := comparison{t: t, twin: newTwin(t, server), verdicts: map[string]int{}, distinct: map[uint64]bool{}}
			c.many(count, seed)
		})
	}
}

// comparison is one run over many queries.
type comparison struct {
	t *testing.T
	twin
	verdicts  map[string]int
	asked     int
	rows      int
	nonEmpty  int
	distinct  map[uint64]bool // results, by hash
	hashSeed  maphash.Seed
	generated int
	// overValues counts the queries that only one text failed, over a value.
	overValues int
}

// wide is a row limit that no query of the generator reaches by itself.
var wide = authz.RowLimits{Default: 50_000, Max: 50_000}

// endsMariaDB finds the canonical text of a query that MariaDB would die of, in
// the asker's words: HAVING with NOT, and a column as a truth value.
var endsMariaDB = regexp.MustCompile(" HAVING .*NOT .*COALESCE\\(`| HAVING .*COALESCE\\(`.*NOT ")

const failure = "failure"

func (c *comparison) many(count int, seed uint64) {
	g := newGenerator(seed, c.main, c.second)
	c.hashSeed = maphash.MakeSeed()
	began := time.Now()
	for c.asked < count && c.verdicts[failure] < 5 {
		c.generated++
		if c.generated > 4*count+1000 {
			c.t.Fatalf("the generator writes too little that is accepted: %d of %d", c.asked, c.generated)
		}
		q := g.query()
		text, params := q.asked()
		plan, err := c.pipeline.plan(text)
		if err != nil {
			continue
		}
		bound, err := plan.Bind(params, wide)
		if err != nil {
			continue
		}
		c.asked++
		c.verdicts[c.one(q, plan, bound)]++
	}
	c.t.Logf("%d queries compared in %v, of %d generated; %d results with rows, %d distinct results, %d rows", c.asked,
		time.Since(began).Round(time.Second), c.generated, c.nonEmpty, len(c.distinct), c.rows)
	for _, verdict := range slices.Sorted(maps.Keys(c.verdicts)) {
		c.t.Logf("%6d %s", c.verdicts[verdict], verdict)
	}
	if !c.t.Failed() && (c.nonEmpty < count*2/5 || len(c.distinct) < count/3) {
		c.t.Errorf("too many results are empty or alike to prove anything")
	}
	if c.overValues > 2+count/500 {
		c.t.Errorf("%d times only one text fails over a value", c.overValues)
	}
}

// one compares one query and says how it went.
func (c *comparison) one(q genQuery, plan authz.Plan, bound authz.Bound) string {
	arrows := c.Flavour == "mysql"
	if !arrows && endsMariaDB.MatchString(bound.SQL()) {
		return "not sent: the raw text might end the server"
	}
	raw, params := q.raw(arrows)
	want, rawErr := c.ask(raw, params)
	got, err := c.ask(bound.SQL(), bound.Args())
	fail := func(what string) string {
		c.t.Errorf("%s, at query %d\nraw       %q\n          %v\ncanonical %s\n          %v\nraw rows       %q %v\ncanonical rows %q %v",
			what, c.asked, raw, params, bound.SQL(), bound.Args(), cropped(want), rawErr, cropped(got), err)
		return failure
	}
	switch {
	case isPrivilege(err):
		return fail("our text met a privilege error")
	case err == nil && rawErr == nil:
		c.count(got)
		if c.Flavour == "mariadb" && slices.Contains(got.types, "BIT") && !slices.Equal(got.types, want.types) {
			return "a BIT, which MariaDB makes a number of where DISTINCT needs a table"
		}
		if what := differentColumns(plan, want, got, len(bound.Args()) == len(params)); what != "" {
			return fail(what)
		}
		verdict, ok := c.sameRows(q, want, got)
		if !ok && c.Flavour == "mariadb" && q.having && strings.Contains(raw, "'2023-02-30'") && contains(want.rows, got.rows) {
			return "a date that doesn't exist, which is NULL in WHERE and not in HAVING"
		}
		if why := c.losesRows(bound.SQL()); !ok && q.having && why != "" && contains(want.rows, got.rows) {
			return "rows lost by the server's fault: " + why
		}
		if !ok {
			return fail(verdict)
		}
		return verdict
	case err != nil && rawErr != nil:
		verdict, ok := sameErrors(c.Flavour, rawErr, err)
		if !ok {
			return fail(verdict)
		}
		return verdict
	case err == nil:
		if why := rawStumbles(c.Flavour, rawErr); why != "" {
			return fmt.Sprintf("only the raw text fails, with %d: %s", number(rawErr), why)
		}
		if slices.Contains(valueErrors, number(rawErr)) {
			c.overValues++
			return fmt.Sprintf("only the raw text fails, with %d: over a value that our text needn't look at", number(rawErr))
		}
		return fail("only the raw text fails")
	}
	if slices.Contains(valueErrors, number(err)) {
		c.overValues++
		return fmt.Sprintf("only our text fails, with %d: over a value that the raw text needn't look at", number(err))
	}
	if c.Flavour == "mariadb" && number(err) == 1054 && strings.Contains(err.Error(), "in 'ORDER BY'") {
		return "only our text fails, with 1054: a sort key that is constant, taken for a position"
	}
	return fail("only our text fails")
}

// losesRows says which fault of a server a canonical text may meet where HAVING
// by a select alias doesn't, or "".
func (c *comparison) losesRows(canonical string) string {
	switch {
	case c.Flavour == "mariadb" && strings.HasPrefix(canonical, "SELECT DISTINCT ") && strings.Contains(canonical, " GROUP BY ") && strings.Contains(canonical, " HAVING "):
		return "SELECT DISTINCT of nothing but an expression of an aggregate, with HAVING by an aggregate"
	}
	return ""
}

func cropped(r result) []string { return r.rows[:min(len(r.rows), 20)] }

func (c *comparison) count(r result) {
	c.rows += len(r.rows)
	if len(r.rows) > 0 {
		c.nonEmpty++
	}
	c.distinct[maphash.String(c.hashSeed, strings.Join(r.rows, "\n"))] = true
}

// sameErrors compares why both texts failed. The raw text may have stumbled
// before it came to our error.
func sameErrors(flavour string, rawErr, err error) (string, bool) {
	raw, ours := number(rawErr), number(err)
	switch why := rawStumbles(flavour, rawErr); {
	case ours == 0 || raw == 0:
		return "an error that isn't the server's", false
	case raw == ours:
		return fmt.Sprintf("both fail, with %d", ours), true
	case why != "":
		return fmt.Sprintf("both fail, with %d over %s, and with %d", raw, why, ours), true
	case slices.Contains(valueErrors, raw) && slices.Contains(valueErrors, ours):
		return fmt.Sprintf("both fail, with %d and %d, over a value", raw, ours), true
	}
	return "the errors differ", false
}

// differentColumns compares what the server says of the columns, and the names
// that we give to bare columns, or returns "".
//
// Where no row can match, a server may not come to the end of typing; and where
// an alias is written out, its placeholders are there twice, and may be typed
// otherwise.
func differentColumns(plan authz.Plan, want, got result, sameParams bool) string {
	ours := plan.Columns()
	if len(want.types) != len(got.types) || len(ours) != len(got.types) {
		return fmt.Sprintf("%d columns, %d in our text and %d planned", len(want.types), len(got.types), len(ours))
	}
	if sameParams && len(got.rows) > 0 && !slices.Equal(kinds(want), kinds(got)) {
		return fmt.Sprintf("column types %v and %v", want.types, got.types)
	}
	for i, c := range ours {
		if c.Source != "" && ident.Fold(c.Name) != ident.Fold(want.names[i]) {
			return fmt.Sprintf("column %q is named %q", want.names[i], c.Name)
		}
	}
	return ""
}

// kinds are the columns' types as evidence tells them apart: a server's choice
// among the widths of integers and texts is its own.
func kinds(r result) []string {
	var out []string
	for _, t := range r.types {
		switch {
		case strings.HasSuffix(t, "INT"):
			t = "INTEGER"
		case strings.HasSuffix(t, "CHAR"), strings.HasSuffix(t, "TEXT"):
			t = "TEXT"
		case strings.HasSuffix(t, "BINARY"), strings.HasSuffix(t, "BLOB"):
			t = "BINARY"
		}
		out = append(out, t)
	}
	return out
}

// sameRows compares rows in their order. Another order is the same answer as
// far as ORDER BY leaves it open; other rows are, if LIMIT chose among equals.
func (c *comparison) sameRows(q genQuery, want, got result) (string, bool) {
	switch {
	case slices.Equal(want.rows, got.rows):
		return "the same rows in the same order", true
	case len(want.rows) != len(got.rows):
		return "a different number of rows", false
	case strings.Contains(strings.ToUpper(q.body), "GROUP_CONCAT") && slices.Equal(scrambled(want), scrambled(got)):
		return "the same rows, but for the order in which GROUP_CONCAT joined", true
	case !slices.Equal(sortKeys(q, want), sortKeys(q, got)):
		return "the sort keys come in another order", false
	case slices.Equal(slices.Sorted(slices.Values(want.rows)), slices.Sorted(slices.Values(got.rows))):
		return "the same rows in another order, which ORDER BY leaves open", true
	case !strings.Contains(q.limit, "LIMIT"):
		return "different rows", false
	}
	text, params := q.whole(c.Flavour == "mysql")
	whole, err := c.ask(text, params)
	if err != nil || !contains(whole.rows, got.rows) {
		return "rows that the query without its LIMIT doesn't have", false
	}
	return "other rows of the same query, among which LIMIT may choose", true
}

// scrambled are the rows, sorted, each with its bytes sorted.
func scrambled(r result) []string {
	var out []string
	for _, row := range r.rows {
		b := []byte(row)
		slices.Sort(b)
		out = append(out, string(b))
	}
	slices.Sort(out)
	return out
}

// sortKeys are the cells that the result must be sorted by, row by row.
func sortKeys(q genQuery, r result) []string {
	out := make([]string, 0, len(r.rows))
	for _, row := range r.rows {
		cells := strings.Split(row, cellEnd)
		var key strings.Builder
		for _, i := range q.sorted {
			key.WriteString(strings.ToLower(cells[i]) + cellEnd)
		}
		out = append(out, key.String())
	}
	return out
}

// contains reports whether all has each of some as often as some does.
func contains(all, some []string) bool {
	left := map[string]int{}
	for _, row := range all {
		left[row]++
	}
	for _, row := range some {
		if left[row]--; left[row] < 0 {
			return false
		}
	}
	return true
}

// rawStumbles says why a server may refuse the raw text and take ours, or "".
func rawStumbles(flavour string, err error) string {
	switch raw := number(err); {
	case slices.Contains(privilege, raw):
		return "an alias that is the name of a hidden column"
	case raw == 1052:
		return "a name that is ambiguous with a hidden column"
	case flavour == "mariadb" && raw == 1247:
		return "no alias of an aggregate in an expression"
	case flavour == "mariadb" && raw == 1054 && strings.Contains(err.Error(), "in 'GROUP BY'"):
		return "a grouped constant, taken for a position"
	case flavour == "mariadb" && raw == 1054 && strings.Contains(err.Error(), "in 'HAVING'"):
		return "no column by schema and table in HAVING"
	case flavour == "mariadb" && raw == 1055:
		return "a grouped expression that it doesn't find selected"
	case flavour == "mariadb" && raw == badDecimals:
		return "a fraction for FROM_UNIXTIME, which the driver can't read"
	case flavour == "mariadb" && raw == 1463:
		return "no HAVING on a column where nothing is grouped"
	}
	return ""
}

// valueErrors are the errors over a value of one row, such as text that is no
// JSON or a number out of range. Which rows a condition meets is the server's
// choice; HAVING becomes a part of WHERE, where it may meet others.
var valueErrors = []uint16{1690, 3064, 3141, 3143, 3144, 3146, 3149, 3854}

// badDecimals stands for what the driver says of MariaDB's FROM_UNIXTIME of a
// fraction, whose column has 39 decimals.
const badDecimals = 1

func number(err error) uint16 {
	var e *mysql.MySQLError
	switch {
	case errors.As(err, &e):
		return e.Number
	case err != nil && strings.Contains(err.Error(), "illegal decimals"):
		return badDecimals
	}
	return 0
}

// privilege are the errors for want of a privilege.
var privilege = []uint16{1044, 1142, 1143, 1227, 1356, 1370}

// isPrivilege reports whether the server refused for want of a privilege.
func isPrivilege(err error) bool { return slices.Contains(privilege, number(err)) }

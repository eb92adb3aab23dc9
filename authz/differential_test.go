package authz_test

import (
	"database/sql"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/internal/mysqltest"
)

// accepted is how many accepted queries the differential test compares on each
// server; DIFFERENTIAL raises it, DIFFERENTIAL_SEED starts elsewhere.
func accepted(t *testing.T) (count int, seed uint64) {
	count, seed = 400, 1
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
// Both give the same rows, or both fail. Ours never meets a privilege error, and
// runs where the raw text doesn't only if the raw text stumbled over what we
// resolve: a column that is ambiguous with a hidden one, an alias that the server
// took for one, or a name that it can't resolve where we can.
func TestRawAndCanonicalTextAgree(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			t.Parallel()
			count, seed := accepted(t)
			compareMany(t, pinned(t, server), newPipeline(t, trapsYAML(t)), count, seed)
		})
	}
}

// pinned opens sessions with the executor's settings.
func pinned(t *testing.T, server *mysqltest.Server) *sql.DB {
	cfg, err := mysql.ParseDSN(server.DSN(mysqltest.TrapAllow, "traps"))
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		t.Fatal(err)
	}
	cfg.Params = map[string]string{
		"sql_mode":             "'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		"time_zone":            "'+00:00'",
		"group_concat_max_len": "1048576",
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

func compareMany(t *testing.T, db *sql.DB, p pipeline, count int, seed uint64) {
	g := newGenerator(seed)
	tally := map[string]int{}
	began := time.Now()
	for n := 0; n < count; {
		tally["generated"]++
		if tally["generated"] > 100*count+1000 {
			t.Fatalf("the generator writes too little that is accepted: %v", tally)
		}
		text, params := g.query()
		plan, err := p.plan(text)
		if err != nil {
			continue
		}
		bound, err := plan.Bind(params, rows)
		if err != nil {
			continue
		}
		n++
		tally[compareOne(t, db, text, params, bound.SQL(), bound.Args())]++
		if t.Failed() {
			break
		}
	}
	t.Logf("%d queries compared in %v: %v", count, time.Since(began).Round(time.Second), tally)
	if tally["same rows"] < count/3 && !t.Failed() {
		t.Errorf("too few queries ran: %v", tally)
	}
}

func compareOne(t *testing.T, db *sql.DB, raw string, params []any, canonical string, args []any) string {
	want, rawErr := query(db, raw, params)
	got, err := query(db, canonical, args)
	show := func(what string) {
		t.Errorf("%s\nraw       %s\n          %v\ncanonical %s\n          %v\nraw rows       %q %v\ncanonical rows %q %v",
			what, raw, params, canonical, args, want, rawErr, got, err)
	}
	switch {
	case isPrivilege(err):
		show("our text met a privilege error")
	case err == nil && rawErr == nil:
		limited := strings.Contains(strings.ToUpper(raw), "LIMIT")
		slices.Sort(want)
		slices.Sort(got)
		if len(want) > rows.Default { // ours stops one row after the cap
			limited = len(got) == rows.Default+1
			want = want[:min(len(want), rows.Default+1)]
		}
		if limited && len(got) == len(want) || slices.Equal(got, want) {
			return "same rows"
		}
		show("different rows")
	case err != nil && rawErr != nil:
		return "both fail"
	case err == nil:
		if isPrivilege(rawErr) || number(rawErr) == 1052 {
			return "only the raw text fails, over a hidden name"
		}
		// MariaDB takes no alias of an aggregate in an expression (1247), and no
		// HAVING on a column where nothing is grouped (1463).
		if n := number(rawErr); n == 1247 || n == 1463 {
			return "only the raw text fails, over a rule of MariaDB's"
		}
		show("only the raw text fails")
	default:
		show("only our text fails")
	}
	return "failure"
}

func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// isPrivilege reports whether the server refused for want of a privilege.
func isPrivilege(err error) bool {
	return slices.Contains([]uint16{1044, 1142, 1143, 1227, 1356, 1370}, number(err))
}

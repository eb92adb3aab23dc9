package authz_test

import (
	"database/sql"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mysqlevidence/internal/mysqltest"
)

// TestAcceptedTrapsGiveMySQLsRows runs the canonical text of every accepted trap
// under column-level grants equal to the allowlist: it never meets a privilege
// error, and gives the rows that the raw text gave on MySQL.
func TestAcceptedTrapsGiveMySQLsRows(t *testing.T) {
	for _, server := range []*mysqltest.Server{mysqltest.MySQL(t), mysqltest.MariaDB(t)} {
		t.Run(server.Flavour, func(t *testing.T) {
			db := server.Open(t, mysqltest.TrapAllow, "")
			p := newPipeline(t, trapsYAML(t))
			compared := 0
			for _, c := range readTraps(t) {
				if c.Verdict != "accept" {
					continue
				}
				got, err := runTrap(db, p, c)
				if err != nil {
					t.Errorf("%s %q: %v", c.ID, c.SQL, err)
					continue
				}
				if c.ExpectRows == nil {
					continue
				}
				compared++
				want := splitRows(*c.ExpectRows)
				if !strings.Contains(c.SQL, "ORDER BY") {
					slices.Sort(got)
					slices.Sort(want)
				}
				if !sameRows(got, want) {
					t.Errorf("%s %q:\n got %q\nwant %q", c.ID, c.SQL, got, want)
				}
			}
			if compared < 40 {
				t.Errorf("only %d results compared", compared)
			}
		})
	}
}

func runTrap(db *sql.DB, p pipeline, c trap) ([]string, error) {
	plan, err := p.plan(c.SQL)
	if err != nil {
		return nil, err
	}
	var params []any
	if c.Params != nil {
		params = *c.Params
	} else {
		params = slices.Repeat([]any{1}, plan.Placeholders())
	}
	bound, err := plan.Bind(params, rows)
	if err != nil {
		return nil, err
	}
	return query(db, bound.SQL(), bound.Args())
}

// query returns each row with its cells joined by "|".
func query(db *sql.DB, text string, args []any) ([]string, error) {
	result, err := db.Query(text, args...)
	if err != nil {
		return nil, err
	}
	defer result.Close()
	names, err := result.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for result.Next() {
		cells := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, err
		}
		shown := make([]string, len(names))
		for i, c := range cells {
			if shown[i] = c.String; !c.Valid {
				shown[i] = "NULL"
			}
		}
		out = append(out, strings.Join(shown, "|"))
	}
	return out, result.Err()
}

func splitRows(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func sameRows(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := strings.Split(a[i], "|"), strings.Split(b[i], "|")
		if len(x) != len(y) {
			return false
		}
		for j := range x {
			if x[j] != y[j] && !sameJSON(x[j], y[j]) {
				return false
			}
		}
	}
	return true
}

// sameJSON compares by value: MySQL normalizes JSON, MariaDB keeps its text.
func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

package authz

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mysqlevidence/internal/function"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/internal/seal"
	"mysqlevidence/validator"
)

// ownForms are catalogue entries that aren't written as name(arguments); none of
// them makes text longer.
var ownForms = []string{"COUNT", "GROUP_CONCAT", "SUM", "AVG", "MIN", "MAX", "DATE_ADD", "DATE_SUB", "ADDDATE", "SUBDATE",
	"EXTRACT", "POSITION", "TIMESTAMPADD", "TIMESTAMPDIFF", "TRIM"}

// samples are arguments that make functions write as much as they can.
func samples() []string {
	text := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
	}
	return []string{
		"1", text("$"), "30", text("2024-09-25 08:00:00.123456"),
		text(strings.Repeat("a", 1000)), text(strings.Repeat("\u00df\u0149\u1e9e", 300)), text(strings.Repeat("\"'\\\t", 250)),
		text(strings.Repeat("%W", 500)), text(strings.Repeat("%r%M", 250)), text(strings.Repeat("9", 1000)), text("[" + strings.Repeat("1e14,", 250) + "1e14]"),
		text(`{"` + strings.Repeat("a", 500) + `":"` + strings.Repeat(`\u0001`, 100) + `"}`), text(strings.Repeat("61", 500)),
	}
}

// wrappers give the value of what they wrap, if it is text.
var wrappers = []string{"COALESCE(%s)", "IF(1, %s, NULL)", "IFNULL(NULL, %s)", "CASE WHEN 0 THEN '' ELSE %s END", "GREATEST('', %s)",
	"NULLIF(%s, NULL)", "MAX(%s)", "CONCAT(%s)", "CAST(%s AS CHAR)", "ELT(1, %s)", "TRIM(%s)"}

func TestNoFunctionWritesMoreThanIsWorkedOut(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			t.Parallel()
			db := server.DB(t)
			all := function.Everything(server.Flavour)
			v := validator.New(validator.Options{Functions: all})
			tried, longest := 0, map[string]int64{}
			for _, name := range all.Names() {
				if slices.Contains(ownForms, name) {
					continue
				}
				f, _ := all.Lookup(name)
				for _, args := range argumentLists(f) {
					call := name + "(" + strings.Join(args, ", ") + ")"
					q, err := v.Validate("SELECT " + call + " FROM t")
					if err != nil {
						continue // not in this form
					}
					var got *int64
					if err := db.QueryRowContext(context.Background(), "SELECT CHAR_LENGTH(CAST("+call+" AS CHAR))").Scan(&got); err != nil || got == nil {
						continue // not with these values
					}
					tried++
					longest[name] = max(longest[name], *got)
					// What passes the value on must come to as much.
					wrapped := fmt.Sprintf(wrappers[tried%len(wrappers)], call)
					w, err := v.Validate("SELECT " + wrapped + " FROM t")
					if err != nil {
						continue // nested too deeply
					}
					for _, q := range []validator.Query{q, w} {
						if bound := (extents{nominal: &nominal{}}).text(q.Tree(seal.Open()).Items[0].Expr).Length; *got > bound {
							t.Fatalf("%s wrote %d characters, worked out are %d: %.300s", name, *got, bound, wrapped)
						}
					}
				}
			}
			t.Logf("%d calls of %d functions", tried, len(longest))
			if len(longest) < 100 || tried < 1000 || longest["DATE_FORMAT"] < 3000 || longest["CONCAT"] < 2000 {
				t.Errorf("only %d calls of %d functions gave something: %v", tried, len(longest), longest)
			}
		})
	}
}

// argumentLists combines the samples, for up to three arguments.
func argumentLists(f function.Function) [][]string {
	further := [][]int{{0, 2, 4, 7, 10}, {0, 4, 7}} // the samples for the second argument, and for later ones
	most := f.Max
	if most < 0 || most > 3 {
		most = max(f.Min, 3)
	}
	var out [][]string
	lists := [][]string{nil}
	for n := 0; n <= most; n++ {
		if n >= f.Min {
			out = append(out, lists...)
		}
		var longer [][]string
		for _, l := range lists {
			for i, s := range samples() {
				if n > 0 && !slices.Contains(further[min(n, len(further))-1], i) {
					continue
				}
				longer = append(longer, append(slices.Clone(l), s))
			}
		}
		lists = longer
	}
	return out
}

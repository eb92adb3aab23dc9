package projector

import (
	"fmt"
	"strings"
	"testing"

	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
)

// longColumns hold values around and far beyond a cell's 4096 bytes, in every
// type that can.
var longColumns = []struct{ name, definition, unit string }{
	{"t", "LONGTEXT", "'é'"},
	{"v", "VARCHAR(7000)", "'a'"},
	{"latin", "MEDIUMTEXT CHARACTER SET latin1", "'é'"},
	{"wide", "MEDIUMTEXT CHARACTER SET utf32", "'x'"},
	{"emoji", "MEDIUMTEXT", "'🎉'"},
	{"b", "LONGBLOB", "X'C328'"},
	{"vb", "VARBINARY(15000)", "X'00FF'"},
}

// Under DISTINCT nothing is cut at the server, so the two ways must agree.
func TestCuttingAtTheServerChangesNothingInTheEvidence(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			definitions, names := []string{"id INT PRIMARY KEY"}, []string{"id"}
			for _, c := range longColumns {
				definitions, names = append(definitions, c.name+" "+c.definition), append(names, c.name)
			}
			definitions, names = append(definitions, "j JSON", "e ENUM('x')"), append(names, "j", "e")
			var rows []string
			for id, n := range []int{0, 1, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 7000} {
				values := []string{fmt.Sprint(id)}
				for _, c := range longColumns {
					values = append(values, fmt.Sprintf("REPEAT(%s, %d)", c.unit, n))
				}
				rows = append(rows, strings.Join(append(values, fmt.Sprintf(`CONCAT('{"a": [1.50, "', REPEAT('é', %d), '"]}')`, n), "'x'"), ", "))
			}
			rows = append(rows, fmt.Sprintf("%d", len(rows))+strings.Repeat(", NULL", len(names)-1))
			columns := plainColumns(names...)
			columns[len(columns)-2].JSON = true
			z := newZoo(t, s, definitions, columns, rows...)
			expressions := []string{"UPPER(t)", "CONCAT(v, '-', id)", "CONCAT(?, t)", "COALESCE(t, 'none')", "IF(id > 3, t, ?)", "CASE WHEN id > 3 THEN t ELSE id END",
				"JSON_EXTRACT(j, '$.a')", "j->>'$.a[1]'", "SUBSTRING(b, 2)", "REPLACE(v, 'a', '')", "CAST(t AS CHAR(3000))", "LOWER(latin)", "CONCAT(latin, wide)", "NULLIF(emoji, '')", "TRIM(t)"}
			for _, items := range append([]string{strings.Join(names, ", ")}, expressions...) {
				params := make([]any, strings.Count(items, "?"))
				for i := range params {
					params[i] = "päram"
				}
				for id := range rows {
					text := fmt.Sprintf("SELECT %%s%s FROM zoo WHERE id = %d", items, id)
					cut := string(z.must(fmt.Sprintf(text, ""), ordinaryRows, Limits{4096, 1 << 20}, Pseudonyms{}, params...).JSON())
					whole := string(z.must(fmt.Sprintf(text, "DISTINCT "), ordinaryRows, Limits{4096, 1 << 20}, Pseudonyms{}, params...).JSON())
					if cut != whole {
						t.Fatalf("%s, row %d:\ncut   %.300s\nwhole %.300s", items, id, cut, whole)
					}
				}
			}
		})
	}
}

// What is ordered, grouped or made a pseudonym by its whole value is not cut.
func TestAWholeValueDecidesWhereTheRowsDependOnIt(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			z := newZoo(t, s, []string{"id INT", "t TEXT", "secret TEXT"}, append(plainColumns("id", "t"), config.Column{Name: "secret", Mask: config.MaskPseudonym}),
				"1, CONCAT(REPEAT('a', 500), 'c'), CONCAT(REPEAT('a', 500), 'c')", "2, CONCAT(REPEAT('a', 500), 'b'), CONCAT(REPEAT('a', 500), 'b')",
				"3, CONCAT(REPEAT('a', 500), 'a'), CONCAT(REPEAT('a', 500), 'a')")
			z.source.Limits.CellBytes = 100
			for text, want := range map[string]string{
				"SELECT id, t AS x FROM zoo ORDER BY x":                    "3 2 1",
				"SELECT id, UPPER(t) AS x FROM zoo ORDER BY x":             "3 2 1",
				"SELECT id, UPPER(t) FROM zoo ORDER BY 2 DESC":             "1 2 3",
				"SELECT MIN(id), t FROM zoo GROUP BY t ORDER BY t":         "3 2 1",
				"SELECT MIN(id), UPPER(t) AS x FROM zoo GROUP BY x":        "three",
				"SELECT DISTINCT t, 1 FROM zoo":                            "three",
				"SELECT COUNT(*), MAX(t) FROM zoo HAVING MAX(t) LIKE '%c'": "3",
				"SELECT id, secret FROM zoo":                               "distinct",
			} {
				e := decode(t, z.must(text, ordinaryRows, Limits{100, 1 << 20}, key(1)).JSON())
				var got []string
				seen := map[string]bool{}
				for _, row := range e.Rows {
					got = append(got, fmt.Sprint(row[0]))
					seen[fmt.Sprint(row[1])] = true
				}
				ids := strings.Join(got, " ")
				if ids != want && (want != "three" || len(e.Rows) != 3) && (want != "distinct" || len(seen) != 3) {
					t.Errorf("%s: %s", text, ids)
				}
			}
		})
	}
}

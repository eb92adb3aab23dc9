package mysqltest

import (
	"slices"
	"strings"
	"testing"
)

func TestAScriptIsSplitWhereTheClientWouldSplitIt(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"nothing", " \n-- only a comment\n/* and */ ; # another", nil},
		{"two", "SELECT 1; SELECT 2", []string{"SELECT 1", "SELECT 2"}},
		{"strings", `SELECT ';', "a;b", 'it''s;', 'back\';slash'; SELECT 2;`,
			[]string{`SELECT ';', "a;b", 'it''s;', 'back\';slash'`, "SELECT 2"}},
		{"a backslash in a quoted name", "SELECT `a\\`; SELECT `b;``c`", []string{"SELECT `a\\`", "SELECT `b;``c`"}},
		{"comments", "SELECT 1 -- it's;\n + 2 # don't;\n /* ;' */; SELECT 3--1;",
			[]string{"SELECT 1 -- it's;\n + 2 # don't;\n /* ;' */", "SELECT 3--1"}},
		{"an executable comment is a statement", "/*!50610 SET @a = 1*/;\nSELECT 1;",
			[]string{"/*!50610 SET @a = 1*/", "SELECT 1"}},
		{"delimiters", "DELIMITER //\nBEGIN a; b; END //\n-- done\ndelimiter ;\nSELECT 1;",
			[]string{"BEGIN a; b; END", "SELECT 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := statements(c.script); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestARewriteThatFindsNothingIsAnError(t *testing.T) {
	const file = "sakila/sakila.sql.gz"
	script, err := fixture(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := forMariaDB(file, script); err != nil {
		t.Errorf("the dump as it is: %v", err)
	}
	if _, err := forMariaDB(file, strings.ReplaceAll(script, "SRID 0", "SRID 4326")); err == nil {
		t.Error("a changed dump was translated all the same")
	}
}

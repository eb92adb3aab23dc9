package boundary

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func wideSchema(tables, columns int) schemaJSON {
	out := schemaJSON{DataSource: "shop", Dialect: dialect(), Tables: []tableJSON{}}
	for i := range tables {
		t := tableJSON{Schema: "shop", Table: fmt.Sprintf("table_%d", i), Comment: strings.Repeat("c", 100)}
		for j := range columns {
			t.Columns = append(t.Columns, columnJSON{Name: fmt.Sprintf("column_%d", j), Type: "int", Comment: strings.Repeat("c", 50)})
		}
		out.Tables = append(out.Tables, t)
	}
	return out
}

func TestADescriptionKeepsItsSize(t *testing.T) {
	for _, c := range []struct{ tables, columns, limit int }{
		{0, 0, 1024}, {1, 5, 64 << 10}, {1, 500, 4096}, {1, 5000, 1024}, {500, 20, 64 << 10}, {500, 20, 1024}, {2, 2000, 1024},
	} {
		a, err := fit(wideSchema(c.tables, c.columns), c.limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.json) > c.limit {
			t.Errorf("%+v: %d bytes", c, len(a.json))
		}
		var out schemaJSON
		if err := json.Unmarshal(a.json, &out); err != nil {
			t.Fatal(err)
		}
		cut := len(out.Tables) < c.tables || c.tables > 0 && (len(out.Tables[0].Columns) < c.columns || out.Tables[0].Comment == "")
		if out.Truncated != cut || a.truncated != cut || cut && out.Notice == "" {
			t.Errorf("%+v: truncated is %t and %t with notice %q, cut is %t", c, out.Truncated, a.truncated, out.Notice, cut)
		}
		if c.tables > 0 && len(out.Tables) == 0 {
			t.Errorf("%+v: no table is left", c)
		}
	}
}

func TestEveryTableIsNamedBeforeColumnsAreShown(t *testing.T) {
	a, err := fit(wideSchema(500, 20), 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	var out schemaJSON
	if err := json.Unmarshal(a.json, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Tables) != 500 || !strings.Contains(out.Notice, "argument table") {
		t.Errorf("%d tables, notice %q", len(out.Tables), out.Notice)
	}
}

package authz_test

import (
	"fmt"
	"strings"
	"testing"

	"mysqlevidence/authz"
)

const notes = `
pseudonym_key: {env: KEY}
data_sources:
  notes:
    default_schema: s
    functions: {add: [hex, json_array]}
    allow:
      s:
        notes:
          columns: [id, short, long, raw, doc, old]
          sensitive: {secret: redact, token: pseudonym}
`

// cells wants 100 bytes of a cell. short fits in any charset, the others don't.
var cells = authz.Cells{Bytes: 100, Types: &authz.Types{Columns: map[authz.TableName]map[string]authz.Extent{
	{Schema: "s", Table: "notes"}: {
		"short": {Class: authz.Text, Length: 25}, "long": {Class: authz.Text, Length: 26}, "raw": {Class: authz.Binary, Length: 101},
		"doc": {Class: authz.JSON, Length: 1 << 30}, "old": {Class: authz.Text, Length: 26, Legacy: true},
		"secret": {Class: authz.Text, Length: 1000}, "token": {Class: authz.Text, Length: 1000},
	},
}}}

func TestLongItemsAreCutAtTheServer(t *testing.T) {
	p := newPipeline(t, notes)
	for _, c := range []struct{ text, want, cuts string }{
		{"SELECT id, short FROM notes", "`t1`.`id`, `t1`.`short`", "[]"},
		{"SELECT long, id, raw FROM notes", "LEFT(`t1`.`long`, 100), `t1`.`id`, LEFT(`t1`.`raw`, 100), LENGTH(`t1`.`long`), LENGTH(`t1`.`raw`)", "[0>3 2>4]"},
		{"SELECT doc, old FROM notes", "LEFT(`t1`.`doc`, 100), LEFT(`t1`.`old`, 100), LENGTH(`t1`.`doc`), LENGTH(CONVERT(`t1`.`old` USING utf8mb4))", "[0>2 json 1>3]"},
		// A redacted value isn't shown, so nothing of it is sent; a pseudonym needs all of it.
		{"SELECT id, secret, token, long FROM notes", "`t1`.`id`, LEFT(`t1`.`secret`, 0), `t1`.`token`, LEFT(`t1`.`long`, 100), LENGTH(`t1`.`long`)", "[1>0 3>4]"},
		// By what an expression can hold.
		{"SELECT UPPER(long), LEFT(long, 25), LEFT(long, 26), SUBSTRING(long, 2, 25) FROM notes", "LEFT(UPPER(`t1`.`long`), 100), LEFT(`t1`.`long`, 25), LEFT(LEFT(`t1`.`long`, 26), 100), SUBSTRING(`t1`.`long`, 2, 25), LENGTH(UPPER(`t1`.`long`)), LENGTH(LEFT(`t1`.`long`, 26))", "[0>4 2>5]"},
		{"SELECT CONCAT(short, 'x'), CONCAT(short, id) FROM notes", "LEFT(CONCAT(`t1`.`short`, 'x'), 100), LEFT(CONCAT(`t1`.`short`, `t1`.`id`), 100), LENGTH(CONCAT(`t1`.`short`, 'x')), LENGTH(CONCAT(`t1`.`short`, `t1`.`id`))", "[0>2 1>3]"},
		{"SELECT IF(id, long, 1), COALESCE(id, 0), NULLIF(short, long), CASE WHEN id THEN long END FROM notes", "LEFT(IF(`t1`.`id`, `t1`.`long`, 1), 100), COALESCE(`t1`.`id`, 0), NULLIF(`t1`.`short`, `t1`.`long`), LEFT(CASE WHEN `t1`.`id` THEN `t1`.`long` END, 100), LENGTH(IF(`t1`.`id`, `t1`.`long`, 1)), LENGTH(CASE WHEN `t1`.`id` THEN `t1`.`long` END)", "[0>4 3>5]"},
		{"SELECT JSON_EXTRACT(doc, '$.a'), JSON_UNQUOTE(doc), JSON_LENGTH(doc), IF(id, doc, doc) FROM notes", "LEFT(JSON_EXTRACT(`t1`.`doc`, '$.a'), 100), LEFT(JSON_UNQUOTE(`t1`.`doc`), 100), JSON_LENGTH(`t1`.`doc`), IF(`t1`.`id`, `t1`.`doc`, `t1`.`doc`), LENGTH(JSON_EXTRACT(`t1`.`doc`, '$.a')), LENGTH(JSON_UNQUOTE(`t1`.`doc`))", "[0>4 json 1>5]"},
		{"SELECT CONCAT(old, raw), HEX(short), LENGTH(long), long = raw FROM notes", "LEFT(CONCAT(`t1`.`old`, `t1`.`raw`), 100), LEFT(HEX(`t1`.`short`), 100), LENGTH(`t1`.`long`), `t1`.`long` = `t1`.`raw`, LENGTH(CONCAT(`t1`.`old`, `t1`.`raw`)), LENGTH(HEX(`t1`.`short`))", "[0>4 1>5]"},
		{"SELECT MAX(long), COUNT(long), GROUP_CONCAT(long) FROM notes", "LEFT(MAX(`t1`.`long`), 100), COUNT(`t1`.`long`), GROUP_CONCAT(`t1`.`long`), LENGTH(MAX(`t1`.`long`))", "[0>3]"},
		// Where the value decides what the rows are, it is whole.
		{"SELECT DISTINCT long FROM notes", "DISTINCT `t1`.`long`", "[]"},
		{"SELECT long, MAX(long) FROM notes GROUP BY long", "`t1`.`long`, LEFT(MAX(`t1`.`long`), 100), LENGTH(MAX(`t1`.`long`))", "[1>2]"},
		{"SELECT UPPER(long) AS u, long, raw FROM notes ORDER BY u, 2, raw", "UPPER(`t1`.`long`), `t1`.`long`, LEFT(`t1`.`raw`, 100), LENGTH(`t1`.`raw`)", "[2>3]"},
	} {
		plan, err := p.plan(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		bound, err := plan.BindCut(nil, rows, cells)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := plan.Bind(nil, rows)
		if err != nil || len(whole.Cuts()) > 0 || whole.SQL() != plan.SQL(rows) {
			t.Errorf("%s: without types: %s, %v", c.text, whole.SQL(), err)
		}
		_, from, _ := strings.Cut(whole.SQL(), " FROM `s`")
		if got, want := bound.SQL(), "SELECT "+c.want+" FROM `s`"+from; got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, want)
		}
		var cuts []string
		for _, cut := range bound.Cuts() {
			text := fmt.Sprint(cut.Item, ">", cut.Length)
			if cut.JSON {
				text += " json"
			}
			cuts = append(cuts, text)
		}
		if fmt.Sprint(cuts) != c.cuts {
			t.Errorf("%s: cuts %v, want %s", c.text, cuts, c.cuts)
		}
	}
}

func TestJSONIsCutAsTextWhereTheServerHasNoSuchType(t *testing.T) {
	plan, err := newPipeline(t, notes).plan("SELECT JSON_EXTRACT(doc, '$.a') FROM notes")
	if err != nil {
		t.Fatal(err)
	}
	text := authz.Cells{Bytes: cells.Bytes, Types: &authz.Types{Columns: cells.Types.Columns, JSONIsText: true}}
	bound, err := plan.BindCut(nil, rows, text)
	if err != nil || len(bound.Cuts()) != 1 || bound.Cuts()[0].JSON {
		t.Errorf("%v, %v", bound.Cuts(), err)
	}
}

// The length of an item repeats its placeholders.
func TestACutItemRepeatsItsParameters(t *testing.T) {
	plan, err := newPipeline(t, notes).plan("SELECT CONCAT(?, long, ?), ? FROM notes WHERE id = ? LIMIT ?")
	if err != nil {
		t.Fatal(err)
	}
	bound, err := plan.BindCut([]any{"a", "b", "c", 4, 5}, rows, cells)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(bound.Args()); got != "[a b c a b 4 5]" {
		t.Errorf("arguments %s of %s", got, bound.SQL())
	}
}

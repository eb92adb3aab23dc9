package executor

import (
	"slices"
	"strings"
	"testing"

	"mysqlevidence/authz"
)

func TestTheEstimateIsTheRowsThatNestedLoopsExamine(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []planStep
		reach uint64
		want  float64
		worst string
	}{
		{"one row", []planStep{{id: "1", table: "t1", access: "const", rows: 1, filtered: 100}}, 0, 1, "t1"},
		{"no table", []planStep{{id: "1", extra: "Impossible WHERE", filtered: 100}}, 0, 0, ""},
		{"a scan counts whole, however little it keeps", []planStep{
			{id: "1", table: "t1", rows: 1e6, filtered: 0.01, extra: "Using where"}}, 10, 1e6, "t1"},
		{"a cross product", []planStep{
			{id: "1", table: "t1", rows: 1000, filtered: 100},
			{id: "1", table: "t2", rows: 1000, filtered: 100, extra: "Using join buffer (hash join)"}}, 10, 1000 + 1e6, "t2"},
		{"what is filtered isn't joined", []planStep{
			{id: "1", table: "t2", rows: 1000, filtered: 10, extra: "Using where"},
			{id: "1", table: "t1", rows: 50, filtered: 100}}, 0, 1000 + 100*50, "t2"},
		{"at least one row is joined", []planStep{
			{id: "1", table: "t1", rows: 10, filtered: 0.1, extra: "Using where"},
			{id: "1", table: "t2", rows: 50, filtered: 100}}, 0, 10 + 50, "t2"},
		{"three tables", []planStep{
			{id: "1", table: "t1", rows: 10, filtered: 100}, {id: "1", table: "t2", rows: 20, filtered: 50, extra: "Using where"},
			{id: "1", table: "t3", rows: 30, filtered: 100}}, 0, 10 + 200 + 100*30, "t3"},
		{"LIMIT ends a plain reading", []planStep{{id: "1", table: "t1", rows: 1e6, filtered: 100}}, 11, 11, "t1"},
		{"and one through an index", []planStep{
			{id: "1", table: "t1", rows: 1e6, filtered: 100, extra: "Using index; Backward index scan"},
			{id: "1", table: "t2", rows: 3, filtered: 100}}, 11, 11 + 11, "t1"},
		{"but not one that rejects rows", []planStep{
			{id: "1", table: "t1", rows: 1e6, filtered: 100},
			{id: "1", table: "t2", rows: 1, filtered: 100, extra: "Using where"}}, 11, 2e6, "t1"},
		{"nor one that sorts", []planStep{{id: "1", table: "t1", rows: 1e6, filtered: 100, extra: "Using filesort"}}, 11, 1e6, "t1"},
		{"nor one that does what isn't known", []planStep{{id: "1", table: "t1", rows: 1e6, filtered: 100, extra: "Using tea leaves"}}, 11, 1e6, "t1"},
		{"nor one that folds its rows", []planStep{{id: "1", table: "t1", rows: 1e6, filtered: 100}}, 0, 1e6, "t1"},
		{"LIMIT doesn't end what a view collects", []planStep{
			{id: "1", kind: "PRIMARY", table: "<derived2>", rows: 500, filtered: 100},
			{id: "2", kind: "DERIVED", table: "big", rows: 1e6, filtered: 100}}, 11, 11 + 1e6, "big"},
		{"a subquery for each row", []planStep{
			{id: "1", kind: "PRIMARY", table: "s", rows: 300, filtered: 1, extra: "Using where"},
			{id: "2", kind: "DEPENDENT SUBQUERY", table: "b", rows: 1e4, filtered: 10}}, 0, 300 + 300*1e4, "b"},
		{"a subquery once", []planStep{
			{id: "1", kind: "PRIMARY", table: "s", rows: 300, filtered: 100},
			{id: "2", kind: "SUBQUERY", table: "b", rows: 1e4, filtered: 10}}, 0, 300 + 1e4, "b"},
		{"a subquery for each row of a view's", []planStep{
			{id: "1", kind: "PRIMARY", table: "<derived2>", rows: 3, filtered: 100},
			{id: "2", kind: "DERIVED", table: "s", rows: 300, filtered: 100},
			{id: "3", kind: "UNCACHEABLE SUBQUERY", table: "b", rows: 1e4, filtered: 10}}, 0, 3 + 300 + 300*1e4, "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := estimate(c.steps, c.reach)
			if got.rows != c.want || got.worst.table != c.worst {
				t.Errorf("%g rows, worst %q; want %g, %q", got.rows, got.worst.table, c.want, c.worst)
			}
		})
	}
}

func TestAnEstimateBeyondAnyNumberIsStillTooMuch(t *testing.T) {
	var steps []planStep
	for range 40 {
		steps = append(steps, planStep{id: "1", table: "t1", rows: 18446744073709551615, filtered: 100})
	}
	if cost := estimate(steps, 0); !(cost.rows > 1e9) {
		t.Errorf("40 tables of 2^64 rows are %g", cost.rows)
	}
}

// Names behind a view, which the plan has, must not reach the asker.
func TestTheWorstTableIsNamedAsTheAllowlistNamesIt(t *testing.T) {
	tables := []authz.TableName{{Schema: "shop", Table: "orders"}, {Schema: "archive", Table: "odd name"}, {Schema: "shop", Table: "sums"}, {Schema: "shop", Table: "more"}}
	at := func(id string, names ...string) (out []planStep) {
		for _, n := range names {
			out = append(out, planStep{id: id, table: n})
		}
		return out
	}
	for _, c := range []struct {
		worst planStep
		outer []string
		want  string
	}{
		{planStep{id: "1", table: "t1"}, []string{"t1", "t2", "t3", "t4"}, "orders"},
		{planStep{id: "1", table: "t2"}, []string{"t1", "t2", "t3", "t4"}, "archive.`odd name`"},
		{planStep{id: "1", table: "secret"}, []string{"t1", "t2", "secret", "t4"}, "sums"},
		{planStep{id: "1", table: "<derived2>"}, []string{"t1", "<derived2>", "t2", "other"}, "sums or more"},
		{planStep{id: "2", table: "t1"}, []string{"t1", "t2", "<derived2>", "t4"}, "sums"},
		{planStep{id: "2", table: "t9"}, []string{"t1", "t2", "t3", "t4"}, "orders or archive.`odd name` or sums or more"},
		{planStep{id: "1", table: "t01"}, []string{"t01", "t2", "t3", "t4"}, "orders"},
		{planStep{id: "1", table: "t5"}, []string{"t1", "t2", "t3", "t5"}, "more"},
	} {
		steps := slices.Concat(at("1", c.outer...), at("2", c.worst.table))
		if got := strings.Join(namesOf(c.worst, steps, tables, "shop"), " or "); got != c.want {
			t.Errorf("%s of %v is called %q, want %q", c.worst.table, c.outer, got, c.want)
		}
	}
}

func TestEstimatesAreSaidWithTwoDigits(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 1: "1", 9.7: "9", 99: "99", 100: "100", 123: "120", 78690: "79000", 99999: "100000",
		4e10: "40000000000", 1e15: "a million billion or more", 1e300: "a million billion or more"} {
		if got := about(n); got != want {
			t.Errorf("%g is said as %q, want %q", n, got, want)
		}
	}
}

func TestAPlanOfAnotherFormIsNoPlan(t *testing.T) {
	mysql := []string{"id", "select_type", "table", "partitions", "type", "possible_keys", "key", "key_len", "ref", "rows", "filtered", "Extra"}
	if _, err := layoutOf(mysql); err != nil {
		t.Fatal(err)
	}
	for i, name := range mysql {
		_, err := layoutOf(slices.Concat(mysql[:i], mysql[i+1:]))
		needed := !slices.Contains([]string{"partitions", "possible_keys", "key", "key_len", "ref"}, name)
		if (err != nil) != needed {
			t.Errorf("without %s: %v", name, err)
		}
	}
	l, err := layoutOf([]string{"id", "select_type", "table", "type", "rows", "filtered", "Extra"})
	if err != nil {
		t.Fatal(err)
	}
	row := []any{int64(1), []byte("SIMPLE"), []byte("t1"), []byte("ALL"), []byte("18446744073709551615"), 12.5, nil}
	s, err := l.read(values(row))
	if want := (planStep{id: "1", kind: "SIMPLE", table: "t1", access: "ALL", rows: 18446744073709551615, filtered: 12.5}); err != nil || s != want {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, bad := range []any{[]byte("many"), int64(-1), "", "NaN"} {
		row[4] = bad
		if s, err := l.read(values(row)); err == nil {
			t.Errorf("%v rows were read as %g", bad, s.rows)
		}
	}
}

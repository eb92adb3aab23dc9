package projector

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/config"
)

func key(fill byte) Pseudonyms {
	ps, err := NewPseudonyms(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		panic(err)
	}
	return ps
}

func masked(mask config.Mask, schema, table, name string) []authz.Column {
	return []authz.Column{{Name: "alias", Mask: mask, Schema: schema, Table: table, Source: name, JSON: true}}
}

// cells projects values of one masked column and returns its cells.
func cells(t *testing.T, plan []authz.Column, ps Pseudonyms, driverType string, limits Limits, values ...driver.Value) []string {
	t.Helper()
	src := &memory{types: []string{driverType}}
	for _, v := range values {
		src.rows = append(src.rows, []driver.Value{v})
	}
	b := mustProject(t, src, plan, everyRow, limits, ps).JSON()
	if !bytes.Contains(b, []byte(`"columns":[{"name":"alias","type":"text","redacted":true}]`)) {
		t.Fatalf("the header tells more than that the column is redacted: %s", b)
	}
	var out []string
	for _, row := range decode(t, b).Rows {
		out = append(out, row[0].(string))
	}
	return out
}

func TestRedactedColumnShowsNothingOfItsValueTypeOrLength(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 5000)
	tight := Limits{CellBytes: 4, TotalBytes: 4096}
	want := ""
	for _, driverType := range []string{"VARCHAR", "BIGINT", "GEOMETRY", "JSON", "DATETIME", "NULL", "no such type"} {
		for _, v := range []driver.Value{nil, int64(7), []byte(""), []byte("\xff"), long, 1.5, true} {
			for _, mask := range []config.Mask{config.MaskRedact, "a mask of the future"} {
				src := &memory{types: []string{driverType}, rows: [][]driver.Value{{v}}}
				got := string(mustProject(t, src, masked(mask, "s", "t", "c"), everyRow, tight, key(1)).JSON())
				if want == "" {
					want = got
				}
				if got != want || !strings.Contains(got, `[["[REDACTED]"]]`) {
					t.Fatalf("%s %.20q: %s differs from %s", driverType, v, got, want)
				}
			}
		}
	}
}

func TestPseudonymIsStablePerKeyAndColumnAndEqualOnlyForEqualValues(t *testing.T) {
	plan := masked(config.MaskPseudonym, "shop", "users", "email")
	values := []driver.Value{[]byte("a@x"), []byte("A@x"), []byte(""), nil, int64(0), int64(-5), float32(0.5), 0.25, uint64(1 << 63),
		bytes.Repeat([]byte("y"), 9000), append(bytes.Repeat([]byte("y"), 8999), 'z')}
	got := cells(t, plan, key(1), "VARCHAR", Limits{16, 1 << 16}, values...)
	form := regexp.MustCompile(`^p_[0-9a-f]{24}$`)
	seen := map[string]int{}
	for i, p := range got {
		if !form.MatchString(p) {
			t.Errorf("value %d became %q", i, p)
		}
		if j, ok := seen[p]; ok {
			t.Errorf("values %d and %d share a pseudonym", i, j)
		}
		seen[p] = i
	}
	again := cells(t, plan, key(1), "VARCHAR", Limits{16, 1 << 16}, values...)
	if fmt.Sprint(again) != fmt.Sprint(got) {
		t.Error("the same values got other pseudonyms")
	}
	// The value is fixed: a change of the derivation would break what people noted.
	if got[0] != "p_e0889b602637aac206e5eb86" {
		t.Errorf("the pseudonym of a@x changed to %s", got[0])
	}
}

func TestPseudonymsOfOtherColumnsAndKeysAreUnrelated(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []struct {
		schema, table, name string
		ps                  Pseudonyms
	}{
		{"shop", "users", "email", key(1)},
		{"shop", "users", "email", key(2)},
		{"shop", "users", "mail", key(1)},
		{"shop", "user", "semail", key(1)},
		{"shopu", "sers", "email", key(1)},
		{"crm", "users", "email", key(1)},
	} {
		for _, v := range []driver.Value{[]byte("a@x"), nil} {
			p := cells(t, masked(config.MaskPseudonym, c.schema, c.table, c.name), c.ps, "VARCHAR", whole, v)[0]
			if other, ok := seen[p]; ok {
				t.Errorf("%v %v shares %s with %s", c, v, p, other)
			}
			seen[p] = fmt.Sprint(c, v)
		}
	}
}

func TestNullPseudonymLooksLikeAnyOther(t *testing.T) {
	got := cells(t, masked(config.MaskPseudonym, "s", "t", "c"), key(1), "VARCHAR", whole, nil, []byte("x"), nil, []byte("x"))
	if got[0] != got[2] || got[1] != got[3] || got[0] == got[1] || len(got[0]) != len(got[1]) {
		t.Errorf("NULL, x, NULL, x became %v", got)
	}
}

func TestPseudonymWithoutKeyOrColumnIsRedacted(t *testing.T) {
	for _, c := range []struct {
		plan []authz.Column
		ps   Pseudonyms
		v    driver.Value
	}{
		{masked(config.MaskPseudonym, "s", "t", "c"), Pseudonyms{}, []byte("x")},
		{masked(config.MaskPseudonym, "", "", ""), key(1), []byte("x")},
		{masked(config.MaskPseudonym, "s", "t", "c"), key(1), true}, // no type that the driver sends
	} {
		if got := cells(t, c.plan, c.ps, "VARCHAR", whole, c.v); got[0] != "[REDACTED]" {
			t.Errorf("%v became %v", c, got)
		}
	}
}

func TestPseudonymKeyIsLongAndNeverPrinted(t *testing.T) {
	if _, err := NewPseudonyms(make([]byte, 31)); err == nil {
		t.Error("a key of 31 bytes was accepted")
	}
	secret := bytes.Repeat([]byte("K"), 32)
	ps, err := NewPseudonyms(secret)
	if err != nil {
		t.Fatal(err)
	}
	clear(secret)
	if p := cells(t, masked(config.MaskPseudonym, "s", "t", "c"), ps, "INT", whole, int64(1)); p[0] != cells(t, masked(config.MaskPseudonym, "s", "t", "c"), key('K'), "INT", whole, int64(1))[0] {
		t.Error("the key changed with the caller's slice")
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		s := fmt.Sprintf(format, struct{ P Pseudonyms }{ps})
		if strings.Contains(s, "KKKK") || strings.Contains(s, "4b4b4b4b") || strings.Contains(s, "75 75 75") || strings.Contains(s, "0x4b, 0x4b") {
			t.Errorf("%s prints the key: %s", format, s)
		}
	}
}

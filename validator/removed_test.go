package validator

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
)

// spellings are all ways to write one function, by its names.
var spellings = map[string][]string{
	"SUBSTR SUBSTRING MID":         {"SUBSTR(a, 1)", "SUBSTRING(a, 1, 2)", "MID(a, 1, 2)", "SUBSTRING(a FROM 2)", "SUBSTR(a FROM 1 FOR 2)"},
	"LOCATE POSITION":              {"LOCATE('x', a)", "LOCATE('x', a, 2)", "POSITION('x' IN a)"},
	"LOWER LCASE":                  {"LOWER(a)", "lcase(a)"},
	"UPPER UCASE":                  {"UPPER(a)", "ucase(a)"},
	"LENGTH OCTET_LENGTH":          {"LENGTH(a)", "OCTET_LENGTH(a)"},
	"CHAR_LENGTH CHARACTER_LENGTH": {"CHAR_LENGTH(a)", "CHARACTER_LENGTH(a)"},
	"CEIL CEILING":                 {"CEIL(a)", "CEILING(a)"},
	"POW POWER":                    {"POW(a, 2)", "POWER(a, 2)"},
	"MOD":                          {"MOD(a, 2)", "a % 2", "a MOD 2"},
	"DAY DAYOFMONTH":               {"DAY(a)", "DAYOFMONTH(a)"},
	"NOW CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP": {"NOW()", "NOW(3)", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP()", "CURRENT_TIMESTAMP(6)",
		"LOCALTIME", "LOCALTIME()", "LOCALTIMESTAMP", "LOCALTIMESTAMP()"},
	"CURDATE CURRENT_DATE":          {"CURDATE()", "CURRENT_DATE", "CURRENT_DATE()"},
	"CURTIME CURRENT_TIME":          {"CURTIME()", "CURTIME(2)", "CURRENT_TIME", "CURRENT_TIME()"},
	"DATE_ADD ADDDATE TIMESTAMPADD": {"DATE_ADD(a, INTERVAL 1 DAY)", "ADDDATE(a, INTERVAL 1 DAY)", "ADDDATE(a, 1)", "a + INTERVAL 1 DAY", "TIMESTAMPADD(DAY, 1, a)"},
	"DATE_SUB SUBDATE":              {"DATE_SUB(a, INTERVAL 1 DAY)", "SUBDATE(a, INTERVAL 1 DAY)", "SUBDATE(a, 1)", "a - INTERVAL 1 DAY"},
	"JSON_EXTRACT":                  {"JSON_EXTRACT(a, '$.x')", "a->'$.x'", "a->>'$.x'"},
	"JSON_UNQUOTE":                  {"JSON_UNQUOTE(a)", "a->>'$.x'"},
	"ATAN ATAN2":                    {"ATAN(a)", "ATAN(a, 1)", "ATAN2(a, 1)"},
	"SHA SHA1":                      {"SHA(a)", "SHA1(a)"},
}

func accepts(t *testing.T, set function.Set, expr string) bool {
	t.Helper()
	_, err := New(Options{Functions: set}).Validate("SELECT " + expr + " FROM t")
	var r *refusal.Refusal
	if errors.As(err, &r) && r.Reason != refusal.UnknownFunction {
		t.Errorf("%s: %v", expr, err)
	}
	return err == nil
}

// TestAFunctionIsAddedAndRemovedInAllItsSpellings by any of them.
func TestAFunctionIsAddedAndRemovedInAllItsSpellings(t *testing.T) {
	const flavour = "mysql 8.4"
	everything := function.Everything(flavour).Names()
	for names, forms := range spellings {
		for name := range strings.FieldsSeq(names) {
			with, errs := function.NewSet(flavour, []string{name}, nil)
			without, more := function.NewSet(flavour, everything, []string{strings.ToLower(name)})
			if len(errs)+len(more) > 0 {
				t.Fatal(errs, more)
			}
			for _, form := range forms {
				if !accepts(t, with, form) {
					t.Errorf("with %s added, %s is refused", name, form)
				}
				if accepts(t, without, form) {
					t.Errorf("with %s removed, %s is accepted", name, form)
				}
			}
		}
	}
}

// TestARemovedFunctionCannotBeCalledByItsName goes over the whole catalogue, so
// that no name of it is turned into another before it is looked up.
func TestARemovedFunctionCannotBeCalledByItsName(t *testing.T) {
	const flavour = "mysql 8.4"
	all := function.Everything(flavour)
	for _, name := range all.Names() {
		f, _ := all.Lookup(name)
		call := name + "(" + strings.Join(slices.Repeat([]string{"a"}, f.Min), ", ") + ")"
		switch name {
		case "EXTRACT":
			call = "EXTRACT(DAY FROM a)"
		case "MID":
			call = "MID(a, b, c)"
		case "POSITION":
			call = "POSITION(a IN b)"
		case "DATE_ADD", "DATE_SUB":
			call = name + "(a, INTERVAL 1 DAY)"
		case "TIMESTAMPADD", "TIMESTAMPDIFF":
			call = name + "(DAY, a, b)"
		case "REPLACE", "CONCAT_WS", "JSON_EXTRACT", "JSON_CONTAINS_PATH", "DATE_FORMAT", "TIME_FORMAT", "STR_TO_DATE":
			call = name + "(" + strings.Join(slices.Repeat([]string{"'a'"}, f.Min), ", ") + ")"
		}
		if !accepts(t, all, call) {
			t.Errorf("%s is refused", call)
		}
		without, _ := function.NewSet(flavour, all.Names(), []string{name})
		if accepts(t, without, call) {
			t.Errorf("with %s removed, %s is accepted", name, call)
		}
	}
}

package function

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatCanNeverBeAllowedIsInNoSet(t *testing.T) {
	var never []string
	for _, names := range []map[string]bool{forbidden, metadata, regexps} {
		for n := range names {
			never = append(never, n)
		}
	}
	never = append(never, "ST_AsText", "f_peek", "")
	set, _ := NewSet("mysql 8.4", never, nil)
	for _, n := range never {
		for _, spelling := range []string{n, strings.ToLower(n)} {
			if _, ok := set.Lookup(spelling); ok {
				t.Errorf("%s is allowed", spelling)
			}
		}
		if _, errs := NewSet("mysql 8.4", []string{n}, nil); len(errs) != 1 {
			t.Errorf("adding %q: %v", n, errs)
		}
	}
}

func TestConfigAddsAndRemoves(t *testing.T) {
	set, errs := NewSet("", []string{"soundex"}, []string{"group_concat", "Now"})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for name, want := range map[string]bool{"SOUNDEX": true, "GROUP_CONCAT": false, "now": false, "LOWER": true, "HEX": false} {
		if _, ok := set.Lookup(name); ok != want {
			t.Errorf("%s: %v", name, ok)
		}
	}
	if _, errs := NewSet("", []string{"\u017foundex"}, nil); len(errs) != 1 {
		t.Error("a look-alike was added")
	}
	if _, errs := NewSet("", []string{"nosuch", "sleep"}, []string{"nosuch"}); len(errs) != 3 {
		t.Errorf("not every mistake is reported: %v", errs)
	}
}

func TestAFunctionThatIsNotNativeEverywhereNeedsItsFlavour(t *testing.T) {
	for flavour, want := range map[string]bool{"": false, "mysql 9.7": false, "mysql 8.4": true, "mysql 80.1": false, "mariadb 10.11": true} {
		_, errs := NewSet(flavour, []string{"md5"}, nil)
		if (len(errs) == 0) != want {
			t.Errorf("%q: %v", flavour, errs)
		}
	}
}

func TestNamesFoldInASCIIOnly(t *testing.T) {
	set, _ := NewSet("", nil, nil)
	for _, name := range []string{"\u017fum", "lo\u212awer", "CONCAT\u017f"} {
		if _, ok := set.Lookup(name); ok {
			t.Errorf("%q is allowed", name)
		}
	}
}

func TestTheZeroSetAllowsNothing(t *testing.T) {
	if _, ok := (Set{}).Lookup("LOWER"); ok || len((Set{}).Names()) != 0 {
		t.Error("the zero Set allows a function")
	}
}

func TestNothingIsBothAllowableAndForbidden(t *testing.T) {
	for n := range catalogue {
		if forbidden[n] || metadata[n] || regexps[n] {
			t.Errorf("%s is in two lists", n)
		}
	}
	if !slices.IsSorted((func() Set { s, _ := NewSet("", nil, nil); return s }()).Names()) {
		t.Error("Names isn't sorted")
	}
}

func TestEachNameHasOneHint(t *testing.T) {
	for of, table := range map[*map[string]string]map[string]string{&insteadOf: instead, &usageOf: usage} {
		count := 0
		for names := range *of {
			count += len(strings.Fields(names))
		}
		if count != len(table) {
			t.Errorf("%d names for %d hints: one is listed twice", count, len(table))
		}
	}
	for name := range usage {
		if _, ok := catalogue[name]; !ok {
			t.Errorf("the usage of %s, which nothing allows", name)
		}
	}
	for name := range instead {
		if catalogue[name].Default {
			t.Errorf("a substitute for %s, which is allowed", name)
		}
	}
}

func TestOnlyWordsOfOursAreShown(t *testing.T) {
	for in, want := range map[string]string{"sleep": "SLEEP", "strftime": "STRFTIME", "Round": "ROUND", "json_object": "JSON_OBJECT",
		"f_peek": "", "st_secret": "", "mbrsecret": "", "": "", "\u017fleep": ""} {
		if got := Word(in); got != want {
			t.Errorf("Word(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSynonymsAreInTheCatalogueAndAllowedTogether(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(synonymsOf) {
		names := strings.Fields(line)
		for _, n := range names {
			f, ok := catalogue[n]
			if !ok || seen[n] {
				t.Errorf("%s is in no catalogue, or in two lines", n)
			}
			seen[n] = true
			if first := catalogue[names[0]]; f.Default != first.Default || !slices.Equal(f.Only, first.Only) {
				t.Errorf("%s and %s are not allowed alike", n, names[0])
			}
		}
	}
}

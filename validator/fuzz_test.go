package validator

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// FuzzParseToTree looks for input that panics (Validate would contain it, but
// each is a case to know) or that is accepted beyond a cap.
func FuzzParseToTree(f *testing.F) {
	for _, tt := range refusals {
		if len(tt.sql) < 2000 {
			f.Add(tt.sql)
		}
	}
	traps, err := os.Open("../testdata/traps/traps.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	defer traps.Close()
	for lines := bufio.NewScanner(traps); lines.Scan(); {
		var c struct{ SQL string }
		if json.Unmarshal(lines.Bytes(), &c) == nil {
			f.Add(c.SQL)
		}
	}
	v := newValidator(f)
	f.Fuzz(func(t *testing.T, sql string) {
		root, r := v.validate(sql)
		if root == nil && r == nil {
			t.Fatalf("%q: neither tree nor refusal", sql)
		}
		if r != nil {
			if r.Message == "" || r.Hint == "" {
				t.Fatalf("%q: a refusal without words: %+v", sql, r)
			}
			return
		}
		if len(root.Items) > maxItems || len(root.Joins) > maxJoins || len(root.GroupBy) > maxOrder || root.Params > maxPlaceholders {
			t.Fatalf("%q: accepted beyond a cap", sql)
		}
		_ = Mask(sql)
	})
}

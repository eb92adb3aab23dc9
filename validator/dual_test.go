package validator

import (
	"testing"

	"mysqlevidence/internal/seal"
)

func TestDualInBackticksIsATable(t *testing.T) {
	v := newValidator(t)
	for _, sql := range []string{"SELECT v FROM `dual`", "SELECT v FROM s.dual", "SELECT v FROM s.`dual`", "SELECT `dual`.v FROM `dual` d JOIN `dual` AS e ON d.v = e.v"} {
		q, err := v.Validate(sql)
		if err != nil {
			t.Errorf("%q: %v", sql, err)
			continue
		}
		if name := q.Tree(seal.Open()).From.Name; name != "dual" {
			t.Errorf("%q reads %q", sql, name)
		}
	}
}

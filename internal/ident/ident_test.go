package ident

import "testing"

func TestNamesAreShownAsAQueryMustWriteThem(t *testing.T) {
	for name, want := range map[string]string{
		"orders": "orders", "MixedCase": "MixedCase", "_x1": "_x1", "Order": "`Order`", "rank": "`rank`", "status": "status",
		"1a": "`1a`", "a b": "`a b`", "a`b": "`a``b`", "": "``", "čas": "`čas`", "a.b": "`a.b`",
	} {
		if got := Show(name); got != want {
			t.Errorf("Show(%q) = %s, want %s", name, got, want)
		}
	}
	if len(reserved) < 250 {
		t.Errorf("only %d reserved words", len(reserved))
	}
}

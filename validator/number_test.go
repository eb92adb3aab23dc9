package validator

import (
	"strings"
	"testing"
)

func TestANumberThatTheServersKeepIsAccepted(t *testing.T) {
	v := newValidator(t)
	for _, number := range []string{
		"1.7e308", "1e-400", "0e999", "00000e400", "0.0e99999", "1e-99999999999999999999", strings.Repeat("9", 65), "18446744073709551616",
		strings.Repeat("0", 100) + "1", strings.Repeat("9", 65) + ".5", "1." + strings.Repeat("1", 90), "0." + strings.Repeat("0", 100) + "1",
	} {
		if _, err := v.Validate("SELECT " + number + " FROM t WHERE a < " + number); err != nil {
			t.Errorf("%s: %v", number, err)
		}
	}
}

package executor

import (
	"strings"
	"testing"
)

func TestAnAccountThatMayOnlyReadHasNoExcess(t *testing.T) {
	for _, line := range []string{
		"GRANT USAGE ON *.* TO `reader`@`%`",
		"GRANT USAGE ON *.* TO `reader`@`%` IDENTIFIED BY PASSWORD '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19'",
		"GRANT USAGE ON *.* TO `reader`@`%` IDENTIFIED VIA ed25519 USING 'abc' REQUIRE SSL WITH MAX_USER_CONNECTIONS 5",
		"GRANT SELECT ON *.* TO `reader`@`10.0.0.%`",
		"GRANT SELECT ON `shop`.* TO `reader`@`%`",
		"GRANT SELECT, SHOW VIEW ON `shop`.`orders` TO `reader`@`%`",
		"GRANT SELECT (`id`, `insert`, `to`), SHOW VIEW ON `shop`.`customers` TO `reader`@`%`",
		"GRANT SELECT ON `with grant option`.* TO `on`@`to`",
		"GRANT SELECT ON `a``b`.* TO 'reader'@'%'",
		"REVOKE SELECT ON `mysql`.* FROM `reader`@`%`",
	} {
		if got := inspectGrant(line); len(got) != 0 {
			t.Errorf("%s\n\tcounts as excess: %v", line, got)
		}
	}
}

func TestEveryOtherPrivilegeIsExcessAndHasItsRevoke(t *testing.T) {
	for _, c := range []struct {
		line, what, revoke string
	}{
		{"GRANT SELECT, INSERT ON `shop`.* TO `app`@`%`", "INSERT ON `shop`.*", "REVOKE INSERT ON `shop`.* FROM `app`@`%`"},
		{"GRANT SELECT (`id`), UPDATE (`id`, `name`) ON `shop`.`t` TO `app`@`%`", "UPDATE (`id`, `name`) ON `shop`.`t`", "REVOKE UPDATE (`id`, `name`) ON `shop`.`t` FROM `app`@`%`"},
		{"GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION", "ALL PRIVILEGES ON *.*", "REVOKE ALL PRIVILEGES ON *.* FROM `root`@`localhost`"},
		{"GRANT SELECT ON `shop`.* TO `app`@`%` WITH GRANT OPTION", "GRANT OPTION ON `shop`.*", "REVOKE GRANT OPTION ON `shop`.* FROM `app`@`%`"},
		{"GRANT EXECUTE ON FUNCTION `shop`.`f` TO `app`@`%`", "EXECUTE ON FUNCTION `shop`.`f`", "REVOKE EXECUTE ON FUNCTION `shop`.`f` FROM `app`@`%`"},
		{"GRANT PROCESS, FILE ON *.* TO `app`@`%`", "FILE ON *.*", "REVOKE FILE ON *.* FROM `app`@`%`"},
		{"GRANT SET_USER_ID ON *.* TO `app`@`%`", "SET_USER_ID ON *.*", "REVOKE SET_USER_ID ON *.* FROM `app`@`%`"},
		{"GRANT LOCK TABLES ON `shop`.* TO `app`@`%`", "LOCK TABLES ON `shop`.*", "REVOKE LOCK TABLES ON `shop`.* FROM `app`@`%`"},
		{"GRANT CREATE VIEW ON `shop`.* TO `app`@`%`", "CREATE VIEW ON `shop`.*", "REVOKE CREATE VIEW ON `shop`.* FROM `app`@`%`"},
		{"GRANT PROXY ON ``@`` TO `root`@`localhost` WITH GRANT OPTION", "PROXY ON ``@``", "REVOKE PROXY ON ``@`` FROM `root`@`localhost`"},
		{"GRANT `writer`@`%` TO `app`@`%`", "the role `writer`@`%`", "REVOKE `writer`@`%` FROM `app`@`%`"},
		{"GRANT `SELECT` TO `app`@`%`", "the role `SELECT`", "REVOKE `SELECT` FROM `app`@`%`"},
		{"GRANT SELECT ON `a`.* TO `x`@`%` IDENTIFIED BY PASSWORD 'a\\'b' WITH GRANT OPTION", "GRANT OPTION ON `a`.*", "REVOKE GRANT OPTION ON `a`.* FROM `x`@`%`"},
	} {
		var whats, revokes []string
		for _, x := range inspectGrant(c.line) {
			whats, revokes = append(whats, x.what), append(revokes, x.revoke)
		}
		if got := strings.Join(whats, "\n"); !strings.Contains(got, c.what) {
			t.Errorf("%s\n\tnames %q, want %q", c.line, got, c.what)
		}
		if got := strings.Join(revokes, "\n"); !strings.Contains(got, c.revoke) {
			t.Errorf("%s\n\tsuggests %q, want %q", c.line, got, c.revoke)
		}
	}
}

func TestAGrantThatIsNotUnderstoodIsExcess(t *testing.T) {
	for _, line := range []string{
		"",
		"SET DEFAULT ROLE `writer` FOR `app`@`%`",
		"GRANT",
		"GRANT SELECT",
		"GRANT SELECT ON `shop`.*",
		"GRANT ON `shop`.* TO `app`@`%`",
		"GRANT SELECT, ON `shop`.* TO `app`@`%`",
		"GRANT SELECT INSERT ON `shop`.* TO `app`@`%`",
		"GRANT `SELECT` ON `shop`.* TO `app`@`%`",
		"GRANT SELECT ON `shop.* TO app@% WITH GRANT OPTION",
		"GRANT SELECT ON `shop`.* TO `app`@`%` (",
		"GRANT SELECT (`a` ON `shop`.* TO `app`@`%`)",
		"ALLOW SELECT ON `shop`.* TO `app`@`%`",
	} {
		if len(inspectGrant(line)) == 0 {
			t.Errorf("%q passes", line)
		}
	}
}

// Whatever the line, if it passes then every privilege before ON is one of three.
func FuzzOnlyReadingPasses(f *testing.F) {
	f.Add("SELECT (`a`), SHOW VIEW", "`b`.`c`", "`d`@`e`")
	f.Add("INSERT", "*.*", "'a'@'b' WITH GRANT OPTION")
	f.Add("SELECT, UPDATE", "*.*", "a")
	f.Add("SELECT", "*.*", "a (")
	f.Add("SELECT", "*.*", "a (b)")
	f.Fuzz(func(t *testing.T, privileges, object, account string) {
		if len(inspectGrant("GRANT "+privileges+" ON "+object+" TO "+account)) > 0 {
			return
		}
		for _, hidden := range []string{"INSERT", "ALL PRIVILEGES", "`role`"} {
			for _, line := range []string{
				"GRANT " + hidden + ", " + privileges + " ON " + object + " TO " + account,
				"GRANT " + privileges + " ON " + object + " TO " + account + " WITH GRANT OPTION",
			} {
				if len(inspectGrant(line)) == 0 {
					t.Fatalf("%q passes", line)
				}
			}
		}
	})
}

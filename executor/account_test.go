package executor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// excessOf judges lines of SHOW GRANTS of an account without roles.
func excessOf(lines ...string) []excess {
	_, found := judgeOwn(lines, flavour{mariadb: true})
	return found
}

func TestAnAccountThatMayOnlyReadHasNoExcess(t *testing.T) {
	for _, line := range []string{
		// As MySQL 8.0, 8.4 and 9 print them.
		"GRANT USAGE ON *.* TO `reader`@`%`",
		"GRANT SELECT ON *.* TO `reader`@`10.0.0.%`",
		"GRANT SELECT, SHOW VIEW ON `shop`.`orders` TO `reader`@`%`",
		"GRANT SELECT (`id`, `insert`, `to`), SHOW VIEW ON `shop`.`customers` TO `reader`@`%`",
		"GRANT SELECT ON `with grant option`.* TO `on`@`to`",
		"GRANT SELECT ON `shop\\_%`.* TO `reader`@`%`",
		"REVOKE SELECT ON `mysql`.* FROM `reader`@`%`",
		"GRANT `reading`@`%`,`writing`@`%` TO `reader`@`%`",
		// With sql_quote_show_create off.
		"GRANT SELECT (id, name) ON shop.* TO reader@`%`",
		// As MariaDB 10.6 to 11 print them.
		"GRANT USAGE ON *.* TO `reader`@`%` IDENTIFIED BY PASSWORD '*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19'",
		"GRANT USAGE ON *.* TO `reader`@`%` IDENTIFIED VIA ed25519 USING 'abc' OR unix_socket REQUIRE SSL WITH MAX_USER_CONNECTIONS 5 MAX_STATEMENT_TIME 3.000000",
		"GRANT USAGE ON *.* TO `reader`@`%` REQUIRE ISSUER '/CN=WITH GRANT OPTION' SUBJECT '/CN=x' CIPHER 'AES'",
		"GRANT SELECT ON `a``b`.* TO 'reader'@'%'",
		"GRANT `reading` TO `reader`@`%`",
		"GRANT SELECT ON `shop`.* TO `reading`",
		"GRANT SELECT ON `shop`.* TO PUBLIC",
		"SET DEFAULT ROLE `reading` FOR `reader`@`%`",
	} {
		if got := excessOf(line); len(got) != 0 {
			t.Errorf("%s\n\tcounts as excess: %v", line, got)
		}
	}
}

func TestEveryOtherPrivilegeIsExcessAndHasItsRevoke(t *testing.T) {
	for _, c := range []struct{ line, who, what, revoke string }{
		// As MySQL 8.0, 8.4 and 9 print them.
		{"GRANT SELECT, INSERT, UPDATE ON `shop`.* TO `app`@`%`", "the account `app`@`%`", "INSERT, UPDATE ON `shop`.*", "REVOKE INSERT, UPDATE ON `shop`.* FROM `app`@`%`"},
		{"GRANT SELECT (`id`), UPDATE (`id`, `name`) ON `shop`.`t` TO `app`@`%`", "the account `app`@`%`", "UPDATE (`id`, `name`) ON `shop`.`t`", "REVOKE UPDATE (`id`, `name`) ON `shop`.`t` FROM `app`@`%`"},
		{"GRANT ALL PRIVILEGES ON `shop`.* TO `app`@`%`", "the account `app`@`%`", "ALL PRIVILEGES ON `shop`.*", "REVOKE ALL PRIVILEGES ON `shop`.* FROM `app`@`%`"},
		{"GRANT SELECT ON `shop`.* TO `app`@`%` WITH GRANT OPTION", "the account `app`@`%`", "GRANT OPTION ON `shop`.*", "REVOKE GRANT OPTION ON `shop`.* FROM `app`@`%`"},
		{"GRANT EXECUTE ON FUNCTION `shop`.`f` TO `app`@`%`", "the account `app`@`%`", "EXECUTE ON FUNCTION `shop`.`f`", "REVOKE EXECUTE ON FUNCTION `shop`.`f` FROM `app`@`%`"},
		{"GRANT EXECUTE, ALTER ROUTINE ON PROCEDURE `shop`.`p` TO `app`@`%`", "the account `app`@`%`", "EXECUTE, ALTER ROUTINE ON PROCEDURE `shop`.`p`", "REVOKE EXECUTE, ALTER ROUTINE ON PROCEDURE `shop`.`p` FROM `app`@`%`"},
		{"GRANT PROCESS, FILE ON *.* TO `app`@`%`", "the account `app`@`%`", "PROCESS, FILE ON *.*", "REVOKE PROCESS, FILE ON *.* FROM `app`@`%`"},
		{"GRANT APPLICATION_PASSWORD_ADMIN,SET_USER_ID ON *.* TO `app`@`%`", "the account `app`@`%`", "APPLICATION_PASSWORD_ADMIN, SET_USER_ID ON *.*", "REVOKE APPLICATION_PASSWORD_ADMIN, SET_USER_ID ON *.* FROM `app`@`%`"},
		{"GRANT PROXY ON ``@`` TO `root`@`localhost` WITH GRANT OPTION", "the account `root`@`localhost`", "PROXY ON ``@``", "REVOKE PROXY ON ``@`` FROM `root`@`localhost`"},
		// As MariaDB 10.6 to 11 print them.
		{"GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION", "the account 'root'@'localhost'", "PROXY ON ''@'%'", "REVOKE PROXY ON ''@'%' FROM 'root'@'localhost'"},
		{"GRANT SELECT, DELETE HISTORY ON `shop`.* TO `app`@`%`", "the account `app`@`%`", "DELETE HISTORY ON `shop`.*", "REVOKE DELETE HISTORY ON `shop`.* FROM `app`@`%`"},
		{"GRANT BINLOG MONITOR ON *.* TO `app`@`%` IDENTIFIED BY PASSWORD '*0' WITH MAX_USER_CONNECTIONS 5", "the account `app`@`%`", "BINLOG MONITOR ON *.*", "REVOKE BINLOG MONITOR ON *.* FROM `app`@`%`"},
		{"GRANT SHOW CREATE ROUTINE ON `shop`.* TO `app`@`%`", "the account `app`@`%`", "SHOW CREATE ROUTINE ON `shop`.*", "REVOKE SHOW CREATE ROUTINE ON `shop`.* FROM `app`@`%`"},
		{"GRANT EXECUTE ON PACKAGE BODY `shop`.`p` TO `app`@`%`", "the account `app`@`%`", "EXECUTE ON PACKAGE BODY `shop`.`p`", "REVOKE EXECUTE ON PACKAGE BODY `shop`.`p` FROM `app`@`%`"},
		{"GRANT SELECT ON `a`.* TO `x`@`%` IDENTIFIED BY PASSWORD 'a\\'b' WITH GRANT OPTION", "the account `x`@`%`", "GRANT OPTION ON `a`.*", "REVOKE GRANT OPTION ON `a`.* FROM `x`@`%`"},
		{"GRANT INSERT ON `shop`.* TO PUBLIC", "everybody (PUBLIC)", "INSERT ON `shop`.*", "REVOKE INSERT ON `shop`.* FROM PUBLIC"},
		{"GRANT INSERT ON `shop`.* TO `writing`", "the role `writing`", "INSERT ON `shop`.*", "REVOKE INSERT ON `shop`.* FROM `writing`"},
		{"GRANT `reading` TO `app`@`%` WITH ADMIN OPTION", "the account `app`@`%`", "the role `reading` WITH ADMIN OPTION", "REVOKE ADMIN OPTION FOR `reading` FROM `app`@`%`"},
		{"GRANT `reading` TO `outer` WITH ADMIN OPTION", "the role `outer`", "the role `reading` WITH ADMIN OPTION", "REVOKE ADMIN OPTION FOR `reading` FROM `outer`"},
	} {
		found := excessOf(c.line)
		if len(found) != 1 || found[0].who != c.who || found[0].what != c.what || !slices.Equal(found[0].mend, []string{c.revoke}) {
			t.Errorf("%s\n\tgives %v, want %q %q %q", c.line, found, c.who, c.what, c.revoke)
		}
	}
}

func TestAGrantThatIsNotUnderstoodIsExcess(t *testing.T) {
	for _, line := range []string{
		"",
		"GRANT",
		"GRANT SELECT",
		"GRANT SELECT ON `shop`.*",
		"GRANT SELECT ON TO `app`@`%`",
		"GRANT ON `shop`.* TO `app`@`%`",
		"GRANT SELECT, ON `shop`.* TO `app`@`%`",
		"GRANT , SELECT ON `shop`.* TO `app`@`%`",
		"GRANT SELECT INSERT ON `shop`.* TO `app`@`%`",
		"GRANT `SELECT` ON `shop`.* TO `app`@`%`",
		"GRANT SELECT `a` ON `shop`.* TO `app`@`%`",
		"GRANT SELECT () ON `shop`.* TO `app`@`%`",
		"GRANT SELECT (`a`,) ON `shop`.* TO `app`@`%`",
		"GRANT SELECT (`a` `b`) ON `shop`.* TO `app`@`%`",
		"GRANT SELECT (`a`), (`b`) ON `shop`.* TO `app`@`%`",
		"GRANT SELECT ON `shop.* TO app@% WITH GRANT OPTION",
		"GRANT SELECT ON `a`.*, INSERT ON `b`.* TO `app`@`%`",
		"GRANT SELECT ON `shop`.* TO `app`@`%` (",
		"GRANT SELECT (`a` ON `shop`.* TO `app`@`%`)",
		"GRANT SELECT ON `shop`.* TO `app`@`%`, `other`@`%`",
		"GRANT SELECT ON `shop`.* TO `app`@`%` WITH WRITES",
		"GRANT SELECT ON `shop`.* TO `app`@`%` WITH OPTION",
		"GRANT `a`, TO `app`@`%`",
		"GRANT a b TO `app`@`%`",
		"ALLOW SELECT ON `shop`.* TO `app`@`%`",
		"SET DEFAULT ROLE",
		"SET ROLE `writer` FOR `app`@`%`",
	} {
		if len(excessOf(line)) == 0 {
			t.Errorf("%q passes", line)
		}
	}
	if len(excessOf()) == 0 {
		t.Error("an account without any line passes")
	}
}

// What isn't understood is quoted in the log, but not the hash that MariaDB
// prints in it.
func TestNoPasswordHashIsInALog(t *testing.T) {
	got := describe(excessOf("GRANT USAGE ON *.* TO `a`@`%` IDENTIFIED VIA ed25519 USING 'HASH1' OR mysql_native_password USING 'HASH2' SOMEHOW 'x'"))
	if strings.Contains(got, "HASH") || !strings.Contains(got, "isn't understood") {
		t.Error(got)
	}
}

// readRole judges what MySQL shows of an account `u`@`%` with one role.
func readRole(own, with []string, graph ...roleEdge) []excess {
	o, _ := judgeOwn(own, flavour{})
	o.graph = graph
	return append(o.judgeRole("`r`@`%`", with), o.handedOn()...)
}

func TestWhatComesFromARoleOfMySQLsIsSaidAndCanBeTakenAway(t *testing.T) {
	own := []string{"GRANT USAGE ON *.* TO `u`@`%`", "GRANT SELECT, UPDATE (`a`) ON `s`.`t` TO `u`@`%`", "GRANT `r`@`%` TO `u`@`%`"}
	given := roleEdge{to: "`u`@`%`", role: "`r`@`%`"}
	mandatory := given
	mandatory.mandatory = true
	for _, c := range []struct {
		name  string
		with  []string
		graph []roleEdge
		want  string
	}{
		{"a role that only reads", []string{own[0], "GRANT SELECT ON `other`.* TO `u`@`%`", own[1], own[2]}, []roleEdge{given}, ""},
		{"one that writes", []string{own[0], "GRANT SELECT, INSERT, UPDATE (`a`, `b`) ON `s`.`t` TO `u`@`%`", own[2]}, []roleEdge{given},
			"the account's role `r`@`%` has INSERT, UPDATE (`b`) ON `s`.`t`; " +
				"take it away with: REVOKE INSERT, UPDATE (`b`) ON `s`.`t` FROM `r`@`%`; or without the role: REVOKE `r`@`%` FROM `u`@`%`"},
		{"one that is mandatory", []string{own[0], "GRANT FILE ON *.* TO `u`@`%`", own[2]}, []roleEdge{mandatory},
			"the mandatory role `r`@`%` has FILE ON *.*; take it away with: REVOKE FILE ON *.* FROM `r`@`%`; or take `r`@`%` out of mandatory_roles"},
		{"one that has others", []string{own[0], "GRANT FILE ON *.* TO `u`@`%`", own[2]},
			[]roleEdge{given, {to: "`r`@`%`", role: "`in`@`%`"}, {to: "`in`@`%`", role: "`r`@`%`"}, {to: "`in`@`%`", role: "`deep`@`%`"}},
			"the account's role `r`@`%` or a role in it (`in`@`%`, `deep`@`%`) has FILE ON *.*; take it away with: REVOKE `r`@`%` FROM `u`@`%`"},
		{"one that hands a role on", own, []roleEdge{given, {to: "`r`@`%`", role: "`in`@`%`", grantable: true}},
			"the role `r`@`%` has the role `in`@`%` WITH ADMIN OPTION; take it away with: REVOKE `in`@`%` FROM `r`@`%`; GRANT `in`@`%` TO `r`@`%`"},
		{"an option of the role's", []string{own[0], own[1] + " WITH GRANT OPTION", own[2]}, []roleEdge{given},
			"the account's role `r`@`%` has GRANT OPTION ON `s`.`t`; " +
				"take it away with: REVOKE GRANT OPTION ON `s`.`t` FROM `r`@`%`; or without the role: REVOKE `r`@`%` FROM `u`@`%`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(readRole(own, c.with, c.graph...)); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestARoleThatCannotBePutBackIsNotGuessed(t *testing.T) {
	for text, want := range map[string]bool{
		"`a`@`%`": true, "`a`@`%`,`b`@`h`": true, "`a``,b`@`%`": true,
		"": false, "`a`": false, "`a`@`%`,": false, "`a`@`%`;`b`@`%`": false, "ALL": false, "`a`@`%` `b`@`%`": false,
	} {
		if got := roleList(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Whatever the line, if it passes then another privilege in it doesn't.
func FuzzOnlyReadingPasses(f *testing.F) {
	f.Add("SELECT (`a`), SHOW VIEW", "`b`.`c`", "`d`@`e`")
	f.Add("INSERT", "*.*", "'a'@'b' WITH GRANT OPTION")
	f.Add("SELECT, UPDATE", "*.*", "a")
	f.Add("SELECT", "*.*", "a (")
	f.Add("SELECT", "a ON b", "a TO b")
	f.Fuzz(func(t *testing.T, privileges, object, account string) {
		if len(excessOf("GRANT "+privileges+" ON "+object+" TO "+account)) > 0 {
			return
		}
		for _, hidden := range []string{"INSERT", "ALL PRIVILEGES", "`role`"} {
			for _, line := range []string{
				"GRANT " + hidden + ", " + privileges + " ON " + object + " TO " + account,
				"GRANT " + privileges + ", " + hidden + " ON " + object + " TO " + account,
				"GRANT " + privileges + " ON " + object + " TO " + account + " WITH GRANT OPTION",
				fmt.Sprintf("GRANT %s ON %s, %s ON x TO %s", privileges, object, hidden, account),
			} {
				if len(excessOf(line)) == 0 {
					t.Fatalf("%q passes", line)
				}
			}
		}
	})
}

package executor

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
)

// granted is an account of a test with roles of its own.
type granted struct {
	*server
	src   config.DataSource
	user  string // 'name'@'%'
	roles []string
}

// grantee makes an account that may read the test's schema.
func (s *server) grantee() *granted {
	s.t.Helper()
	g := &granted{server: s, src: s.source()}
	g.src.Connection.Username, g.src.Connection.Password = s.account("SELECT ON " + s.schema + ".*")
	g.user = "'" + s.value(g.src.Connection.Username) + "'@'%'"
	return g
}

// role makes a role with privileges on objects of the test's schema and returns
// its name.
func (g *granted) role(privileges ...string) string {
	g.t.Helper()
	name := "r_" + strings.ToLower(rand.Text()[:12])
	g.exec("CREATE ROLE " + name)
	g.t.Cleanup(func() { g.exec("DROP ROLE " + name) })
	for _, p := range privileges {
		g.exec("GRANT " + g.filled(p) + " TO " + name)
	}
	g.roles = append(g.roles, name)
	return name
}

// filled puts the schema, the account and the roles into a text.
func (g *granted) filled(text string) string {
	pairs := []string{"{s}", g.schema, "{u}", g.user}
	for i, r := range g.roles {
		pairs = append(pairs, fmt.Sprintf("{r%d}", i), r)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// why is the operator's reason for which the account is refused, "" if it
// serves.
func (g *granted) why() string {
	g.t.Helper()
	e, _ := open(g.t, g.src)
	_, err := runAll(g.t.Context(), g.t, e, "SELECT id FROM items LIMIT 1", nil, within(10*time.Second))
	if err == nil {
		return ""
	}
	return errors.Unwrap(wantFault(g.t, err, Unavailable, privilegedAccount)).Error()
}

// mended runs the statements of a reason that begin with a REVOKE or GRANT.
func (g *granted) mended(why string) {
	g.t.Helper()
	for one := range strings.SplitSeq(why, " | ") {
		_, statements, ok := strings.Cut(one, "take it away with: ")
		if !ok {
			g.t.Fatalf("nothing is said against %q", one)
		}
		statements, _, _ = strings.Cut(statements, "; or ")
		for text := range strings.SplitSeq(statements, "; ") {
			g.exec(text)
		}
	}
}

func TestAPrivilegedAccountIsRefusedUntilWhatTheReasonSaysIsDone(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		s.exec("CREATE PROCEDURE " + s.schema + ".p() SELECT 1")
		for _, c := range []struct{ name, grant, want string }{
			{"a table", "GRANT INSERT ON {s}.items TO {u}", "INSERT ON `{s}`.`items`"},
			{"columns", "GRANT UPDATE (name, id) ON {s}.items TO {u}", "UPDATE ("},
			{"a schema", "GRANT EXECUTE ON {s}.* TO {u}", "EXECUTE ON `{s}`.*"},
			{"everything in a schema", "GRANT ALL ON {s}.* TO {u} WITH GRANT OPTION", "GRANT OPTION ON `{s}`.*"},
			{"globally", "GRANT PROCESS, RELOAD ON *.* TO {u}", "RELOAD, PROCESS ON *.*"},
			{"a routine", "GRANT EXECUTE ON PROCEDURE {s}.p TO {u}", "EXECUTE ON PROCEDURE `{s}`.`p`"},
			{"granting on", "GRANT SELECT ON {s}.items TO {u} WITH GRANT OPTION", "GRANT OPTION ON `{s}`.`items`"},
			{"being another", "GRANT PROXY ON 'root'@'%' TO {u}", "PROXY ON "},
		} {
			t.Run(c.name, func(t *testing.T) {
				g := s.grantee()
				s.exec(g.filled(c.grant))
				why := g.why()
				if !strings.Contains(why, "the account ") || !strings.Contains(why, g.filled(c.want)) {
					t.Fatalf("the reason is %q, want %q in it", why, g.filled(c.want))
				}
				g.mended(why)
				s.exec("GRANT SELECT ON " + s.schema + ".* TO " + g.user)
				if why := g.why(); why != "" {
					t.Errorf("still refused: %s", why)
				}
			})
		}
	})
}

func TestARoleThatOnlyReadsServesAndKeepsTheSessionsRoles(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		g := s.grantee()
		g.role("SELECT ON {s}.*")
		g.role("SELECT ON {s}.items")
		s.exec(g.filled("REVOKE SELECT ON {s}.* FROM {u}"))
		s.exec(g.filled("GRANT {r0} TO {u}"))
		s.exec(g.filled("GRANT {r1} TO {u}"))
		g.byDefault("{r0}")
		e, _ := open(t, g.src)
		wantOne(t, e)
	})
}

// byDefault gives every new session of the account the role.
func (g *granted) byDefault(role string) {
	g.t.Helper()
	preposition := " TO "
	if g.mariadb {
		preposition = " FOR "
	}
	g.exec(g.filled("SET DEFAULT ROLE " + role + preposition + "{u}"))
}

func TestWhatARoleCouldDoIsRefusedUntilWhatTheReasonSaysIsDone(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for _, c := range []struct {
			name   string
			grants []string
			want   string // in MySQL's reason
			maria  string // in MariaDB's
		}{
			{"a role that isn't taken", []string{"GRANT INSERT, UPDATE (name) ON {s}.items TO {r0}", "GRANT {r0} TO {u}"},
				"the account's role `{r0}`@`%` has INSERT, UPDATE (`name`) ON `{s}`.`items`", "the role `{r0}` has INSERT, UPDATE (`name`) ON `{s}`.`items`"},
			{"the default role", []string{"GRANT SELECT, DELETE ON {s}.* TO {r0}", "GRANT {r0} TO {u}", "DEFAULT {r0}"},
				"the account's role `{r0}`@`%` has DELETE ON `{s}`.*", "the role `{r0}` has DELETE ON `{s}`.*"},
			{"a role in a role", []string{"GRANT DELETE ON {s}.* TO {r1}", "GRANT {r1} TO {r0}", "GRANT {r0} TO {u}"},
				"the account's role `{r0}`@`%` or a role in it (`{r1}`@`%`) has DELETE ON `{s}`.*", "the role `{r1}` has DELETE ON `{s}`.*"},
			{"handing a role on", []string{"GRANT {r0} TO {u} WITH ADMIN OPTION"},
				"has the role `{r0}`@`%` WITH ADMIN OPTION", "has the role `{r0}` WITH ADMIN OPTION"},
			{"handing on a role in a role", []string{"GRANT {r1} TO {r0} WITH ADMIN OPTION", "GRANT {r0} TO {u}"},
				"the role `{r0}`@`%` has the role `{r1}`@`%` WITH ADMIN OPTION", "the role `{r0}` has the role `{r1}` WITH ADMIN OPTION"},
			{"one of two roles", []string{"GRANT SELECT ON {s}.* TO {r0}", "GRANT FILE ON *.* TO {r1}", "GRANT {r0} TO {u}", "GRANT {r1} TO {u}", "DEFAULT {r0}"},
				"the account's role `{r1}`@`%` has FILE ON *.*", "the role `{r1}` has FILE ON *.*"},
		} {
			t.Run(c.name, func(t *testing.T) {
				g := s.grantee()
				g.role()
				g.role()
				for _, text := range c.grants {
					if role, ok := strings.CutPrefix(text, "DEFAULT "); ok {
						g.byDefault(role)
						continue
					}
					s.exec(g.filled(text))
				}
				want := c.want
				if s.mariadb {
					want = c.maria
				}
				why := g.why()
				if !strings.Contains(why, g.filled(want)) {
					t.Fatalf("the reason is %q, want %q in it", why, g.filled(want))
				}
				g.mended(why)
				if why := g.why(); why != "" {
					t.Errorf("still refused: %s", why)
				}
			})
		}
	})
}

// A mandatory role can't be revoked; the reason says what can be done.
func TestAMandatoryRoleIsLookedInto(t *testing.T) {
	own := mysqltest.Own(t, "mysql", nil, "--partial-revokes=ON")
	s := prepared(t, own)
	g := s.grantee()
	g.role()
	s.exec(g.filled("SET GLOBAL mandatory_roles = '{r0},nonesuch'"))
	if why := g.why(); why != "" {
		t.Fatalf("a role that gives nothing is refused: %s", why)
	}
	s.exec("SET GLOBAL mandatory_roles = DEFAULT")
	s.exec(g.filled("GRANT INSERT ON {s}.* TO {r0}"))
	s.exec(g.filled("SET GLOBAL mandatory_roles = '{r0}'"))
	why := g.why()
	want := g.filled("the mandatory role `{r0}`@`%` has INSERT ON `{s}`.*; take it away with: REVOKE INSERT ON `{s}`.* FROM `{r0}`@`%`; or take `{r0}`@`%` out of mandatory_roles")
	if !strings.Contains(why, want) {
		t.Errorf("the reason is %q, want %q", why, want)
	}
	s.exec("SET GLOBAL mandatory_roles = DEFAULT")

	t.Run("partial revokes", func(t *testing.T) {
		g := s.grantee()
		s.exec(g.filled("GRANT SELECT ON *.* TO {u}"))
		s.exec(g.filled("REVOKE SELECT ON mysql.* FROM {u}"))
		if why := g.why(); why != "" {
			t.Errorf("a partial revoke of SELECT is refused: %s", why)
		}
		s.exec(g.filled("GRANT INSERT ON *.* TO {u}"))
		s.exec(g.filled("REVOKE INSERT ON {s}.* FROM {u}"))
		why := g.why()
		if !strings.Contains(why, "INSERT ON *.*") {
			t.Fatalf("what a partial revoke leaves isn't seen: %q", why)
		}
		g.mended(why)
		if why := g.why(); why != "" {
			t.Errorf("still refused: %s", why)
		}
	})
}

func TestWhatEverybodyMayDoIsLookedInto(t *testing.T) {
	s := prepared(t, mysqltest.Own(t, "mariadb", nil))
	g := s.grantee()
	s.exec(g.filled("GRANT UPDATE ON {s}.* TO PUBLIC"))
	why := g.why()
	if want := g.filled("everybody (PUBLIC) has UPDATE ON `{s}`.*"); !strings.Contains(why, want) {
		t.Fatalf("the reason is %q, want %q", why, want)
	}
	g.mended(why)
	if why := g.why(); why != "" {
		t.Errorf("still refused: %s", why)
	}
}

func TestGrantsThatTheServerDoesNotShowAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for _, question := range []string{"SHOW GRANTS", "SET ROLE `r_"} {
			g := s.grantee()
			s.exec("GRANT " + g.role() + " TO " + g.user)
			between{server: s.Addr(), up: func(b []byte) []byte {
				return bytes.ReplaceAll(b, []byte(question), bytes.Repeat([]byte("?"), len(question)))
			}}.before(t, &g.src)
			if why := g.why(); !strings.Contains(why, "the server doesn't show them: Error 1064") {
				t.Errorf("%s is answered with an error, and the reason is %q", question, why)
			}
		}
	})
}

func TestAnAccountWithTooManyRolesIsRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		g := s.grantee()
		for range maxRoles + 1 {
			s.exec("GRANT " + g.role() + " TO " + g.user)
		}
		if why := g.why(); !strings.Contains(why, "33 roles") {
			t.Errorf("the reason is %q", why)
		}
	})
}

func TestAnAcceptedPrivilegedAccountServesLoudly(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for _, c := range []struct {
			name   string
			grants []string
		}{
			{"by itself", []string{"GRANT INSERT ON {s}.* TO {u}"}},
			{"by a role", []string{"GRANT INSERT ON {s}.* TO {r0}", "GRANT {r0} TO {u}"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				g := s.grantee()
				g.role()
				for _, text := range c.grants {
					s.exec(g.filled(text))
				}
				g.src.Connection.AcceptPrivilegedAccount = true
				e, log := open(t, g.src)
				wantOne(t, e)
				if got := log.String(); !regexp.MustCompile(`"level":"WARN".*PRIVILEGED.*INSERT`).MatchString(got) {
					t.Errorf("no warning: %s", got)
				}
			})
		}
	})
}

// The reason for which an account is refused has no word of it for the agent.
func TestTheAgentLearnsNothingOfTheGrants(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.Username, src.Connection.Password = s.account("SELECT, INSERT ON " + s.schema + ".*")
		e, _ := open(t, src)
		_, err := runAll(t.Context(), t, e, "SELECT id FROM items LIMIT 1", nil, within(10*time.Second))
		f := wantFault(t, err, Unavailable, privilegedAccount)
		for _, word := range []string{"INSERT", s.schema, "REVOKE"} {
			if strings.Contains(f.Message+f.Hint+f.Reason, word) {
				t.Errorf("the fault says %s: %v", word, f)
			}
		}
	})
}

package executor

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// maxRoles bounds the roles that are looked into, each of which takes two round
// trips.
const maxRoles = 32

// checkAccount refuses an account that may do more than read, or could by taking
// a role. It is asked on each new session, so a privilege that is granted later
// is noticed when the next session is made.
func (o *opener) checkAccount(ctx context.Context, c conn, f flavour) error {
	found, err := inspectAccount(ctx, c, f)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	if o.connection.AcceptPrivilegedAccount {
		o.log.LogAttrs(ctx, slog.LevelWarn, "SERVING WITH A PRIVILEGED ACCOUNT, as accept_privileged_account says",
			slog.String("excess", describe(found)))
		return nil
	}
	return unavailable(privilegedAccount, errors.New("the account may do more than read: "+describe(found)))
}

func describe(found []excess) string {
	lines := make([]string, len(found))
	for i, x := range found {
		lines[i] = x.String()
	}
	return strings.Join(lines, " | ")
}

// excess is what goes beyond reading: who has it, what it is, and the statements
// that take it away.
type excess struct {
	who, what string
	mend      []string // each of them is needed
	instead   string   // another way, "" for none
}

func (x excess) String() string {
	text := x.who + " has " + x.what
	if len(x.mend) > 0 {
		text += "; take it away with: " + strings.Join(x.mend, "; ")
	}
	if x.instead != "" {
		text += "; or " + x.instead
	}
	return text
}

// unseen is what can't be known of an account, which counts as excess.
func unseen(format string, args ...any) excess {
	return excess{who: "the account", what: "grants that can't be judged: " + fmt.Sprintf(format, args...)}
}

// inspectAccount finds what the account may do beyond reading, with any of its
// roles. The error is that of a connection that was lost; what the server
// doesn't tell is excess.
//
// It can't see what SHOW GRANTS doesn't print: rows of mysql.db for the
// anonymous user, which hold for everybody (MariaDB's installer once made such
// for the schema test). Against those stands the read-only session.
func inspectAccount(ctx context.Context, c conn, f flavour) ([]excess, error) {
	found, err := inspectGrants(ctx, c, f)
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok && !severed(answer.Number) {
		return []excess{unseen("the server doesn't show them: %v", answer)}, nil
	}
	return found, err
}

func inspectGrants(ctx context.Context, c conn, f flavour) ([]excess, error) {
	lines, err := showGrants(ctx, c)
	if err != nil {
		return nil, err
	}
	own, found := judgeOwn(lines, f)
	if len(own.roles) == 0 {
		return found, nil
	}
	return inspectRoles(ctx, c, f)
}

// inspectRoles looks at the account without roles and then with each of them
// alone. SHOW GRANTS prints what the session's roles give, and is the only way by
// which an account that may only read sees what is in a role. Afterwards the
// session has the roles that it had.
func inspectRoles(ctx context.Context, c conn, f flavour) ([]excess, error) {
	before, err := currentRole(ctx, c, f)
	if err != nil {
		return nil, err
	}
	found, err := lookIntoRoles(ctx, c, f)
	if lost := restoreRole(ctx, c, f, before); lost != nil {
		return nil, pinFault(lost)
	}
	return found, err
}

func lookIntoRoles(ctx context.Context, c conn, f flavour) ([]excess, error) {
	lines, err := grantsWith(ctx, c, "NONE")
	if err != nil {
		return nil, err
	}
	own, found := judgeOwn(lines, f)
	if len(own.roles) > maxRoles {
		return append(found, unseen("it has %d roles, and at most %d are looked into", len(own.roles), maxRoles)), nil
	}
	if own.graph, err = roleGraph(ctx, c, f); err != nil {
		return nil, err
	}
	for _, role := range own.roles {
		lines, err := grantsWith(ctx, c, role)
		if err != nil {
			return nil, err
		}
		found = append(found, own.judgeRole(role, lines)...)
	}
	return distinct(append(found, own.handedOn()...)), nil
}

func showGrants(ctx context.Context, c driver.QueryerContext) ([]string, error) {
	rows, err := queryText(ctx, c, "SHOW GRANTS")
	if err != nil {
		return nil, err
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = row[0]
	}
	return lines, nil
}

// grantsWith is SHOW GRANTS with one role, or with NONE.
func grantsWith(ctx context.Context, c conn, role string) ([]string, error) {
	if err := execText(ctx, c, "SET ROLE "+role); err != nil {
		return nil, err
	}
	return showGrants(ctx, c)
}

// currentRole is what the session's roles are, in the form that SET ROLE takes.
func currentRole(ctx context.Context, c conn, f flavour) (string, error) {
	row, err := queryRow(ctx, c, "SELECT CURRENT_ROLE()")
	if err != nil {
		return "", err
	}
	switch text := row[0]; {
	case text == "" || text == "NONE" && !f.mariadb:
		return "NONE", nil
	case f.mariadb:
		return quoteName(text), nil // one role, without quotes
	case roleList(text):
		return text, nil
	default:
		return "", fmt.Errorf("CURRENT_ROLE() is %q, which isn't understood", text)
	}
}

// roleList reports whether the text is a list of quoted roles with their hosts,
// as MySQL gives it.
func roleList(text string) bool {
	tokens := scanGrant(text)
	for i := 0; i < len(tokens); i += 4 {
		if i+3 > len(tokens) || !roleName(tokens[i:i+3]) || i+3 < len(tokens) && !tokens[i+3].is(",") {
			return false
		}
	}
	return len(tokens)%4 == 3
}

func restoreRole(ctx context.Context, c conn, f flavour, before string) error {
	if err := execText(ctx, c, "SET ROLE "+before); err != nil {
		return err
	}
	now, err := currentRole(ctx, c, f)
	if err == nil && now != before {
		err = pinError{setting: "CURRENT_ROLE()", got: now}
	}
	return err
}

// roleEdge is a role that is granted, directly or through others.
type roleEdge struct {
	to, role             string
	grantable, mandatory bool
}

// roleGraph is every role that the account can have, directly or through others.
// MySQL before 8.0.19 doesn't tell, which makes a role there unseen.
func roleGraph(ctx context.Context, c conn, f flavour) ([]roleEdge, error) {
	text := "SELECT GRANTEE, GRANTEE_HOST, ROLE_NAME, ROLE_HOST, IS_GRANTABLE, IS_MANDATORY FROM information_schema.APPLICABLE_ROLES"
	if f.mariadb {
		return nil, nil // its SHOW GRANTS has a line for each
	}
	rows, err := queryText(ctx, c, text)
	if err != nil {
		return nil, err
	}
	edges := make([]roleEdge, len(rows))
	for i, r := range rows {
		edges[i] = roleEdge{to: quoteName(r[0]) + "@" + quoteName(r[1]), role: quoteName(r[2]) + "@" + quoteName(r[3]),
			grantable: r[4] != "NO", mandatory: r[5] != "NO"}
	}
	return edges, nil
}

// masked hides what MariaDB prints behind IDENTIFIED, the password's hash.
func masked(line string) string {
	return regexp.MustCompile(`(?i)(IDENTIFIED\s.*?)'.*'`).ReplaceAllString(line, "$1'…'")
}

package engine

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// In MySQL an account needs no privilege to see its own grants, to read a view
// that another made, and to kill its own threads. The engine wants administrators'
// privileges for each; what follows allows these three and nothing more.

// rights is the engine's check of privileges with the first two exceptions.
type rights struct{ sql.AuthorizationHandler }

var showGrants = regexp.MustCompile(`(?i)^\s*SHOW\s+GRANTS(\s+FOR\s+CURRENT_USER(\s*\(\s*\))?)?\s*;?\s*$`)

func (r rights) HandleAuth(ctx *sql.Context, state sql.AuthorizationQueryState, a sqlparser.AuthInformation) error {
	switch {
	case a.AuthType == sqlparser.AuthType_CREATE_VIEW && !strings.Contains(strings.ToUpper(ctx.Query()), "CREATE"):
		return nil // a view is read by running its CREATE statement up to the last step
	case a.AuthType == sqlparser.AuthType_SELECT && showGrants.MatchString(ctx.Query()):
		return nil
	}
	return r.AuthorizationHandler.HandleAuth(ctx, state, a)
}

var killStatement = regexp.MustCompile(`(?i)^\s*KILL\s+(?:CONNECTION\s+|(QUERY)\s+)?(\d{1,10})\s*;?\s*$`)

var errInterrupted = mysql.NewSQLError(1317, "70100", "Query execution was interrupted")

// kill ends another connection's statement, or the connection with it.
func (h *handler) kill(c *mysql.Conn, connection bool, id string, give mysql.ResultSpoolFn) error {
	number, err := strconv.ParseUint(id, 10, 32)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[uint32(number)]
	if err != nil || s == nil {
		return mysql.NewSQLError(1094, "HY000", "Unknown thread id: %s", id)
	}
	if s.conn.User != c.User {
		return mysql.NewSQLError(1095, "HY000", "You are not owner of thread %s", id)
	}
	s.end(connection)
	return give(&sqltypes.Result{}, false)
}

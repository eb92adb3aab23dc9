package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"mysqlevidence/cmd/demo/sakila"
)

// maxStatement ends a statement on a session that set no limit of its own.
const maxStatement = 30 * time.Second

// handler stands before the engine's own handler and adds what that lacks: an end
// to every statement, and KILL for each account's own threads (own.go).
type handler struct {
	mysql.Handler

	mu       sync.Mutex
	sessions map[uint32]*session // by connection
}

// session is what is known of one connection.
type session struct {
	sql.Session
	conn *mysql.Conn
	stop context.CancelCauseFunc // of the running statement, nil between statements
}

func newHandler() *handler { return &handler{sessions: map[uint32]*session{}} }

func (h *handler) wrap(inner mysql.Handler) (mysql.Handler, error) {
	h.Handler = inner
	return h, nil
}

// newSession is called by the server for each new connection, and again when one
// is reset.
func (h *handler) newSession(_ context.Context, c *mysql.Conn, addr string) (sql.Session, error) {
	client := sql.Client{Capabilities: c.Capabilities}
	if user, ok := c.UserData.(sql.MysqlConnectionUser); ok {
		client.User, client.Address = user.User, user.Host
	}
	s := sql.NewBaseSessionWithClientServer(addr, client, c.ConnectionID)
	s.SetCurrentDatabase(sakila.Database) // without one the engine resolves no view
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[c.ConnectionID] = &session{Session: s, conn: c}
	return s, nil
}

// session returns the connection's session, or nil if it can't have one. The
// server makes one only when it is needed, as it is to choose a schema.
func (h *handler) session(c *mysql.Conn) *session {
	if s := h.known(c.ConnectionID); s != nil || h.ComInitDB(c, sakila.Database) != nil {
		return s
	}
	return h.known(c.ConnectionID)
}

func (h *handler) known(id uint32) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

func (h *handler) ConnectionClosed(c *mysql.Conn) {
	h.mu.Lock()
	delete(h.sessions, c.ConnectionID)
	h.mu.Unlock()
	h.Handler.ConnectionClosed(c)
}

func (h *handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, give mysql.ResultSpoolFn) error {
	if m := killStatement.FindStringSubmatch(query); m != nil {
		return h.kill(c, m[1] == "", m[2], give)
	}
	return h.bounded(ctx, c, func(ctx context.Context) error {
		return h.Handler.ComQuery(ctx, c, query, give)
	})
}

func (h *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, give mysql.ResultSpoolFn) (rest string, err error) {
	err = h.bounded(ctx, c, func(ctx context.Context) error {
		rest, err = h.Handler.ComMultiQuery(ctx, c, query, give)
		return err
	})
	return rest, err
}

func (h *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, p *mysql.PrepareData, give func(*sqltypes.Result) error) error {
	return h.bounded(ctx, c, func(ctx context.Context) error {
		return h.Handler.ComStmtExecute(ctx, c, p, give)
	})
}

var errTooLong = mysql.NewSQLError(3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded")

// bounded runs a statement under a context that ends with max_execution_time,
// whatever the statement is, or by a KILL. If the context has ended, that is the
// answer, whatever the engine says: it can take the end of a context for the end
// of the rows.
func (h *handler) bounded(ctx context.Context, c *mysql.Conn, run func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	timer := time.AfterFunc(h.begin(c, stop), func() { stop(errTooLong) })
	defer timer.Stop()
	defer h.begin(c, nil)
	err := run(ctx)
	if answer, ok := errors.AsType[*mysql.SQLError](context.Cause(ctx)); ok {
		return answer
	}
	return err
}

// begin notes how to stop the connection's statement and returns its time limit.
func (h *handler) begin(c *mysql.Conn, stop context.CancelCauseFunc) time.Duration {
	s := h.session(c)
	if s == nil {
		return maxStatement
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.stop = stop
	value, err := s.GetSessionVariable(sql.NewEmptyContext(), "max_execution_time")
	if millis, ok := value.(int64); err == nil && ok && millis > 0 {
		return time.Duration(millis) * time.Millisecond
	}
	return maxStatement
}

// end stops the statement that runs, if any, and on demand the connection.
func (s *session) end(connection bool) {
	if s.stop != nil {
		s.stop(errInterrupted)
	}
	if connection {
		s.conn.Close()
	}
}

// endAll ends every connection.
func (h *handler) endAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		s.end(true)
	}
}

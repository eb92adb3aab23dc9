package executor

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"
)

// Kind is the class of an Error.
type Kind string

// The kinds.
const (
	// Timeout: the deadline of the call, the grant or the source has passed.
	Timeout Kind = "timeout"
	// Cancelled: the caller's context was cancelled.
	Cancelled Kind = "cancelled"
	// Unavailable: the data source can't serve now, or refuses to serve at all.
	Unavailable Kind = "unavailable"
	// Query: the server refused an accepted query for a reason that the asker
	// can do something about.
	Query Kind = "query"
	// TooExpensive: the cost gate refuses the query's plan, and nothing ran.
	TooExpensive Kind = "too_expensive"
	// Internal: anything else, a bug of ours included.
	Internal Kind = "internal"
)

// Error is why a plan gave no rows, or stopped giving them. Reason, Message and
// Hint may be shown to whoever may use the data source: they are literals of ours,
// completed at most with allowlisted tables and rounded numbers.
type Error struct {
	Kind    Kind
	Reason  string // a stable code
	Message string // one plain sentence
	Hint    string // the next step
	// Cause is for the operator's log only: it may name the host and the account.
	// Of an error that the server gave to a query it has the number and the state
	// but not the text, which can quote cells.
	Cause error
	// CostGate says what had become of the cost gate when Run failed.
	CostGate CostGate
}

func newError(kind Kind, reason, message, hint string, cause error) *Error {
	return &Error{Kind: kind, Reason: reason, Message: message, Hint: hint, Cause: cause}
}

// Error never contains the cause's text.
func (e *Error) Error() string {
	return "execute: " + string(e.Kind) + ": " + e.Reason + ": " + e.Message
}

// Unwrap returns the cause, for the operator's log.
func (e *Error) Unwrap() error { return e.Cause }

// serverError is what may be kept of a server's answer to a query.
type serverError struct {
	number uint16
	state  string
}

func (e serverError) Error() string {
	return fmt.Sprintf("server error %d (%s)", e.number, e.state)
}

func scrub(e *mysql.MySQLError) serverError {
	return serverError{number: e.Number, state: string(e.SQLState[:])}
}

// fault turns what went wrong with a query into an Error. Why the context ended
// (stop, nil while it goes on) decides before what the server said: a killed
// query may fail, "succeed", or lose its connection, and all of that is the
// deadline or the cancel.
func fault(stop, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if stop != nil {
		return stopped(stop)
	}
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return answered(answer)
	}
	switch {
	case errors.Is(err, errClosed):
		return stopped(err)
	case errors.Is(err, mysql.ErrPktTooLarge):
		return newError(Query, "params_too_large", "The parameters are larger than the server takes.", "Pass shorter values in params.", err)
	case errors.Is(err, errRowTooLarge):
		return newError(Query, "row_too_large", "A row of the result is larger than is read.",
			"Select fewer long columns, or only their start: LEFT(column, 1000). Under DISTINCT, in GROUP BY and in ORDER BY a column is sent whole.", err)
	case lost(err):
		return unavailable(connectionLost, err)
	}
	return internal(err)
}

// stopCause says why the context ended, or nil. Of a caller's own causes only
// the deadline and the cancel are told apart.
func stopCause(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errClosed) {
		return errClosed
	}
	return ctx.Err()
}

// stopped is the error for a context that ended.
func stopped(cause error) *Error {
	switch {
	case errors.Is(cause, errClosed):
		return unavailable(closing, cause)
	case errors.Is(cause, context.DeadlineExceeded):
		return timedOut(cause)
	}
	return newError(Cancelled, "cancelled", "The call was cancelled; the query was stopped.", "Call again if the answer is still wanted.", cause)
}

func timedOut(cause error) *Error {
	return newError(Timeout, "timeout", "The query took longer than is allowed here and was stopped.",
		"Narrow the query: filter by an indexed column (describe_schema lists the keys), a shorter time range, fewer joins.", cause)
}

// lateToConnect is the error of a call whose own deadline passed while a
// connection was made.
func lateToConnect(cause error) *Error {
	return newError(Timeout, "connect_timeout", "No connection to the database server could be made before the deadline.",
		"Try again in a minute, or with a longer deadline; tell the operator if it lasts.", cause)
}

func internal(cause error) *Error {
	return newError(Internal, "internal", "The query failed for a reason that isn't the query's.", "Report the request's ID to the operator.", cause)
}

// The reasons of Unavailable.
const (
	unreachable       = "server_unreachable"
	connectionLost    = "connection_lost"
	tooMany           = "too_many_connections"
	accessDenied      = "access_denied"
	tlsFailed         = "tls_failed"
	secretMissing     = "secret_missing"
	privilegedAccount = "privileged_account"
	flavourMismatch   = "flavour_mismatch"
	notSupported      = "server_not_supported"
	tooOld            = "server_too_old"
	notPinned         = "session_not_pinned"
	filterType        = "filter_type"
	noConnection      = "no_connection"
	closing           = "closing"
)

// unavailable is the error of a source that can't serve. The texts say which of
// the operator's layers failed and nothing of the server.
func unavailable(reason string, cause error) *Error {
	message, hint := "The data source can't be used now.", "Tell the operator; the log has the cause under the request's ID."
	switch reason {
	case unreachable:
		message, hint = "The database server of this data source doesn't answer.", "Try again in a minute, or tell the operator."
	case connectionLost:
		message, hint = "The connection to the database server was lost.", "Send the same call again."
	case tooMany:
		message, hint = "The database server takes no more connections now.", "Try again in a few seconds."
	case accessDenied:
		message = "The database server refused the operator's account."
	case tlsFailed:
		message = "No verified encrypted connection to the database server could be made."
	case secretMissing:
		message = "A credential of this data source is missing."
	case privilegedAccount:
		message = "The data source refuses to serve: its account may do more than read."
	case flavourMismatch:
		message = "The data source refuses to serve: the server is not of the configured flavour."
	case notSupported:
		message = "The data source refuses to serve: the server imitates MySQL and doesn't keep what this service relies on."
	case tooOld:
		message = "The data source refuses to serve: the server's version is too old."
	case notPinned:
		message = "The data source refuses to serve: the session could not be made safe and verified."
	case filterType:
		message = "The data source refuses this filter: its configured type is not the column's type on the server."
	case noConnection:
		message = "No connection is configured for this data source."
	case closing:
		message, hint = "The service is shutting down.", "Send the call again when it is back."
	}
	return newError(Unavailable, reason, message, hint, cause)
}

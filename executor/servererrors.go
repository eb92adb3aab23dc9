package executor

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"

	"github.com/go-sql-driver/mysql"
)

// advice is what the asker is told about a server error.
type advice struct{ reason, message, hint string }

// notTheAskers reports whether the reason is a state of the server or of its
// account, which no other query would repair.
func (a advice) notTheAskers() bool {
	switch a.reason {
	case "schema_drift", "not_granted", "locked", "server_busy":
		return true
	}
	return false
}

// answered maps the server's answer to an accepted query by number. The numbers
// are those of MySQL's and MariaDB's error references; what isn't listed is
// internal.
func answered(e *mysql.MySQLError) *Error {
	cause := scrub(e)
	switch e.Number {
	case 3024, 1969: // the server's own time limit: MySQL, MariaDB
		return timedOut(cause)
	case 1317: // interrupted, and not by us
		return newError(Unavailable, "killed", "Somebody on the server's side stopped the query.", "Ask the operator before sending it again.", cause)
	case 3999: // the hypergraph optimizer, among other things on a tabular EXPLAIN
		return newError(Unavailable, "optimizer_unfit", "The server's optimizer lacks something that the query, or the look at its plan, needs.",
			"Tell the operator; the log has the cause under the request's ID.", cause)
	}
	if severed(e.Number) {
		return unavailable(connectionLost, cause)
	}
	a, ok := adviceOn(e.Number)
	if !ok {
		return internal(cause)
	}
	kind := Query
	if a.notTheAskers() {
		kind = Unavailable
	}
	return newError(kind, a.reason, a.message, a.hint, cause)
}

func adviceOn(number uint16) (advice, bool) {
	for _, look := range []func(uint16) (advice, bool){onGrouping, onValues, onJSON, onSchema, onResources} {
		if a, ok := look(number); ok {
			return a, true
		}
	}
	return advice{}, false
}

func onGrouping(number uint16) (advice, bool) {
	switch number {
	case 1055, 1140, 3029, 3066:
		return advice{"not_grouped", "A column is used that is neither grouped nor aggregated.",
			"Add the column to GROUP BY, or put it into an aggregate such as MIN or MAX."}, true
	case 3065:
		return advice{"order_not_selected", "With DISTINCT, ORDER BY may only use what is selected.",
			"Select the expression too, or order by a selected column."}, true
	case 1111, 1056:
		return advice{"aggregate_place", "An aggregate function stands where none may stand.",
			"Use aggregates in the select list, HAVING or ORDER BY, not nested and not in WHERE, ON or GROUP BY."}, true
	}
	return advice{}, false
}

func onValues(number uint16) (advice, bool) {
	switch number {
	case 1690, 1264, 1916:
		return advice{"out_of_range", "A computed number is out of its type's range.",
			"Cast an operand: CAST(a AS SIGNED) - b for a difference of unsigned columns, CAST(a AS DECIMAL(65,0)) for large products."}, true
	case 1292, 1411, 1525, 1441:
		return advice{"invalid_value", "A text can't be read as a date or a number.",
			"Write dates as '2024-01-31' and times as '2024-01-31 08:00:00', and compare columns with values of their type."}, true
	case 1267, 1270, 1271:
		return advice{"collation_mix", "Texts of different collations are compared or joined.",
			"Compare each of the columns with a parameter instead, or both as CAST(… AS CHAR)."}, true
	case 1300, 3854:
		return advice{"invalid_text", "Binary data can't be read as text.",
			"Select the binary column by itself: it comes back in hexadecimal."}, true
	case 4078, 4079, 1210, 1582, 3064:
		return advice{"function_arguments", "A function or an operator was given arguments of a type or number that it doesn't take.",
			"Check the number and the types of the arguments; describe_schema has the columns' types."}, true
	}
	return advice{}, false
}

func onJSON(number uint16) (advice, bool) {
	switch number {
	case 3140, 3141, 3144, 3146, 3157, 4037, 4038: // the last two are MariaDB's
		return advice{"invalid_json", "A value isn't valid JSON.",
			"Filter with JSON_VALID(column) = 1 first, and pass only JSON columns to JSON functions."}, true
	case 3143, 3149, 3154, 4041, 4042, 4044:
		return advice{"invalid_json_path", "A JSON path isn't valid here.",
			"Write paths as '$.key' or '$.list[0]', without wildcards."}, true
	}
	return advice{}, false
}

func onSchema(number uint16) (advice, bool) {
	switch number {
	case 1049, 1051, 1054, 1109, 1146, 1356:
		return advice{"schema_drift", "The server no longer has a table or column of the allowlist, or a view is broken.",
			"Call describe_schema for what is there now, and tell the operator."}, true
	case 1044, 1142, 1143, 1370:
		return advice{"not_granted", "The database account may not read a table, column or view of the allowlist.",
			"Use other tables or columns, and tell the operator: a GRANT SELECT is missing."}, true
	case 1792, 1290, 1836:
		return advice{"write_attempted", "A view of the query tries to write, which this service never does.",
			"Read the tables behind the view instead."}, true
	case 1242:
		return advice{"broken_view", "A view of the query fails on the data.",
			"Read the tables behind the view instead."}, true
	}
	return advice{}, false
}

func onResources(number uint16) (advice, bool) {
	switch number {
	case 1104:
		return advice{"too_large", "The server refuses the query: it would examine too many rows.",
			"Filter by an indexed column, or join fewer tables."}, true
	case 1021, 1037, 1038, 1041, 1114, 1301, 3168:
		return advice{"too_large", "The server ran out of memory or space for the query.",
			"Sort, group or concatenate fewer rows: filter more."}, true
	case 1436:
		return advice{"too_complex", "The server has no room to evaluate so complex an expression.",
			"Write a simpler expression or pattern."}, true
	case 1205, 1213, 3572:
		return advice{"locked", "A table of the query is locked by a change of the schema.",
			"Try again in a minute."}, true
	case 1461:
		return advice{"server_busy", "The server holds as many prepared statements as it may.",
			"Try again in a minute."}, true
	}
	return advice{}, false
}

// severed reports whether the server's answer means that the session is over or
// has forgotten its statements: the query may succeed on a fresh one.
func severed(number uint16) bool {
	switch number {
	case 1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031: // shutdown, network, killed, idle too long
		return true
	case 1243, 1615: // unknown statement, statement needs to be prepared again
		return true
	}
	return false
}

// lost reports whether the error says that the connection is gone.
func lost(err error) bool {
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return severed(answer.Number)
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	for _, gone := range []error{driver.ErrBadConn, mysql.ErrInvalidConn, mysql.ErrMalformPkt, mysql.ErrPktSync,
		mysql.ErrPktSyncMul, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

package boundary

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Call is one tool call of a framework.
type Call struct {
	// ID is the framework's own tool-call ID, used byte for byte in the record,
	// the log and the fault. It must be valid UTF-8 and not empty.
	ID string
	// IDSource says where the ID came from: "meta:claudecode/toolUseId",
	// "jsonrpc", "harness", "cli".
	IDSource string
	Run      RunContext
	Tool     string
	Args     json.RawMessage // a JSON object; empty stands for {}
}

// RunContext is what the framework knows of the run that a call belongs to. The
// run's cancellation comes through the context of Invoke.
type RunContext struct {
	RunID  string // valid UTF-8, not empty
	Caller string // the authenticated identity; "local" on stdio
	// Deadline is the end of the run; zero for none.
	Deadline time.Time
}

// Key names one call. The pair is unique in a store.
type Key struct{ RunID, CallID string }

// Invocation is what is recorded before anything runs. It holds no parameter
// value and no row.
type Invocation struct {
	Key
	IDSource    string
	Caller      string
	Tool        string
	DataSource  string // "" when the call named none that exists
	AskedReason string // the asker's own words
	// SQL is the canonical text of an authorized query, or the refused text with
	// each literal as ?; "" for a tool without SQL.
	SQL        string
	PolicyHash string // "" when no policy was consulted
	Started    time.Time
}

// The statuses of an Outcome.
const (
	StatusOK         = "OK"
	StatusNoEvidence = "NO_EVIDENCE"
	StatusRefused    = "REFUSED"
	StatusFailed     = "FAILED"
)

// Outcome is what is recorded before an answer is released.
type Outcome struct {
	Status string
	// Code, Stage and Reason are those of the fault; empty on success.
	Code, Stage, Reason string
	Finished            time.Time
	Rows                int // rows released
	Bytes               int // UTF-8 bytes of the JSON released; 0 for a fault
	Truncated           bool
	// CostGate says whether the query's plan was looked at before it ran: "passed",
	// or "skipped" where the server doesn't show it to the account; "" for a data
	// source without a cost gate, and for a call that ended before its query ran.
	CostGate string
	// EvidenceSHA256 is the lower-case hex SHA-256 of the JSON released; "" for
	// a fault.
	EvidenceSHA256 string
}

// InvocationStore is the record of calls. A harness passes its own canonical
// store; package ledger has one in a file. Both methods are called with a
// context that survives the caller's cancellation and ends within seconds.
type InvocationStore interface {
	// Begin records a call durably before it runs. It returns an error that is
	// ErrDuplicate (errors.Is) when the key is already recorded, and must then
	// leave the first record's own fields as they are. After any error nothing
	// runs.
	Begin(ctx context.Context, inv Invocation) error
	// Finish completes the record. After an error nothing is released.
	Finish(ctx context.Context, key Key, out Outcome) error
}

// ErrDuplicate is what a store returns for a (run, call) that it already knows.
var ErrDuplicate = errors.New("this run and call are already recorded")

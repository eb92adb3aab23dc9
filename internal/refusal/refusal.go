// Package refusal defines the one error type by which the pure stages
// (validate, authorize, bind) say no, and the catalogue of every reason that they have.
//
// A refusal guarantees that its texts are literals of ours, completed at most
// with names from the allowlist, numbers, and words of our own catalogues: never
// the text of a literal, never a name that the asker may not see.
package refusal

import (
	"fmt"
	"strconv"
)

// Stage is the pipeline stage that refused.
type Stage string

// The stages that can refuse before any connection is taken.
const (
	Validate  Stage = "validate"
	Authorize Stage = "authorize"
	Bind      Stage = "bind"
)

// Code is the public class of a refusal or fault ; a fault has the same field.
type Code string

// The codes that a refusal can carry.
const (
	ForbiddenSQL     Code = "forbidden_sql"
	SyntaxError      Code = "syntax_error"
	InvalidArguments Code = "invalid_arguments"
)

// Position is a place in the asker's SQL: a 1-based line, and a 1-based column
// counted in characters. The zero Position means that there is no one place.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// IsZero reports whether there is no position.
func (p Position) IsZero() bool { return p.Line == 0 }

// String returns "line:column", or "" for no position.
func (p Position) String() string {
	if p.IsZero() {
		return ""
	}
	return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// Refusal is the answer to a query that may not run: why, where, and the next
// step that repairs it.
type Refusal struct {
	Stage    Stage
	Code     Code
	Reason   Reason
	Message  string // one plain sentence
	Hint     string // the concrete next step
	Position Position
	// Tables are the tables that the query names, where the allowlist can make
	// the hint complete (see authz.Planner). They are the asker's words:
	// nobody may show them.
	Tables []TableName
}

// TableName is a table as the asker wrote it; Schema is "" when not qualified.
type TableName struct{ Schema, Name string }

// New makes the refusal that the catalogue lists for the reason. A reason that
// isn't in the catalogue is a bug of ours; it still refuses.
func New(reason Reason, pos Position) *Refusal {
	e, ok := byReason[reason]
	if !ok {
		e = byReason[UnsupportedSyntax]
	}
	return &Refusal{Stage: e.Stage, Code: e.Code, Reason: e.Reason, Message: e.Message, Hint: e.Hint, Position: pos}
}

// Hintf replaces the catalogue's hint by one that names what is allowed here.
// Its arguments must be names from the allowlist, numbers, or words of ours.
func (r *Refusal) Hintf(format string, args ...any) *Refusal {
	r.Hint = fmt.Sprintf(format, args...)
	return r
}

// Messagef replaces the catalogue's message, under the same rule as Hintf.
func (r *Refusal) Messagef(format string, args ...any) *Refusal {
	r.Message = fmt.Sprintf(format, args...)
	return r
}

// Error gives the stage, the reason and the message, for logs.
func (r *Refusal) Error() string {
	s := string(r.Stage) + ": " + string(r.Reason) + ": " + r.Message
	if p := r.Position.String(); p != "" {
		s += " (at " + p + ")"
	}
	return s
}

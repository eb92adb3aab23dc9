package boundary

import "net/http"

// The codes of faults.
const (
	CodeForbiddenSQL      = "forbidden_sql"
	CodeInvalidArguments  = "invalid_arguments"
	CodeSyntaxError       = "syntax_error"
	CodeTimeout           = "timeout"
	CodeCancelled         = "cancelled"
	CodeRateLimited       = "rate_limited"
	CodeServiceOverloaded = "service_overloaded"
	CodeUnavailable       = "unavailable"
	CodeTooExpensive      = "too_expensive"
	CodeInternal          = "internal"
)

// The stages of faults that the boundary itself raises or translates. The pure
// stages are named by package refusal: validate, authorize, bind.
const (
	StageBoundary = "boundary"
	StageExecute  = "execute"
)

// Position is a place in the asker's SQL: a 1-based line, and a 1-based column
// counted in characters.
type Position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Fault is the answer to a call that gets no evidence. Its texts are ours,
// completed at most with allowlisted names, numbers, and the key of an argument:
// never a word of the server, of a row or of a parameter.
type Fault struct {
	Code    string
	Reason  string // the stable name of the exact cause
	Stage   string
	Message string
	Hint    string    // the next step
	Where   *Position // in the SQL; nil when there is no one place
	// Retryable says that the same question may succeed later, under a new call
	// ID.
	Retryable bool
	// RetryAfter is how many seconds to wait; 0 when nothing is known.
	RetryAfter int
	RequestID  string // the call's ID
}

// Status is REFUSED when the call may not run as it was asked, and FAILED when
// it might have run but there is no answer.
func (f *Fault) Status() string {
	switch f.Code {
	case CodeForbiddenSQL, CodeInvalidArguments, CodeSyntaxError, CodeTooExpensive, CodeRateLimited, CodeServiceOverloaded:
		return StatusRefused
	}
	return StatusFailed
}

// HTTPStatus is the number that stands for the code where a caller speaks HTTP.
func (f *Fault) HTTPStatus() int {
	switch f.Code {
	case CodeInvalidArguments, CodeSyntaxError, CodeTooExpensive:
		return http.StatusBadRequest
	case CodeForbiddenSQL:
		return http.StatusForbidden
	case CodeTimeout, CodeCancelled:
		return http.StatusRequestTimeout
	case CodeRateLimited:
		return http.StatusTooManyRequests
	case CodeServiceOverloaded, CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Error gives code, reason and message, for a harness that wants a Go error.
func (f *Fault) Error() string { return f.Code + " (" + f.Reason + "): " + f.Message }

type faultJSON struct {
	Status string         `json:"status"`
	Error  faultErrorJSON `json:"error"`
}

type faultErrorJSON struct {
	Code       string    `json:"code"`
	Reason     string    `json:"reason"`
	Stage      string    `json:"stage"`
	Message    string    `json:"message"`
	Hint       string    `json:"hint"`
	Position   *Position `json:"position,omitempty"`
	Retryable  bool      `json:"retryable"`
	RetryAfter int       `json:"retry_after_s,omitempty"`
	RequestID  string    `json:"request_id"`
}

// MarshalJSON gives the public form: {"status":…,"error":{…}}.
func (f *Fault) MarshalJSON() ([]byte, error) {
	return encode(faultJSON{Status: f.Status(), Error: faultErrorJSON{
		Code: f.Code, Reason: f.Reason, Stage: f.Stage, Message: f.Message, Hint: f.Hint,
		Position: f.Where, Retryable: f.Retryable, RetryAfter: f.RetryAfter, RequestID: f.RequestID,
	}})
}

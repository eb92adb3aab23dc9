package boundary

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
	"unicode/utf8"
)

// answer is what a tool made, before it is released.
type answer struct {
	json      []byte
	status    string // StatusOK or StatusNoEvidence
	rows      int
	truncated bool
	sha256    string // lower-case hex of json
	costGate  string // what the record says of the cost gate; set beside an error too
}

// job is what is left of a call once it is decoded, authorized and recorded. Its
// error is a *Fault, an *executor.Error or a bug.
type job func(ctx context.Context) (answer, error)

// Invoke answers one call. It never panics, and it returns when ctx is cancelled,
// after the query has been stopped and the outcome recorded.
func (b *ToolBoundary) Invoke(ctx context.Context, call Call) (res Result) {
	ctx = withCall(ctx, call)
	defer func() {
		if p := recover(); p != nil {
			res = faultResult(b.panicked(ctx, p), call.ID)
		}
	}()
	if f := checkIDs(call); f != nil {
		b.log.WarnContext(ctx, "call refused, and not recorded for want of a usable ID", "reason", f.Reason)
		return faultResult(f, call.ID)
	}
	if !call.Run.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, call.Run.Deadline)
		defer cancel()
	}
	inv := Invocation{
		Key:      Key{RunID: call.Run.RunID, CallID: call.ID},
		IDSource: call.IDSource, Caller: call.Run.Caller, Tool: call.Tool, Started: time.Now(),
	}
	todo, refused := b.prepare(ctx, call, &inv)
	if f := b.begin(ctx, inv); f != nil {
		return faultResult(f, call.ID)
	}
	return b.perform(ctx, inv, todo, refused)
}

// maxID bounds a call's and a run's ID, in bytes.
const maxID = 16 << 10

// checkIDs refuses what can't be a key, or couldn't be repeated in JSON byte for
// byte.
func checkIDs(call Call) *Fault {
	for _, id := range []struct{ name, value string }{{"call", call.ID}, {"run", call.Run.RunID}} {
		switch {
		case id.value == "":
			return argumentFault("empty_"+id.name+"_id", "The "+id.name+" has no ID.", "Pass the framework's own ID.")
		case len(id.value) > maxID:
			return argumentFault("long_"+id.name+"_id", fmt.Sprintf("The ID of the %s is longer than %d bytes.", id.name, maxID), "Pass a shorter ID.")
		case !utf8.ValidString(id.value):
			return argumentFault("invalid_"+id.name+"_id", "The ID of the "+id.name+" is not valid UTF-8.", "Pass the ID as text.")
		}
	}
	return nil
}

// prepare decodes, validates, authorizes and binds: all that needs no connection.
// It fills the record as far as it gets.
func (b *ToolBoundary) prepare(ctx context.Context, call Call, inv *Invocation) (todo job, f *Fault) {
	defer func() {
		if p := recover(); p != nil {
			todo, f = nil, b.panicked(ctx, p)
		}
	}()
	t, ok := b.tool(call.Tool)
	if !ok {
		return nil, argumentFault("unknown_tool", "There is no such tool.", "The tools are "+b.toolNames()+".")
	}
	args, f := decode(t.accepts, call.Args)
	inv.AskedReason = args.reason
	if f != nil {
		b.describeRefused(args, inv)
		return nil, f
	}
	return t.prepare(b, args, inv)
}

// begin records the call. It uses a context of its own: a call that is already
// cancelled is recorded all the same.
func (b *ToolBoundary) begin(ctx context.Context, inv Invocation) *Fault {
	err := b.recorded(ctx, func(ctx context.Context) error { return b.store.Begin(ctx, inv) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDuplicate):
		b.log.WarnContext(ctx, "call refused", "reason", "duplicate_call")
		return argumentFault("duplicate_call", "A call with this ID has been made in this run.",
			"Each call needs an ID of its own; make a new call if the answer is still wanted.")
	}
	b.log.ErrorContext(ctx, "the call could not be recorded, so it did not run", "cause", err)
	return unrecorded("The call could not be recorded, so it did not run.")
}

func unrecorded(message string) *Fault {
	return &Fault{Code: CodeUnavailable, Reason: "record_unavailable", Stage: StageBoundary, Message: message,
		Hint: "Make the call again later; if it persists, tell the operator, whose log has the cause.", Retryable: true}
}

// recorded calls the store with a bounded context that outlives the caller's.
func (b *ToolBoundary) recorded(ctx context.Context, write func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			b.logPanic(ctx, p)
			err = errors.New("the store panicked")
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return write(ctx)
}

// perform admits a recorded call, runs it, and releases its answer once the
// outcome is recorded. A call holds its place until then.
func (b *ToolBoundary) perform(ctx context.Context, inv Invocation, todo job, f *Fault) Result {
	var leave func()
	if f == nil {
		leave, f = b.admission.enter(inv.Caller)
	}
	if leave != nil {
		defer leave()
	}
	if f == nil {
		f = stopped(ctx)
	}
	var a answer
	if f == nil {
		a, f = b.execute(ctx, todo)
	}
	out := outcomeOf(a, f)
	err := b.recorded(ctx, func(ctx context.Context) error { return b.store.Finish(ctx, inv.Key, out) })
	if err != nil {
		b.log.ErrorContext(ctx, "the outcome could not be recorded, so nothing was released", "cause", err)
		return faultResult(unrecorded("The outcome could not be recorded, so nothing is released."), inv.CallID)
	}
	b.logOutcome(ctx, inv, out)
	if f != nil {
		return faultResult(f, inv.CallID)
	}
	return Result{JSON: a.json}
}

// stopped refuses a run that has ended before anything was asked of a server.
func stopped(ctx context.Context) *Fault {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &Fault{Code: CodeTimeout, Reason: "deadline_passed", Stage: StageBoundary,
			Message: "The run's deadline has passed, so nothing ran.", Hint: "Ask in a run with time left.", Retryable: true}
	}
	return &Fault{Code: CodeCancelled, Reason: "cancelled", Stage: StageBoundary,
		Message: "The call was cancelled before anything ran.", Hint: "Call again if the answer is still wanted.", Retryable: true}
}

// execute runs the job; a panic in it is a fault.
func (b *ToolBoundary) execute(ctx context.Context, todo job) (a answer, f *Fault) {
	defer func() {
		if p := recover(); p != nil {
			a, f = answer{}, b.panicked(ctx, p)
		}
	}()
	a, err := todo(ctx)
	if err != nil {
		return answer{costGate: a.costGate}, b.faultOf(ctx, err)
	}
	return a, nil
}

func outcomeOf(a answer, f *Fault) Outcome {
	if f != nil {
		return Outcome{Status: f.Status(), Code: f.Code, Stage: f.Stage, Reason: f.Reason, Finished: time.Now(), CostGate: a.costGate}
	}
	return Outcome{Status: a.status, Finished: time.Now(), Rows: a.rows, Bytes: len(a.json),
		Truncated: a.truncated, CostGate: a.costGate, EvidenceSHA256: a.sha256}
}

// logOutcome writes the one line that every recorded call gets.
func (b *ToolBoundary) logOutcome(ctx context.Context, inv Invocation, out Outcome) {
	b.log.InfoContext(ctx, "call", "caller", inv.Caller, "data_source", inv.DataSource, "status", out.Status,
		"code", out.Code, "stage", out.Stage, "reason", out.Reason, "rows", out.Rows, "bytes", out.Bytes,
		"truncated", out.Truncated, "cost_gate", out.CostGate, "took_ms", out.Finished.Sub(inv.Started).Milliseconds())
}

func faultResult(f *Fault, id string) Result {
	shown := *f
	shown.RequestID = id
	data, err := shown.MarshalJSON()
	if err != nil { // a struct of strings and numbers always encodes
		data = []byte(`{"status":"FAILED","error":{"code":"internal"}}`)
	}
	return Result{JSON: data, Fault: &shown}
}

func (b *ToolBoundary) panicked(ctx context.Context, p any) *Fault {
	b.logPanic(ctx, p)
	return internalFault(StageBoundary)
}

// logPanic leaves out the panic's own text, which may quote a row or a parameter.
func (b *ToolBoundary) logPanic(ctx context.Context, p any) {
	b.log.ErrorContext(ctx, "panic", "kind", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
}

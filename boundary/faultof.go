package boundary

import (
	"context"
	"errors"

	"mysqlevidence/executor"
	"mysqlevidence/internal/refusal"
)

// faultOf is the one place where an error becomes public. What it doesn't know
// is internal, and no text of it is shown. The cause goes to the log, under the
// call's ID, which the context carries.
func (b *ToolBoundary) faultOf(ctx context.Context, err error) *Fault {
	var own *Fault
	var refused *refusal.Refusal
	var failed *executor.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &refused):
		return fromRefusal(refused)
	case errors.As(err, &failed):
		if failed.Cause != nil {
			b.log.WarnContext(ctx, "execution failed", "reason", failed.Reason, "cause", failed.Cause)
		}
		return fromExecutor(failed)
	}
	b.log.ErrorContext(ctx, "internal error", "cause", err)
	return internalFault(StageExecute)
}

func internalFault(stage string) *Fault {
	return &Fault{Code: CodeInternal, Reason: "internal", Stage: stage,
		Message: "The call failed for a reason that isn't the question's.",
		Hint:    "Report the request's ID to the operator, whose log has the cause."}
}

func fromRefusal(r *refusal.Refusal) *Fault {
	f := &Fault{Code: string(r.Code), Reason: string(r.Reason), Stage: string(r.Stage), Message: r.Message, Hint: r.Hint}
	if !r.Position.IsZero() {
		f.Where = &Position{Line: r.Position.Line, Column: r.Position.Column}
	}
	return f
}

func fromExecutor(e *executor.Error) *Fault {
	f := &Fault{Reason: e.Reason, Stage: StageExecute, Message: e.Message, Hint: e.Hint}
	switch e.Kind {
	case executor.Timeout:
		f.Code = CodeTimeout
	case executor.Cancelled:
		f.Code, f.Retryable = CodeCancelled, true
	case executor.Unavailable:
		f.Code, f.Retryable = CodeUnavailable, passes(e.Reason)
	case executor.Query:
		f.Code = CodeInvalidArguments
	case executor.TooExpensive:
		f.Code = CodeTooExpensive
	case executor.Internal:
		f.Code = CodeInternal
	default:
		return internalFault(StageExecute)
	}
	return f
}

// passes reports whether an unavailable data source may be back by itself. The
// other reasons wait for the operator.
func passes(reason string) bool {
	switch reason {
	case "server_unreachable", "connection_lost", "too_many_connections", "closing", "locked", "server_busy":
		return true
	}
	return false
}

// refusedBy is the fault of the pure stages, which give nothing but refusals.
func refusedBy(err error) *Fault {
	var r *refusal.Refusal
	if errors.As(err, &r) {
		return fromRefusal(r)
	}
	return internalFault(StageBoundary)
}

package boundary

import (
	"context"
	"log/slog"
)

// callLog puts the call's ID on each log line that is written with the call's
// context, by whichever stage writes it.
type callLog struct{ slog.Handler }

type callKey struct{}

// withCall marks a context as the call's.
func withCall(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, callKey{}, []slog.Attr{
		slog.String("request_id", call.ID), slog.String("run_id", call.Run.RunID), slog.String("tool", call.Tool),
	})
}

// Handle implements slog.Handler.
func (h callLog) Handle(ctx context.Context, r slog.Record) error {
	if attrs, ok := ctx.Value(callKey{}).([]slog.Attr); ok {
		r = r.Clone()
		r.AddAttrs(attrs...)
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h callLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return callLog{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h callLog) WithGroup(name string) slog.Handler { return callLog{h.Handler.WithGroup(name)} }

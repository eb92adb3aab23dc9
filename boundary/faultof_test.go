package boundary

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"mysqlevidence/executor"
	"mysqlevidence/internal/refusal"
)

func TestErrorsBecomePublicByOneTable(t *testing.T) {
	secret := errors.New("Access denied for user 'root'@'10.0.0.7'")
	for _, c := range []struct {
		err       error
		code      string
		status    string
		retryable bool
	}{
		{&executor.Error{Kind: executor.Timeout, Cause: secret}, CodeTimeout, StatusFailed, false},
		{&executor.Error{Kind: executor.Cancelled, Cause: secret}, CodeCancelled, StatusFailed, true},
		{&executor.Error{Kind: executor.Unavailable, Reason: "server_unreachable", Cause: secret}, CodeUnavailable, StatusFailed, true},
		{&executor.Error{Kind: executor.Unavailable, Reason: "privileged_account", Cause: secret}, CodeUnavailable, StatusFailed, false},
		{&executor.Error{Kind: executor.Query, Cause: secret}, CodeInvalidArguments, StatusRefused, false},
		{&executor.Error{Kind: executor.TooExpensive, Cause: secret}, CodeTooExpensive, StatusRefused, false},
		{&executor.Error{Kind: executor.Internal, Cause: secret}, CodeInternal, StatusFailed, false},
		{&executor.Error{Kind: "new", Message: secret.Error(), Cause: secret}, CodeInternal, StatusFailed, false},
		{refusal.New(refusal.Wildcard, refusal.Position{Line: 1, Column: 8}), CodeForbiddenSQL, StatusRefused, false},
		{secret, CodeInternal, StatusFailed, false},
	} {
		var log bytes.Buffer
		b := &ToolBoundary{log: slog.New(callLog{slog.NewTextHandler(&log, nil)})}
		f := b.faultOf(withCall(context.Background(), Call{ID: "call-77"}), c.err)
		if f.Code != c.code || f.Status() != c.status || f.Retryable != c.retryable {
			t.Errorf("%v: got %s %s retryable %t", c.err, f.Status(), f.Code, f.Retryable)
		}
		text := string(faultResult(f, "x").JSON)
		if strings.Contains(text, "denied") || strings.Contains(text, "10.0.0.7") {
			t.Errorf("%v: the cause is shown: %s", c.err, text)
		}
		if errors.Is(c.err, secret) && (!strings.Contains(log.String(), "10.0.0.7") || !strings.Contains(log.String(), "request_id=call-77")) {
			t.Errorf("%v: the log lacks the cause or the call's ID: %s", c.err, log.String())
		}
	}
}

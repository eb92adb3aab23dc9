package main

import (
	"strconv"
	"strings"

	"mysqlevidence/boundary"
)

// The exit codes beside 0.
const (
	exitRefused = 1 // the question may not be asked so
	exitMisused = 2 // flags, arguments or config
	exitFailed  = 3 // anything else
)

// exitError is an error with the code that the process ends with.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// ExitCode is the process's exit code.
func (e *exitError) ExitCode() int { return e.code }

func asMisuse(err error) error  { return &exitError{exitMisused, err} }
func asFailure(err error) error { return &exitError{exitFailed, err} }

// asFault turns a fault into an error for a person: what, where, and the hint.
func asFault(f *boundary.Fault, run string) error {
	code := exitFailed
	if f.Status() == boundary.StatusRefused {
		code = exitRefused
	}
	return &exitError{code, faultText{f, run}}
}

type faultText struct {
	fault *boundary.Fault
	run   string
}

func (t faultText) Error() string {
	var b strings.Builder
	b.WriteString(strings.ToLower(t.fault.Status()) + ": " + t.fault.Code + " (" + t.fault.Reason + ")")
	if p := t.fault.Where; p != nil {
		b.WriteString(" at line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Column))
	}
	b.WriteString("\n  " + t.fault.Message)
	if t.fault.Hint != "" {
		b.WriteString("\n  hint: " + t.fault.Hint)
	}
	b.WriteString("\n  recorded as call " + t.fault.RequestID + " of run " + t.run)
	return b.String()
}

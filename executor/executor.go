// Package executor runs plans on MySQL and MariaDB. It is the only package that
// talks to a server for agents.
//
// It guarantees:
//
//   - Only text that package authz rendered, and fixed texts of this package,
//     reach the server; a plan that can't be bound takes no connection.
//   - A query runs on a session whose settings were set and read back: sql_mode,
//     UTC, utf8mb4, read-only, time limit, room for GROUP_CONCAT. The account was
//     looked at and may only read, or the operator has accepted more.
//   - When the deadline passes or the caller cancels, the query is stopped on the
//     server and the result is an error, whatever the server answers.
//   - A long result that isn't wanted any more is never read to its end.
//   - With a cost gate, the plan of the very query is looked at before it runs; one
//     that can't be looked at for want of privileges runs, and Rows and Error say so.
//   - What the server and the driver say stays in Error.Cause and the log, and of
//     an answer to a query only the number does. No log line has a parameter or a
//     cell.
//
// It does not guarantee that a server stops at once inside one long function
// call: it looks for a KILL between rows. It doesn't see privileges that SHOW
// GRANTS doesn't print.
package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mysqlevidence/authz"
	"mysqlevidence/config"
)

// Limits bound one call. All are positive, but for Rows.Asked.
type Limits struct {
	Rows authz.RowLimits
	// Timeout is the most that the call may take; the source's own limit and the
	// context's deadline may be shorter.
	Timeout time.Duration
	// CellBytes is the budget of one cell, at most the source's.
	CellBytes int
}

// Executor runs plans on one data source. It is safe for concurrent use.
type Executor struct {
	source config.DataSource
	log    *slog.Logger
	pool   *pool
	killer *killer
	calls  calls
	schema schemaCache
	types  typeCache
}

// Open prepares a data source. It never connects and resolves no secret: a
// server that is down or a missing password is an error of the call that needs
// it, not of the start-up.
func Open(src config.DataSource, log *slog.Logger) (*Executor, error) {
	c := src.Connection
	switch {
	case c == nil:
		return nil, unavailable(noConnection, fmt.Errorf("data source %s has no connection", src.Name))
	case c.MaxConnections <= 0:
		return nil, fmt.Errorf("data source %s: max_connections is not positive", src.Name)
	case src.Limits.Timeout < time.Millisecond || src.Limits.CellBytes <= 0:
		return nil, fmt.Errorf("data source %s: a limit is not positive", src.Name)
	}
	log = log.With(slog.String("data_source", src.Name))
	o := opener{source: src.Name, flavour: src.Flavour, connection: *c, log: log,
		pins: newPins(src.Limits.Timeout, src.Limits.CellBytes)}
	return &Executor{source: src, log: log, pool: newPool(o, c.MaxConnections), killer: newKiller(*c, src.Limits.Timeout, log),
		schema: schemaCache{slot: make(chan struct{}, 1)}}, nil
}

// Run binds the parameters and sends the plan. The error is the *refusal.Refusal
// of Bind, before any connection is taken, or an *Error. The caller must close
// the rows; the context bounds them until then.
func (e *Executor) Run(ctx context.Context, plan authz.Plan, params []any, limits Limits) (*Rows, error) {
	types, known := e.types.of(plan)
	if !known { // BindCut comes after a connection
		if _, err := plan.Bind(params, limits.Rows); err != nil {
			return nil, err
		}
	}
	if err := e.admit(plan, limits); err != nil {
		return nil, e.fault(ctx, nil, internal(err))
	}
	deadline := time.Now().Add(min(limits.Timeout, e.source.Limits.Timeout))
	if !known {
		var err error
		if types, err = e.typesOf(ctx, time.Until(deadline), plan); err != nil {
			return nil, err
		}
	}
	bound, err := plan.BindCut(params, limits.Rows, authz.Cells{Bytes: limits.CellBytes, Types: types})
	if err != nil {
		return nil, err
	}
	if column := plan.MistypedFilter(types); column != "" {
		return nil, e.fault(ctx, nil, unavailable(filterType, fmt.Errorf("the config says filter: equality with type: integer for %s, which isn't known to be a number on the server", column)))
	}
	cmd := newCommand(bound.SQL(), bound.Args())
	gate, err := e.passGate(ctx, time.Until(deadline), plan.Tables(), bound.Reach(), cmd)
	if err != nil {
		return nil, err
	}
	c, stop, err := e.ask(ctx, time.Until(deadline), cmd)
	if err != nil {
		f := e.fault(ctx, stop, err)
		f.CostGate = gate
		return nil, f
	}
	return &Rows{plan: plan, budget: bound.Budget(), cuts: bound.Cuts(), gate: gate, cursor: c}, nil
}

// admit finds the mistakes of our own callers.
func (e *Executor) admit(plan authz.Plan, limits Limits) error {
	rows := limits.Rows
	switch {
	case plan.DataSource() != e.source.Name:
		return fmt.Errorf("a plan for data source %s", plan.DataSource())
	case limits.Timeout <= 0 || limits.CellBytes <= 0 || rows.Default <= 0 || rows.Max < rows.Default || rows.Asked < 0:
		return errors.New("a limit is not positive or above its maximum")
	case limits.CellBytes > e.source.Limits.CellBytes:
		return errors.New("a cell budget above the one that sessions are pinned for")
	}
	return nil
}

// Close stops what runs and ends every connection. Rows that are still open give
// errors from then on; they must be closed all the same.
func (e *Executor) Close() error {
	e.calls.close()
	e.pool.close()
	e.calls.starting.Wait() // cancelled, so they end soon
	e.killer.close()
	return nil
}

// query runs a command. The error is an *Error.
func (e *Executor) query(ctx context.Context, timeout time.Duration, cmd command) (*cursor, error) {
	c, stop, err := e.ask(ctx, timeout, cmd)
	if err != nil {
		return nil, e.fault(ctx, stop, err)
	}
	return c, nil
}

// ask runs a command. If the connection is lost before the first row, it is sent
// once more, on a fresh session: it only reads. The error is raw; stop says why
// the context had ended, if it had.
func (e *Executor) ask(ctx context.Context, timeout time.Duration, cmd command) (c *cursor, stop, err error) {
	ctx, settle, err := e.calls.begin(ctx, timeout)
	if err != nil {
		return nil, nil, err
	}
	defer e.calls.starting.Done()
	c, err = e.attempt(ctx, cmd, false)
	if err != nil && mayRetry(err) && ctx.Err() == nil {
		c, err = e.attempt(ctx, cmd, true)
	}
	if err != nil {
		stop = e.calls.stopCause(ctx)
		settle()
		return nil, stop, err
	}
	if c.settle = settle; c.err != nil {
		settle() // it has no row and is over
	}
	return c, nil, nil
}

// mayRetry reports whether a query's connection was lost; that none could be made
// is an *Error already.
func mayRetry(err error) bool {
	_, own := errors.AsType[*Error](err)
	return !own && lost(err)
}

func (e *Executor) attempt(ctx context.Context, cmd command, fresh bool) (*cursor, error) {
	s, err := e.pool.acquire(ctx, fresh)
	if err != nil {
		return nil, err
	}
	if !s.guarded {
		if err := e.killer.ensure(ctx, s); err != nil {
			e.log.LogAttrs(ctx, slog.LevelWarn, "no side connection for KILL could be made; it is tried again when one is needed", slog.Any("error", err))
		}
		s.guarded = true
	}
	return e.start(ctx, s, cmd)
}

// fault makes the public error and writes the operator's line.
func (e *Executor) fault(ctx context.Context, stop, err error) *Error {
	f := fault(stop, err)
	level := slog.LevelInfo
	if f.Kind == Unavailable || f.Kind == Internal {
		level = slog.LevelError
	}
	e.log.LogAttrs(ctx, level, "query failed", slog.String("kind", string(f.Kind)), slog.String("reason", f.Reason), slog.Any("cause", f.Cause))
	return f
}

// calls are the running queries, so that Close can stop them.
type calls struct {
	mu      sync.Mutex
	next    int
	running map[int]context.CancelFunc
	done    bool
	// starting counts the queries that have no rows yet and may still make
	// connections.
	starting sync.WaitGroup
}

// begin derives the context of one query. The caller must call starting.Done when
// it has started, and settle when it is over.
func (c *calls) begin(parent context.Context, timeout time.Duration) (ctx context.Context, settle func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return parent, nil, errClosed
	}
	if c.running == nil {
		c.running = make(map[int]context.CancelFunc)
	}
	ctx, cancel := context.WithTimeout(parent, timeout)
	id := c.next
	c.next++
	c.running[id] = cancel
	c.starting.Add(1)
	return ctx, func() { cancel(); c.remove(id) }, nil
}

// stopCause says why the context of a query ended, or nil. Of those that were
// cancelled while everything ends, it says that.
func (c *calls) stopCause(ctx context.Context) error {
	err := ctx.Err()
	if !errors.Is(err, context.Canceled) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return errClosed
	}
	return err
}

func (c *calls) remove(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, id)
}

// close cancels what runs and refuses more.
func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	for _, cancel := range c.running {
		cancel()
	}
}

package executor

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/authz"
)

// CostGate is what became of the cost gate for one query.
type CostGate string

// The outcomes. A query that was refused, or whose EXPLAIN failed, has none.
const (
	GateOff     CostGate = ""        // the data source has no gate
	GatePassed  CostGate = "passed"  // the plan was looked at
	GateSkipped CostGate = "skipped" // the server wouldn't show the plan, so the query ran without
)

// textFor is what is sent to a server of the flavour. Both take EXPLAIN as a
// prepared statement, with the query's own parameters, and neither runs the query
// for it. The form is asked for in words: MySQL's default is a setting, in 9.7 a
// tree of text, and MariaDB's plain table lacks the column filtered.
func (c command) textFor(f flavour) string {
	switch {
	case !c.explain:
		return c.text
	case f.mariadb:
		return "EXPLAIN EXTENDED " + c.text
	}
	return "EXPLAIN FORMAT=TRADITIONAL " + c.text
}

// passGate has the server explain the very text with the very arguments that are
// about to run, and refuses what it estimates to be too expensive. The error is an
// *Error.
func (e *Executor) passGate(ctx context.Context, timeout time.Duration, tables []authz.TableName, reach uint64, cmd command) (CostGate, error) {
	limit := e.source.Limits.CostGate
	if !limit.On {
		return GateOff, nil
	}
	cmd.explain = true
	c, stop, err := e.ask(ctx, timeout, cmd)
	if err != nil {
		if answer, ok := hidden(err); ok && stop == nil {
			e.log.LogAttrs(ctx, slog.LevelInfo, "the server doesn't show the plan to the account; the cost gate is skipped", slog.Any("cause", answer))
			return GateSkipped, nil
		}
		return GateOff, e.fault(ctx, stop, err)
	}
	steps, err := c.readPlan()
	if own, ok := errors.AsType[*Error](err); ok {
		return GateOff, own // logged already
	}
	if err != nil {
		return GateOff, e.fault(ctx, nil, err)
	}
	cost := estimate(steps, reach)
	if cost.rows <= float64(limit.MaxEstimatedRows) {
		return GatePassed, nil
	}
	return GateOff, e.fault(ctx, nil, tooExpensive(cost, limit.MaxEstimatedRows, namesOf(cost.worst, steps, tables, e.source.DefaultSchema)))
}

// hidden reports whether the server refuses to show the plan for want of a
// privilege. A view is explained only to who has SHOW VIEW on it and may read the
// tables behind it (1345). Where the query itself isn't permitted (1142, 1143), it
// will say so when it runs.
func hidden(err error) (serverError, bool) {
	answer, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok {
		return serverError{}, false
	}
	switch answer.Number {
	case 1142, 1143, 1345:
		return scrub(answer), true
	}
	return serverError{}, false
}

// readPlan reads the plan to its end and gives the session back. The error is raw
// or an *Error.
func (c *cursor) readPlan() ([]planStep, error) {
	defer c.close()
	layout, err := layoutOf(c.rows.Columns())
	if err != nil {
		return nil, err
	}
	var steps []planStep
	for {
		row, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		s, err := layout.read(row)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return nil, errors.New("the plan has no rows")
	}
	return steps, nil
}

// planLayout says where the columns of the plan are; MySQL has one more than
// MariaDB.
type planLayout struct{ id, kind, table, access, rows, filtered, extra int }

func layoutOf(columns []string) (planLayout, error) {
	var l planLayout
	for name, at := range map[string]*int{"id": &l.id, "select_type": &l.kind, "table": &l.table, "type": &l.access,
		"rows": &l.rows, "filtered": &l.filtered, "Extra": &l.extra} {
		if *at = slices.Index(columns, name); *at < 0 {
			return l, fmt.Errorf("the plan has no column %s", name)
		}
	}
	return l, nil
}

// read reads one row of the plan. A number that is NULL is of a step that reads
// nothing by itself.
func (l planLayout) read(row []driver.Value) (planStep, error) {
	cells := texts(row)
	s := planStep{id: cells[l.id], kind: cells[l.kind], table: cells[l.table], access: cells[l.access], extra: cells[l.extra], filtered: 100}
	for _, n := range []struct {
		at   int
		into *float64
	}{{l.rows, &s.rows}, {l.filtered, &s.filtered}} {
		if row[n.at] == nil {
			continue
		}
		v, err := strconv.ParseFloat(cells[n.at], 64)
		if err != nil || !(v >= 0) { // NaN is neither
			return s, errors.New("a number of the plan can't be read")
		}
		*n.into = v
	}
	return s, nil
}

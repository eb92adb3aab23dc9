package config

import (
	"fmt"
	"time"
)

// The defaults and the ceilings of the limits. Ceilings that the contract
// doesn't name keep arithmetic on them far from overflow.
const (
	defaultRows       = 1000
	defaultSampleRows = 10
	defaultMaxRows    = 10000
	ceilingMaxRows    = 100000
	defaultCellBytes  = 4096
	defaultTotalBytes = 65536
	// floorTotalBytes leaves room for an envelope that can say why it is empty.
	floorTotalBytes     = 1024
	ceilingTotalBytes   = 256 << 20
	defaultTimeout      = 10 * time.Second
	ceilingTimeout      = 30 * time.Second
	defaultInFlight     = 512
	defaultInFlightEach = 16
	ceilingInFlight     = 1 << 20
	// ceilingEstimatedRows is more than a server can examine within the longest
	// timeout, so a higher limit would never refuse what has a chance to end.
	ceilingEstimatedRows = 1_000_000_000
	defaultConnections   = 8
	ceilingConnections   = 10000
	defaultPort          = 3306
	queryBytes           = 16384
	queryTokens          = 2000
	queryNesting         = 64
	queryPlaceholders    = 256
	// floorTimeout is MySQL's resolution: a max_execution_time of 0 ms would
	// mean no limit at all.
	floorTimeout = time.Millisecond
)

// ceiling is the most that a limit may be, and the rule that says so.
type ceiling struct {
	value int
	rule  string // completes "is above"
}

func fixed(n int) ceiling { return ceiling{n, fmt.Sprintf("the ceiling of %d", n)} }

func below(key string, n int) ceiling { return ceiling{n, fmt.Sprintf("%s (%d)", key, n)} }

func tighter(key string, n int) ceiling {
	return ceiling{n, fmt.Sprintf("the file's limits.%s (%d); a data source may only tighten it", key, n)}
}

// count returns the limit that n sets, or missing when n is absent or wrong. A
// default gives way to a ceiling; a written value above one is a mistake.
func (c *checker) count(n *number, missing, floor int, ceilings ...ceiling) int {
	for _, top := range ceilings {
		missing = min(missing, top.value)
	}
	if !n.ok {
		return missing
	}
	if n.v < floor {
		c.fail(n.place, "must be at least %d, not %d", floor, n.v)
		return missing
	}
	for _, top := range ceilings {
		if n.v > top.value {
			c.fail(n.place, "%d is above %s", n.v, top.rule)
			return missing
		}
	}
	return n.v
}

func (c *checker) timeout(d *duration, missing, top time.Duration, rule string) time.Duration {
	switch {
	case !d.ok:
		return missing
	case d.v < floorTimeout:
		c.fail(d.place, "must be at least %s, not %s", floorTimeout, d.v)
		return missing
	case d.v > top:
		c.fail(d.place, "%s is above %s", d.v, rule)
		return missing
	}
	return d.v
}

// limits returns the file's limits.
func (c *checker) limits(k *limitKeys) Limits {
	l := Limits{
		MaxRows:    c.count(&k.MaxRows, defaultMaxRows, 1, fixed(ceilingMaxRows)),
		TotalBytes: c.count(&k.TotalBytes, defaultTotalBytes, floorTotalBytes, fixed(ceilingTotalBytes)),
		Timeout:    c.timeout(&k.Timeout, defaultTimeout, ceilingTimeout, "the ceiling of 30s"),
		InFlight:   c.count(&k.InFlight, defaultInFlight, 1, fixed(ceilingInFlight)),
	}
	l.Rows = c.count(&k.Rows, defaultRows, 1, below("max_rows", l.MaxRows))
	l.SampleRows = c.count(&k.SampleRows, defaultSampleRows, 1, below("max_rows", l.MaxRows))
	l.CellBytes = c.count(&k.CellBytes, defaultCellBytes, 1, below("total_bytes", l.TotalBytes))
	l.InFlightPerCaller = c.count(&k.InFlightPerCaller, defaultInFlightEach, 1, below("in_flight", l.InFlight))
	l.CostGate = c.costGate(&k.MaxEstimatedRows, CostGate{})
	return l
}

// sourceLimits returns the file's limits as one data source tightens them.
func (c *checker) sourceLimits(k *sourceLimitKeys, file Limits) Limits {
	l := file
	l.MaxRows = c.count(&k.MaxRows, file.MaxRows, 1, tighter("max_rows", file.MaxRows))
	l.TotalBytes = c.count(&k.TotalBytes, file.TotalBytes, floorTotalBytes, tighter("total_bytes", file.TotalBytes))
	l.Timeout = c.timeout(&k.Timeout, file.Timeout, file.Timeout,
		fmt.Sprintf("the file's limits.timeout (%s); a data source may only tighten it", file.Timeout))
	l.Rows = c.count(&k.Rows, file.Rows, 1, tighter("rows", file.Rows), below("max_rows", l.MaxRows))
	l.SampleRows = c.count(&k.SampleRows, file.SampleRows, 1, tighter("sample_rows", file.SampleRows), below("max_rows", l.MaxRows))
	l.CellBytes = c.count(&k.CellBytes, file.CellBytes, 1, tighter("cell_bytes", file.CellBytes), below("total_bytes", l.TotalBytes))
	l.CostGate = c.costGate(&k.MaxEstimatedRows, file.CostGate)
	return l
}

// costGate returns the gate that n sets, or the file's. Where the file has none,
// a data source's own is a tightening; to take the file's away it has no words.
func (c *checker) costGate(n *number, file CostGate) CostGate {
	if !n.ok {
		return file
	}
	top := fixed(ceilingEstimatedRows)
	if file.On {
		top = tighter("max_estimated_rows", file.MaxEstimatedRows)
	}
	return CostGate{On: true, MaxEstimatedRows: c.count(n, top.value, 1, top)}
}

// queryCaps returns the caps on a query's text, which can only be lowered.
func (c *checker) queryCaps(k *queryKeys) QueryCaps {
	return QueryCaps{
		Bytes:        c.count(&k.Bytes, queryBytes, 1, fixed(queryBytes)),
		Tokens:       c.count(&k.Tokens, queryTokens, 1, fixed(queryTokens)),
		Nesting:      c.count(&k.Nesting, queryNesting, 1, fixed(queryNesting)),
		Placeholders: c.count(&k.Placeholders, queryPlaceholders, 1, fixed(queryPlaceholders)),
	}
}

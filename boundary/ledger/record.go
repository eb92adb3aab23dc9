package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"mysqlevidence/boundary"
)

// Record is one call as the ledger holds it.
type Record struct {
	boundary.Invocation
	boundary.Outcome // zero while the call is open
	// Duplicates is how often the same run and call were refused later.
	Duplicates int
}

// Open reports that the call has no outcome: it still runs, or its process died.
func (r Record) Open() bool { return r.Finished.IsZero() }

// Recent returns at most limit records, the newest first. The limit must be
// positive.
func (s *SQLite) Recent(ctx context.Context, limit int) ([]Record, error) {
	if limit <= 0 {
		return nil, fmt.Errorf("read ledger: limit %d is not positive", limit)
	}
	rows, err := s.read.QueryContext(ctx, selectRecent, limit)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	defer rows.Close()
	var out []Record
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		out = append(out, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	return out, nil
}

func scan(rows *sql.Rows) (Record, error) {
	var r Record
	var started string
	var finished sql.NullString
	err := rows.Scan(&r.RunID, &r.CallID, &r.IDSource, &r.Caller, &r.Tool, &r.DataSource, &r.AskedReason,
		&r.SQL, &r.PolicyHash, &started, &r.Duplicates, &finished, &r.Status, &r.Code, &r.Stage, &r.Outcome.Reason,
		&r.Rows, &r.Bytes, &r.Truncated, &r.CostGate, &r.EvidenceSHA256)
	if err != nil {
		return Record{}, err
	}
	if r.Started, err = time.Parse(timeFormat, started); err != nil {
		return Record{}, err
	}
	if finished.Valid {
		if r.Finished, err = time.Parse(timeFormat, finished.String); err != nil {
			return Record{}, err
		}
	}
	return r, nil
}

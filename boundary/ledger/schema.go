package ledger

import (
	"database/sql"
	"fmt"
)

// version is the layout that this program reads and writes.
const version = 2

// The IDs are TEXT in a STRICT table: no affinity turns "007" or "1e3" into a
// number, and the default collation compares bytes.
const createTables = `
CREATE TABLE ledger_version (version INTEGER NOT NULL) STRICT;
CREATE TABLE calls (
	seq             INTEGER PRIMARY KEY,
	run_id          TEXT    NOT NULL,
	call_id         TEXT    NOT NULL,
	id_source       TEXT    NOT NULL,
	caller          TEXT    NOT NULL,
	tool            TEXT    NOT NULL,
	data_source     TEXT    NOT NULL,
	asked_reason    TEXT    NOT NULL,
	sql             TEXT    NOT NULL,
	policy_hash     TEXT    NOT NULL,
	started         TEXT    NOT NULL,
	duplicates      INTEGER NOT NULL DEFAULT 0,
	finished        TEXT, -- NULL while the call is open
	status          TEXT    NOT NULL DEFAULT '',
	code            TEXT    NOT NULL DEFAULT '',
	stage           TEXT    NOT NULL DEFAULT '',
	reason          TEXT    NOT NULL DEFAULT '',
	row_count       INTEGER NOT NULL DEFAULT 0,
	byte_count      INTEGER NOT NULL DEFAULT 0,
	truncated       INTEGER NOT NULL DEFAULT 0,
	cost_gate       TEXT    NOT NULL DEFAULT '',
	evidence_sha256 TEXT    NOT NULL DEFAULT '',
	UNIQUE (run_id, call_id)
) STRICT;
INSERT INTO ledger_version (version) VALUES (2);`

// fromLayout1 adds what layout 1 lacks. To the program of that layout the file is
// unknown from then on.
const fromLayout1 = `
ALTER TABLE calls ADD COLUMN cost_gate TEXT NOT NULL DEFAULT '';
UPDATE ledger_version SET version = 2;`

const insertCall = `INSERT INTO calls
	(run_id, call_id, id_source, caller, tool, data_source, asked_reason, sql, policy_hash, started)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const countDuplicate = `UPDATE calls SET duplicates = duplicates + 1 WHERE run_id = ? AND call_id = ?`

const finishCall = `UPDATE calls SET finished = ?, status = ?, code = ?, stage = ?, reason = ?,
	row_count = ?, byte_count = ?, truncated = ?, cost_gate = ?, evidence_sha256 = ?
	WHERE run_id = ? AND call_id = ? AND finished IS NULL`

const selectRecent = `SELECT run_id, call_id, id_source, caller, tool, data_source, asked_reason, sql,
	policy_hash, started, duplicates, finished, status, code, stage, reason, row_count, byte_count,
	truncated, cost_gate, evidence_sha256 FROM calls ORDER BY seq DESC LIMIT ?`

// migrate creates the tables of a new file, brings an older layout up to date, and
// refuses one that it doesn't know. The transaction takes the write lock at once,
// so that two processes that start on one file do it once.
func migrate(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return fmt.Errorf("begin migration: %w", err)
	}
	defer tx.Rollback() // after Commit this does nothing
	var tables int
	err = tx.QueryRow(`SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'`).Scan(&tables)
	if err != nil {
		return fmt.Errorf("read layout: %w", err)
	}
	if tables == 0 {
		if _, err := tx.Exec(createTables); err != nil {
			return fmt.Errorf("create tables: %w", err)
		}
		return tx.Commit()
	}
	var found int
	if err := tx.QueryRow(`SELECT version FROM ledger_version`).Scan(&found); err != nil {
		return fmt.Errorf("this file is not a ledger: %w", err)
	}
	switch found {
	case version:
		return nil
	case 1:
		if _, err := tx.Exec(fromLayout1); err != nil {
			return fmt.Errorf("bring layout 1 up to date: %w", err)
		}
		return tx.Commit()
	}
	return fmt.Errorf("the ledger has layout %d, this program knows layout %d", found, version)
}

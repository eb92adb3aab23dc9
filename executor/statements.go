package executor

import (
	"container/list"
	"context"
	"database/sql/driver"
	"fmt"
)

// maxStatements bounds the prepared statements of one session. The server's
// default bound for all its clients is 16382 (max_prepared_stmt_count).
const maxStatements = 64

// statements are the prepared statements of one session by their text, the least
// recently used one closed first.
type statements struct {
	byText map[string]*list.Element
	recent list.List // of *statement, the most recent first
}

type statement struct {
	text string
	stmt preparedStmt
}

// preparedStmt is the part of the driver's statement that is used.
type preparedStmt interface {
	driver.Stmt
	driver.StmtQueryContext
}

// prepare returns the statement for the text, preparing it on first use. It
// blocks as long as the server does: who stops it does so from outside.
func (s *statements) prepare(conn driver.ConnPrepareContext, text string) (preparedStmt, error) {
	if hit, ok := s.byText[text]; ok {
		s.recent.MoveToFront(hit)
		return hit.Value.(*statement).stmt, nil
	}
	raw, err := conn.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	stmt, ok := raw.(preparedStmt)
	if !ok {
		return nil, fmt.Errorf("driver's statement %T has no QueryContext", raw)
	}
	if s.recent.Len() >= maxStatements {
		if err := s.evict(); err != nil {
			return nil, err
		}
	}
	if s.byText == nil {
		s.byText = make(map[string]*list.Element)
	}
	s.byText[text] = s.recent.PushFront(&statement{text: text, stmt: stmt})
	return stmt, nil
}

func (s *statements) evict() error {
	oldest := s.recent.Remove(s.recent.Back()).(*statement)
	delete(s.byText, oldest.text)
	return oldest.stmt.Close()
}

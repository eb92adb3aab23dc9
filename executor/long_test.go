package executor

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"mysqlevidence/config"
)

// withHuge adds a view with a cell of as many bytes as one packet of the server's
// may have, nearly.
func (s *server) withHuge() (src config.DataSource, bytes int) {
	s.t.Helper()
	if err := s.root.QueryRowContext(context.Background(), "SELECT LEAST(64000000, @@max_allowed_packet - 1024)").Scan(&bytes); err != nil {
		s.t.Fatal(err)
	}
	s.exec("CREATE VIEW " + s.schema + ".huge AS SELECT id, REPEAT('x', " + strconv.Itoa(bytes) + ") AS cell FROM " + s.schema + ".groups_")
	src = s.source()
	src.Allow[0].Tables = append(src.Allow[0].Tables, config.Table{Name: "huge", Columns: []config.Column{{Name: "id"}, {Name: "cell"}}})
	return src, bytes
}

func TestOfALongCellOnlyTheBudgetCrossesTheWire(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src, bytes := s.withHuge()
		p := s.through(&src)
		e, _ := open(t, src)
		wantOne(t, e)
		for _, text := range []string{"SELECT id, cell FROM huge", "SELECT UPPER(cell) FROM huge", "SELECT MAX(cell) FROM huge", "SELECT CONCAT(cell, id) FROM huge ORDER BY id"} {
			before := p.received.Load()
			rows, err := runAll(t.Context(), t, e, text, nil, within(20*time.Second))
			if err != nil || len(rows) != 1 {
				t.Fatalf("%s: %d rows, %v", text, len(rows), err)
			}
			if got := p.received.Load() - before; got > 3*4096 {
				t.Errorf("%s: %d bytes were received of a cell of %d", text, got, bytes)
			}
		}
	})
}

func TestARowBeyondTheBudgetIsNotRead(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src, bytes := s.withHuge()
		p := s.through(&src)
		e, _ := open(t, src)
		wantOne(t, e)
		before := p.received.Load()
		_, err := runAll(t.Context(), t, e, "SELECT DISTINCT cell FROM huge", nil, within(20*time.Second))
		f := wantFault(t, err, Query, "row_too_large")
		if strings.Contains(f.Hint, "huge") || !strings.Contains(f.Hint, "LEFT(") {
			t.Errorf("hint: %s", f.Hint)
		}
		if got := p.received.Load() - before; got > int64(bytes)/2 {
			t.Errorf("%d bytes were received of a row of %d", got, bytes)
		}
		wantOne(t, e)
		eventually(t, "the server has ended the query", func() bool { return s.busy() == 0 })
	})
}

package executor

import (
	"strings"
	"testing"
	"time"

	"mysqlevidence/config"
)

// name = 4 would match '4711': whoever may ask could find a name out, digit by
// digit.
func TestAFilterOfTheWrongTypeIsNotRun(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		table := &src.Allow[0].Tables[0]
		for i := range table.Columns {
			if c := &table.Columns[i]; c.Name == "name" || c.Name == "small" {
				c.Mask, c.FilterEquality, c.FilterType = config.MaskRedact, true, config.ParamInteger
			}
		}
		e, log := open(t, src)
		_, err := runAll(t.Context(), t, e, "SELECT id FROM items WHERE name = ?", []any{4}, within(20*time.Second))
		wantFault(t, err, Unavailable, "filter_type")
		if !strings.Contains(log.String(), s.schema+".items.name") {
			t.Errorf("the log doesn't name the column: %s", log)
		}
		rows, err := runAll(t.Context(), t, e, "SELECT id FROM items WHERE id < 150 AND small IN (?, ?)", []any{42, 43}, within(20*time.Second))
		if err != nil || len(rows) != 4 {
			t.Errorf("by an integer: %v, %v", rows, err)
		}
	})
}

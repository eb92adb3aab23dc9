package executor

import (
	"testing"
	"time"
)

// TestSecondsOfAnyTypeAreReadAsATime: MariaDB gives FROM_UNIXTIME of a text or of
// a floating-point number more decimals than the driver reads.
func TestSecondsOfAnyTypeAreReadAsATime(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		for _, tt := range []struct {
			item  string
			param any
			want  string
		}{
			{"FROM_UNIXTIME(?)", "1700000000", "2023-11-14 22:13:20.000000"},
			{"FROM_UNIXTIME(?)", 1700000000.5, "2023-11-14 22:13:20.500000"},
			{"IF(id = 1, FROM_UNIXTIME(?), NULL)", "1.25", "1970-01-01 00:00:01.250000"},
			{"NULLIF(FROM_UNIXTIME(?), NULL)", "1.25", "1970-01-01 00:00:01.250000"},
			{"MAX(FROM_UNIXTIME(CONCAT(?)))", "1.25", "1970-01-01 00:00:01.250000"},
			{"FROM_UNIXTIME(SQRT(id) + ?)", 0.5, "1970-01-01 00:00:01.500000"},
			{"FROM_UNIXTIME(id + CAST(? AS SIGNED))", 1, "1970-01-01 00:00:02"},
		} {
			got, err := runAll(t.Context(), t, e, "SELECT "+tt.item+" AS v FROM items WHERE id = 1 GROUP BY id", []any{tt.param}, within(10*time.Second))
			if err != nil || len(got) != 1 || got[0][0] != tt.want {
				t.Errorf("%s with %v: %v %v, want %s", tt.item, tt.param, got, err, tt.want)
			}
		}
	})
}

// TestServerErrorsOfOddValuesAreTheAskers: what values of an accepted query make a
// server say is the query's fault, and its answer says so.
func TestServerErrorsOfOddValuesAreTheAskers(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		for item, reason := range map[string]string{
			"JSON_UNQUOTE(IF(id, 1e308, ?))": "function_arguments",
			"POW(?, 9e99)":                   "out_of_range",
			"JSON_LENGTH(IF(id, name, ?))":   "invalid_json",
		} {
			_, err := runAll(t.Context(), t, e, "SELECT "+item+" FROM items WHERE id = 1", []any{1e300}, within(10*time.Second))
			if err == nil && s.mariadb {
				continue // which converts, and warns
			}
			wantFault(t, err, Query, reason)
		}
	})
}

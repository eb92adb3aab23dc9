package authz_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mysqlevidence/internal/refusal"
)

// nested applies a template to its own result.
func nested(template, start string, times int) string {
	for range times {
		start = strings.ReplaceAll(template, "@", start)
	}
	return start
}

// The queries took seconds to minutes on real servers, whatever their limits.
func TestNoQueryMakesTextGrow(t *testing.T) {
	p := newPipeline(t, strings.Replace(trapsYAML(t), "    default_schema: traps", "    default_schema: traps\n    functions: {add: [hex, json_array, json_quote, quote, to_base64]}", 1))
	for sql, want := range map[string]refusal.Reason{
		"SELECT " + nested("REPLACE(DATE_FORMAT('2024-05-01', @), 'We', '%W')", "'%W%W'", 3) + " FROM orders":                         refusal.FunctionArguments,
		"SELECT FROM_UNIXTIME(1, CONCAT('%W', '%W')) FROM orders":                                                                     refusal.FunctionArguments,
		"SELECT TIME_FORMAT(placed_at, status) FROM orders":                                                                           refusal.FunctionArguments,
		"SELECT " + nested("REPLACE(JSON_EXTRACT(@, '$'), '0000000', ',1e14,1')", "'[1e14]'", 6) + " FROM orders":                     refusal.TextTooLong,
		"SELECT " + nested("CONCAT(JSON_ARRAY(@), '')", "'\"'", 6) + " FROM orders":                                                   refusal.TextTooLong,
		"SELECT " + nested("REPLACE(COALESCE(JSON_EXTRACT(@, '$')), '0000000', ',1e14,1')", "'[1e14]'", 6) + " FROM orders":           refusal.TextTooLong,
		"SELECT " + nested("REPLACE(IF(id, JSON_EXTRACT(@, '$'), NULL), '0000000', ',1e14,1')", "?", 6) + " FROM orders":              refusal.TextTooLong,
		"SELECT MAX(" + nested("CASE WHEN id THEN JSON_EXTRACT(@, '$') END", "status", 6) + ") FROM orders":                           refusal.TextTooLong,
		"SELECT id FROM orders WHERE status LIKE '%" + strings.Repeat("a", 600) + "b%'":                                               refusal.PatternTooLong,
		"SELECT '" + strings.Repeat("a", 600) + "' AS x FROM orders ORDER BY status LIKE x":                                           refusal.PatternTooLong,
		"SELECT id FROM orders WHERE LOCATE(CONCAT('" + strings.Repeat("a", 600) + "', status), status) > 0":                          refusal.PatternTooLong,
		"SELECT '" + strings.Repeat("a", 12000) + "' AS x FROM orders ORDER BY CONCAT(x, x, x, x, id) LIKE CONCAT('%', status, '%b')": refusal.PatternTooLong,
		"SELECT id FROM orders WHERE " + strings.Repeat("LOCATE(status, status) > 0 OR ", 40) + "1":                                   refusal.PatternTooLong,
		"SELECT " + nested("HEX(@)", "status", 3) + " FROM orders":                                                                    refusal.TextTooLong,
		"SELECT " + nested("CONCAT(@, @, @, @)", "status", 4) + " FROM orders":                                                        refusal.TextTooLong,
		"SELECT IF(id, " + nested("CONCAT(@, @, @, @)", "status", 4) + ", 1) FROM orders":                                             refusal.TextTooLong,
		"SELECT GREATEST(" + nested("CONCAT(@, @, @, @)", "status", 4) + ", 'x') FROM orders":                                         refusal.TextTooLong,
		"SELECT id FROM orders WHERE LENGTH(" + nested("CONCAT(@, @, @, @)", "status", 4) + ") > 1":                                   refusal.TextTooLong,
		"SELECT o.id FROM orders o JOIN customers c ON LENGTH(" + nested("CONCAT(@, @, @, @)", "c.name", 4) + ") > o.id":              refusal.TextTooLong,
		"SELECT GROUP_CONCAT(status) AS x FROM orders HAVING LENGTH(CONCAT(x, x, x, x)) > 1":                                          refusal.TextTooLong,
		"SELECT CONCAT(" + strings.Repeat("status, ", 30) + "status) AS x FROM orders ORDER BY LENGTH(CONCAT(x, x, x))":               refusal.TextTooLong,
		"SELECT GROUP_CONCAT('ab' SEPARATOR '') AS x FROM orders HAVING LENGTH(TRIM(TRAILING 'ab' FROM x)) = 1":                       refusal.PatternTooLong,
		"SELECT LENGTH(TRIM(TRAILING ? FROM CONCAT(status, status, status, status, status))) FROM orders":                             refusal.PatternTooLong,
		"SELECT GROUP_CONCAT(status) AS x FROM orders HAVING LOCATE(x, x) > 0":                                                        refusal.PatternTooLong,
		"SELECT id FROM orders WHERE INSTR(status, CONCAT(status, status, status, status, status)) > 0":                               refusal.PatternTooLong,
		"SELECT id FROM events WHERE JSON_CONTAINS(payload, CONCAT(kind, kind, kind, kind, kind))":                                    refusal.PatternTooLong,
		"SELECT JSON_CONTAINS_PATH(payload, 'one', '$**.a') FROM events":                                                              refusal.FunctionArguments,
		"SELECT JSON_CONTAINS_PATH(payload, 'one', '$.a', ?) FROM events":                                                             refusal.FunctionArguments,
		"SELECT JSON_LENGTH(payload, ?) FROM events":                                                                                  refusal.FunctionArguments,
		"SELECT JSON_KEYS(payload, '$**[0]') FROM events":                                                                             refusal.FunctionArguments,
		"SELECT JSON_CONTAINS(payload, '1', kind) FROM events":                                                                        refusal.FunctionArguments,
		"SELECT payload->'$**.a' FROM events":                                                                                         refusal.FunctionArguments,
	} {
		_, err := p.plan(sql)
		var r *refusal.Refusal
		if !errors.As(err, &r) || r.Reason != want {
			t.Errorf("%.200s: %v, want %s", sql, err, want)
		}
	}
	for _, sql := range []string{
		"SELECT CONCAT(c.name, ' (', c.city, '), ', c.note, ': ', o.status, ' ', o.total, ' ', o.placed_at) FROM customers c JOIN orders o ON o.customer_id = c.id",
		"SELECT GROUP_CONCAT(DISTINCT status ORDER BY status SEPARATOR ', ') AS s FROM orders HAVING s LIKE '%paid%' AND LOCATE('paid', s) > 0",
		"SELECT id FROM orders WHERE status LIKE CONCAT('%', ?, '%') OR LOCATE(?, status) > 0 OR INSTR(status, LOWER(?)) > 0",
		"SELECT c.id FROM customers c JOIN orders o ON LOCATE(o.status, c.note) > 0",
		"SELECT TRIM(BOTH '\"' FROM JSON_EXTRACT(payload, '$.a')), TRIM(LEADING '0' FROM kind), TRIM(TRAILING ', ' FROM CONCAT(kind, ', ', kind)) FROM events",
		"SELECT JSON_UNQUOTE(JSON_EXTRACT(JSON_EXTRACT(payload, '$.a'), '$.b')), JSON_LENGTH(payload, '$.list'), payload->>'$.a[*].b' FROM events",
		"SELECT DATE_FORMAT(placed_at, '%Y-%m'), DATE_FORMAT(placed_at, ?), STR_TO_DATE('2024', '%Y') FROM orders",
		"SELECT SUBSTRING_INDEX(SUBSTRING_INDEX(note, ',', 3), ',', -1), REPLACE(REPLACE(REPLACE(note, '-', ''), ' ', ''), '+', '') FROM customers",
		"SELECT id FROM events WHERE JSON_CONTAINS(payload, payload->'$.x') OR FIND_IN_SET(payload->>'$.x', kind) OR LOCATE(payload->>'$.x', kind)",
		"SELECT c.id FROM customers c JOIN events e ON JSON_CONTAINS(e.payload, JSON_QUOTE(c.name))",
		"SELECT CONCAT_WS(' ', e.payload->>'$.a', e.payload->>'$.b', e.payload->>'$.c', e.payload->>'$.d', e.payload->>'$.e', e.payload->>'$.f', e.payload->>'$.g', e.payload->>'$.h', e.payload->>'$.i') FROM events e",
		"SELECT JSON_EXTRACT(JSON_EXTRACT(JSON_EXTRACT(e.payload, '$.a'), '$.b'), '$.c') FROM events e",
		"SELECT id FROM customers WHERE name LIKE '%a%' OR city LIKE CONCAT(?, '%') OR note LIKE ? OR CONCAT(name, ' ', city) LIKE '%x%' OR REPLACE(note, '-', '') LIKE '%1%'",
		"SELECT HEX(kind), TO_BASE64(HEX(kind)), JSON_ARRAY(id, kind, flag) FROM events",
	} {
		if _, err := p.plan(sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestParametersCountAsOftenAsTheyAreSentAndPatternsAreShort(t *testing.T) {
	p := newPipeline(t, trapsYAML(t))
	long, longest := strings.Repeat("x", 257), strings.Repeat("x", 16<<10)
	for _, c := range []struct {
		sql    string
		params []any
		fits   bool
	}{
		{"SELECT id FROM orders WHERE LOCATE(?, status) > 0", []any{long}, false},
		{"SELECT id FROM orders WHERE LOCATE(?, status) > 0", []any{long[1:]}, true},
		{"SELECT id FROM orders WHERE LOCATE(status, ?) > 0", []any{longest}, true},
		{"SELECT id FROM orders WHERE INSTR(status, CONCAT(?, 'x')) > 0", []any{long}, false},
		{"SELECT TRIM(TRAILING ? FROM status) FROM orders", []any{long}, false},
		{"SELECT TRIM(TRAILING 'ab' FROM ?) FROM orders", []any{long}, false},
		{"SELECT TRIM(TRAILING 'a' FROM ?) FROM orders", []any{longest}, true},
		{"SELECT DATE_FORMAT(placed_at, ?) FROM orders", []any{long}, false},
		{"SELECT JSON_CONTAINS(payload, ?) FROM events", []any{long}, false},
		{"SELECT CONCAT('a', ?) AS x FROM orders ORDER BY LENGTH(x) + LENGTH(x) + LENGTH(x)", []any{longest}, true},
		{"SELECT CONCAT('a', ?) AS x FROM orders ORDER BY LENGTH(x) + LENGTH(x) + LENGTH(x) + LENGTH(x)", []any{longest}, false},
	} {
		plan, err := p.plan(c.sql)
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		_, err = plan.Bind(c.params, rows)
		var r *refusal.Refusal
		if errors.As(err, &r) && r.Reason != refusal.ParamSize {
			t.Errorf("%s: %v", c.sql, err)
		}
		if (err == nil) != c.fits {
			t.Errorf("%s with %d bytes: %v", c.sql, len(fmt.Sprint(c.params...)), err)
		}
	}
}

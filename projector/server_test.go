package projector

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mysqlevidence/authz"
	"mysqlevidence/config"
	"mysqlevidence/executor"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/mysqltest"
	"mysqlevidence/validator"
)

// zooColumns are columns of every type, with the JSON of their ordinary and of
// their extreme value, and the type that the envelope must give.
var zooColumns = []struct{ name, definition, ordinary, extreme, columnType, ordinaryJSON, extremeJSON string }{
	{"tiny", "TINYINT", "-1", "-128", "integer", `-1`, `-128`},
	{"utiny", "TINYINT UNSIGNED", "1", "255", "integer", `1`, `255`},
	{"flag", "BOOLEAN", "TRUE", "FALSE", "integer", `1`, `0`},
	{"small", "SMALLINT", "2", "-32768", "integer", `2`, `-32768`},
	{"usmall", "SMALLINT UNSIGNED", "2", "65535", "integer", `2`, `65535`},
	{"medium", "MEDIUMINT", "3", "-8388608", "integer", `3`, `-8388608`},
	{"umedium", "MEDIUMINT UNSIGNED", "3", "16777215", "integer", `3`, `16777215`},
	{"int_", "INT", "4", "-2147483648", "integer", `4`, `-2147483648`},
	{"uint_", "INT UNSIGNED", "4", "4294967295", "integer", `4`, `4294967295`},
	{"big", "BIGINT", "9007199254740991", "-9223372036854775808", "integer", `9007199254740991`, `"-9223372036854775808"`},
	{"ubig", "BIGINT UNSIGNED", "9007199254740992", "18446744073709551615", "integer", `"9007199254740992"`, `"18446744073709551615"`},
	{"yr", "YEAR", "2024", "0", "integer", `2024`, `0`},
	{"deci", "DECIMAL(40,10)", "0.1", "-123456789012345678901234567890.0123456789", "decimal", `"0.1000000000"`, `"-123456789012345678901234567890.0123456789"`},
	{"flt", "FLOAT", "0.1", "3.4e38", "float", `0.1`, `3.4e+38`},
	{"dbl", "DOUBLE", "0.1", "-1.7976931348623157e308", "float", `0.1`, `-1.7976931348623157e+308`},
	{"d", "DATE", "'2024-05-01'", "'0000-00-00'", "date", `"2024-05-01"`, `"0000-00-00"`},
	{"tm", "TIME", "'08:00:00'", "'838:59:59'", "time", `"08:00:00"`, `"838:59:59"`},
	{"tm6", "TIME(6)", "'08:00:00.000001'", "'-838:59:59'", "time", `"08:00:00.000001"`, `"-838:59:59.000000"`},
	{"dt", "DATETIME", "'2024-05-01 08:00:00'", "'0000-00-00'", "datetime", `"2024-05-01T08:00:00"`, `"0000-00-00T00:00:00"`},
	{"dt6", "DATETIME(6)", "'2024-05-01 08:00:00.123456'", "'9999-12-31 23:59:59.999999'", "datetime", `"2024-05-01T08:00:00.123456"`, `"9999-12-31T23:59:59.999999"`},
	{"ts", "TIMESTAMP NULL", "'2024-05-01 08:00:00'", "'0000-00-00'", "timestamp", `"2024-05-01T08:00:00Z"`, `"0000-00-00T00:00:00Z"`},
	{"ts3", "TIMESTAMP(3) NULL", "'2024-05-01 08:00:00.120'", "'1970-01-01 00:00:01'", "timestamp", `"2024-05-01T08:00:00.120Z"`, `"1970-01-01T00:00:01.000Z"`},
	{"c", "CHAR(5)", "'ab'", "''", "text", `"ab"`, `""`},
	{"v", "VARCHAR(50)", "'日本 🎉'", "'a\\n\\0\"<'", "text", `"日本 🎉"`, `"a\n\u0000\"<"`},
	{"latin", "VARCHAR(20) CHARACTER SET latin1", "'café'", "'ÿ'", "text", `"café"`, `"ÿ"`},
	{"ttext", "TINYTEXT", "'t'", "'null'", "text", `"t"`, `"null"`},
	{"txt", "TEXT", "'t'", "'[1]'", "text", `"t"`, `"[1]"`},
	{"mtext", "MEDIUMTEXT", "'t'", "''", "text", `"t"`, `""`},
	{"ltext", "LONGTEXT", "'t'", "''", "text", `"t"`, `""`},
	{"en", "ENUM('small','größe')", "'small'", "'größe'", "text", `"small"`, `"größe"`},
	{"st", "SET('a','b')", "'a,b'", "''", "text", `"a,b"`, `""`},
	{"bin", "BINARY(3)", "'a'", "X'00FF80'", "binary", `"0x610000"`, `"0x00ff80"`},
	{"vbin", "VARBINARY(8)", "'a'", "''", "binary", `"0x61"`, `"0x"`},
	{"tblob", "TINYBLOB", "'a'", "X'FF'", "binary", `"0x61"`, `"0xff"`},
	{"blob_", "BLOB", "'a'", "X'C328'", "binary", `"0x61"`, `"0xc328"`},
	{"mblob", "MEDIUMBLOB", "'a'", "''", "binary", `"0x61"`, `"0x"`},
	{"lblob", "LONGBLOB", "'a'", "''", "binary", `"0x61"`, `"0x"`},
	{"bit1", "BIT(1)", "1", "0", "bit", `1`, `0`},
	{"bit64", "BIT(64)", "9007199254740991", "18446744073709551615", "bit", `9007199254740991`, `"18446744073709551615"`},
	{"js", "JSON", `'{"a": [true, null, "x"], "n": 9007199254740993}'`, `'"\\u2028 text"'`, "json", `{"a":[true,null,"x"],"n":9007199254740993}`, `"\u2028 text"`},
	{"geo", "GEOMETRY", "ST_GeomFromText('POINT(1 2)')", "ST_GeomFromText('POINT(1 2)')", "unsupported", `{"unsupported_type":"GEOMETRY"}`, `{"unsupported_type":"GEOMETRY"}`},
}

// zoo is a data source of one table on a real server, read through every stage.
type zoo struct {
	t      *testing.T
	source config.DataSource
	exec   *executor.Executor // from the first run on
}

// newZoo makes a table with the columns and rows in a database of its own, and an
// account that may only read it. Zero dates need the servers' old, lax sql_mode.
func newZoo(t *testing.T, s *mysqltest.Server, definitions []string, columns []config.Column, rows ...string) *zoo {
	t.Helper()
	schema, reader, password := s.Scratch(t), "zoo_"+strings.ToLower(rand.Text()[:12]), rand.Text()
	conn, err := s.DB(t).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec := func(text string) {
		t.Helper()
		if _, err := conn.ExecContext(context.Background(), text); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	exec("SET SESSION sql_mode = '', time_zone = '+00:00'")
	exec("CREATE TABLE " + schema + ".zoo (" + strings.Join(definitions, ", ") + ")")
	for _, r := range rows {
		exec("INSERT INTO " + schema + ".zoo VALUES (" + r + ")")
	}
	exec("CREATE USER '" + reader + "'@'%' IDENTIFIED BY '" + password + "'")
	t.Cleanup(func() { exec("DROP USER '" + reader + "'@'%'") })
	exec("GRANT SELECT ON " + schema + ".* TO '" + reader + "'@'%'")
	t.Setenv("ZOO_USER", reader)
	t.Setenv("ZOO_PASSWORD", password)

	functions, errs := function.NewSet("", nil, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return &zoo{t: t, source: config.DataSource{
		Name: "zoo", DefaultSchema: schema, Functions: functions,
		Connection: &config.Connection{Host: s.Host, Port: s.Port, MaxConnections: 2, TLS: config.TLS{Mode: config.TLSPlaintext},
			Username: config.Secret{Env: "ZOO_USER"}, Password: config.Secret{Env: "ZOO_PASSWORD"}},
		Limits: config.Limits{Rows: 1000, MaxRows: 100000, CellBytes: 4096, TotalBytes: 65536, Timeout: 20 * time.Second},
		Query:  config.QueryCaps{Bytes: 16384, Tokens: 2000, Nesting: 64, Placeholders: 256},
		Allow:  []config.Schema{{Name: schema, Tables: []config.Table{{Name: "zoo", Columns: columns}}}},
	}}
}

// run sends a query through validator, authz and executor.
func (z *zoo) run(text string, rows authz.RowLimits, params ...any) *executor.Rows {
	z.t.Helper()
	q, err := validator.New(validator.Options{Functions: z.source.Functions, Caps: z.source.Query}).Validate(text)
	if err != nil {
		z.t.Fatal(err)
	}
	policy, err := authz.Compile(z.source)
	if err != nil {
		z.t.Fatal(err)
	}
	plan, err := policy.Authorize(q)
	if err != nil {
		z.t.Fatal(err)
	}
	if z.exec == nil {
		if z.exec, err = executor.Open(z.source, slog.New(slog.NewTextHandler(z.t.Output(), nil))); err != nil {
			z.t.Fatal(err)
		}
		z.t.Cleanup(func() { _ = z.exec.Close() })
	}
	result, err := z.exec.Run(z.t.Context(), plan, params, executor.Limits{Rows: rows, Timeout: 10 * time.Second, CellBytes: z.source.Limits.CellBytes})
	if err != nil {
		z.t.Fatal(err)
	}
	return result
}

// must projects the query's rows.
func (z *zoo) must(text string, rows authz.RowLimits, limits Limits, ps Pseudonyms, params ...any) Evidence {
	z.t.Helper()
	ev, err := Project(z.run(text, rows, params...), limits, ps)
	if err != nil {
		z.t.Fatal(err)
	}
	if len(ev.JSON()) > limits.TotalBytes || !json.Valid(ev.JSON()) {
		z.t.Fatalf("%d bytes: %s", len(ev.JSON()), ev.JSON())
	}
	return ev
}

var ordinaryLimits = Limits{CellBytes: 4096, TotalBytes: 65536}

var ordinaryRows = authz.RowLimits{Default: 1000, Max: 10000}

func plainColumns(names ...string) []config.Column {
	var out []config.Column
	for _, n := range names {
		out = append(out, config.Column{Name: n})
	}
	return out
}

// compact is the text of the envelope's columns and rows, cell by cell.
func compact(t *testing.T, ev Evidence) (types []string, rows [][]string) {
	t.Helper()
	var e struct {
		Columns []struct{ Type string }
		Rows    [][]json.RawMessage
	}
	if err := json.Unmarshal(ev.JSON(), &e); err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Columns {
		types = append(types, c.Type)
	}
	for _, r := range e.Rows {
		var row []string
		for _, c := range r {
			row = append(row, string(c))
		}
		rows = append(rows, row)
	}
	return types, rows
}

func TestEveryTypeOfARealServerIsWrittenExactly(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			var definitions, names, ordinary, extreme, null []string
			for _, c := range zooColumns {
				definitions = append(definitions, c.name+" "+c.definition)
				names = append(names, c.name)
				ordinary, extreme, null = append(ordinary, c.ordinary), append(extreme, c.extreme), append(null, "NULL")
			}
			columns := plainColumns(append(names, "id")...)
			for i := range columns {
				columns[i].JSON = columns[i].Name == "js" // text for MariaDB
			}
			list := strings.Join(names, ", ")
			z := newZoo(t, s, append(definitions, "id INT"), columns,
				strings.Join(ordinary, ", ")+", 1", strings.Join(extreme, ", ")+", 2", strings.Join(null, ", ")+", 3")
			ev := z.must("SELECT "+list+" FROM zoo ORDER BY id", ordinaryRows, ordinaryLimits, Pseudonyms{})
			types, rows := compact(t, ev)
			if len(rows) != 3 || ev.Truncated() {
				t.Fatalf("%s", ev.JSON())
			}
			for i, c := range zooColumns {
				for n, want := range []string{c.ordinaryJSON, c.extremeJSON, "null"} {
					if types[i] != c.columnType || rows[n][i] != want {
						t.Errorf("%s: type %s, row %d is %s, want type %s and %s", c.definition, types[i], n, rows[n][i], c.columnType, want)
					}
				}
			}
		})
	}
}

func TestTypesThatOnlyOneServerHas(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			definitions, row := []string{"a VECTOR(2)", "b JSON"}, "STRING_TO_VECTOR('[1,2]'), '[1.5]'"
			want := `{"status":"OK","columns":[{"name":"a","type":"unsupported"},{"name":"b","type":"json"}],` +
				`"rows":[[{"unsupported_type":"VECTOR"},[1.5]]],"row_count":1,"truncated":false,"marks":[[0,0,"unsupported"]],"notice":"` +
				strings.TrimSpace(noticeUnsupported) + `"}`
			if s.Flavour == "mariadb" {
				definitions, row = []string{"a UUID", "b JSON"}, "'123e4567-e89b-12d3-a456-426655440000', '[1.50]'"
				want = `{"status":"OK","columns":[{"name":"a","type":"text"},{"name":"b","type":"text"}],` +
					`"rows":[["123e4567-e89b-12d3-a456-426655440000","[1.50]"]],"row_count":1,"truncated":false}`
			} else if !strings.HasPrefix(s.Version, "9.") { // no VECTOR before
				definitions[0], row = "a POINT", "POINT(1, 2), '[1.5]'"
				want = strings.ReplaceAll(want, "VECTOR", "GEOMETRY")
			}
			z := newZoo(t, s, definitions, plainColumns("a", "b"), row)
			if got := string(z.must("SELECT a, b FROM zoo", ordinaryRows, ordinaryLimits, Pseudonyms{}).JSON()); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestExpressionsAreNamedByThePlanAndTypedByTheServer(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			z := newZoo(t, s, []string{"n INT", "v VARCHAR(20)", "ts TIMESTAMP NULL", "js JSON"}, plainColumns("n", "v", "ts", "js"),
				"7, 'x', '2024-05-01 08:00:00', '{\"a\": 1.50}'")
			for _, c := range []struct{ expression, columnType, want string }{
				{"COUNT(*)", "integer", `1`},
				{"SUM(n)", "decimal", `"7"`},
				{"AVG(n)", "decimal", `"7.0000"`},
				{"MAX(ts)", "timestamp", `"2024-05-01T08:00:00Z"`},
				{"GROUP_CONCAT(v)", "text", `"x"`},
			} {
				ev := z.must("SELECT "+c.expression+", "+c.expression+" FROM zoo", ordinaryRows, ordinaryLimits, Pseudonyms{})
				types, rows := compact(t, ev)
				if types[0] != c.columnType || rows[0][0] != c.want || rows[0][1] != c.want {
					t.Errorf("%s: %s", c.expression, ev.JSON())
				}
			}
			for _, c := range []struct{ expression, columnType, want string }{
				{"n + 1", "integer", `8`},
				{"n / 2", "decimal", `"3.5000"`},
				{"n = 7", "integer", `1`},
				{"1e0 / 3", "float", `0.3333333333333333`},
				{"CONCAT(v, n)", "text", `"x7"`},
				{"NULL", "text", `null`},
				{"DATE_ADD(ts, INTERVAL 1 DAY)", "datetime", `"2024-05-02T08:00:00"`},
				{"DATE(ts)", "date", `"2024-05-01"`},
				{"TIME(ts)", "time", `"08:00:00"`},
				{"CAST(v AS CHAR)", "text", `"x"`},
				{"IF(n > 1, 'yes', 'no')", "text", `"yes"`},
			} {
				ev := z.must("SELECT "+c.expression+" FROM zoo", ordinaryRows, ordinaryLimits, Pseudonyms{})
				types, rows := compact(t, ev)
				if types[0] != c.columnType || rows[0][0] != c.want {
					t.Errorf("%s: %s", c.expression, ev.JSON())
				}
			}
			named := z.must("SELECT n AS `my \"n\"`, n + 1, v FROM zoo", ordinaryRows, ordinaryLimits, Pseudonyms{})
			if !strings.Contains(string(named.JSON()), `"columns":[{"name":"my \"n\"","type":"integer"},{"name":"n + 1","type":"integer"},{"name":"v","type":"text"}]`) {
				t.Errorf("%s", named.JSON())
			}
		})
	}
}

func TestSensitiveColumnsOfARealServerStayHidden(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			columns := append(plainColumns("id"), config.Column{Name: "email", Mask: config.MaskRedact}, config.Column{Name: "phone", Mask: config.MaskPseudonym})
			z := newZoo(t, s, []string{"id INT", "email VARCHAR(50)", "phone BIGINT"}, columns,
				"1, 'ann@example.com', 4711", "2, NULL, NULL", "3, REPEAT('x', 40), 4711")
			const text = "SELECT id, email AS e, phone FROM zoo ORDER BY id"
			ev := z.must(text, ordinaryRows, ordinaryLimits, key(1))
			types, rows := compact(t, ev)
			if fmt.Sprint(types) != "[integer text text]" || rows[0][1] != `"[REDACTED]"` || rows[1][1] != rows[0][1] || rows[2][1] != rows[0][1] {
				t.Errorf("%s", ev.JSON())
			}
			if rows[0][2] != rows[2][2] || rows[0][2] == rows[1][2] || len(rows[0][2]) != len(rows[1][2]) || !strings.HasPrefix(rows[1][2], `"p_`) {
				t.Errorf("pseudonyms: %s", ev.JSON())
			}
			bare := string(z.must(text, ordinaryRows, ordinaryLimits, Pseudonyms{}).JSON())
			for _, secret := range []string{"ann", "4711", "xxx", "null", "BIGINT"} {
				if strings.Contains(string(ev.JSON()), secret) || strings.Contains(bare, secret) {
					t.Errorf("%q shows in %s or %s", secret, ev.JSON(), bare)
				}
			}
		})
	}
}

func TestCapsHoldOnARealServer(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			var rows []string
			for i := range 40 {
				rows = append(rows, fmt.Sprintf("%d, REPEAT('é', 100), REPEAT('z', 100)", i))
			}
			z := newZoo(t, s, []string{"id INT", "v TEXT", "b BLOB"}, plainColumns("id", "v", "b"), rows...)
			for _, c := range []struct {
				text    string
				rows    authz.RowLimits
				limits  Limits
				count   int
				by      string
				expects string
			}{
				{"SELECT id FROM zoo", authz.RowLimits{Default: 10, Max: 100}, ordinaryLimits, 10, "[rows]", noticeRows[:20]},
				{"SELECT id FROM zoo", authz.RowLimits{Default: 40, Max: 100}, ordinaryLimits, 40, "[]", `"truncated":false}`},
				{"SELECT id FROM zoo LIMIT 10", ordinaryRows, ordinaryLimits, 10, "[]", `"truncated":false}`},
				{"SELECT id FROM zoo", authz.RowLimits{Asked: 10, Default: 20, Max: 100}, ordinaryLimits, 10, "[]", `"truncated":false}`},
				{"SELECT v, b FROM zoo LIMIT 1", ordinaryRows, Limits{51, 65536}, 1, "[cells]",
					`[[{"clipped":"` + strings.Repeat("é", 25) + `","bytes":200},{"clipped":"0x` + strings.Repeat("7a", 51) + `","bytes":100}]]`},
				{"SELECT v FROM zoo WHERE id < 0", ordinaryRows, ordinaryLimits, 0, "[]", `"rows":[],"row_count":0`},
			} {
				ev := z.must(c.text, c.rows, c.limits, Pseudonyms{})
				if ev.RowCount() != c.count || fmt.Sprint(ev.TruncatedBy()) != c.by || !strings.Contains(string(ev.JSON()), c.expects) ||
					(ev.Status() == StatusNoEvidence) != (c.count == 0) {
					t.Errorf("%s: %s", c.text, ev.JSON())
				}
			}
			ev := z.must("SELECT v FROM zoo", ordinaryRows, Limits{4096, 2048}, Pseudonyms{})
			if ev.RowCount() == 0 || ev.RowCount() > 10 || fmt.Sprint(ev.TruncatedBy()) != "[bytes]" {
				t.Errorf("%s", ev.JSON())
			}
		})
	}
}

func TestServerErrorAfterTheStartReachesTheCallerAsItIs(t *testing.T) {
	for _, s := range mysqltest.Both(t) {
		t.Run(s.Flavour, func(t *testing.T) {
			// The first row is fine; the second makes the unsigned subtraction fail.
			z := newZoo(t, s, []string{"id INT", "n BIGINT UNSIGNED"}, plainColumns("id", "n"), "1, 5", "2, 0")
			ev, err := Project(z.run("SELECT n - 1 FROM zoo", ordinaryRows), ordinaryLimits, Pseudonyms{})
			var fault *executor.Error
			if !errors.As(err, &fault) || !ev.IsZero() || fault.Kind != executor.Query {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestZeroRowsAreRefused(t *testing.T) {
	for _, rows := range []*executor.Rows{nil, {}} {
		if ev, err := Project(rows, ordinaryLimits, Pseudonyms{}); err == nil || !ev.IsZero() {
			t.Errorf("evidence of rows that no query made: %v", err)
		}
	}
}

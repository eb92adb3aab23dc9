package projector

import (
	"database/sql/driver"
	"math"
	"strings"
	"testing"
	"time"
)

// cellCase is a row of the contract's table of types. The table feeds the unit
// test and seeds the fuzz target.
type cellCase struct {
	driverType string
	value      driver.Value
	columnType string
	json       string
}

var cellCases = []cellCase{
	{"TINYINT", int64(-128), "integer", `-128`},
	{"UNSIGNED TINYINT", int64(255), "integer", `255`},
	{"SMALLINT", int64(-32768), "integer", `-32768`},
	{"UNSIGNED SMALLINT", int64(65535), "integer", `65535`},
	{"MEDIUMINT", int64(-8388608), "integer", `-8388608`},
	{"UNSIGNED MEDIUMINT", int64(16777215), "integer", `16777215`},
	{"INT", int64(-2147483648), "integer", `-2147483648`},
	{"UNSIGNED INT", int64(4294967295), "integer", `4294967295`},
	{"YEAR", int64(2024), "integer", `2024`},
	{"YEAR", int64(0), "integer", `0`},
	{"BIGINT", int64(9007199254740991), "integer", `9007199254740991`},
	{"BIGINT", int64(9007199254740992), "integer", `"9007199254740992"`},
	{"BIGINT", int64(-9007199254740991), "integer", `-9007199254740991`},
	{"BIGINT", int64(-9007199254740992), "integer", `"-9007199254740992"`},
	{"BIGINT", int64(math.MinInt64), "integer", `"-9223372036854775808"`},
	{"UNSIGNED BIGINT", int64(5), "integer", `5`},
	{"UNSIGNED BIGINT", []byte("18446744073709551615"), "integer", `"18446744073709551615"`},
	{"UNSIGNED BIGINT", uint64(18446744073709551615), "integer", `"18446744073709551615"`},
	{"UNSIGNED BIGINT", []byte("1e3"), "integer", `{"unsupported_type":"INTEGER"}`},

	{"DECIMAL", []byte("-12345678901234567890.123400"), "decimal", `"-12345678901234567890.123400"`},
	{"DECIMAL", []byte("0.10"), "decimal", `"0.10"`},
	{"DECIMAL", []byte("1,5"), "decimal", `{"unsupported_type":"DECIMAL"}`},
	{"DECIMAL", float64(1.5), "decimal", `{"unsupported_type":"DECIMAL"}`},

	{"FLOAT", float32(0.1), "float", `0.1`},
	{"FLOAT", float32(16777216), "float", `16777216`},
	{"FLOAT", float32(3.4028235e38), "float", `3.4028235e+38`},
	{"DOUBLE", 0.1, "float", `0.1`},
	{"DOUBLE", 0.30000000000000004, "float", `0.30000000000000004`},
	{"DOUBLE", 5e-324, "float", `5e-324`},
	{"DOUBLE", 1e-6, "float", `0.000001`},
	{"DOUBLE", 1e21, "float", `1e+21`},
	{"DOUBLE", 123456789012345680000.0, "float", `123456789012345680000`},
	{"DOUBLE", float64(0), "float", `0`},
	{"DOUBLE", math.NaN(), "float", `{"unsupported_type":"FLOAT"}`},
	{"DOUBLE", math.Inf(-1), "float", `{"unsupported_type":"FLOAT"}`},
	{"FLOAT", float32(math.Inf(1)), "float", `{"unsupported_type":"FLOAT"}`},

	{"DATE", []byte("2024-05-01"), "date", `"2024-05-01"`},
	{"DATE", []byte("0000-00-00"), "date", `"0000-00-00"`},
	{"DATE", []byte("2024-00-15"), "date", `"2024-00-15"`},
	{"DATE", time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), "date", `{"unsupported_type":"DATE"}`},
	{"TIME", []byte("-838:59:59.000000"), "time", `"-838:59:59.000000"`},
	{"TIME", []byte("08:00:00"), "time", `"08:00:00"`},
	{"DATETIME", []byte("2024-05-01 08:00:00.123456"), "datetime", `"2024-05-01T08:00:00.123456"`},
	{"DATETIME", []byte("2024-05-01 08:00:00"), "datetime", `"2024-05-01T08:00:00"`},
	{"DATETIME", []byte("2024-05-01 08:00:00.120"), "datetime", `"2024-05-01T08:00:00.120"`},
	{"DATETIME", []byte("0000-00-00 00:00:00"), "datetime", `"0000-00-00T00:00:00"`},
	{"DATETIME", []byte("2024-05-01"), "datetime", `{"unsupported_type":"DATETIME"}`},
	{"DATETIME", []byte("2024-05-01 08:00:00Z"), "datetime", `{"unsupported_type":"DATETIME"}`},
	{"TIMESTAMP", []byte("2024-05-01 08:00:00"), "timestamp", `"2024-05-01T08:00:00Z"`},
	{"TIMESTAMP", []byte("2024-05-01 08:00:00.000001"), "timestamp", `"2024-05-01T08:00:00.000001Z"`},
	{"TIMESTAMP", []byte("0000-00-00 00:00:00"), "timestamp", `"0000-00-00T00:00:00Z"`},

	{"CHAR", []byte("x"), "text", `"x"`},
	{"VARCHAR", []byte(""), "text", `""`},
	{"TINYTEXT", []byte("é"), "text", `"é"`},
	{"TEXT", []byte("日本語 🎉"), "text", `"日本語 🎉"`},
	{"MEDIUMTEXT", []byte("null"), "text", `"null"`},
	{"LONGTEXT", []byte("<b>&'/</b>"), "text", `"<b>&'/</b>"`},
	{"ENUM", []byte("small"), "text", `"small"`},
	{"SET", []byte("a,b"), "text", `"a,b"`},
	{"TEXT", []byte("\"\\\b\f\n\r\t\x00\x1f\x7f"), "text", `"\"\\\b\f\n\r\t\u0000\u001f` + "\x7f\""},
	{"TEXT", []byte("a\u2028b\u2029c\u2027\u202a"), "text", `"a\u2028b\u2029c` + "\u2027\u202a\""},
	{"TEXT", []byte("\xe2\x80"), "text", `{"unsupported_type":"TEXT"}`},
	{"VARCHAR", []byte("caf\xe9"), "text", `{"unsupported_type":"TEXT"}`},
	{"VARCHAR", []byte("\xed\xa0\x80"), "text", `{"unsupported_type":"TEXT"}`},
	{"VARCHAR", int64(1), "text", `{"unsupported_type":"TEXT"}`},

	{"BINARY", []byte{0, 1, 0xfe}, "binary", `"0x0001fe"`},
	{"VARBINARY", []byte{}, "binary", `"0x"`},
	{"TINYBLOB", []byte("a"), "binary", `"0x61"`},
	{"BLOB", []byte("ab"), "binary", `"0x6162"`},
	{"MEDIUMBLOB", []byte{0xff}, "binary", `"0xff"`},
	{"LONGBLOB", []byte{0x0a}, "binary", `"0x0a"`},

	{"BIT", []byte{1}, "bit", `1`},
	{"BIT", []byte{0x01, 0x00}, "bit", `256`},
	{"BIT", []byte{0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "bit", `9007199254740991`},
	{"BIT", []byte{0, 0x20, 0, 0, 0, 0, 0, 0}, "bit", `"9007199254740992"`},
	{"BIT", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "bit", `"18446744073709551615"`},
	{"BIT", []byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, "bit", `{"unsupported_type":"BIT"}`},

	{"JSON", []byte(`{"b": 1, "a": [true, false, null]}`), "json", `{"b":1,"a":[true,false,null]}`},
	{"JSON", []byte(`12345678901234567890123456789.10e+5`), "json", `12345678901234567890123456789.10e+5`},
	{"JSON", []byte(`[9007199254740993, 1.0, 1e400, -0]`), "json", `[9007199254740993,1.0,1e400,-0]`},
	{"JSON", []byte(`{"a": 1, "a": 2}`), "json", `{"a":1,"a":2}`},
	{"JSON", []byte(`"a\u0041\/\ud83c\udf89\u2028` + "\u2029\""), "json", `"aA/🎉\u2028\u2029"`},
	{"JSON", []byte("[1,\n\t2]\r\n"), "json", `[1,2]`},
	{"JSON", []byte(`null`), "json", `null`},
	{"JSON", []byte(`{}`), "json", `{}`},
	{"JSON", []byte(`[[],{}]`), "json", `[[],{}]`},
	{"JSON", []byte("\"a\nb\""), "json", `"\"a\nb\""`},
	{"JSON", []byte(``), "json", `""`},
	{"JSON", []byte(`{"a":1}}`), "json", `"{\"a\":1}}"`},
	{"JSON", []byte(`{"a" 1}`), "json", `"{\"a\" 1}"`},
	{"JSON", []byte(`{a:1}`), "json", `"{a:1}"`},
	{"JSON", []byte(`{"a":1,}`), "json", `"{\"a\":1,}"`},
	{"JSON", []byte(`[1,]`), "json", `"[1,]"`},
	{"JSON", []byte(`[1 2]`), "json", `"[1 2]"`},
	{"JSON", []byte(`[`), "json", `"["`},
	{"JSON", []byte(`01`), "json", `"01"`},
	{"JSON", []byte(`1.`), "json", `"1."`},
	{"JSON", []byte(`1e`), "json", `"1e"`},
	{"JSON", []byte(`+1`), "json", `"+1"`},
	{"JSON", []byte(`-`), "json", `"-"`},
	{"JSON", []byte(`nul`), "json", `"nul"`},
	{"JSON", []byte(`"\x"`), "json", `"\"\\x\""`},
	{"JSON", []byte(`"\u12g4"`), "json", `"\"\\u12g4\""`},
	{"JSON", []byte(`"\ud800"`), "json", `"\"\\ud800\""`},
	{"JSON", []byte(`"\udc00\ud800"`), "json", `"\"\\udc00\\ud800\""`},
	{"JSON", []byte(`"abc`), "json", `"\"abc"`},
	{"JSON", []byte(`"abc\`), "json", `"\"abc\\"`},
	{"JSON", []byte("\"\xff\""), "json", `{"unsupported_type":"JSON"}`},

	{"GEOMETRY", []byte{0, 0, 0, 0, 1}, "unsupported", `{"unsupported_type":"GEOMETRY"}`},
	{"VECTOR", []byte{0, 0, 0, 0}, "unsupported", `{"unsupported_type":"VECTOR"}`},
	{"", []byte("x"), "unsupported", `{"unsupported_type":"UNKNOWN"}`},
	{`a new "type"`, []byte("x"), "unsupported", `{"unsupported_type":"UNKNOWN"}`},
}

func TestEachTypeIsWrittenAsTheContractSays(t *testing.T) {
	for _, c := range cellCases {
		got := string(one(t, c.driverType, c.value, whole).JSON())
		want := `{"status":"OK","columns":[{"name":"c","type":"` + c.columnType + `"}],"rows":[[` + c.json +
			`]],"row_count":1,"truncated":false`
		if strings.HasPrefix(c.json, `{"unsupported_type"`) {
			want += `,"marks":[[0,0,"unsupported"]],"notice":"` + strings.TrimSpace(noticeUnsupported) + `"`
		}
		want += "}"
		if got != want {
			t.Errorf("%s %q:\n got %s\nwant %s", c.driverType, c.value, got, want)
		}
	}
}

func TestOnlyNullIsNull(t *testing.T) {
	types := []string{"INT", "DECIMAL", "DOUBLE", "VARCHAR", "BLOB", "DATE", "TIME", "DATETIME", "TIMESTAMP", "BIT", "JSON", "GEOMETRY", "NULL"}
	for _, ty := range types {
		got := string(one(t, ty, nil, whole).JSON())
		if !strings.Contains(got, `"rows":[[null]],"row_count":1,"truncated":false}`) {
			t.Errorf("NULL of type %s: %s", ty, got)
		}
	}
}

func TestJSONNestedDeeperThanMySQLAllowsIsText(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ in, want string }{
		{nested(100), nested(100)},
		{nested(101), `"` + nested(101) + `"`},
		{nested(100000), `"` + nested(100000) + `"`},
	} {
		got := string(one(t, "JSON", []byte(c.in), whole).JSON())
		if !strings.Contains(got, `"rows":[[`+c.want+`]]`) {
			t.Errorf("%d bytes of nesting: %.200s", len(c.in), got)
		}
	}
}

func TestTextColumnDeclaredJSONIsInlined(t *testing.T) {
	for _, c := range []struct{ driverType, want string }{
		{"LONGTEXT", `{"name":"c","type":"json"}],"rows":[[{"a":1.50}]]`},
		{"VARCHAR", `{"name":"c","type":"json"}],"rows":[[{"a":1.50}]]`},
		{"LONGBLOB", `{"name":"c","type":"binary"}],"rows":[["0x7b2261223a20312e35307d"]]`},
	} {
		plan := named("c")
		plan[0].JSON = true
		src := &memory{types: []string{c.driverType}, rows: [][]driver.Value{{[]byte(`{"a": 1.50}`)}}}
		got := string(mustProject(t, src, plan, everyRow, whole, Pseudonyms{}).JSON())
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.driverType, got)
		}
	}
}

func TestLongCellIsClippedOnACharacterBoundary(t *testing.T) {
	for _, c := range []struct {
		driverType, in string
		cell           int
		want           string
	}{
		{"TEXT", "abcd", 4, `"abcd"`},
		{"TEXT", "abcde", 4, `{"clipped":"abcd","bytes":5}`},
		{"TEXT", "abé", 3, `{"clipped":"ab","bytes":4}`},
		{"TEXT", "a🎉b", 4, `{"clipped":"a","bytes":6}`},
		{"TEXT", "a🎉b", 5, `{"clipped":"a🎉","bytes":6}`},
		{"TEXT", "🎉", 1, `{"clipped":"","bytes":4}`},
		{"TEXT", "a\nbcd", 2, `{"clipped":"a\n","bytes":5}`},
		{"TEXT", "abc\xff", 3, `{"clipped":"abc","bytes":4}`},
		{"TEXT", "a\xffcd", 3, `{"unsupported_type":"TEXT"}`},
		{"TEXT", "a\x80\x80\x80\x80\x80\x80", 5, `{"unsupported_type":"TEXT"}`},
		{"TEXT", "abc\xe2x", 4, `{"unsupported_type":"TEXT"}`},
		{"BLOB", "abcde", 4, `{"clipped":"0x61626364","bytes":5}`},
		{"JSON", `{"a": "é"}`, 8, `{"clipped":"{\"a\": \"","bytes":11}`},
		{"JSON", `{"a": 1}`, 8, `{"a":1}`},
		{"DECIMAL", "123456", 2, `"123456"`},
	} {
		ev := one(t, c.driverType, []byte(c.in), Limits{CellBytes: c.cell, TotalBytes: 4096})
		got := string(ev.JSON())
		if !strings.Contains(got, `"rows":[[`+c.want+`]]`) {
			t.Errorf("%s %q cut at %d: %s", c.driverType, c.in, c.cell, got)
		}
		clipped := strings.HasPrefix(c.want, `{"clipped"`)
		if ev.Truncated() != clipped || strings.Contains(got, `"truncated":true,"truncated_by":["cells"],"marks":[[0,0,"clipped"]]`) != clipped {
			t.Errorf("%s %q cut at %d is not marked as it should be: %s", c.driverType, c.in, c.cell, got)
		}
	}
}

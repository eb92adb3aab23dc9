package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"mysqlevidence/internal/lines"
)

// shopSQL is a canonical query of the test config, by its default row limit.
const ordersByID = "SELECT `t1`.`id` FROM `shop`.`orders` AS `t1` LIMIT 21"

func TestVetGivesAVerdictForTheQueryOfTheCommandLine(t *testing.T) {
	for _, tt := range []struct {
		name, sql, format string
		status            int
		want              string
	}{
		{"accepted", "SELECT id FROM orders", "jsonl", 0, `{"verdict":"accept","stage":"bind","canonical_sql":"` + ordersByID + `"}`},
		{"accepted, as text", "SELECT id FROM orders", "text", 0, "accept\n  " + ordersByID},
		{"the limit is clamped to the ceiling", "SELECT id FROM orders LIMIT 5000", "text", 0, "accept\n  SELECT `t1`.`id` FROM `shop`.`orders` AS `t1` LIMIT 101"},
		{"refused by its shape", "SELECT * FROM orders", "jsonl", 1,
			`{"verdict":"refuse","stage":"validate","reason":"wildcard","position":{"line":1,"column":8},"message":"* and t.* are not accepted: the columns must be named.","hint":"Name the columns that you need. Columns of orders: id, status, total."}`},
		{"refused by its shape, as text", "SELECT * FROM orders", "text", 1,
			"refuse (validate, wildcard) at 1:8: * and t.* are not accepted: the columns must be named.\n  hint: Name the columns that you need. Columns of orders: id, status, total."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := command(t, "", "vet", "--config", shop, "--format", tt.format, tt.sql)
			if status != tt.status || stdout != tt.want+"\n" || stderr != "" {
				t.Errorf("status %d, want %d\ngot:  %s\nwant: %s\nstderr: %s", status, tt.status, stdout, tt.want, stderr)
			}
		})
	}
}

// TestVetGivesAVerdictForEachLine checks the beginning of each answer: the texts
// behind it are the catalogue's.
func TestVetGivesAVerdictForEachLine(t *testing.T) {
	for _, tt := range []struct {
		name, line, want string
		status           int
	}{
		{"ids of any kind are echoed as they are", `{"id":{"n":[12345678901234567890,"<a>"]},"sql":"SELECT id FROM orders"}`, `{"id":{"n":[12345678901234567890,"<a>"]},"verdict":"accept","stage":"bind","canonical_sql":"`, 0},
		{"no id, no id", `{"sql":"SELECT id FROM orders"}`, `{"verdict":"accept"`, 0},
		{"comparisons stay legible", `{"id":1,"sql":"SELECT id FROM orders WHERE id < 2"}`, "{\"id\":1,\"verdict\":\"accept\",\"stage\":\"bind\",\"canonical_sql\":\"SELECT `t1`.`id` FROM `shop`.`orders` AS `t1` WHERE (`t1`.`id` < 2)", 0},
		{"other keys are ignored", `{"id":1,"sql":"SELECT id FROM orders","verdict":"refuse","why":"x"}`, `{"id":1,"verdict":"accept"`, 0},
		{"an unknown table", `{"id":1,"sql":"SELECT id FROM secrets"}`, `{"id":1,"verdict":"refuse","stage":"authorize","reason":"unknown_table"`, 1},
		{"a sensitive column in a condition", `{"id":1,"sql":"SELECT id FROM customers WHERE phone LIKE 'a%'"}`, `{"id":1,"verdict":"refuse","stage":"authorize","reason":"sensitive_`, 1},
		{"no params: binding isn't checked", `{"id":1,"sql":"SELECT id FROM orders WHERE id = ?"}`, `{"id":1,"verdict":"accept"`, 0},
		{"null params are no params", `{"id":1,"sql":"SELECT id FROM orders WHERE id = ?","params":null}`, `{"id":1,"verdict":"accept"`, 0},
		{"params that fit", `{"id":1,"sql":"SELECT id FROM orders WHERE id = ?","params":[5]}`, `{"id":1,"verdict":"accept"`, 0},
		{"too few params", `{"id":1,"sql":"SELECT id FROM orders WHERE id = ?","params":[]}`, `{"id":1,"verdict":"refuse","stage":"bind","reason":"parameter_count"`, 1},
		{"a param of the wrong type", `{"id":1,"sql":"SELECT id FROM customers WHERE phone = ?","params":[5]}`, `{"id":1,"verdict":"refuse","stage":"bind","reason":"parameter_type"`, 1},
		{"a param that a float would round", `{"id":1,"sql":"SELECT id FROM orders WHERE id = ?","params":[18446744073709551616]}`, `{"id":1,"verdict":"refuse","stage":"bind","reason":"parameter_type"`, 1},
		{"the largest integer arrives to the digit", `{"id":1,"sql":"SELECT id FROM orders LIMIT ?","params":[9223372036854775807]}`, `{"id":1,"verdict":"accept"`, 0},
		{"SQL in base64", `{"id":1,"sql_b64":"U0VMRUNUIGlkIEZST00gb3JkZXJz"}`, `{"id":1,"verdict":"accept"`, 0},
		{"SQL that isn't UTF-8", `{"id":1,"sql_b64":"U0VMRUNUICf/JyBGUk9NIG9yZGVycw=="}`, `{"id":1,"verdict":"refuse","stage":"validate","reason":"invalid_utf8"`, 1},
		{"an empty statement", `{"id":1,"sql":""}`, `{"id":1,"verdict":"refuse","stage":"validate","reason":"empty_statement"`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := command(t, tt.line+"\n", "vet", "--config", shop)
			if status != tt.status || !strings.HasPrefix(stdout, tt.want) || strings.Count(stdout, "\n") != 1 || stderr != "" {
				t.Errorf("status %d, want %d\ngot:  %s\nwant: %s…\nstderr: %s", status, tt.status, stdout, tt.want, stderr)
			}
		})
	}
}

func TestAMalformedLineIsReportedAndTheOthersAreVetted(t *testing.T) {
	const good, bad = `{"id":1,"sql":"SELECT id FROM orders"}`, `{"id":2,"sql":"SELECT * FROM orders"}`
	const noObject = "not a JSON object with id, sql and params"
	for _, tt := range []struct{ name, line, id, want string }{
		{"not JSON", `{"sql":`, "", noObject + ": the text is not one JSON value"},
		{"not JSON behind its id", `{"id":3,"sql":`, "3", noObject + ": the text is not one JSON value"},
		{"not an object", `[1]`, "", noObject},
		{"two objects", good + good, "1", noObject + ": the text is not one JSON value"},
		{"no SQL", `{"id":[3]}`, "[3]", `needs exactly one of sql and sql_b64`},
		{"two SQLs", `{"sql":"a","sql_b64":"YQ==","id":"x"}`, `"x"`, `needs exactly one of sql and sql_b64`},
		{"SQL that is no string", `{"id":3,"sql":[1]}`, "3", `sql is not a string`},
		{"not base64", `{"sql_b64":"?"}`, "", `sql_b64 is not base64`},
		{"base64 that is no string", `{"sql_b64":[65]}`, "", `sql_b64 is not base64`},
		{"params that are no list", `{"sql":"a","params":{"a":1}}`, "", `params is not a list`},
		{"a key twice", `{"sql":"a","sql":"b","id":3}`, "3", `the key \"sql\" is there twice`},
		{"another key twice", `{"id":3,"sql":"a","x":1,"\u0078":1}`, "3", `the key \"x\" is there twice`},
		{"two ids", `{"id":3,"sql":"a","id":4}`, "", `the key \"id\" is there twice`},
		{"a key in another case", `{"id":3,"SQL":"a"}`, "3", `the key \"SQL\" is not known; write sql`},
		{"both cases", `{"sql":"a","Params":[1]}`, "", `the key \"Params\" is not known; write params`},
		{"an id in another case", `{"Id":3,"sql":"a"}`, "", `the key \"Id\" is not known; write id`},
		{"half a character in SQL", `{"id":3,"sql":"SELECT '\ud800' FROM orders"}`, "3", noObject + ": a string holds half of a surrogate pair"},
		{"half a character in params", `{"id":3,"sql":"SELECT ? FROM orders","params":["\udc00"]}`, "3", noObject + ": a string holds half of a surrogate pair"},
		{"half a character in the id", `{"id":"\ud800","sql":"a"}`, "", noObject + ": a string holds half of a surrogate pair"},
		{"not UTF-8", "{\"id\":3,\"sql\":\"\xff\"}", "3", `not valid UTF-8; put such SQL into sql_b64`},
		{"an id that isn't UTF-8", "{\"id\":\"\xff\"}", "", `not valid UTF-8; put such SQL into sql_b64`},
		{"too long", `{"sql":"` + strings.Repeat("a", lines.Max) + `"}`, "", `longer than 16777216 bytes`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := command(t, good+"\n\n"+tt.line+"\r\n"+bad, "vet", "--config", shop)
			lines := strings.Split(stdout, "\n")
			if status != 2 || stderr != "malformed lines: 1\n" || len(lines) != 4 {
				t.Fatalf("status %d, stderr %q, stdout:\n%s", status, stderr, stdout)
			}
			want := `"verdict":"error","message":"line 3: ` + tt.want + `"}`
			if tt.id != "" {
				want = `"id":` + tt.id + "," + want
			}
			if !strings.HasPrefix(lines[0], `{"id":1,"verdict":"accept"`) || lines[1] != "{"+want || !strings.HasPrefix(lines[2], `{"id":2,"verdict":"refuse"`) {
				t.Errorf("stdout:\n%s", stdout)
			}
		})
	}
}

func TestNoQueryIsAnError(t *testing.T) {
	for _, in := range []string{"", "\n \n", "\ufeff"} {
		if status, stdout, stderr := command(t, in, "vet", "--config", shop); status != 2 || stdout != "" || stderr != "no query on standard input\n" {
			t.Errorf("%q: status %d, stdout %q, stderr %q", in, status, stdout, stderr)
		}
	}
}

func TestAByteOrderMarkBeforeTheFirstLineIsSkipped(t *testing.T) {
	const line = `{"id":1,"sql":"SELECT id FROM orders"}` + "\n"
	if status, stdout, stderr := command(t, "\ufeff"+line+line, "vet", "--config", shop); status != 0 || strings.Count(stdout, `"accept"`) != 2 {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if status, stdout, _ := command(t, line+"\ufeff"+line, "vet", "--config", shop); status != 2 || strings.Count(stdout, `"accept"`) != 1 {
		t.Errorf("a mark in the middle: status %d, stdout %q", status, stdout)
	}
}

func TestVetUsesTheNamedDataSource(t *testing.T) {
	for source, want := range map[string]int{"shop": 1, "crm": 0} {
		if status, stdout, _ := command(t, "", "vet", "--config", two, "--data-source", source, "SELECT id FROM leads"); status != want {
			t.Errorf("%s: status %d, want %d: %s", source, status, want, stdout)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAVerdictThatCannotBeWrittenFailsTheCommand(t *testing.T) {
	for _, args := range [][]string{{"vet", "--config", shop, "SELECT id FROM orders"}, {"config", "check", "--config", shop}, {"version"}} {
		if status := run(t.Context(), args, strings.NewReader(""), brokenPipe{}, io.Discard); status != 2 {
			t.Errorf("%v: status %d, want 2", args, status)
		}
	}
	// A refusal must not hide it either.
	if status := run(t.Context(), []string{"vet", "--config", shop, "SELECT * FROM orders"}, strings.NewReader(""), brokenPipe{}, io.Discard); status != 2 {
		t.Errorf("a refusal hides the failure: status %d", status)
	}
}

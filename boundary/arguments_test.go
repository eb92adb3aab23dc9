package boundary

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

func queryArgumentsOf(t *testing.T) []argument {
	t.Helper()
	return runQuery().accepts
}

func TestArgumentsAreReadExactly(t *testing.T) {
	got, f := decode(queryArgumentsOf(t), json.RawMessage(
		`{"data_source":"shop","sql":"SELECT 1","params":["é",9007199254740993,1.50,true,null],"limit":7,"reason":null}`))
	if f != nil {
		t.Fatal(f)
	}
	want := arguments{dataSource: "shop", sql: "SELECT 1", limit: 7,
		params: []any{"é", json.Number("9007199254740993"), json.Number("1.50"), true, nil}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAnArgumentThatIsNotExactlyRightIsRefused(t *testing.T) {
	const rest = `"data_source":"d","sql":"s"`
	for _, c := range []struct{ args, reason, says string }{
		{`[]`, "malformed_arguments", "object"},
		{`"x"`, "malformed_arguments", "object"},
		{`{`, "malformed_arguments", "JSON"},
		{`{` + rest + `} {}`, "malformed_arguments", "JSON"},
		{"{" + rest + ",\"reason\":\"\xff\"}", "malformed_arguments", "UTF-8"},
		{`{` + rest + `,"reason":"\ud800"}`, "malformed_arguments", "surrogate"},
		{`{"sql":"a","data_source":"d","sql":"b"}`, "duplicate_argument", `"sql"`},
		{`{"sql":"a"}`, "missing_argument", `"data_source"`},
		{``, "missing_argument", `"data_source"`},
		{`{"data_source":null,"sql":"s"}`, "argument_type", `"data_source"`},
		{`{"data_source":"d","query":"s"}`, "unknown_argument", `"query"`},
		{`{` + rest + `,"Limit":1}`, "unknown_argument", `"Limit"`},
		{`{` + rest + `,"host":"db"}`, "unknown_argument", `"host"`},
		{`{` + rest + `,"params":{"a":1}}`, "argument_type", `"params"`},
		{`{` + rest + `,"sql2":1}`, "unknown_argument", `"sql2"`},
		{`{` + rest + `,"limit":0}`, "argument_type", `"limit"`},
		{`{` + rest + `,"limit":-1}`, "argument_type", `"limit"`},
		{`{` + rest + `,"limit":1.0}`, "argument_type", `"limit"`},
		{`{` + rest + `,"limit":1e2}`, "argument_type", `"limit"`},
		{`{` + rest + `,"limit":"5"}`, "argument_type", `"limit"`},
		{`{` + rest + `,"reason":"` + strings.Repeat("x", maxReason+1) + `"}`, "argument_type", `"reason"`},
		{`{` + rest + `,"` + strings.Repeat("k", 500) + `":1}`, "unknown_argument", "…"},
	} {
		_, f := decode(queryArgumentsOf(t), json.RawMessage(c.args))
		if f == nil {
			t.Errorf("%s was accepted", c.args)
			continue
		}
		if f.Code != CodeInvalidArguments || f.Reason != c.reason || !strings.Contains(f.Message, c.says) {
			t.Errorf("%s: got %s %s %q", c.args, f.Code, f.Reason, f.Message)
		}
		if len(f.Message)+len(f.Hint) > 600 {
			t.Errorf("%s: a fault of %d bytes", c.args, len(f.Message)+len(f.Hint))
		}
	}
}

func TestTheNearestArgumentIsNamed(t *testing.T) {
	for key, want := range map[string]string{
		"query": "sql", "SQL": "sql", "statement": "sql", "sqll": "sql",
		"parameters": "params", "param": "params", "args": "params",
		"dataSource": "data_source", "datasource": "data_source", "database": "data_source",
		"max_rows": "limit", "limits": "limit",
		"host": "", "zzz": "", "": "", strings.Repeat("sql", 1000): "",
	} {
		if got := nearestArgument(key, queryArgumentsOf(t)); got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
	_, f := decode(queryArgumentsOf(t), json.RawMessage(`{"data_source":"d","query":"s"}`))
	if !strings.Contains(f.Hint, `"sql"`) {
		t.Errorf("the hint is %q", f.Hint)
	}
}

func TestALimitBeyondAnyIntegerIsClamped(t *testing.T) {
	for _, text := range []string{"2147483648", "9223372036854775808", strings.Repeat("9", 400)} {
		if n, ok := limitOf(text); !ok || n != math.MaxInt32 {
			t.Errorf("%s: got %d, %t", text, n, ok)
		}
	}
	if n, ok := limitOf("25"); !ok || n != 25 {
		t.Errorf("25: got %d, %t", n, ok)
	}
}

func TestEveryToolAdvertisesExactlyTheArgumentsItTakes(t *testing.T) {
	for _, tool := range allTools() {
		var in struct {
			Type                 string                     `json:"type"`
			Properties           map[string]json.RawMessage `json:"properties"`
			Required             []string                   `json:"required"`
			AdditionalProperties *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal(tool.spec.InputSchema, &in); err != nil {
			t.Fatalf("%s: %v", tool.spec.Name, err)
		}
		if in.Type != "object" || in.AdditionalProperties == nil || *in.AdditionalProperties {
			t.Errorf("%s: the input schema is not a closed object", tool.spec.Name)
		}
		required := map[string]bool{}
		for _, r := range in.Required {
			required[r] = true
		}
		for _, a := range tool.accepts {
			if in.Properties[a.name] == nil || required[a.name] != a.required {
				t.Errorf("%s: the schema and the code differ on %s", tool.spec.Name, a.name)
			}
			delete(in.Properties, a.name)
		}
		if len(in.Properties) != 0 {
			t.Errorf("%s: the schema has arguments that the code refuses: %v", tool.spec.Name, in.Properties)
		}
		if !json.Valid(tool.spec.OutputSchema) {
			t.Errorf("%s: the output schema is not JSON", tool.spec.Name)
		}
	}
}

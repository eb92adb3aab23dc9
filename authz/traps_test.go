package authz_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"mysqlevidence/internal/refusal"
)

// trap is one line of testdata/traps/traps.jsonl.
type trap struct {
	ID         string  `json:"id"`
	SQL        string  `json:"sql"`
	SQL64      string  `json:"sql_b64"`
	Params     *[]any  `json:"params"`
	Verdict    string  `json:"verdict"`
	Stage      string  `json:"stage"`
	ExpectRows *string `json:"expect_rows"`
}

func readTraps(t testing.TB) []trap {
	t.Helper()
	f, err := os.Open("../testdata/traps/traps.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []trap
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c trap
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.UseNumber()
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		if c.SQL64 != "" {
			b, err := base64.StdEncoding.DecodeString(c.SQL64)
			if err != nil {
				t.Fatal(err)
			}
			c.SQL = string(b)
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) < 300 {
		t.Fatalf("only %d traps", len(out))
	}
	return out
}

func trapsYAML(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/traps/traps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryTrapGetsItsVerdictFromItsStage(t *testing.T) {
	p := newPipeline(t, trapsYAML(t))
	for _, c := range readTraps(t) {
		plan, err := p.plan(c.SQL)
		if err == nil && c.Params != nil {
			_, err = plan.Bind(*c.Params, rows)
		}
		verdict, stage := "accept", "bind"
		var r *refusal.Refusal
		if errors.As(err, &r) {
			verdict, stage = "refuse", string(r.Stage)
		} else if err != nil {
			t.Errorf("%s: an error that is no refusal: %v", c.ID, err)
		}
		if verdict != c.Verdict || stage != c.Stage {
			t.Errorf("%s %.100q: %s by %s (%v), want %s by %s", c.ID, c.SQL, verdict, stage, err, c.Verdict, c.Stage)
		}
	}
}

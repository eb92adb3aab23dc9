package projector

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"mysqlevidence/authz"
)

func numbers(n int) *memory {
	src := &memory{types: []string{"INT"}}
	for i := range n {
		src.rows = append(src.rows, []driver.Value{int64(i)})
	}
	return src
}

func TestEnvelopeIsClosed(t *testing.T) {
	src := &memory{types: []string{"INT", "VARCHAR"}, rows: [][]driver.Value{{int64(1), []byte("a@x")}}}
	plan := named("id", "email")
	plan[1].Mask = "redact"
	got := string(mustProject(t, src, plan, everyRow, whole, Pseudonyms{}).JSON())
	want := `{"status":"OK","columns":[{"name":"id","type":"integer"},{"name":"email","type":"text","redacted":true}],` +
		`"rows":[[1,"[REDACTED]"]],"row_count":1,"truncated":false}`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestNoRowIsNoEvidenceWithColumnsNamed(t *testing.T) {
	ev := mustProject(t, numbers(0), named("id"), everyRow, whole, Pseudonyms{})
	want := `{"status":"NO_EVIDENCE","columns":[{"name":"id","type":"integer"}],"rows":[],"row_count":0,"truncated":false,"notice":"` + noticeEmpty + `"}`
	if got := string(ev.JSON()); got != want || ev.Status() != StatusNoEvidence || ev.RowCount() != 0 || ev.Truncated() {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestDuplicateAndOddColumnNamesAreKept(t *testing.T) {
	src := &memory{types: []string{"INT", "INT", "INT"}, rows: [][]driver.Value{{int64(1), int64(2), int64(3)}}}
	e := decode(t, mustProject(t, src, named("a", "a", "x\"\n\xff<\u2028"), everyRow, whole, Pseudonyms{}).JSON())
	if e.Columns[0].Name != "a" || e.Columns[1].Name != "a" || e.Columns[2].Name != "x\"\n\uFFFD<\u2028" || len(e.Rows[0]) != 3 {
		t.Errorf("%+v", e)
	}
}

func TestRowCapTruncatesOnlyWhenAFurtherRowExists(t *testing.T) {
	for _, c := range []struct {
		sent, budget int
		capped       bool
		rows         int
		truncated    bool
	}{
		{3, 3, true, 3, false},
		{4, 3, true, 3, true},
		{3, 3, false, 3, false}, // the asker's own limit
		{2, 3, true, 2, false},
	} {
		ev := mustProject(t, numbers(c.sent), named("id"), authz.RowBudget{Rows: c.budget, Capped: c.capped}, whole, Pseudonyms{})
		if ev.RowCount() != c.rows || ev.Truncated() != c.truncated || strings.Contains(string(ev.JSON()), `"truncated_by":["rows"]`) != c.truncated {
			t.Errorf("%+v: %s", c, ev.JSON())
		}
	}
}

func TestByteCapCutsAtARowAndStopsReading(t *testing.T) {
	src := numbers(10000)
	ev := mustProject(t, src, named("id"), everyRow, Limits{CellBytes: 100, TotalBytes: 2000}, Pseudonyms{})
	e := decode(t, ev.JSON())
	if fmt.Sprint(e.TruncatedBy) != "[bytes]" || len(ev.JSON()) > 2000 || e.RowCount < 100 {
		t.Errorf("%s", ev.JSON())
	}
	if src.next != e.RowCount+1 {
		t.Errorf("%d rows were read for %d that fit", src.next, e.RowCount)
	}
}

func TestFirstRowLargerThanTheBudgetIsShownInPart(t *testing.T) {
	long := bytes.Repeat([]byte("a\n"), 4000)
	src := &memory{types: []string{"INT", "TEXT", "BLOB", "JSON"}, rows: [][]driver.Value{{int64(7), long, long, long}, {int64(8), nil, nil, nil}}}
	ev := mustProject(t, src, named("id", "t", "b", "j"), everyRow, Limits{CellBytes: 8000, TotalBytes: 4096}, Pseudonyms{})
	e := decode(t, ev.JSON())
	if e.RowCount != 2 || fmt.Sprint(e.TruncatedBy) != "[cells bytes]" || len(e.Marks) != 3 || fmt.Sprint(e.Rows[0][0]) != "7" {
		t.Errorf("%s", ev.JSON())
	}
	if len(ev.JSON()) < 1200 {
		t.Errorf("only %d of 4096 bytes were used: %s", len(ev.JSON()), ev.JSON())
	}
}

func TestRowCapIsNamedAfterARowThatWasShrunk(t *testing.T) {
	long := bytes.Repeat([]byte("a"), 8000)
	src := &memory{types: []string{"TEXT"}, rows: [][]driver.Value{{long}, {long}}}
	ev := mustProject(t, src, named("t"), authz.RowBudget{Rows: 1, Capped: true}, Limits{CellBytes: 8000, TotalBytes: 4096}, Pseudonyms{})
	if got := fmt.Sprint(ev.RowCount(), ev.TruncatedBy()); got != "1 [rows cells bytes]" {
		t.Errorf("%s", ev.JSON())
	}
}

func TestRowThatCanNotBeShrunkLeavesRowsEmptyAndSaysSo(t *testing.T) {
	src := &memory{rows: [][]driver.Value{{}}}
	for range 64 {
		src.types = append(src.types, "DECIMAL")
		src.rows[0] = append(src.rows[0], bytes.Repeat([]byte("9"), 65))
	}
	ev := mustProject(t, src, named(make([]string, 64)...), everyRow, Limits{CellBytes: 4096, TotalBytes: 4096}, Pseudonyms{})
	e := decode(t, ev.JSON())
	if e.Status != StatusOK || e.RowCount != 0 || len(e.Columns) != 64 || fmt.Sprint(e.TruncatedBy) != "[bytes]" {
		t.Errorf("%s", ev.JSON())
	}
}

func TestHeaderLargerThanTheBudgetIsLeftOutWhole(t *testing.T) {
	for _, rows := range []int{0, 1} {
		src := &memory{}
		var names []string
		row := []driver.Value{}
		for range 64 {
			src.types = append(src.types, "INT")
			names = append(names, strings.Repeat("\u00e9", 64))
			row = append(row, int64(1))
		}
		if rows == 1 {
			src.rows = append(src.rows, row)
		}
		ev := mustProject(t, src, named(names...), everyRow, Limits{CellBytes: 1, TotalBytes: MinTotalBytes}, Pseudonyms{})
		e := decode(t, ev.JSON())
		if len(e.Columns) != 0 || len(e.Rows) != 0 || fmt.Sprint(e.TruncatedBy) != "[bytes]" || !strings.Contains(e.Notice, "column names") ||
			(e.Status == StatusOK) != (rows == 1) || len(ev.JSON()) > MinTotalBytes {
			t.Errorf("%d rows: %s", rows, ev.JSON())
		}
	}
}

func TestSmallestBudgetHoldsEveryEndOfAnEnvelope(t *testing.T) {
	const headless = len(okStart + `"columns":[],"rows":[`)
	if headless+reserve > MinTotalBytes {
		t.Fatalf("the fixed part takes %d bytes of %d", headless+reserve, MinTotalBytes)
	}
	if len(noticeHeader+noticeEmpty) > len(noticeRows+noticeCells+noticeBytes+noticeUnsupported) {
		t.Fatal("the sentences for a result without rows are longer than the reserve")
	}
	for _, sentence := range []string{noticeEmpty, noticeRows, noticeCells, noticeBytes, noticeHeader, noticeUnsupported} {
		b, err := json.Marshal(sentence)
		if err != nil || string(b) != `"`+sentence+`"` {
			t.Errorf("%q needs escaping", sentence)
		}
	}
}

func TestErrorsOfTheSourcePassThroughAndLeaveNoEvidence(t *testing.T) {
	lost := errors.New("connection lost")
	wrappedEOF := fmt.Errorf("read: %w", io.EOF)
	for name, src := range map[string]*memory{
		"after a row":      {types: []string{"INT"}, rows: [][]driver.Value{{int64(1)}}, err: lost},
		"before any row":   {types: []string{"INT"}, err: lost},
		"a wrapped EOF":    {types: []string{"INT"}, err: wrappedEOF},
		"when closing":     {types: []string{"INT"}, onEnd: lost},
		"too few columns":  {},
		"too many columns": {types: []string{"INT", "INT"}},
		"a ragged row":     {types: []string{"INT"}, rows: [][]driver.Value{{int64(1), int64(2)}}},
	} {
		ev, err := project(src, named("id"), nil, everyRow, whole, Pseudonyms{})
		if err == nil || !ev.IsZero() || src.closed != 1 {
			t.Errorf("%s: evidence %v, error %v, closed %d times", name, ev, err, src.closed)
		}
		if src.err != nil && err != src.err || src.onEnd != nil && err != src.onEnd { //nolint:errorlint // unwrapped is the promise
			t.Errorf("%s: the error became %v", name, err)
		}
	}
}

func TestErrorAfterTheLastRowOfTheBudgetLeavesNoEvidence(t *testing.T) {
	src := numbers(3)
	src.err = errors.New("killed")
	if ev, err := project(src, named("id"), nil, authz.RowBudget{Rows: 3}, whole, Pseudonyms{}); err == nil {
		t.Errorf("got %s", ev.JSON())
	}
}

func TestLimitsMustBePositiveAndHoldTheEnvelope(t *testing.T) {
	for _, l := range []Limits{{}, {CellBytes: 10}, {TotalBytes: 5000}, {CellBytes: 1, TotalBytes: MinTotalBytes - 1}, {CellBytes: -1, TotalBytes: 5000}} {
		src := numbers(1)
		if _, err := project(src, named("id"), nil, everyRow, l, Pseudonyms{}); err == nil || src.closed != 1 {
			t.Errorf("%+v: error %v, closed %d times", l, err, src.closed)
		}
	}
}

func TestDigestForgivesSpellingAndNothingElse(t *testing.T) {
	ev := one(t, "TEXT", []byte("é<\u2028/\x01"), whole)
	if ev.SHA256() != sha256.Sum256(ev.JSON()) {
		t.Error("SHA256 is not the hash of the bytes")
	}
	deep := one(t, "JSON", []byte(strings.Repeat("[", maxDepth)+strings.Repeat("]", maxDepth)), whole)
	if sum, err := Digest(deep.JSON()); err != nil || sum != deep.SHA256() {
		t.Errorf("another digest (%v) for the deepest evidence", err)
	}
	lines := one(t, "TEXT", []byte(strings.Repeat("\u2028", 500)), whole)
	if sum, err := Digest([]byte(strings.ReplaceAll(string(lines.JSON()), `\u2028`, "\u2028"))); err != nil || sum != lines.SHA256() {
		t.Errorf("another digest (%v) for unescaped line separators", err)
	}
	var indented, escaped bytes.Buffer
	if err := json.Indent(&indented, ev.JSON(), "", "\t"); err != nil {
		t.Fatal(err)
	}
	json.HTMLEscape(&escaped, ev.JSON())
	spelt := strings.NewReplacer("é", `\u00E9`, "/", `\/`).Replace(string(ev.JSON()))
	for _, same := range []string{indented.String(), escaped.String(), spelt, string(ev.JSON())} {
		if sum, err := Digest([]byte(same)); err != nil || sum != ev.SHA256() {
			t.Errorf("another digest (%v) for %s", err, same)
		}
	}
	for _, other := range []string{strings.Replace(spelt, "row_count\":1", "row_count\":1.0", 1), strings.Replace(spelt, "E9", "E8", 1)} {
		if sum, err := Digest([]byte(other)); err != nil || sum == ev.SHA256() {
			t.Errorf("the same digest (%v) for %s", err, other)
		}
	}
	for _, broken := range []string{"", "{", spelt + "x", "\"\xff\""} {
		if _, err := Digest([]byte(broken)); err == nil {
			t.Errorf("a digest for %q", broken)
		}
	}
}

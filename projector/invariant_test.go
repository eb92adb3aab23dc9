package projector

import (
	"bytes"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// envelope is the contract's form, read by somebody else's decoder.
type envelope struct {
	Status  string `json:"status"`
	Columns []struct {
		Name     string `json:"name"`
		Type     string `json:"type"`
		Redacted bool   `json:"redacted"`
	} `json:"columns"`
	Rows        [][]any  `json:"rows"`
	RowCount    int      `json:"row_count"`
	Truncated   *bool    `json:"truncated"`
	TruncatedBy []string `json:"truncated_by"`
	Marks       [][]any  `json:"marks"`
	Notice      string   `json:"notice"`
}

func decode(t testing.TB, b []byte) envelope {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	var e envelope
	if err := dec.Decode(&e); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	if dec.More() || !utf8.Valid(b) || bytes.ContainsFunc(b, func(r rune) bool { return r < 0x20 || r == 0x2028 || r == 0x2029 }) {
		t.Fatalf("not one clean JSON text: %q", b)
	}
	if e.Rows == nil || e.Columns == nil || e.Truncated == nil {
		t.Fatalf("a required key is missing: %s", b)
	}
	return e
}

// checkResult projects a result and checks every promise of the package comment
// against it.
func checkResult(t testing.TB, r result) {
	t.Helper()
	ev := mustProject(t, r.source(), r.plan, r.budget, r.limits, r.ps)
	b := ev.JSON()
	if len(b) > r.limits.TotalBytes {
		t.Fatalf("%d bytes, limit %d", len(b), r.limits.TotalBytes)
	}
	if sum, err := Digest(b); err != nil || sum != ev.SHA256() {
		t.Fatalf("the digest of %s differs from its hash (%v)", b, err)
	}
	e := decode(t, b)
	agrees := ev.Status() == e.Status && ev.RowCount() == e.RowCount && len(e.Rows) == e.RowCount &&
		ev.Truncated() == *e.Truncated && slices.Equal(ev.TruncatedBy(), e.TruncatedBy) && *e.Truncated == (len(e.TruncatedBy) > 0)
	if !agrees {
		t.Fatalf("the accessors or counts disagree with %s", b)
	}
	if (e.Status == StatusNoEvidence) != (len(r.rows) == 0) {
		t.Fatalf("status %s for %d rows", e.Status, len(r.rows))
	}
	if (e.Notice != "") != (*e.Truncated || e.Status == StatusNoEvidence || strings.Contains(string(b), `,"unsupported"]`)) {
		t.Fatalf("notice %q in %s", e.Notice, b)
	}
	for sentence, wanted := range map[string]bool{
		noticeUnsupported: strings.Contains(string(b), `,"unsupported"]`), noticeCells: slices.Contains(e.TruncatedBy, "cells"),
		noticeRows: slices.Contains(e.TruncatedBy, "rows"), noticeBytes: slices.Contains(e.TruncatedBy, "bytes") && len(e.Columns) > 0,
	} {
		if strings.Contains(e.Notice+" ", sentence) != wanted {
			t.Fatalf("notice %q in %s", e.Notice, b)
		}
	}
	clipped := checkRows(t, r, e, b)
	checkTruncation(t, r, e, clipped, b)
}

// checkRows checks the header, the list of marks, and each cell as what the marks
// say that it is. It counts the clipped cells.
func checkRows(t testing.TB, r result, e envelope, b []byte) int {
	t.Helper()
	for i, c := range e.Columns {
		if c.Name != strings.ToValidUTF8(r.plan[i].Name, "\uFFFD") || c.Redacted != (r.plan[i].Mask != "") {
			t.Fatalf("column %d is %+v", i, c)
		}
	}
	clipped, used := 0, 0
	for n, row := range e.Rows {
		if len(row) != len(r.plan) {
			t.Fatalf("row %d has %d cells", n, len(row))
		}
		for i, cell := range row {
			mark := ""
			if used < len(e.Marks) && fmt.Sprint(e.Marks[used][:2]) == fmt.Sprint([]int{n, i}) {
				mark = e.Marks[used][2].(string)
				used++
			}
			if why := r.wrong(i, r.rows[n][i], cell, mark); why != "" {
				t.Fatalf("row %d: %s %q became %#v, marked %q: %s", n, r.types[i], r.rows[n][i], cell, mark, why)
			}
			if mark == "clipped" {
				clipped++
			}
		}
	}
	if used != len(e.Marks) {
		t.Fatalf("marks of no cell, or out of order: %s", b)
	}
	return clipped
}

// isJSON reports whether the column's cells are inlined.
func (r result) isJSON(i int) bool {
	return r.types[i] == "JSON" || r.plan[i].JSON && (r.types[i] == "TEXT" || r.types[i] == "NULL")
}

// wrong says what is wrong with a decoded cell of column i, or "".
func (r result) wrong(i int, v driver.Value, cell any, mark string) string {
	if r.plan[i].Mask != "" {
		if s, ok := cell.(string); !ok || mark != "" || s != "[REDACTED]" && (len(s) != 26 || !strings.HasPrefix(s, "p_")) {
			return "not masked"
		}
		return ""
	}
	if v == nil {
		if cell != nil || mark != "" {
			return "NULL must be null"
		}
		return ""
	}
	raw, _ := v.([]byte)
	long := len(raw) > r.limits.CellBytes && slices.Contains([]string{"TEXT", "BLOB", "JSON", "NULL"}, r.types[i])
	switch mark {
	case "clipped":
		return r.wrongClip(i, raw, cell)
	case "unsupported":
		return r.wrongUnsupported(i, v, cell)
	}
	if long {
		return "too long a cell"
	}
	if want, ok := wanted(r.types[i], r.isJSON(i), v, cell); !ok {
		return "want " + want
	}
	return ""
}

func (r result) wrongClip(i int, raw []byte, cell any) string {
	object, _ := cell.(map[string]any)
	prefix, ok := object["clipped"].(string)
	if !ok || len(object) != 2 || fmt.Sprint(object["bytes"]) != strconv.Itoa(len(raw)) {
		return "not the form of a clipped cell"
	}
	if r.types[i] == "BLOB" {
		back, err := hex.DecodeString(strings.TrimPrefix(prefix, "0x"))
		if err != nil || !strings.HasPrefix(prefix, "0x") {
			return "not hexadecimal"
		}
		prefix = string(back)
	} else if !utf8.ValidString(prefix) || strings.ContainsRune(prefix, utf8.RuneError) && !bytes.ContainsRune(raw, utf8.RuneError) {
		return "half a character"
	}
	if !bytes.HasPrefix(raw, []byte(prefix)) || len(prefix) >= len(raw) || len(prefix) > r.limits.CellBytes {
		return "not a true prefix"
	}
	return ""
}

func (r result) wrongUnsupported(i int, v driver.Value, cell any) string {
	if object, _ := cell.(map[string]any); len(object) != 1 || object["unsupported_type"] == nil {
		return "not the form of an unsupported cell"
	}
	switch r.types[i] {
	case "TEXT", "JSON", "NULL":
		if utf8.Valid(v.([]byte)) {
			return "valid text"
		}
	case "FLOAT", "DOUBLE":
		if f := floatOf(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return "a finite number"
		}
	case "GEOMETRY", "no such type":
	default:
		return "a supported type"
	}
	return ""
}

func floatOf(v driver.Value) float64 {
	if f, ok := v.(float32); ok {
		return float64(f)
	}
	return v.(float64)
}

// wanted reports whether a whole cell reads back as its value.
func wanted(driverType string, isJSON bool, v driver.Value, cell any) (string, bool) {
	s, isString := cell.(string)
	if isJSON {
		raw := v.([]byte)
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		var want any
		if json.Valid(raw) && dec.Decode(&want) == nil && reflect.DeepEqual(want, cell) {
			return "", true
		}
		// Valid for encoding/json, but with half a surrogate pair.
		return "the JSON value or its text", isString && s == string(raw) && (!json.Valid(raw) || bytes.Contains(raw, []byte(`\ud`)))
	}
	n, _ := cell.(json.Number)
	switch driverType {
	case "BIGINT":
		i := v.(int64)
		if i > -1<<53 && i < 1<<53 {
			return "number", n.String() == strconv.FormatInt(i, 10)
		}
		return "string", s == strconv.FormatInt(i, 10)
	case "FLOAT":
		f, err := strconv.ParseFloat(n.String(), 32)
		return "same float", err == nil && float32(f) == v.(float32)
	case "DOUBLE":
		f, err := strconv.ParseFloat(n.String(), 64)
		return "same double", err == nil && f == v.(float64)
	case "BIT":
		want := new(strings.Builder)
		fmt.Fprintf(want, "%s%s", n, s)
		var u uint64
		for _, c := range v.([]byte) {
			u = u<<8 | uint64(c)
		}
		return "bits", want.String() == strconv.FormatUint(u, 10) && isString == (u >= 1<<53)
	case "BLOB":
		return "hexadecimal", s == "0x"+hex.EncodeToString(v.([]byte))
	case "DATETIME":
		return "datetime", s == strings.Replace(string(v.([]byte)), " ", "T", 1)
	case "TIMESTAMP":
		return "timestamp", s == strings.Replace(string(v.([]byte)), " ", "T", 1)+"Z"
	}
	return "the text", isString && s == string(v.([]byte))
}

// checkTruncation checks that truncated_by tells all that is missing and nothing
// else, and that no row was left out that had room.
func checkTruncation(t testing.TB, r result, e envelope, clipped int, b []byte) {
	t.Helper()
	available := min(len(r.rows), r.budget.Rows)
	missing := e.RowCount < available
	headless := len(e.Columns) == 0
	tight := r
	tight.limits.TotalBytes = whole.TotalBytes
	tight.budget.Rows = min(e.RowCount+1, available)
	next := mustProject(t, tight.source(), tight.plan, tight.budget, tight.limits, tight.ps)
	fits := len(next.JSON()) <= r.limits.TotalBytes-reserve
	by := func(name string) bool { return slices.Contains(e.TruncatedBy, name) }
	if by("rows") != (!missing && !headless && r.budget.Capped && len(r.rows) > r.budget.Rows) {
		t.Fatalf("rows: %d of %d with budget %+v: %s", e.RowCount, len(r.rows), r.budget, b)
	}
	if by("cells") != (clipped > 0) {
		t.Fatalf("%d cells are clipped: %s", clipped, b)
	}
	if (missing || headless) && !by("bytes") {
		t.Fatalf("%d of %d rows, and no cap named: %s", e.RowCount, available, b)
	}
	if by("bytes") && fits {
		t.Fatalf("the next row would have fitted in %d bytes: %s", r.limits.TotalBytes, b)
	}
	if by("bytes") && !missing && !headless && clipped == 0 {
		t.Fatalf("nothing is missing: %s", b)
	}
}

func TestEvidenceOfRandomRowsKeepsEveryPromise(t *testing.T) {
	seen := map[string]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		data := make([]byte, rng.IntN(6000))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		r := (&recipe{data}).result()
		checkResult(t, r)
		ev := mustProject(t, r.source(), r.plan, r.budget, r.limits, r.ps)
		seen[fmt.Sprint(ev.Status(), ev.TruncatedBy())]++
		if bytes.Contains(ev.JSON(), []byte(`"columns":[],`)) {
			seen["headless"]++
		}
	}
	for _, want := range []string{"OK[]", "OK[rows]", "OK[cells]", "OK[bytes]", "OK[rows cells]", "OK[cells bytes]", "NO_EVIDENCE[]", "headless"} {
		if seen[want] == 0 {
			t.Errorf("no random result was %s: %v", want, seen)
		}
	}
}

func FuzzEncodeRows(f *testing.F) {
	f.Add([]byte{})
	rng := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkResult(t, (&recipe{data}).result()) })
}

func FuzzEncodeCell(f *testing.F) {
	for _, c := range cellCases {
		if kind := slices.Index(fuzzTypes, c.driverType); kind >= 0 {
			f.Add(kind, c.value.([]byte), 8, false)
		}
	}
	f.Add(0, []byte(`{"clipped": "a", "bytes": 99}`), 8, true)
	f.Fuzz(func(t *testing.T, kind int, cell []byte, cellBytes int, declared bool) {
		r := result{plan: named("c"), budget: everyRow, limits: Limits{max(1, cellBytes), MinTotalBytes + 4096}}
		r.types = fuzzTypes[uint(kind)%uint(len(fuzzTypes)):][:1]
		r.plan[0].JSON = declared
		if bytes.Count(cell, []byte("["))+bytes.Count(cell, []byte("{")) > maxDepth {
			return // shown as text, see TestJSONNestedDeeperThanMySQLAllowsIsText
		}
		r.rows = [][]driver.Value{{cell}}
		checkResult(t, r)
	})
}

var fuzzTypes = []string{"TEXT", "BLOB", "JSON", "GEOMETRY"}

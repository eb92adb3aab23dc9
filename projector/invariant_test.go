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
	clipped := checkRows(t, r, e, b)
	checkTruncation(t, r, e, clipped, b)
}

// checkRows checks each cell and the list of marks, and counts the clipped cells.
func checkRows(t testing.TB, r result, e envelope, b []byte) int {
	t.Helper()
	if len(e.Columns) != 0 || len(e.Rows) != 0 {
		for i, c := range e.Columns {
			if c.Name != strings.ToValidUTF8(r.plan[i].Name, "\uFFFD") || c.Redacted != (r.plan[i].Mask != "") {
				t.Fatalf("column %d is %+v", i, c)
			}
		}
	}
	clipped := 0
	var marks [][]any
	for n, row := range e.Rows {
		if len(row) != len(r.plan) {
			t.Fatalf("row %d has %d cells", n, len(row))
		}
		for i, cell := range row {
			mark := checkCell(t, r, r.rows[n][i], i, cell)
			if mark != "" {
				marks = append(marks, []any{json.Number(strconv.Itoa(n)), json.Number(strconv.Itoa(i)), mark})
			}
			if mark == "clipped" {
				clipped++
			}
		}
	}
	if !reflect.DeepEqual(marks, e.Marks) {
		t.Fatalf("marks %v, want %v in %s", e.Marks, marks, b)
	}
	return clipped
}

// checkCell compares a decoded cell with its value and returns how it must be
// marked.
func checkCell(t testing.TB, r result, v driver.Value, i int, cell any) string {
	t.Helper()
	fail := func(why string) { t.Helper(); t.Fatalf("%s %q became %#v: %s", r.types[i], v, cell, why) }
	if r.plan[i].Mask != "" {
		if s, ok := cell.(string); !ok || s != "[REDACTED]" && (len(s) != 26 || !strings.HasPrefix(s, "p_")) {
			fail("not masked")
		}
		return ""
	}
	if (v == nil) != (cell == nil) && r.types[i] != "JSON" && !r.plan[i].JSON {
		fail("NULL must be null")
	}
	if v == nil {
		return ""
	}
	object, _ := cell.(map[string]any)
	isJSON := r.types[i] == "JSON" || r.plan[i].JSON && slices.Contains([]string{"TEXT", "NULL"}, r.types[i])
	raw, isBytes := v.([]byte)
	long := isBytes && len(raw) > r.limits.CellBytes
	if prefix, ok := object["clipped"].(string); ok && len(object) == 2 && fmt.Sprint(object["bytes"]) == strconv.Itoa(len(raw)) && (!isJSON || !json.Valid(raw)) || isJSON && long && object["clipped"] != nil {
		prefix = object["clipped"].(string)
		if r.types[i] == "BLOB" {
			back, err := hex.DecodeString(strings.TrimPrefix(prefix, "0x"))
			if err != nil || !strings.HasPrefix(prefix, "0x") {
				fail("not hexadecimal")
			}
			prefix = string(back)
		}
		if !bytes.HasPrefix(raw, []byte(prefix)) || !utf8.ValidString(prefix) && r.types[i] != "BLOB" ||
			len(prefix) > r.limits.CellBytes || len(prefix) == len(raw) || fmt.Sprint(object["bytes"]) != strconv.Itoa(len(raw)) {
			fail("not a true prefix")
		}
		return "clipped"
	}
	if _, ok := object["unsupported_type"]; ok && len(object) == 1 && !(isJSON && utf8.Valid(raw)) {
		switch r.types[i] {
		case "TEXT", "JSON", "NULL":
			if utf8.Valid(raw) {
				fail("valid text")
			}
		case "FLOAT", "DOUBLE":
			if f := floatOf(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
				fail("a finite number")
			}
		case "GEOMETRY", "no such type":
		default:
			fail("a supported type")
		}
		return "unsupported"
	}
	if isBytes && long && slices.Contains([]string{"TEXT", "BLOB", "JSON", "NULL"}, r.types[i]) {
		fail("too long a cell")
	}
	if want, ok := wanted(r.types[i], isJSON, v, cell); !ok {
		fail("want " + want)
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
	for range 5000 {
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
		data := make([]byte, 2000)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkResult(t, (&recipe{data}).result()) })
}

func FuzzEncodeCell(f *testing.F) {
	for _, c := range cellCases {
		if b, ok := c.value.([]byte); ok && slices.Contains(recipeTypes, c.driverType) {
			f.Add(slices.Index(recipeTypes, c.driverType), b, 8, true)
		}
	}
	f.Fuzz(func(t *testing.T, kind int, cell []byte, cellBytes int, declared bool) {
		r := result{plan: named("c"), budget: everyRow, limits: Limits{max(1, cellBytes), MinTotalBytes + 4096}}
		r.types = []string{[]string{"TEXT", "BLOB", "JSON", "GEOMETRY"}[uint(kind)%4]}
		r.plan[0].JSON = declared
		if depth := bytes.Count(cell, []byte("[")) + bytes.Count(cell, []byte("{")); depth > maxDepth {
			return // shown as text, see TestJSONNestedDeeperThanMySQLAllowsIsText
		}
		r.rows = [][]driver.Value{{cell}}
		checkResult(t, r)
	})
}

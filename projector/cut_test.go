package projector

import (
	"database/sql/driver"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"mysqlevidence/authz"
	"mysqlevidence/config"
)

// cutAtTheServer is the result as a server sends it that was asked for
// LEFT(item, CellBytes) and LENGTH(item) of the long columns. Columns with a cell
// that no server sends as text are left whole.
func (r result) cutAtTheServer() result {
	out := r
	out.types, out.rows = slices.Clone(r.types), nil
	for range r.rows {
		out.rows = append(out.rows, nil)
	}
	for i := range r.rows {
		out.rows[i] = slices.Clone(r.rows[i])
	}
	next := len(r.plan)
	for col, t := range r.types {
		if t != "TEXT" && t != "BLOB" && t != "JSON" || t != "BLOB" && !r.isText(col) {
			continue
		}
		if r.plan[col].Mask == config.MaskPseudonym {
			continue // it needs the whole value
		}
		c := authz.Cut{Item: col, Length: next, JSON: t == "JSON"}
		if t == "JSON" {
			out.types[col] = "LONGTEXT"
		}
		next++
		out.cuts = append(out.cuts, c)
		out.types = append(out.types, "BIGINT")
		for i, row := range out.rows {
			b, ok := row[col].([]byte)
			if !ok {
				out.rows[i] = append(row, nil)
				continue
			}
			row[col] = prefixOf(b, r.limits.CellBytes, t)
			out.rows[i] = append(row, int64(len(b)))
		}
	}
	return out
}

func (r result) isText(col int) bool {
	return !slices.ContainsFunc(r.rows, func(row []driver.Value) bool {
		b, ok := row[col].([]byte)
		return ok && !utf8.Valid(b)
	})
}

// prefixOf is the server's LEFT.
func prefixOf(b []byte, n int, driverType string) []byte {
	if driverType == "BLOB" {
		return b[:min(n, len(b))]
	}
	end := 0
	for ; n > 0 && end < len(b); n-- {
		_, size := utf8.DecodeRune(b[end:])
		end += size
	}
	return b[:end]
}

func TestCellsCutAtTheServerMakeTheSameEvidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	clipped := 0
	for range 3000 {
		data := make([]byte, rng.IntN(6000))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		r := (&recipe{data}).result()
		cut := r.cutAtTheServer()
		want := mustProject(t, r.source(), r.plan, r.budget, r.limits, r.ps)
		got := mustProject(t, cut.source(), cut.plan, cut.budget, cut.limits, cut.ps)
		if string(got.JSON()) != string(want.JSON()) {
			t.Fatalf("%d cuts\nwhole %s\ncut   %s", len(cut.cuts), want.JSON(), got.JSON())
		}
		if len(cut.cuts) > 0 && slices.Contains(want.TruncatedBy(), "cells") {
			clipped++
		}
	}
	if clipped < 100 {
		t.Errorf("only %d results had a clipped cell", clipped)
	}
}

func TestALengthThatIsNoNumberMakesTheCellUnsupported(t *testing.T) {
	src := &memory{types: []string{"TEXT", "TEXT"}, rows: [][]driver.Value{{[]byte("abc"), []byte("3")}}, cuts: []authz.Cut{{Item: 0, Length: 1}}}
	ev := mustProject(t, src, named("c"), everyRow, whole, Pseudonyms{})
	if e := decode(t, ev.JSON()); len(e.Marks) != 1 || e.Marks[0][2] != "unsupported" {
		t.Errorf("%s", ev.JSON())
	}
}

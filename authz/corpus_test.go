package authz_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"testing"

	"mysqlevidence/testdata"
)

// readCorpus reads a gzipped file of testdata with one JSON object a line.
func readCorpus[T any](t testing.TB, name string, want int) []T {
	t.Helper()
	f, err := testdata.Files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]T, 0, want)
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line T
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		out = append(out, line)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) != want {
		t.Fatalf("%s has %d lines, want %d", name, len(out), want)
	}
	return out
}

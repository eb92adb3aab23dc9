package ident

import "testing"

func TestTheNearestNameIsTheOneThatWasMeant(t *testing.T) {
	for _, tt := range []struct {
		written string
		known   []string
		want    string
	}{
		{"tiemout", []string{"timeout"}, "timeout"},
		{"row", []string{"rows", "max_rows"}, "rows"},
		{"columnx", []string{"colums", "columns", "column"}, "columns"},
		{"usr", []string{"host", "username", "password"}, "username"},
		{"hostname", []string{"host", "username"}, "host"},
		{"maxRows", []string{"rows", "max_rows"}, "max_rows"},
		{"SAMPLE-ROWS", []string{"rows", "sample_rows"}, "sample_rows"},
		{"ab", []string{"abcdefgh"}, ""},
		{"x", []string{"y"}, ""},
		{"zzzz", []string{"rows", "limits"}, ""},
		{"", []string{"rows", ""}, ""},
		{"rows", nil, ""},
	} {
		if got := Nearest(tt.written, tt.known); got != tt.want {
			t.Errorf("Nearest(%q, %q) is %q, want %q", tt.written, tt.known, got, tt.want)
		}
	}
}

func TestDistanceCountsEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}} {
		if got, back := distance(tt.a, tt.b), distance(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("distance(%q, %q) is %d and %d, want %d", tt.a, tt.b, got, back, tt.want)
		}
	}
}

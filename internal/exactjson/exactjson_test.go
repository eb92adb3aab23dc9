package exactjson

import (
	"errors"
	"testing"
)

func TestOnlyOneWellFormedValueIsAccepted(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{`{}`, true},
		{` [1, 2] `, true},
		{`"é\u00e9"`, true},
		{`"\ud83d\ude00"`, true},
		{`"\\ud800"`, true}, // an escaped backslash, then letters
		{`"\\\\ud800"`, true},
		{``, false},
		{`{} {}`, false},
		{`{}x`, false},
		{`{"a":}`, false},
		{"\"\xff\"", false},
		{`"\ud800"`, false},
		{`"\uDFFFx"`, false},
		{`"\ud83d\ud83d"`, false},
		{`"\ude00\ud83d"`, false},
		{`"\\\ud800"`, false},
		{`"\ud83dx\ude00"`, false},
	} {
		if err := Check([]byte(c.text)); (err == nil) != c.ok {
			t.Errorf("%q: got %v, want accepted=%t", c.text, err, c.ok)
		}
	}
}

func TestAnObjectIsSplitExactly(t *testing.T) {
	got, err := Object([]byte(`{"b": 9007199254740993, "B": {"x":1,"x":2}, "\u0061": null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Member{{"b", []byte("9007199254740993")}, {"B", []byte(`{"x":1,"x":2}`)}, {"a", []byte("null")}}
	if len(got) != len(want) {
		t.Fatalf("got %d members", len(got))
	}
	for i := range want {
		if got[i].Key != want[i].Key || string(got[i].Value) != string(want[i].Value) {
			t.Errorf("member %d: got %s %s", i, got[i].Key, got[i].Value)
		}
	}
}

func TestARepeatedKeyIsNamed(t *testing.T) {
	_, err := Object([]byte(`{"a":1,"\u0061":2}`))
	var dup *DuplicateError
	if !errors.As(err, &dup) || dup.Key != "a" {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{`[]`, `"a"`, `1`, `null`} {
		if _, err := Object([]byte(text)); !errors.Is(err, ErrNotObject) {
			t.Errorf("%s: got %v, want ErrNotObject", text, err)
		}
	}
}

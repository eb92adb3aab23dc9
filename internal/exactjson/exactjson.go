// Package exactjson reads JSON where the usual decoder is too forgiving to be
// trusted with identifiers and arguments.
//
// It guarantees that what it accepts means one thing: text is valid UTF-8, no
// string hides half of a surrogate pair (encoding/json would silently turn it
// into U+FFFD), an object has each key once (encoding/json takes the last), keys
// are compared exactly, and nothing follows the value. It looks only at the
// top level of an object; nested values are left to who reads them.
package exactjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Member is one key of an object with its undecoded value.
type Member struct {
	Key   string
	Value json.RawMessage
}

// DuplicateError names a key that an object has twice.
type DuplicateError struct{ Key string }

// Error names the key.
func (e *DuplicateError) Error() string { return "the key " + ShowKey(e.Key) + " is there twice" }

// ErrNotObject is returned by Object for any other JSON value.
var ErrNotObject = errors.New("the value is not a JSON object")

// Check reports why data is not exactly one JSON value in well-formed UTF-8.
func Check(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("the text is not valid UTF-8")
	}
	if !json.Valid(data) {
		return errors.New("the text is not one JSON value")
	}
	if hasLoneSurrogate(data) {
		return errors.New("a string holds half of a surrogate pair")
	}
	return nil
}

// maxShownKey bounds how much of a key a message repeats, in characters.
const maxShownKey = 64

// ShowKey gives a key in quotes, cut and without anything that isn't printable.
func ShowKey(key string) string {
	n := 0
	for i := range key {
		if n == maxShownKey {
			key = key[:i] + "…"
			break
		}
		n++
	}
	return strconv.QuoteToGraphic(key)
}

// Object splits an object into its members, in text order. Of an object that
// passed Check the error is ErrNotObject or a *DuplicateError. With every error
// come the members that could be read: with a *DuplicateError all, the repeated
// key each time.
func Object(data []byte) ([]Member, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	first, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	if first != json.Delim('{') {
		return nil, ErrNotObject
	}
	var members []Member
	var duplicate error
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return members, fmt.Errorf("read key: %w", err)
		}
		key, ok := token.(string)
		if !ok {
			return members, ErrNotObject
		}
		if seen[key] && duplicate == nil {
			duplicate = &DuplicateError{key}
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return members, fmt.Errorf("read value: %w", err)
		}
		members = append(members, Member{key, value})
	}
	return members, duplicate
}

// hasLoneSurrogate looks for \ud800-\udfff escapes outside a high-low pair. In
// valid JSON a backslash occurs only inside a string.
func hasLoneSurrogate(data []byte) bool {
	for i := 0; i+1 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		unit := escapedUnit(data[i:])
		switch {
		case unit < 0:
			i++ // skip the escaped byte, which may be a backslash itself
		case unit < 0xD800 || unit > 0xDFFF:
			i += 5
		default:
			if low := escapedUnit(data[i+6:]); unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		}
	}
	return false
}

// escapedUnit returns the value of the \uXXXX that b begins with, or -1.
func escapedUnit(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	n := 0
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | int(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | int(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return n
}

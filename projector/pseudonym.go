package projector

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"
)

// Pseudonyms makes the stand-ins of pseudonym columns. A value's pseudonym is
// "p_" and the first 96 bits of HMAC-SHA-256 in hexadecimal; the key is derived
// from the configured one and the column's schema, table and name. So equal
// values of one column stay equal, over calls and over replicas with the same
// key, and the same value in two columns can't be told to be the same.
//
// NULL is a value like any other: all NULLs of a column have one pseudonym, of
// the same form as the rest, and which one it is needs the key to find out. What
// pseudonyms do show is which values are equal and how often they occur.
//
// Equal means the same bytes: 'a' and 'A' have different pseudonyms even where
// the column's collation calls them equal.
//
// The zero Pseudonyms has no key: pseudonym columns are then redacted.
type Pseudonyms struct {
	// keyed makes a hash with the key. It is a function, so that nothing that
	// prints a Pseudonyms, with whatever verb, prints the key.
	keyed func() hash.Hash
}

// minKeyBytes is the size of SHA-256: a shorter key would be the weakest part.
const minKeyBytes = sha256.Size

// NewPseudonyms takes a key of at least 32 bytes.
func NewPseudonyms(key []byte) (Pseudonyms, error) {
	if len(key) < minKeyBytes {
		return Pseudonyms{}, fmt.Errorf("the pseudonym key has %d bytes: want at least %d", len(key), minKeyBytes)
	}
	own := append([]byte(nil), key...)
	return Pseudonyms{keyed: func() hash.Hash { return hmac.New(sha256.New, own) }}, nil
}

// column returns the keyed hash of one column, or nil if there is no key or no
// column by which to separate it from others.
func (p Pseudonyms) column(schema, table, name string) *mac {
	if p.keyed == nil || schema == "" || table == "" || name == "" {
		return nil
	}
	h := p.keyed()
	for _, part := range []string{"mysql-evidence pseudonym 1", schema, table, name} {
		// The length before each part keeps a.bc and ab.c apart.
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return &mac{h: hmac.New(sha256.New, h.Sum(nil))}
}

// mac hashes the values of one column. It is not safe for concurrent use; its
// scratch spares an allocation a cell.
type mac struct {
	h       hash.Hash
	scratch [sha256.Size]byte
}

// pseudonymBytes is how much of the hash is shown: among a billion values of one
// column, the chance that any two share a pseudonym is about one in 10^11.
const pseudonymBytes = 12

// The byte before the value keeps NULL apart from the empty string.
const (
	tagNull  = 0
	tagValue = 1
)

// of returns the shown bytes of a value's hash, valid until the next call, or
// false for a Go type that the driver is not known to send.
func (m *mac) of(v driver.Value) ([]byte, bool) {
	m.h.Reset()
	b := append(m.scratch[:0], tagValue)
	switch v := v.(type) {
	case nil:
		b[0] = tagNull
	case []byte:
		m.h.Write(b)
		m.h.Write(v)
		return m.h.Sum(m.scratch[:0])[:pseudonymBytes], true
	case int64:
		b = strconv.AppendInt(b, v, 10)
	case uint64:
		b = strconv.AppendUint(b, v, 10)
	case float32:
		b = strconv.AppendFloat(b, float64(v), 'g', -1, 32)
	case float64:
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	default:
		return nil, false
	}
	m.h.Write(b)
	return m.h.Sum(m.scratch[:0])[:pseudonymBytes], true
}

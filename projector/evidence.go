package projector

import (
	"crypto/sha256"
	"errors"
	"slices"
	"unicode/utf8"
)

// The values of status.
const (
	StatusOK         = "OK"
	StatusNoEvidence = "NO_EVIDENCE" // a successful result with no row
)

// Evidence is one encoded answer. Only Project makes one; the zero Evidence is
// none. It is immutable and safe for concurrent use.
type Evidence struct{ e *evidence }

type evidence struct {
	json        []byte
	status      string
	rows        int
	truncatedBy []string
}

// IsZero reports whether there is no evidence.
func (e Evidence) IsZero() bool { return e.e == nil }

// JSON is the encoded envelope. The caller must not change it.
func (e Evidence) JSON() []byte { return e.e.json }

// Status is StatusOK or StatusNoEvidence.
func (e Evidence) Status() string { return e.e.status }

// RowCount is the number of rows in the envelope.
func (e Evidence) RowCount() int { return e.e.rows }

// Truncated reports whether a cap removed something.
func (e Evidence) Truncated() bool { return len(e.e.truncatedBy) > 0 }

// TruncatedBy lists the caps that removed something, out of rows, cells and
// bytes in this order. The caller owns the slice.
func (e Evidence) TruncatedBy() []string { return slices.Clone(e.e.truncatedBy) }

// SHA256 is the hash of the bytes that JSON returns. They are in the form that
// Digest brings other spellings of the same envelope to.
func (e Evidence) SHA256() [sha256.Size]byte { return sha256.Sum256(e.e.json) }

// Digest is the hash of an envelope that was quoted or written anew by somebody
// else: white space between tokens and the choice of escapes in strings make no
// difference, while the order of keys and each digit of a number do. For an
// envelope of ours it equals SHA256. It returns an error if the text isn't JSON.
func Digest(envelope []byte) ([sha256.Size]byte, error) {
	// The shortest spelling of a character is never longer than another one,
	// except U+2028 and U+2029, which double from three bytes to six.
	out := buffer{max: 2 * len(envelope)}
	s := scanner{src: envelope, out: &out, depth: maxDepth + envelopeDepth}
	if !utf8.Valid(envelope) || !s.document() {
		return [sha256.Size]byte{}, errors.New("projector: evidence is not valid JSON")
	}
	return sha256.Sum256(out.b), nil
}

// envelopeDepth is how deep a cell stands in the envelope: object, rows, row.
const envelopeDepth = 3

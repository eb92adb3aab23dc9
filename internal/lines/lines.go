// Package lines reads lines of bounded length. A line that is too long is read
// to its end and dropped, so that the one after it can be read.
package lines

import (
	"bufio"
	"errors"
	"io"
)

// Max bounds one line, in bytes without its line feed.
const Max = 16 << 20

// ErrTooLong is returned for a line that was dropped.
var ErrTooLong = errors.New("the line is longer than is accepted")

// Read returns the next line without its line feed, in memory of its own. A
// last line without a line feed counts; then comes io.EOF. After ErrTooLong
// the reader stands at the next line.
func Read(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case tooLong:
		case len(line)+len(part) > Max+1:
			tooLong, line = true, nil
		default:
			line = append(line, part...) // part is the reader's own buffer
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong && (err == nil || errors.Is(err, io.EOF)) {
			return nil, ErrTooLong
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
		return line[:len(line)-1], nil
	}
}

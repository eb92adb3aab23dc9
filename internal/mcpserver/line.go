package mcpserver

import (
	"bufio"
	"errors"
	"io"
)

// maxLine bounds one message, in bytes without its line feed.
const maxLine = 16 << 20

// errLineTooLong is returned for a line that was read to its end and dropped.
var errLineTooLong = errors.New("the line is longer than is accepted")

// readLine returns the next line without its line feed, in memory of its own. A
// last line without a line feed counts; then comes io.EOF. After errLineTooLong
// the reader stands at the next line.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case tooLong:
		case len(line)+len(part) > maxLine+1:
			tooLong, line = true, nil
		default:
			line = append(line, part...) // part is the reader's own buffer
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errLineTooLong
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

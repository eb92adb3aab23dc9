package executor

import (
	"errors"
	"net"
	"syscall"
)

// errRowTooLarge ends the reading of a row that nobody could be shown.
var errRowTooLarge = errors.New("a row is larger than is read")

// rowBytes is the most of one row that is read from the wire. Cells that can be
// cut at the server are; this is for those that can't.
const rowBytes = 4 << 20

// meter is a socket that stops reading when an allowance is spent: the driver
// reads a whole row into memory however long it is, whatever its settings say. It
// is used by the goroutine of the query; only Close may be called by others.
type meter struct {
	net.Conn
	bounded   bool
	allowance int
	spent     bool
}

// allow bounds what may be read from now on, in bytes on the wire.
func (m *meter) allow(bytes int) { m.bounded, m.allowance = true, bytes }

// allowAll ends the bound.
func (m *meter) allowAll() { m.bounded = false }

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if m.bounded {
		if m.allowance -= n; m.allowance < 0 {
			m.spent = true
			return 0, errRowTooLarge
		}
	}
	return n, err
}

// SyscallConn lets the driver see whether the server has closed the connection.
func (m *meter) SyscallConn() (syscall.RawConn, error) {
	sc, ok := m.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return sc.SyscallConn()
}

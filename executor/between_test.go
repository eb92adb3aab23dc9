package executor

import (
	"net"
	"path/filepath"
	"testing"

	"mysqlevidence/config"
)

// between is a go-between: it stands between the executor and a server and may change what they say.
// What it changes must be of the same length, and in one chunk.
type between struct {
	server   string
	accepted func()              // before the server is called, nil for nothing
	up, down func([]byte) []byte // nil for no change
}

// on forwards what comes to the listener, until the test ends.
func (r between) on(t testing.TB, l net.Listener) {
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			if r.accepted != nil {
				r.accepted()
			}
			server, err := net.Dial("tcp", r.server)
			if err != nil {
				_ = client.Close()
				continue
			}
			go forward(server, client, r.up)
			go forward(client, server, r.down)
		}
	}()
}

func forward(to, from net.Conn, change func([]byte) []byte) {
	defer func() { _, _ = to.Close(), from.Close() }()
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		out := chunk[:n]
		if change != nil {
			out = change(out)
		}
		if _, werr := to.Write(out); err != nil || werr != nil {
			return
		}
	}
}

// before puts the relay before a source's server.
func (r between) before(t testing.TB, src *config.DataSource) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.on(t, l)
	src.Connection.Host, src.Connection.Port = "127.0.0.1", l.Addr().(*net.TCPAddr).Port
}

// asSocket puts the relay before a source's server, as a unix socket.
func (r between) asSocket(t testing.TB, src *config.DataSource) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	r.on(t, l)
	src.Connection.Host, src.Connection.Port, src.Connection.Socket = "", 0, path
}

package executor

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"mysqlevidence/config"
)

// proxy stands between the executor and a server, counts what the server sends,
// and breaks connections on demand.
type proxy struct {
	listener net.Listener
	target   string
	received atomic.Int64 // bytes to the client
	accepted atomic.Int64 // connections
	cuts     atomic.Int64
	hideTLS  atomic.Bool // take the TLS flag out of the server's greeting

	mu     sync.Mutex
	marker []byte // a connection that sends this is cut …
	times  int    // … this many times
}

// through puts a proxy before the source.
func (s *server) through(src *config.DataSource) *proxy {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	p := &proxy{listener: l, target: s.Addr()}
	go p.serve()
	s.t.Cleanup(func() { _ = l.Close() })
	src.Connection.Host, src.Connection.Port = "127.0.0.1", l.Addr().(*net.TCPAddr).Port
	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.accepted.Add(1)
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		_ = client.(*net.TCPConn).SetWriteBuffer(16 << 10)
		_ = server.(*net.TCPConn).SetReadBuffer(16 << 10)
		go func() { defer client.Close(); defer server.Close(); p.up(server, client) }()
		go func() { defer client.Close(); defer server.Close(); p.down(client, server) }()
	}
}

// cutOn breaks the connection that sends the marker, so many times.
func (p *proxy) cutOn(marker string, times int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marker, p.times = []byte(marker), times
}

func (p *proxy) cut(chunk []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.times == 0 || !bytes.Contains(chunk, p.marker) {
		return false
	}
	p.times--
	p.cuts.Add(1)
	return true
}

func (p *proxy) up(server io.Writer, client io.Reader) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := client.Read(chunk)
		if n > 0 && p.cut(chunk[:n]) {
			return
		}
		if _, werr := server.Write(chunk[:n]); err != nil || werr != nil {
			return
		}
	}
}

// down forwards the greeting, changed if it must be, and the rest.
func (p *proxy) down(client io.Writer, server io.Reader) {
	greeting := make([]byte, 4<<10)
	n, err := server.Read(greeting)
	if err != nil {
		return
	}
	if p.hideTLS.Load() {
		// Header, protocol version, version and its zero, connection id, 8 bytes of
		// nonce and a zero: then the low half of the capabilities, CLIENT_SSL is 1<<11.
		version := bytes.IndexByte(greeting[5:n], 0)
		greeting[5+version+1+4+8+1+1] &^= 1 << 3
	}
	out := p.count(client)
	if _, err := out.Write(greeting[:n]); err == nil {
		_, _ = io.Copy(out, server)
	}
}

type counted struct {
	io.Writer
	n *atomic.Int64
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n.Add(int64(n))
	return n, err
}

func (p *proxy) count(w io.Writer) io.Writer { return counted{w, &p.received} }

package executor

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"mysqlevidence/config"
)

// relay stands between the executor and a server like proxy, but it reads the
// protocol packet by packet, inside TLS too, so that a fault can strike at a
// chosen moment of a query's conversation.
type relay struct {
	listener net.Listener
	target   string
	identity *tls.Certificate // for the client's side of TLS; nil: none is spoken
	kill     func(thread uint32)
	gate     chan struct{} // closed when the client has its first row

	mu       sync.Mutex
	links    map[*link]bool
	attempts map[*link]bool
	fault    breakage
	moment   moment
	times    int // how often the fault is still to strike
	fired    int
	side     sideFault
	closed   bool
	refuses  bool // new connections end at once
}

// sideFault is what happens to a connection that sends a KILL.
type sideFault string

const (
	sideWorks  sideFault = "side connections work"
	sideSilent sideFault = "side connections are silent"
	sideCloses sideFault = "side connections close"
)

// relayed puts a relay before the source.
func (s *server) relayed(src *config.DataSource, identity *tls.Certificate) *relay {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	r := &relay{listener: l, target: s.Addr(), identity: identity, links: map[*link]bool{}, attempts: map[*link]bool{},
		side: sideWorks, gate: make(chan struct{}), kill: s.killThread}
	c := *src.Connection
	c.Host, c.Port = "127.0.0.1", l.Addr().(*net.TCPAddr).Port
	src.Connection = &c
	go r.serve()
	return r
}

func (r *relay) serve() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.target)
		if err != nil || !r.takes() {
			_ = client.Close()
			if err == nil {
				_ = server.Close()
			}
			continue
		}
		l := &link{relay: r, rawClient: client.(*net.TCPConn), client: client, rawServer: server, server: server, done: make(chan struct{})}
		r.add(l)
		go l.run()
	}
}

func (r *relay) takes() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.refuses
}

func (r *relay) add(l *link) {
	r.mu.Lock()
	r.links[l] = true
	closed := r.closed
	r.mu.Unlock()
	if closed {
		l.end()
	}
}

// arm makes the fault strike so many times, from now on.
func (r *relay) arm(f breakage, m moment, times int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault, r.moment, r.times, r.fired = f, m, times, 0
	r.attempts = map[*link]bool{}
}

// due returns the fault if this is its moment. Late moments wait until the client
// has its first row: a reset would take it away again.
func (r *relay) due(l *link, m moment) (breakage, bool) {
	r.mu.Lock()
	hit := m != "" && m == r.moment && r.times > 0
	if hit {
		r.times--
		r.fired++
	}
	f := r.fault
	r.mu.Unlock()
	if hit && !m.early() {
		select {
		case <-r.gate:
		case <-l.done:
		}
	}
	return f, hit
}

// counts are how often the fault has struck, and on how many connections the
// query was sent.
func (r *relay) counts() (fired, attempts int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fired, len(r.attempts)
}

// restart ends every connection and refuses new ones until resume.
func (r *relay) restart() {
	r.mu.Lock()
	r.refuses = true
	links := r.links
	r.links = map[*link]bool{}
	r.mu.Unlock()
	for l := range links {
		l.end()
	}
}

func (r *relay) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuses = false
}

func (r *relay) close() {
	_ = r.listener.Close()
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.restart()
}

// link is one connection through the relay.
type link struct {
	relay     *relay
	rawClient *net.TCPConn
	rawServer net.Conn
	client    net.Conn // with TLS, what is inside
	server    net.Conn
	done      chan struct{}
	ending    sync.Once
	quiet     atomic.Bool // nothing is passed on any more
	drips     atomic.Bool // what is passed on goes byte by byte
	place     place       // of the conversation
}

func (l *link) end() {
	l.ending.Do(func() {
		close(l.done)
		_ = l.rawClient.Close()
		_ = l.rawServer.Close()
	})
}

// run passes the greeting and the client's first packet on by hand, since TLS
// begins after them, and then every packet.
func (l *link) run() {
	defer l.end()
	greeting, err := readPacket(l.server)
	if err != nil {
		return
	}
	if at := bytes.IndexByte(greeting[5:], 0); at >= 0 && len(greeting) > 5+at+5 {
		id := binary.LittleEndian.Uint32(greeting[5+at+1:])
		l.place.thread = id
	}
	if _, err := l.client.Write(greeting); err != nil {
		return
	}
	first, err := readPacket(l.client)
	if err != nil {
		return
	}
	if _, err := l.server.Write(first); err != nil {
		return
	}
	if l.relay.identity != nil {
		l.client = tls.Server(l.rawClient, &tls.Config{Certificates: []tls.Certificate{*l.relay.identity}})
		l.server = tls.Client(l.rawServer, &tls.Config{InsecureSkipVerify: true}) // the real server's certificate is not the subject
	}
	go func() { defer l.end(); l.down() }()
	l.up()
}

func readPacket(from io.Reader) ([]byte, error) {
	packet := make([]byte, 4)
	if _, err := io.ReadFull(from, packet); err != nil {
		return nil, err
	}
	length := int(packet[0]) | int(packet[1])<<8 | int(packet[2])<<16
	packet = append(packet, make([]byte, length)...)
	_, err := io.ReadFull(from, packet[4:])
	return packet, err
}

func (l *link) up() {
	for {
		packet, err := readPacket(l.client)
		if err != nil {
			return
		}
		if l.quiet.Load() {
			continue
		}
		before := l.place.sent(packet)
		if before != "" {
			l.relay.mu.Lock()
			l.relay.attempts[l] = true
			l.relay.mu.Unlock()
		}
		if bytes.HasPrefix(packet[4:], []byte("\x03KILL")) && !l.sideWorks() {
			return
		}
		if !l.pass(l.server, packet, moments{before: before}) {
			return
		}
	}
}

// sideWorks lets a KILL through or fails it.
func (l *link) sideWorks() bool {
	l.relay.mu.Lock()
	side := l.relay.side
	l.relay.mu.Unlock()
	if side == sideSilent {
		l.silence(l.server)
	}
	return side == sideWorks
}

func (l *link) down() {
	for {
		packet, err := readPacket(l.server)
		if err != nil {
			return
		}
		if l.quiet.Load() {
			continue
		}
		if !l.pass(l.client, packet, l.place.received(packet)) {
			return
		}
	}
}

// pass sends a packet on, with what is due before, in and after it.
func (l *link) pass(to net.Conn, packet []byte, m moments) bool {
	rest := packet
	if f, ok := l.relay.due(l, m.before); ok {
		if rest, ok = f.strike(l, to, rest); !ok {
			return false
		}
	}
	if f, ok := l.relay.due(l, m.inside); ok {
		half := len(rest) / 2
		if !l.write(to, rest[:half]) {
			return false
		}
		if rest, ok = f.strike(l, to, rest[half:]); !ok {
			return false
		}
	}
	if !l.write(to, rest) {
		return false
	}
	if f, ok := l.relay.due(l, m.after); ok {
		_, ok = f.strike(l, to, nil)
		return ok
	}
	return true
}

// silence passes nothing on until the client ends the connection.
func (l *link) silence(to net.Conn) ([]byte, bool) {
	l.quiet.Store(true)
	if to == l.server { // it is the reader of the client's side who calls
		_, _ = io.Copy(io.Discard, l.client)
		l.end()
	}
	<-l.done
	return nil, false
}

func (l *link) write(to net.Conn, b []byte) bool {
	if !l.drips.Load() || to != l.client {
		_, err := to.Write(b)
		return err == nil
	}
	for i := range b {
		if _, err := to.Write(b[i : i+1]); err != nil {
			return false
		}
		select {
		case <-l.done:
			return false
		case <-time.After(dripEvery):
		}
	}
	return true
}

// killThread ends a connection on the server and waits until it is gone.
func (s *server) killThread(thread uint32) {
	ctx := context.Background()
	if _, err := s.root.ExecContext(ctx, fmt.Sprintf("KILL %d", thread)); err != nil {
		return // gone already
	}
	for left := 1; left > 0; {
		if err := s.root.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ?", thread).Scan(&left); err != nil {
			return
		}
	}
}

func (r *relay) setSide(side sideFault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.side = side
}

// open lets the late moments come.
func (r *relay) open() { close(r.gate) }

// alive counts the connections that haven't ended.
func (r *relay) alive() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for l := range r.links {
		select {
		case <-l.done:
		default:
			n++
		}
	}
	return n
}

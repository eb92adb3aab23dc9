package executor

import (
	"net"
	"sync"
	"time"
)

// moment is a place in the conversation about one query.
type moment string

const (
	atPrepare  moment = "before the preparation is sent"
	inPrepared moment = "in the answer to the preparation"
	inColumns  moment = "in the description of the columns"
	atExecute  moment = "before the execution is sent"
	atAnswer   moment = "before the answer"
	atFirst    moment = "before the first row"
	inFirst    moment = "in the first row"
	afterFirst moment = "after the first row"
	inLater    moment = "in a later row"
	atEnd      moment = "before the end of the rows"
	inEnd      moment = "in the end of the rows"
	afterEnd   moment = "after the end of the rows"
)

var allMoments = []moment{atPrepare, inPrepared, inColumns, atExecute, atAnswer, atFirst, inFirst, afterFirst, inLater, atEnd, inEnd, afterEnd}

// early reports whether the client has no row yet.
func (m moment) early() bool {
	switch m {
	case afterFirst, inLater, atEnd, inEnd, afterEnd:
		return false
	}
	return true
}

// moments are those of one packet.
type moments struct{ before, inside, after moment }

// place follows the conversation on one connection. The two directions take
// turns, but for the end of the connection.
type place struct {
	mu      sync.Mutex
	thread  uint32
	command byte
	packets int // of the answer
	columns int
	rows    int
}

const (
	comPrepare = 0x16
	comExecute = 0x17
)

// sent notes a packet of the client's.
func (p *place) sent(packet []byte) (before moment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if packet[3] != 0 || len(packet) < 5 {
		return "" // not the beginning of a command
	}
	p.command, p.packets, p.columns, p.rows = packet[4], 0, 0, 0
	switch p.command {
	case comPrepare:
		return atPrepare
	case comExecute:
		return atExecute
	}
	return ""
}

// laterRow is the row that inLater means.
const laterRow = 20

// received notes a packet of the server's.
func (p *place) received(packet []byte) moments {
	p.mu.Lock()
	defer p.mu.Unlock()
	body := packet[4:]
	p.packets++
	switch {
	case p.command != comPrepare && p.command != comExecute || len(body) == 0:
		return moments{}
	case p.packets == 1 && p.command == comPrepare:
		return moments{inside: inPrepared}
	case p.packets == 1:
		return moments{before: atAnswer}
	case len(body) > 4 && string(body[:4]) == "\x03def":
		if p.columns++; p.columns == 1 {
			return moments{inside: inColumns}
		}
		return moments{}
	case p.command != comExecute:
		return moments{}
	case body[0] == 0xfe && p.rows > 0:
		return moments{atEnd, inEnd, afterEnd}
	case body[0] != 0:
		return moments{}
	}
	switch p.rows++; p.rows {
	case 1:
		return moments{atFirst, inFirst, afterFirst}
	case laterRow:
		return moments{inside: inLater}
	}
	return moments{}
}

// breakage is what can happen to a connection.
type breakage struct {
	name string
	// strike does it. It returns what is still to be sent of the packet, and
	// whether the connection goes on.
	strike func(l *link, to net.Conn, rest []byte) ([]byte, bool)
	// heals says that the whole answer comes in the end.
	heals bool
	// garbles says that the packet is sent with other contents, so that it must be
	// one of the server's that nothing of was sent yet.
	garbles bool
	// keeps says that the connection counts as whole: it isn't sent again.
	keeps bool
}

// killed is a connection that somebody ends on the server.
const killed = "killed on the server"

const (
	stallFor  = 150 * time.Millisecond
	dripEvery = 50 * time.Microsecond
)

// The faults that end the connection or its meaning.
var breaking = []breakage{
	{name: "closed", strike: func(l *link, _ net.Conn, _ []byte) ([]byte, bool) {
		l.end()
		return nil, false
	}},
	{name: "reset", strike: func(l *link, _ net.Conn, _ []byte) ([]byte, bool) {
		_ = l.rawClient.SetLinger(0)
		l.end()
		return nil, false
	}},
	{name: "closed by the server's side only", strike: func(l *link, to net.Conn, _ []byte) ([]byte, bool) {
		_ = l.rawClient.CloseWrite()
		return l.silence(to)
	}},
	{name: killed, strike: func(l *link, _ net.Conn, rest []byte) ([]byte, bool) {
		l.relay.kill(l.place.thread)
		return rest, true
	}},
	{name: "another sequence number", garbles: true, strike: func(_ *link, _ net.Conn, rest []byte) ([]byte, bool) {
		rest[3] ^= 0x55
		return rest, true
	}},
	{name: "a packet of one byte", garbles: true, keeps: true, strike: func(_ *link, _ net.Conn, rest []byte) ([]byte, bool) {
		return []byte{1, 0, 0, rest[3], rest[4]}, true
	}},
}

// silent is a connection on which nothing comes any more and nobody is told.
var silent = breakage{name: "silent", strike: func(l *link, to net.Conn, _ []byte) ([]byte, bool) {
	return l.silence(to)
}}

// The faults after which the answer still comes.
var healing = []breakage{
	{name: "stalled for a while", heals: true, strike: func(_ *link, _ net.Conn, rest []byte) ([]byte, bool) {
		time.Sleep(stallFor)
		return rest, true
	}},
	{name: "byte by byte", heals: true, strike: func(l *link, _ net.Conn, rest []byte) ([]byte, bool) {
		l.drips.Store(true)
		return rest, true
	}},
}

// late reports whether the server has sent its answer before the fault strikes
// there, and not here.
func (f breakage) late(m moment) bool {
	return f.name == killed && m.early() && m != atPrepare && m != inPrepared && m != inColumns && m != atExecute
}

// possible reports whether the fault can strike at the moment.
func (f breakage) possible(m moment) bool {
	if !f.garbles {
		return true
	}
	return m == atAnswer || m == atFirst || m == atEnd
}

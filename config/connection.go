package config

import (
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"

	"mysqlevidence/internal/ident"
)

func (c *checker) connection(s *section[connectionKeys]) *Connection {
	k := &s.v
	conn := &Connection{
		Host:           k.Host.v,
		Socket:         k.Socket.v,
		Username:       c.secret(&k.Username),
		Password:       c.secret(&k.Password),
		MaxConnections: c.count(&k.MaxConnections, defaultConnections, 1, fixed(ceilingConnections)),
	}
	if !k.Username.present {
		c.fail(s.place, "username is missing; write username: {env: NAME} or {file: PATH}")
	}
	c.address(s, conn)
	conn.TLS = c.tls(&k.TLS.v, k, s.place)
	return conn
}

// address checks that the server is named in exactly one way.
func (c *checker) address(s *section[connectionKeys], conn *Connection) {
	k := &s.v
	switch {
	case k.Host.present && k.Socket.present:
		c.fail(k.Socket.place, "host and socket exclude each other")
	case k.Host.present:
		c.host(&k.Host)
		conn.Port = c.count(&k.Port, defaultPort, 1, ceiling{65535, "the highest port, 65535"})
	case k.Socket.present:
		if k.Socket.ok && (!filepath.IsAbs(k.Socket.v) || hasControl(k.Socket.v)) {
			c.fail(k.Socket.place, "must be the absolute path of a unix socket")
		}
		if k.Port.present {
			c.fail(k.Port.place, "a unix socket has no port")
		}
	default:
		c.fail(s.place, "names no server; write host or socket")
	}
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$`)

func (c *checker) host(t *text) {
	if !t.ok || len(t.v) <= 253 && hostName.MatchString(t.v) {
		return
	}
	if _, err := netip.ParseAddr(t.v); err == nil {
		return
	}
	if _, _, ok := strings.Cut(t.v, ":"); ok {
		c.fail(t.place, "must be a host name or an IP address alone; the port has a key of its own, port")
		return
	}
	c.fail(t.place, "must be a host name or an IP address")
}

// tls checks the protection of a connection: verified TLS, or plaintext where
// nobody can listen or the operator says so in words.
func (c *checker) tls(k *tlsKeys, conn *connectionKeys, at place) TLS {
	t := TLS{
		Mode:            TLSVerify,
		CAFile:          c.filePath(&k.CAFile),
		CertFile:        c.filePath(&k.CertFile),
		KeyFile:         c.filePath(&k.KeyFile),
		ServerName:      k.ServerName.v,
		AcceptPlaintext: k.AcceptPlaintext.v,
	}
	if conn.Socket.present && !conn.Host.present {
		t.Mode = TLSPlaintext
	}
	if k.Mode.ok {
		t.Mode = TLSMode(k.Mode.v)
	}
	switch {
	case k.Mode.present && !k.Mode.ok:
	case t.Mode == TLSPlaintext:
		c.plaintext(k, conn)
	case t.Mode == TLSVerify:
		c.verified(k, conn)
	default:
		c.fail(k.Mode.place, "unknown mode %q; it is verify, or plaintext (loopback and sockets only, unless accept_plaintext: true)", k.Mode.v)
	}
	return t
}

func (c *checker) plaintext(k *tlsKeys, conn *connectionKeys) {
	if conn.Host.ok && !isLoopback(conn.Host.v) && !k.AcceptPlaintext.v {
		c.fail(k.Mode.place, "plaintext to a host that is not loopback lets the network read passwords and data; use mode: verify, or write accept_plaintext: true beside it")
	}
	for _, t := range []*text{&k.CAFile, &k.CertFile, &k.KeyFile, &k.ServerName} {
		if t.present {
			c.fail(t.place, "has no meaning with plaintext")
		}
	}
}

func (c *checker) verified(k *tlsKeys, conn *connectionKeys) {
	if conn.Socket.present && !conn.Host.present && !k.ServerName.present {
		c.fail(k.Mode.place, "a unix socket has no name that a certificate could be verified against; write server_name, or leave tls out")
	}
	if k.ServerName.ok && (strings.TrimSpace(k.ServerName.v) == "" || hasControl(k.ServerName.v)) {
		c.fail(k.ServerName.place, "must be the name in the server's certificate")
	}
	switch {
	case k.CertFile.present && !k.KeyFile.present:
		c.fail(k.CertFile.place, "a client certificate needs key_file too")
	case k.KeyFile.present && !k.CertFile.present:
		c.fail(k.KeyFile.place, "a client key needs cert_file too")
	}
}

// isLoopback reports whether a host never leaves the machine. A name other than
// localhost may resolve to anything, so it isn't loopback.
func isLoopback(host string) bool {
	if ident.Fold(host) == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

package executor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/config"
	"mysqlevidence/internal/secret"
)

// openTimeout bounds the making of one connection, set-up and checks included.
const openTimeout = 5 * time.Second

// writeTimeout bounds one write to the server.
const writeTimeout = 5 * time.Second

// conn is what is used of the driver's connection.
type conn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.QueryerContext
	driver.ExecerContext
	driver.SessionResetter
}

// wire is an authenticated connection on which nothing was said yet. The socket
// is kept so that another goroutine can cut it: closing it ends any read, and
// unlike the driver's own Close it never waits.
type wire struct {
	conn   conn
	socket *meter
}

// errSecret, errTLSFiles and errExposed mark failures before a byte is sent.
var (
	errSecret   = errors.New("credential")
	errTLSFiles = errors.New("tls files")
	errExposed  = errors.New("plaintext to an address that is not loopback, without accept_plaintext")
)

// dial connects and authenticates. Credentials and TLS files are read each time,
// so rotated ones are picked up by the next connection; sessions that were made
// with the old ones live on until maxAge, as the server lets them. An account
// that was refused while its credentials changed is tried again, once, with the
// new ones.
func dial(ctx context.Context, c config.Connection) (wire, error) {
	cfg, err := driverConfig(c)
	if err != nil {
		return wire{}, err
	}
	w, err := dialWith(ctx, c, cfg)
	if answer, ok := errors.AsType[*mysql.MySQLError](err); !ok || refusedBecause(answer.Number) != accessDenied {
		return w, err
	}
	rotated, changed := driverConfig(c)
	if changed != nil || rotated.User == cfg.User && rotated.Passwd == cfg.Passwd {
		return w, err
	}
	return dialWith(ctx, c, rotated)
}

func dialWith(ctx context.Context, c config.Connection, cfg *mysql.Config) (wire, error) {
	var w wire
	reports := &driverReports{}
	cfg.Logger = reports
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		socket, err := (&net.Dialer{Timeout: openTimeout}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if cfg.TLS == nil && !c.TLS.AcceptPlaintext && !local(socket.RemoteAddr()) {
			return nil, errors.Join(errExposed, socket.Close())
		}
		w.socket = &meter{Conn: socket}
		return w.socket, nil
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return wire{}, err
	}
	raw, err := connect(ctx, connector)
	reported := reports.end()
	if err != nil {
		return wire{}, errors.Join(err, reported, w.abandoned())
	}
	var ok bool
	if w.conn, ok = raw.(conn); !ok {
		return wire{}, errors.Join(fmt.Errorf("driver's connection %T lacks a method", raw), raw.Close())
	}
	return w, nil
}

// driverReports keeps what the driver says of a failed read while it connects: it
// returns no more than "invalid connection" then, and the reason, such as a
// client certificate that the server doesn't take, only goes to its log.
type driverReports struct {
	mu   sync.Mutex
	last error
	done bool
}

// Print is the driver's.
func (r *driverReports) Print(v ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range v {
		if err, ok := one.(error); ok && !r.done {
			r.last = err
		}
	}
}

// end returns the last report; later ones, of queries, are dropped.
func (r *driverReports) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	return r.last
}

func connect(ctx context.Context, connector driver.Connector) (c driver.Conn, err error) {
	defer contain(&err)
	return connector.Connect(ctx)
}

// abandoned closes the socket of a connection that wasn't made, in case that the
// driver hasn't.
func (w wire) abandoned() error {
	if w.socket == nil {
		return nil
	}
	if err := w.socket.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// close ends the connection politely.
func (w wire) close() { _ = w.conn.Close() }

// cut ends the connection at once; it may be called while the connection is in
// use.
func (w wire) cut() { _ = w.socket.Close() }

// local reports whether the peer is on this machine. The address is the one that
// was dialled, not a name that a resolver may point elsewhere.
func local(addr net.Addr) bool {
	switch a := addr.(type) {
	case *net.UnixAddr:
		return true
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	}
	return false
}

// driverConfig is the driver's configuration. Everything that could widen what a
// text may do is off here, whatever the driver's defaults are or become.
func driverConfig(c config.Connection) (*mysql.Config, error) {
	cfg := mysql.NewConfig()
	var err error
	if cfg.User, err = secret.Resolve(c.Username); err != nil {
		return nil, fmt.Errorf("%w: username: %w", errSecret, err)
	}
	if cfg.Passwd, err = secret.Optional(c.Password); err != nil {
		return nil, fmt.Errorf("%w: password: %w", errSecret, err)
	}
	if cfg.TLS, err = tlsConfig(c); err != nil {
		return nil, err
	}
	cfg.Net, cfg.Addr = "tcp", net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
	if c.Socket != "" {
		cfg.Net, cfg.Addr = "unix", c.Socket
	}
	cfg.ConnectionAttributes = "program_name:mysql-evidence"
	cfg.Timeout, cfg.WriteTimeout = openTimeout, writeTimeout
	cfg.Logger = &mysql.NopLogger{} // errors are logged once, by us
	cfg.CheckConnLiveness = true
	cfg.AllowNativePasswords = true // a challenge and a hash; MariaDB's default

	cfg.AllowAllFiles = false
	cfg.AllowCleartextPasswords = false
	cfg.AllowFallbackToPlaintext = false
	cfg.AllowOldPasswords = false
	cfg.InterpolateParams = false
	cfg.MultiStatements = false
	cfg.ParseTime = false // it turns zero dates into the year 1
	return cfg, nil
}

// tlsConfig is nil for plaintext. Any mode but the two known ones is an error.
func tlsConfig(c config.Connection) (*tls.Config, error) {
	switch c.TLS.Mode {
	case config.TLSPlaintext:
		return nil, nil
	case config.TLSVerify:
	default:
		return nil, fmt.Errorf("%w: unknown mode %q", errTLSFiles, c.TLS.Mode)
	}
	out := &tls.Config{ServerName: c.TLS.ServerName, MinVersion: tls.VersionTLS12}
	if out.ServerName == "" {
		out.ServerName = c.Host
	}
	if out.ServerName == "" {
		return nil, fmt.Errorf("%w: a socket has no host name to verify: set server_name", errTLSFiles)
	}
	if c.TLS.CAFile != "" {
		pem, err := os.ReadFile(c.TLS.CAFile)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errTLSFiles, err)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%w: no certificate in %s", errTLSFiles, c.TLS.CAFile)
		}
	}
	if c.TLS.CertFile != "" || c.TLS.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(c.TLS.CertFile, c.TLS.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errTLSFiles, err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}

// dialFault says which layer failed to connect. How the call's own context ended
// decides before what the network said; openTimeout, which passes while the call
// still has time, is the server's fault.
func dialFault(ctx context.Context, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case ctx.Err() != nil:
		return lateToConnect(errors.Join(ctx.Err(), err))
	}
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return unavailable(refusedBecause(answer.Number), err)
	}
	switch {
	case errors.Is(err, errSecret):
		return unavailable(secretMissing, err)
	case errors.Is(err, errTLSFiles), errors.Is(err, errExposed), errors.Is(err, mysql.ErrNoTLS), isTLS(err):
		return unavailable(tlsFailed, err)
	case errors.Is(err, mysql.ErrCleartextPassword), errors.Is(err, mysql.ErrNativePassword),
		errors.Is(err, mysql.ErrOldPassword), errors.Is(err, mysql.ErrUnknownPlugin):
		return unavailable(accessDenied, err)
	}
	return unavailable(unreachable, err)
}

// refusedBecause classifies the server's answer to a connection.
func refusedBecause(number uint16) string {
	switch number {
	case 1040, 1203, 1226: // server full, account full, account's quota
		return tooMany
	case 3159: // require_secure_transport
		return tlsFailed
	case 1044, 1045, 1698, // wrong account, password or way of authentication
		1251, 1275, 1524, // a way of authentication that one side lacks
		1129, 1130, // the host is blocked, or not allowed
		1820, 1862, // the password has expired
		3118, 3955, 4150, 4151: // the account is locked, or blocked after wrong passwords
		return accessDenied
	}
	return unreachable
}

func isTLS(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "remote error" || op.Op == "local error") {
		return true // a TLS alert: crypto/tls reports it in this form
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	return strings.Contains(err.Error(), "tls: ") // of a handshake, where crypto/tls has no type
}

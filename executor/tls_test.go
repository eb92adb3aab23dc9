package executor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// issued is a certificate and its key, in PEM.
type issued struct{ cert, key []byte }

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, key: key, cert: &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}}
	a.pem = a.sign(a.cert, key)
	return a
}

func (a *authority) sign(what *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, what, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// issue makes a certificate of 127.0.0.1, localhost and db.internal, or of a client, that
// ends after the time.
func (a *authority) issue(usage x509.ExtKeyUsage, name string, ends time.Duration) issued {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(ends), ExtKeyUsage: []x509.ExtKeyUsage{usage}}
	if usage == x509.ExtKeyUsageServerAuth {
		leaf.IPAddresses, leaf.DNSNames = []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"db.internal", "localhost"}
	}
	return issued{cert: a.sign(leaf, key), key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})}
}

// certificate makes a CA and a certificate of 127.0.0.1, all in PEM.
func certificate(t *testing.T) (ca, cert, key []byte) {
	t.Helper()
	a := newAuthority(t, "test CA")
	one := a.issue(x509.ExtKeyUsageServerAuth, "db", time.Hour)
	return a.pem, one.cert, one.key
}

// file writes a file of the test's own.
func file(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pem")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// onEachEncrypted runs the test on a server of either flavour with a
// certificate of the authority's.
func onEachEncrypted(t *testing.T, ca *authority, ends time.Duration, test func(t *testing.T, s *server)) {
	for _, flavour := range []string{"mysql", "mariadb"} {
		t.Run(flavour, func(t *testing.T) {
			mine := ca.issue(x509.ExtKeyUsageServerAuth, "db", ends)
			own := mysqltest.Own(t, flavour,
				map[string][]byte{"/ca.pem": ca.pem, "/cert.pem": mine.cert, "/key.pem": mine.key},
				"--ssl-ca=/ca.pem", "--ssl-cert=/cert.pem", "--ssl-key=/key.pem")
			test(t, prepared(t, own))
		})
	}
}

func (s *server) wantEncrypted(t *testing.T, src config.DataSource) {
	t.Helper()
	e, _ := open(t, src)
	wantOne(t, e)
	onSession(t, e, func(c conn) {
		if row, err := queryRow(t.Context(), c, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"); err != nil || row[1] == "" {
			t.Errorf("not encrypted: %v, %v", row, err)
		}
	})
	_, err := runAll(t.Context(), t, e, endless, nil, within(300*time.Millisecond))
	wantFault(t, err, Timeout, "timeout")
	eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
}

func TestTheServersIdentityIsVerified(t *testing.T) {
	ca := newAuthority(t, "test CA")
	other := newAuthority(t, "test CA") // of the same name
	onEachEncrypted(t, ca, time.Hour, func(t *testing.T, s *server) {
		caFile, otherFile := file(t, ca.pem), file(t, other.pem)
		for _, c := range []struct {
			name string
			tls  config.TLS
			word string // of the operator's log, "" if it serves
		}{
			{"our CA", config.TLS{Mode: config.TLSVerify, CAFile: caFile}, ""},
			{"our CA, another name of the server", config.TLS{Mode: config.TLSVerify, CAFile: caFile, ServerName: "db.internal"}, ""},
			{"our CA, the name of another server", config.TLS{Mode: config.TLSVerify, CAFile: caFile, ServerName: "db2.internal"}, "db2.internal"},
			{"our CA, the certificate's common name", config.TLS{Mode: config.TLSVerify, CAFile: caFile, ServerName: "db"}, "x509"},
			{"another CA", config.TLS{Mode: config.TLSVerify, CAFile: otherFile}, "x509"},
			{"the system's CAs", config.TLS{Mode: config.TLSVerify}, "x509"},
			{"no CA in the file", config.TLS{Mode: config.TLSVerify, CAFile: file(t, []byte("x"))}, "no certificate in"},
			{"no such file", config.TLS{Mode: config.TLSVerify, CAFile: "/nonexistent/ca.pem"}, "/nonexistent/ca.pem"},
			{"no mode", config.TLS{CAFile: caFile}, "unknown mode"},
		} {
			t.Run(c.name, func(t *testing.T) {
				src := s.source()
				src.Connection.TLS = c.tls
				if c.word != "" {
					refused(t, src, tlsFailed, c.word)
					return
				}
				s.wantEncrypted(t, src)
			})
		}
		t.Run("through a socket", func(t *testing.T) {
			src := s.source()
			src.Connection.TLS = config.TLS{Mode: config.TLSVerify, CAFile: caFile, ServerName: "db.internal"}
			between{server: s.Addr()}.asSocket(t, &src)
			s.wantEncrypted(t, src)
		})
	})
}

func TestAnExpiredCertificateIsNotTaken(t *testing.T) {
	ca := newAuthority(t, "test CA")
	onEachEncrypted(t, ca, -time.Hour, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.TLS = config.TLS{Mode: config.TLSVerify, CAFile: file(t, ca.pem)}
		refused(t, src, tlsFailed, "expired")
	})
}

// Encrypted, the password itself is what MySQL is sent at the first login.
func TestAnAccountMayDemandACertificate(t *testing.T) {
	ca, other := newAuthority(t, "test CA"), newAuthority(t, "other CA")
	onEachEncrypted(t, ca, time.Hour, func(t *testing.T, s *server) {
		caFile := file(t, ca.pem)
		mine := ca.issue(x509.ExtKeyUsageClientAuth, "evidence", time.Hour)
		strange := other.issue(x509.ExtKeyUsageClientAuth, "evidence", time.Hour)
		for _, c := range []struct {
			name, demand string
			with         *issued
			key          []byte
			reason, word string // "" if it serves
		}{
			{"encryption, and has it", "SSL", nil, nil, "", ""},
			{"a certificate, and has it", "X509", &mine, mine.key, "", ""},
			{"a subject, and has it", "SUBJECT '/CN=evidence'", &mine, mine.key, "", ""},
			{"an issuer, and has it", "ISSUER '/CN=test CA'", &mine, mine.key, "", ""},
			{"a certificate, and has none", "X509", nil, nil, accessDenied, "1045"},
			{"another subject", "SUBJECT '/CN=somebody'", &mine, mine.key, accessDenied, "1045"},
			{"a certificate, and has a stranger's", "X509", &strange, strange.key, tlsFailed, "tls"},
			{"a certificate, and has another's key", "X509", &mine, strange.key, tlsFailed, "private key"},
		} {
			t.Run(c.name, func(t *testing.T) {
				g := s.grantee()
				s.exec(g.filled("ALTER USER {u} REQUIRE " + c.demand))
				g.src.Connection.TLS = config.TLS{Mode: config.TLSVerify, CAFile: caFile}
				if c.with != nil {
					g.src.Connection.TLS.CertFile, g.src.Connection.TLS.KeyFile = file(t, c.with.cert), file(t, c.key)
				}
				if c.reason != "" {
					refused(t, g.src, c.reason, c.word)
					return
				}
				e, _ := open(t, g.src)
				wantOne(t, e)
			})
		}
	})
}

func TestAConfiguredEncryptionIsNeverGivenUp(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		// A server that offers no TLS: the greeting's flag is taken away on the way.
		src := s.source()
		p := s.through(&src)
		p.hideTLS.Store(true)
		src.Connection.TLS = config.TLS{Mode: config.TLSVerify}
		e, _ := open(t, src)
		_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(5*time.Second))
		wantFault(t, err, Unavailable, tlsFailed)
	})
}

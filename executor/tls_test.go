package executor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
)

// certificate makes a CA and a certificate of 127.0.0.1, all in PEM.
func certificate(t *testing.T) (ca, cert, key []byte) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	root := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	rootDER, err := x509.CreateCertificate(rand.Reader, root, root, caKey.Public(), caKey)
	must(err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "db"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"db.internal"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, root, leafKey.Public(), caKey)
	must(err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(leafKey)
	must(err)
	block := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	return block("CERTIFICATE", rootDER), block("CERTIFICATE", leafDER), block("PRIVATE KEY", keyDER)
}

// certify gives the server a certificate until the test ends. Only MySQL can take
// one while it runs.
func (s *server) certify(ca, cert, key []byte) {
	s.t.Helper()
	var dir, oldCA, oldCert, oldKey string
	row := s.root.QueryRowContext(context.Background(), "SELECT @@secure_file_priv, @@ssl_ca, @@ssl_cert, @@ssl_key")
	if err := row.Scan(&dir, &oldCA, &oldCert, &oldKey); err != nil {
		s.t.Fatal(err)
	}
	name := filepath.Join(dir, rand.Text())
	for ext, content := range map[string][]byte{".ca": ca, ".cert": cert, ".key": key} {
		s.exec(fmt.Sprintf("SELECT X'%x' INTO DUMPFILE '%s'", content, name+ext))
	}
	reload := func(ca, cert, key string) {
		s.exec("SET GLOBAL ssl_ca = ?", ca)
		s.exec("SET GLOBAL ssl_cert = ?", cert)
		s.exec("SET GLOBAL ssl_key = ?", key)
		s.exec("ALTER INSTANCE RELOAD TLS")
	}
	s.t.Cleanup(func() { reload(oldCA, oldCert, oldKey) })
	reload(name+".ca", name+".cert", name+".key")
}

func TestTheServersIdentityIsVerified(t *testing.T) {
	s := prepared(t, mysqltest.MySQL(t))
	ca, cert, key := certificate(t)
	s.certify(ca, cert, key)
	caFile := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		tls  config.TLS
		ok   bool
	}{
		{"our CA", config.TLS{Mode: config.TLSVerify, CAFile: caFile, ServerName: "127.0.0.1"}, true},
		{"our CA, another name of the server", config.TLS{Mode: config.TLSVerify, CAFile: caFile, ServerName: "db.internal"}, true},
		{"our CA, the name of another server", config.TLS{Mode: config.TLSVerify, CAFile: caFile, ServerName: "db2.internal"}, false},
		{"the system's CAs", config.TLS{Mode: config.TLSVerify, ServerName: "127.0.0.1"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := s.source()
			src.Connection.TLS = c.tls
			e, _ := open(t, src)
			if !c.ok {
				_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(5*time.Second))
				wantFault(t, err, Unavailable, tlsFailed)
				return
			}
			wantOne(t, e)
			onSession(t, e, func(conn conn) {
				if row, err := queryRow(t.Context(), conn, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"); err != nil || row[1] == "" {
					t.Errorf("not encrypted: %v, %v", row, err)
				}
			})
			_, err := runAll(t.Context(), t, e, endless, nil, within(300*time.Millisecond))
			wantFault(t, err, Timeout, "timeout")
			eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
		})
	}
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

package executor

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mysqlevidence/config"
	"mysqlevidence/internal/mysqltest"
)

// refused expects that a source can't be connected to, with the reason for the
// agent and the word for the operator.
func refused(t *testing.T, src config.DataSource, reason, word string) {
	t.Helper()
	e, log := open(t, src)
	_, err := runAll(t.Context(), t, e, "SELECT id FROM items LIMIT 1", nil, within(10*time.Second))
	f := wantFault(t, err, Unavailable, reason)
	if !strings.Contains(log.String(), word) {
		t.Errorf("the log has no %q: %s", word, log)
	}
	if strings.Contains(f.Message+f.Hint, word) {
		t.Errorf("the agent reads %q: %v", word, f)
	}
}

func TestEachWayInWhichTheConfigIsWrongHasItsReason(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		silent, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		closedPort := silent.Addr().(*net.TCPAddr).Port
		_ = silent.Close()
		greeter, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = greeter.Close() })
		go func() {
			for {
				c, err := greeter.Accept()
				if err != nil {
					return
				}
				_, _ = c.Write([]byte("220 mail.example ESMTP\r\n"))
				_ = c.Close()
			}
		}()
		for _, c := range []struct {
			name         string
			change       func(c *config.Connection)
			reason, word string
		}{
			{"nothing listens", func(c *config.Connection) { c.Port = closedPort }, unreachable, "refused"},
			{"something else listens", func(c *config.Connection) { c.Port = greeter.Addr().(*net.TCPAddr).Port }, unreachable, "cause"},
			{"no such host", func(c *config.Connection) {
				c.Host, c.TLS = "db.invalid", config.TLS{Mode: config.TLSVerify}
			}, unreachable, "db.invalid"},
			{"no such socket", func(c *config.Connection) { c.Socket = "/nonexistent/mysqld.sock" }, unreachable, "mysqld.sock"},
			{"a wrong password", func(c *config.Connection) { c.Password = s.env("wrong") }, accessDenied, "1045"},
			{"no password", func(c *config.Connection) { c.Password = config.Secret{} }, accessDenied, "1045"},
			{"no such account", func(c *config.Connection) { c.Username = s.env("nobody_at_all") }, accessDenied, "1045"},
			{"a variable that isn't set", func(c *config.Connection) { c.Password = config.Secret{Env: "EXECUTOR_UNSET"} }, secretMissing, "EXECUTOR_UNSET"},
			{"a file that isn't there", func(c *config.Connection) { c.Username = config.Secret{File: "/nonexistent/user"} }, secretMissing, "/nonexistent/user"},
		} {
			t.Run(c.name, func(t *testing.T) {
				src := s.source()
				c.change(src.Connection)
				refused(t, src, c.reason, c.word)
			})
		}
	})
}

func TestEachWayInWhichAnAccountIsShutHasItsReason(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for _, c := range []struct{ name, shut, reason string }{
			{"locked", "ALTER USER {u} ACCOUNT LOCK", accessDenied},
			{"its password has expired", "ALTER USER {u} PASSWORD EXPIRE", accessDenied},
			{"for TLS only", "ALTER USER {u} REQUIRE SSL", accessDenied},
			{"for a client certificate only", "ALTER USER {u} REQUIRE X509", accessDenied},
			{"for one connection an hour", "ALTER USER {u} WITH MAX_CONNECTIONS_PER_HOUR 1", tooMany},
		} {
			t.Run(c.name, func(t *testing.T) {
				g := s.grantee()
				s.exec(g.filled(c.shut))
				if c.reason == tooMany {
					e, _ := open(t, g.src)
					wantOne(t, e)
				}
				refused(t, g.src, c.reason, "Error ")
			})
		}
	})
}

func TestAnAccountBlockedAfterWrongPasswordsIsSaidToBe(t *testing.T) {
	s := prepared(t, mysqltest.MySQL(t)) // MariaDB counts only with a global setting
	g := s.grantee()
	s.exec(g.filled("ALTER USER {u} FAILED_LOGIN_ATTEMPTS 1 PASSWORD_LOCK_TIME 1"))
	wrong := g.src
	connection := *g.src.Connection
	wrong.Connection, connection.Password = &connection, s.env("wrong")
	refused(t, wrong, accessDenied, "Error ")
	refused(t, g.src, accessDenied, "3955")
}

func TestASchemaThatTheServerLacksIsDrift(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.Username, src.Connection.Password = s.account("SELECT ON *.*")
		src.Allow[0].Name, src.DefaultSchema = "no_such_schema", "no_such_schema"
		e, _ := open(t, src)
		_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(10*time.Second))
		wantFault(t, err, Unavailable, "schema_drift")
	})
}

// What a server does to everybody is tried on one of its own.
func TestEachWayInWhichAServerIsShutHasItsReason(t *testing.T) {
	for _, flavour := range []string{"mysql", "mariadb"} {
		t.Run(flavour, func(t *testing.T) {
			s := prepared(t, mysqltest.Own(t, flavour, nil))
			t.Run("plaintext isn't taken", func(t *testing.T) {
				s.exec("SET GLOBAL require_secure_transport = ON")
				defer s.exec("SET GLOBAL require_secure_transport = OFF")
				if s.mariadb { // where it is told as a wrong password
					refused(t, s.source(), accessDenied, "1045")
					return
				}
				refused(t, s.source(), tlsFailed, "3159")
			})
			t.Run("it is full", func(t *testing.T) {
				s.exec("SET GLOBAL max_connections = 10")
				defer s.exec("SET GLOBAL max_connections = 151")
				for range 12 {
					if c, err := dial(t.Context(), *s.source().Connection); err == nil {
						defer c.cut()
					}
				}
				refused(t, s.source(), tooMany, "1040")
			})
			t.Run("our host is blocked", func(t *testing.T) {
				// Hosts are counted only where their names are looked up.
				s := prepared(t, mysqltest.Own(t, flavour, nil, "--skip-name-resolve=OFF", "--host-cache-size=128"))
				s.exec("SET GLOBAL max_connect_errors = 1")
				for range 3 { // a greeting that isn't answered is an error of the host's
					c, err := net.Dial("tcp", s.Addr())
					if err != nil {
						t.Fatal(err)
					}
					_, _ = c.Read(make([]byte, 1))
					_, _ = c.Write([]byte("no handshake"))
					_ = c.Close()
				}
				refused(t, s.source(), accessDenied, "blocked")
			})
		})
	}
}

// silence accepts connections and never says a word.
func silence(t *testing.T, src *config.DataSource) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	src.Connection.Port = l.Addr().(*net.TCPAddr).Port
}

func TestADeadlineThatPassesWhileConnectingIsATimeout(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for name, change := range map[string]func(*config.DataSource){
			"before the greeting": func(src *config.DataSource) { silence(t, src) },
			"while the session is set up": func(src *config.DataSource) {
				between{server: s.Addr(), up: func(b []byte) []byte {
					if bytes.Contains(b, []byte("version_comment")) {
						return nil
					}
					return b
				}}.before(t, src)
			},
		} {
			t.Run(name, func(t *testing.T) {
				src := s.source()
				change(&src)
				e, log := open(t, src)
				_, err := runAll(t.Context(), t, e, "SELECT id FROM items LIMIT 1", nil, within(300*time.Millisecond))
				wantFault(t, err, Timeout, "connect_timeout")
				if !strings.Contains(log.String(), "connect_timeout") {
					t.Errorf("nothing in the log: %s", log)
				}
			})
		}
	})
}

// openTimeout is over while the call has time left: that is the server's fault.
func TestAServerThatNeverAnswersIsUnreachable(t *testing.T) {
	s := prepared(t, mysqltest.MySQL(t))
	src := s.source()
	silence(t, &src)
	refused(t, src, unreachable, "deadline exceeded")
}

func TestAPasswordMayHaveAnyCharacter(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		for _, password := range []string{
			`p:@/?#[]&=%20+ "'` + "`" + `\ü;)(`, " leading and trailing ", "$ENV ${x} %s\t\n", "密码🔑", strings.Repeat("x", 79),
		} {
			src := s.source()
			name := fmt.Sprintf("u@%s%d", s.schema[len(s.schema)-8:], len(password))
			src.Connection.Username, src.Connection.Password = s.accountNamed(name, password, "SELECT ON "+s.schema+".*")
			e, _ := open(t, src)
			wantOne(t, e)
		}
	})
}

// The socket's peer is a go-between: the server sees TCP.
func TestASocketNeedsNoEncryptionAndNoHost(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		e, _ := open(t, src)
		wantOne(t, e) // from now on the server needs no more than the challenge's answer
		between{server: s.Addr()}.asSocket(t, &src)
		e, _ = open(t, src)
		wantOne(t, e)
		_, err := runAll(t.Context(), t, e, endless, nil, within(300*time.Millisecond))
		wantFault(t, err, Timeout, "timeout")
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
	})
}

// On plaintext the first login of an account sends the password to MySQL
// encrypted with the server's key.
func TestAPasswordIsNeverSentInPlaintext(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		ways := []string{""}
		if !s.mariadb {
			ways = []string{"caching_sha2_password", "sha256_password"}
		}
		for _, way := range ways {
			t.Run(way, func(t *testing.T) {
				g := s.grantee()
				const password = "readable-anywhere-4711"
				if way != "" {
					s.exec(g.filled("ALTER USER {u} IDENTIFIED WITH " + way + " BY '" + password + "'"))
				} else {
					s.exec(g.filled("ALTER USER {u} IDENTIFIED BY '" + password + "'"))
				}
				g.src.Connection.Password = s.env(password)
				var leaked, keyAsked atomic.Bool
				between{server: s.Addr(), up: func(b []byte) []byte {
					leaked.CompareAndSwap(false, bytes.Contains(b, []byte(password)))
					return b
				}, down: func(b []byte) []byte {
					keyAsked.CompareAndSwap(false, bytes.Contains(b, []byte("BEGIN PUBLIC KEY")))
					return b
				}}.before(t, &g.src)
				e, _ := open(t, g.src)
				wantOne(t, e)
				if leaked.Load() || keyAsked.Load() == s.mariadb {
					t.Errorf("password seen: %v, key sent: %v", leaked.Load(), keyAsked.Load())
				}
			})
		}
	})
}

// rotate gives the account another password. Some builds of MySQL let the old one
// in, from their cache of hashes, until the new one was used.
func (g *granted) rotate(password string) {
	g.t.Helper()
	g.exec(g.filled("ALTER USER {u} IDENTIFIED BY '" + password + "'"))
	account := mysqltest.Account{User: g.value(g.src.Connection.Username), Password: password}
	if err := g.Open(g.t, account, "").PingContext(g.t.Context()); err != nil {
		g.t.Fatal(err)
	}
}

// passwordFile is a secret that can be rotated.
type passwordFile struct{ path string }

func (f passwordFile) write(t *testing.T, password string) {
	t.Helper()
	next := f.path + ".next"
	if err := errors.Join(os.WriteFile(next, []byte(password+"\n"), 0o600), os.Rename(next, f.path)); err != nil {
		t.Error(err)
	}
}

func TestARotatedPasswordNeedsNoRestart(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		g := s.grantee()
		file := passwordFile{filepath.Join(t.TempDir(), "password")}
		g.rotate("first")
		file.write(t, "first")
		g.src.Connection.Password = config.Secret{File: file.path}
		e, _ := open(t, g.src)
		wantOne(t, e)

		g.rotate("second")
		wantOne(t, e) // the idle session was let in with the first, and stays
		fresh := func() error {
			made, err := e.pool.opener.open(t.Context())
			if err == nil {
				made.close()
			}
			return err
		}
		wantFault(t, fresh(), Unavailable, accessDenied)
		file.write(t, "second")
		if err := fresh(); err != nil {
			t.Errorf("after the file has changed: %v", err)
		}
	})
}

// The secret changes after it was read and before the server is asked.
func TestAPasswordThatIsRotatedDuringALoginIsReadAgainOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		g := s.grantee()
		file := passwordFile{filepath.Join(t.TempDir(), "password")}
		g.rotate("second")
		file.write(t, "first")
		g.src.Connection.Password = config.Secret{File: file.path}
		var calls atomic.Int32
		between{server: s.Addr(), accepted: func() {
			if calls.Add(1) == 1 {
				file.write(t, "second")
			}
		}}.before(t, &g.src)
		e, _ := open(t, g.src)
		made, err := e.pool.opener.open(t.Context())
		if err != nil || calls.Load() != 2 {
			t.Fatalf("%v after %d connections", err, calls.Load())
		}
		made.close()

		g.rotate("third")
		if _, err := e.pool.opener.open(t.Context()); err == nil || calls.Load() != 3 {
			t.Errorf("a password that hasn't changed was tried again: %v, %d connections", err, calls.Load())
		}
	})
}

package executor

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"mysqlevidence/config"
)

func TestTheConfiguredFlavourMustAgreeAsFarAsItGoes(t *testing.T) {
	for _, c := range []struct {
		version, want string
		ok            bool
	}{
		{"8.4.3", "", true},
		{"8.4.3", "mysql", true},
		{"8.4.3", "mysql 8.4", true},
		{"8.4.3-log", "mysql 8.4.3", true},
		{"8.4.3", "mysql 8", true},
		{"8.40.3", "mysql 8.4", false},
		{"8.0.36", "mysql 8.4", false},
		{"8.4.3", "mariadb 10.11", false},
		{"10.11.19-MariaDB-0+deb12u1", "mariadb 10.11", true},
		{"10.11.19-MariaDB-log", "mysql", false},
		{"10.11.19-MariaDB", "mysql 10.11", false},
		{"11.4.2-MariaDB", "mariadb 10.11", false},
	} {
		if got := parseFlavour(c.version).agrees(c.want); got != c.ok {
			t.Errorf("server %s, config %q: %v", c.version, c.want, got)
		}
	}
}

func TestSQLModesAreComparedAsSets(t *testing.T) {
	if !sameModes("no_engine_substitution,STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO") {
		t.Error("another order is another set")
	}
	for _, modes := range []string{"", "ANSI_QUOTES," + sqlMode, strings.TrimPrefix(sqlMode, "ONLY_FULL_GROUP_BY,"), sqlMode + ",NO_BACKSLASH_ESCAPES"} {
		if sameModes(modes) {
			t.Errorf("%q passes", modes)
		}
	}
}

func TestTheContextDecidesBeforeTheServersAnswer(t *testing.T) {
	answers := []error{io.EOF, driver.ErrBadConn, &mysql.MySQLError{Number: 1317}, &mysql.MySQLError{Number: 1055}}
	for _, answer := range answers {
		if got := fault(context.DeadlineExceeded, answer).Kind; got != Timeout {
			t.Errorf("deadline and %v: %s", answer, got)
		}
		if got := fault(context.Canceled, answer).Kind; got != Cancelled {
			t.Errorf("cancel and %v: %s", answer, got)
		}
		if got := fault(errClosed, answer).Reason; got != closing {
			t.Errorf("close and %v: %s", answer, got)
		}
	}
}

func TestServerErrorsMapByTheFixedTableAndUnlistedOnesAreInternal(t *testing.T) {
	for _, c := range []struct {
		number uint16
		kind   Kind
		reason string
	}{
		{1055, Query, "not_grouped"}, {1140, Query, "not_grouped"}, {3065, Query, "order_not_selected"},
		{1690, Query, "out_of_range"}, {3064, Query, "function_arguments"}, {3141, Query, "invalid_json"}, {1054, Unavailable, "schema_drift"},
		{1146, Unavailable, "schema_drift"}, {1142, Unavailable, "not_granted"}, {1143, Unavailable, "not_granted"},
		{1792, Query, "write_attempted"}, {1317, Unavailable, "killed"}, {1205, Unavailable, "locked"}, {1461, Unavailable, "server_busy"}, {3024, Timeout, "timeout"}, {1969, Timeout, "timeout"},
		{1053, Unavailable, connectionLost}, {1064, Internal, "internal"}, {9999, Internal, "internal"},
	} {
		got := fault(nil, &mysql.MySQLError{Number: c.number, Message: "canary"})
		if got.Kind != c.kind || got.Reason != c.reason {
			t.Errorf("%d: %s %s, want %s %s", c.number, got.Kind, got.Reason, c.kind, c.reason)
		}
	}
}

func TestNoWordOfTheServerIsInAnError(t *testing.T) {
	const canary = "secret-cell-4711"
	for number := range uint16(5000) {
		err := fault(nil, fmt.Errorf("send: %w", &mysql.MySQLError{Number: number, Message: canary}))
		for e := error(err); e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), canary) {
				t.Fatalf("%d: %v", number, e)
			}
		}
		if err.Message == "" || err.Hint == "" || err.Reason == "" {
			t.Fatalf("%d has no text: %+v", number, err)
		}
	}
}

func TestTheCauseIsForTheLogOnly(t *testing.T) {
	for _, cause := range []error{errors.New("db-7.internal"), &net.OpError{Op: "dial", Err: errors.New("db-7.internal")}} {
		err := unavailable(unreachable, cause)
		if strings.Contains(err.Error()+err.Message+err.Hint, "db-7") {
			t.Fatalf("%v tells the host", err)
		}
		if !errors.Is(err, cause) {
			t.Fatal("the cause is gone")
		}
	}
}

func TestEachWayNotToConnectHasItsReason(t *testing.T) {
	for _, c := range []struct {
		err    error
		reason string
	}{
		{&mysql.MySQLError{Number: 1045}, accessDenied},
		{&mysql.MySQLError{Number: 1040}, tooMany},
		{&mysql.MySQLError{Number: 1203}, tooMany},
		{&mysql.MySQLError{Number: 3159}, tlsFailed},
		{mysql.ErrNoTLS, tlsFailed},
		{mysql.ErrCleartextPassword, accessDenied},
		{fmt.Errorf("%w: x", errSecret), secretMissing},
		{errExposed, tlsFailed},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, unreachable},
		{context.DeadlineExceeded, unreachable},
	} {
		var got *Error
		if !errors.As(dialFault(t.Context(), c.err), &got) || got.Reason != c.reason || got.Kind != Unavailable {
			t.Errorf("%v: %v, want %s", c.err, got, c.reason)
		}
	}
}

func TestWhatCouldWidenATextIsOffInTheDriver(t *testing.T) {
	t.Setenv("EXECUTOR_TEST_USER", "u")
	cfg, err := driverConfig(config.Connection{Host: "127.0.0.1", Port: 3306,
		Username: config.Secret{Env: "EXECUTOR_TEST_USER"}, TLS: config.TLS{Mode: config.TLSPlaintext}})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.MultiStatements || cfg.InterpolateParams || cfg.AllowAllFiles || cfg.AllowCleartextPasswords ||
		cfg.AllowOldPasswords || cfg.AllowFallbackToPlaintext || cfg.ParseTime {
		t.Errorf("%+v", cfg)
	}
}

func TestTLSVerifiesTheServerOrThereIsNone(t *testing.T) {
	for _, c := range []struct {
		name string
		conn config.Connection
		want string // the verified name, "" for an error
	}{
		{"host", config.Connection{Host: "db.internal", TLS: config.TLS{Mode: config.TLSVerify}}, "db.internal"},
		{"server name", config.Connection{Host: "10.0.0.1", TLS: config.TLS{Mode: config.TLSVerify, ServerName: "db"}}, "db"},
		{"socket without a name", config.Connection{Socket: "/s", TLS: config.TLS{Mode: config.TLSVerify}}, ""},
		{"unknown mode", config.Connection{Host: "h", TLS: config.TLS{Mode: "prefer"}}, ""},
		{"no mode", config.Connection{Host: "h"}, ""},
		{"no such CA", config.Connection{Host: "h", TLS: config.TLS{Mode: config.TLSVerify, CAFile: "/nonexistent"}}, ""},
		{"empty CA", config.Connection{Host: "h", TLS: config.TLS{Mode: config.TLSVerify, CAFile: "/dev/null"}}, ""},
		{"no such key", config.Connection{Host: "h", TLS: config.TLS{Mode: config.TLSVerify, CertFile: "/nonexistent"}}, ""},
	} {
		got, err := tlsConfig(c.conn)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: no error", c.name)
		case c.want != "" && (err != nil || got.ServerName != c.want || got.InsecureSkipVerify):
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestPlaintextNeedsALoopbackPeer(t *testing.T) {
	for _, c := range []struct {
		addr net.Addr
		want bool
	}{
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true},
		{&net.TCPAddr{IP: net.IPv6loopback}, true},
		{&net.UnixAddr{}, true},
		{&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, false},
		{&net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, false},
	} {
		if got := local(c.addr); got != c.want {
			t.Errorf("%v: %v", c.addr, got)
		}
	}
}

func TestMariaDBsSecondsAreReadToTheMillisecond(t *testing.T) {
	ok := seconds(1500)
	for got, want := range map[string]bool{"1.500000": true, "1.5": true, "1.501": false, "0.000000": false, "x": false} {
		if ok(got) != want {
			t.Errorf("%s: %v", got, !want)
		}
	}
	p := newPins(1500*time.Millisecond, 100).list(flavour{mariadb: true})
	if last := p[len(p)-1]; last.set != "SESSION max_statement_time = 1.500" {
		t.Error(last.set)
	}
}

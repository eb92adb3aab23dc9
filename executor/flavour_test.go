package executor

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAnImitationOfMySQLIsKnownByName(t *testing.T) {
	for _, c := range []struct {
		version, comment string
		product          product
		imitation        bool
	}{
		{"8.4.3", "MySQL Community Server - GPL", "", false},
		{"9.7.4-2", "(Debian)", "", false},
		{"8.0.36", "Source distribution", "", false},
		{"8.0.31-google", "(Google)", "", false},
		{"10.11.18-MariaDB-0+deb12u1", "Debian 12", "", false},
		{"8.0.36-28", "Percona Server (GPL), Release 28, Revision 47601f19", percona, false},
		{"8.0.36-28.1", "Percona XtraDB Cluster (GPL), Release rel28", percona, false},
		{"8.0.11-TiDB-v8.5.0", "TiDB Server (Apache License 2.0) Community Edition, MySQL 8.0 compatible", "TiDB", true},
		{"8.0.30-Vitess", "Version: 21.0.0 (Git revision x)", "Vitess", true},
		{"8.0.34-PlanetScale", "", "PlanetScale", true},
		{"5.7.25-OceanBase-v4.2.1.0", "OceanBase_CE 4.2.1.0", "OceanBase", true},
		{"5.7.32", "SingleStoreDB source distribution", "SingleStore", true},
		{"8.0.33", "StarRocks version 3.3.0", "StarRocks", true},
	} {
		got, err := productOf(c.version, c.comment)
		if got != c.product || errors.Is(err, errImitation) != c.imitation {
			t.Errorf("%s, %s: %q, %v", c.version, c.comment, got, err)
		}
	}
}

func TestOnlyVersionsOnWhichThePromisesHoldAreServed(t *testing.T) {
	for version, want := range map[string]bool{
		"8.0.11": true, "8.4.3": true, "9.7.4-2": true, "10.0.1": true, "8.0.mysql_aurora.3.04.0": true,
		"5.7.44-log": false, "5.6.10": false, "4.0.30": false, "8": false, "": false, "unknown": false,
		"10.6.16-MariaDB-log": true, "10.11.18-MariaDB": true, "11.8.2-MariaDB": true, "12.0.1-MariaDB": true,
		"10.5.29-MariaDB": false, "10.1.48-MariaDB": false, "9.9.9-MariaDB": false,
		"5.5.5-10.11.18-MariaDB": true, "5.5.5-10.4.1-MariaDB": false,
	} {
		if got := parseFlavour(version).supported(); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// told changes what a server says of itself, to something of the same length.
func (s *server) told(what, instead string) between {
	s.t.Helper()
	if len(instead) < len(what) {
		instead += strings.Repeat(" ", len(what)-len(instead))
	}
	return between{server: s.Addr(), down: func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(what), []byte(instead[:len(what)]))
	}}
}

// older is a version of the same length that isn't served: 5.1, or 10.2 with as
// many zeros before the 2 as are needed.
func (s *server) older() string {
	parts := strings.SplitN(s.Version, ".", 3)
	if !s.mariadb {
		return "5.1" + s.Version[3:]
	}
	return "10." + strings.Repeat("0", len(parts[1])-1) + "2." + parts[2]
}

func TestAServerThatIsTooOldOrAnImitationIsNotServed(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		var comment string
		if err := s.root.QueryRow("SELECT @@version_comment").Scan(&comment); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, what, instead, reason, log string
		}{
			{"too old", s.Version, s.older(), tooOld, "MariaDB from 10.6"},
			{"an imitation", comment, "TiDB", notSupported, "but TiDB"},
		} {
			t.Run(c.name, func(t *testing.T) {
				src := s.source()
				s.told(c.what, c.instead).before(t, &src)
				e, log := open(t, src)
				_, err := runAll(t.Context(), t, e, "SELECT id FROM items", nil, within(10*time.Second))
				wantFault(t, err, Unavailable, c.reason)
				if !strings.Contains(log.String(), c.log) {
					t.Errorf("the log doesn't say why: %s", log)
				}
			})
		}
	})
}

// No Aurora is at hand: a MySQL that has its variables, under other names, shows
// that it is told apart and that a KILL is sent to the right instance.
func TestAuroraIsKnownByItsVariables(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		between{server: s.Addr(), up: func(b []byte) []byte {
			b = bytes.ReplaceAll(b, []byte("@@aurora_version"), []byte("@@version       "))
			return bytes.ReplaceAll(b, []byte("@@aurora_server_id"), []byte("'instance-1'      "))
		}}.before(t, &src)
		e, _ := open(t, src)
		one, err := e.pool.acquire(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		is := one.flavour
		identified := strings.HasSuffix(one.server, "|instance-1")
		e.pool.release(one, true)
		if (is.product == aurora) == s.mariadb || identified == s.mariadb {
			t.Errorf("taken for %+v", is)
		}
		_, err = runAll(t.Context(), t, e, endless, nil, within(300*time.Millisecond))
		wantFault(t, err, Timeout, "timeout")
		eventually(t, "the server is idle", func() bool { return s.busy() == 0 })
		wantOne(t, e)
	})
}

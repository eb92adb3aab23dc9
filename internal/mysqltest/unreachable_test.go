package mysqltest

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNeedsAServer is what any test of the suite does. It is run by itself
// here, and by the test below without a server to be had.
func TestNeedsAServer(t *testing.T) {
	for _, s := range Both(t) {
		if err := s.DB(t).Ping(); err != nil {
			t.Error(err)
		}
	}
}

func TestWithoutAServerATestFailsAndIsNotSkipped(t *testing.T) {
	for name, address := range map[string]string{
		"nothing listens":    closedPort(t),
		"not an address":     "localhost",
		"port not a number":  "127.0.0.1:mysql",
		"the other's server": MariaDB(t).Addr(),
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestNeedsAServer$", "-test.v")
			cmd.Env = append(os.Environ(), mysqlServer.addressVar+"="+address)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Error("exit status 0")
			}
			if !strings.Contains(string(out), "--- FAIL: TestNeedsAServer") || strings.Contains(string(out), "SKIP") {
				t.Errorf("not a failure:\n%s", out)
			}
		})
	}
}

func closedPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

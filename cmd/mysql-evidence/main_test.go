package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

const (
	shop   = "testdata/shop.yaml"
	two    = "testdata/two.yaml"
	broken = "testdata/broken.yaml"
)

// command runs a command line in this process.
func command(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, diagnostics strings.Builder
	status = run(context.Background(), args, strings.NewReader(stdin), &out, &diagnostics)
	return status, out.String(), diagnostics.String()
}

func TestEachCommandLineHasItsStatusAndOutput(t *testing.T) {
	brokenMistakes := broken + ":3: data_sources.shop: unknown key \"flavor\"; did you mean \"flavour\"?\n" +
		broken + ":4: data_sources.shop.tags: must be a list, such as [a, b], not text\n"
	for _, tt := range []struct {
		name           string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"a good config is ok", []string{"config", "check", "--config", shop}, 0, "ok\n", ""},
		{"a config's mistakes are all listed", []string{"config", "check", "--config", broken}, 1, brokenMistakes, ""},
		{"a missing config is named", []string{"config", "check", "--config", "gone.yaml"}, 1, "gone.yaml: cannot be read: no such file or directory\n", ""},
		{"check needs a config", []string{"config", "check"}, 2, "", "name the config file: --config FILE\n"},
		{"check takes no arguments", []string{"config", "check", "--config", shop, "more"}, 2, "", "unknown command \"more\" for \"mysql-evidence config check\"\n"},
		{"a misspelt subcommand fails", []string{"config", "chek"}, 2, "", "unknown command \"chek\" for \"mysql-evidence config\"\n"},
		{"a misspelt command fails", []string{"vte"}, 2, "", "unknown command \"vte\" for \"mysql-evidence\"\n\nDid you mean this?\n\tvet\n\n"},
		{"an unknown flag fails", []string{"vet", "--confg", shop}, 2, "", "unknown flag: --confg\n"},
		{"vet needs a config", []string{"vet", "SELECT 1"}, 2, "", "name the config file: --config FILE\n"},
		{"vet with a broken config lists its mistakes", []string{"vet", "--config", broken, "SELECT 1"}, 2, "", brokenMistakes},
		{"vet needs a data source where there are two", []string{"vet", "--config", two, "SELECT 1"}, 2, "", "name the data source: --data-source is one of shop crm\n"},
		{"vet names an unknown data source", []string{"vet", "--config", two, "--data-source", "x", "SELECT 1"}, 2, "", "unknown data source \"x\"; the config has shop crm\n"},
		{"vet names an unknown data source where there is one", []string{"vet", "--config", shop, "--data-source", "x", "SELECT 1"}, 2, "", "unknown data source \"x\"; the config has shop\n"},
		{"vet names an unknown format", []string{"vet", "--config", shop, "--format", "xml", "SELECT 1"}, 2, "", "unknown format \"xml\"; it is jsonl or text\n"},
		{"vet takes one query", []string{"vet", "--config", shop, "SELECT", "1"}, 2, "", "accepts at most 1 arg(s), received 2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := command(t, "", tt.args...)
			if status != tt.status || stdout != tt.stdout || stderr != tt.stderr {
				t.Errorf("status %d, want %d\nstdout: %q\nwant:   %q\nstderr: %q\nwant:   %q", status, tt.status, stdout, tt.stdout, stderr, tt.stderr)
			}
		})
	}
}

func TestVersionNamesWhatTheProgramWasBuiltFrom(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2024-05-01T00:00:00Z"}, {Key: "vcs.modified", Value: "true"}}}
	if got, want := describe(info), "mysql-evidence v1.2.3 commit abc with uncommitted changes 2024-05-01T00:00:00Z go1.99"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got, want := describe(&debug.BuildInfo{GoVersion: "go1.99"}), "mysql-evidence (devel) go1.99"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	status, stdout, _ := command(t, "", "version")
	if status != 0 || !strings.HasPrefix(stdout, "mysql-evidence ") || !strings.Contains(stdout, "go1.") {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

// TestTheProgramExitsWithTheStatus builds the real program once: main itself must
// hand the status on.
func TestTheProgramExitsWithTheStatus(t *testing.T) {
	program := filepath.Join(t.TempDir(), "mysql-evidence")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for sql, want := range map[string]int{"SELECT id FROM orders": 0, "SELECT * FROM orders": 1} {
		cmd := exec.Command(program, "vet", "--config", shop, sql)
		cmd.Stderr = os.Stderr
		_, err := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit status %d, want %d (%v)", sql, got, want, err)
		}
	}
}

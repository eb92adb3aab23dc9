package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCodeThatSkipsAStageDoesNotCompile builds each program of testdata/forgeries
// as a stranger's module. The first line of a program says what the compiler must
// answer; "ok" marks the control, which shows that the others fail for the right
// reason.
func TestCodeThatSkipsAStageDoesNotCompile(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob("testdata/forgeries/*.go.txt")
	if err != nil || len(programs) < 8 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	module := strangersModule(t, root)
	controls := 0
	for _, path := range programs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		want := strings.TrimSpace(strings.TrimPrefix(first, "// want:"))
		output, built := build(t, module, text)
		if want == "ok" {
			controls++
			if !built {
				t.Errorf("%s: the control doesn't compile:\n%s", path, output)
			}
			continue
		}
		if built {
			t.Errorf("%s: compiles", path)
		} else if !regexp.MustCompile(want).MatchString(output) {
			t.Errorf("%s: want %q, the compiler says:\n%s", path, want, output)
		}
	}
	if controls == 0 {
		t.Error("no control")
	}
}

// strangersModule is a module outside ours that uses it, with our dependencies'
// versions, so that nothing is fetched.
func strangersModule(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module mysqlevidence", "module stranger", 1) +
		"\nrequire mysqlevidence v0.0.0\nreplace mysqlevidence => " + root + "\n"
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"go.mod": text, "go.sum": string(sum)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func build(t *testing.T, module string, text []byte) (string, bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(module, "main.go"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "-mod=mod", ".")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

package secret_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mysqlevidence/config"
	"mysqlevidence/internal/secret"
)

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASecretIsReadExactlyButForTheLastLineBreak(t *testing.T) {
	t.Setenv("SECRET_TEST_VALUE", " p@:/?#\n")
	for _, c := range []struct {
		name string
		ref  config.Secret
		want string
	}{
		{"variable", config.Secret{Env: "SECRET_TEST_VALUE"}, " p@:/?#\n"},
		{"file", config.Secret{File: file(t, "p w")}, "p w"},
		{"line feed", config.Secret{File: file(t, "pw\n")}, "pw"},
		{"carriage return", config.Secret{File: file(t, "pw\r\n")}, "pw"},
		{"only one is cut", config.Secret{File: file(t, "pw\n\n")}, "pw\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := secret.Resolve(c.ref)
			if err != nil || got != c.want {
				t.Fatalf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestAMissingSecretIsNamed(t *testing.T) {
	t.Setenv("SECRET_TEST_EMPTY", "")
	empty := file(t, "\n")
	large := file(t, strings.Repeat("x", 64<<10+1))
	for _, c := range []struct {
		name string
		ref  config.Secret
		want string
	}{
		{"unset", config.Secret{Env: "SECRET_TEST_UNSET"}, "SECRET_TEST_UNSET"},
		{"set but empty", config.Secret{Env: "SECRET_TEST_EMPTY"}, "SECRET_TEST_EMPTY"},
		{"no file", config.Secret{File: "/nonexistent/pw"}, "/nonexistent/pw"},
		{"empty file", config.Secret{File: empty}, empty},
		{"large file", config.Secret{File: large}, large},
		{"both", config.Secret{Env: "A", File: "B"}, "not both"},
		{"none", config.Secret{}, "no secret"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := secret.Resolve(c.ref)
			if err == nil || got != "" || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %q, %v; want an error that names %s", got, err, c.want)
			}
		})
	}
}

func TestOnlyAnAbsentReferenceIsOptional(t *testing.T) {
	if got, err := secret.Optional(config.Secret{}); got != "" || err != nil {
		t.Fatalf("absent: %q, %v", got, err)
	}
	if _, err := secret.Optional(config.Secret{Env: "SECRET_TEST_UNSET"}); err == nil {
		t.Fatal("an unset variable was taken for an absent secret")
	}
}

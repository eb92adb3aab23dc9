// Package secret reads the values that config.Secret refers to.
//
// It guarantees that its errors name the reference (the variable or the file)
// and never the value. It keeps nothing: every call reads again, so a rotated
// password is picked up by the next connection.
package secret

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mysqlevidence/config"
)

// maxBytes is more than any password or key needs; a larger file is a wrong path.
const maxBytes = 64 << 10

// Resolve reads the value now. A reference to nothing, an unset variable, a
// missing file and an empty value are errors: where a secret is named, "no
// password" is nearly always a mistake in the deployment.
func Resolve(ref config.Secret) (string, error) {
	switch {
	case ref.Env != "" && ref.File != "":
		return "", errors.New("a secret is either an environment variable or a file, not both")
	case ref.Env != "":
		return fromEnv(ref.Env)
	case ref.File != "":
		return fromFile(ref.File)
	}
	return "", errors.New("no secret is configured")
}

// Optional reads the value like Resolve, but an absent reference is "".
func Optional(ref config.Secret) (string, error) {
	if ref == (config.Secret{}) {
		return "", nil
	}
	return Resolve(ref)
}

func fromEnv(name string) (string, error) {
	value, ok := os.LookupEnv(name)
	if !ok {
		return "", fmt.Errorf("environment variable %s is not set", name)
	}
	if value == "" {
		return "", fmt.Errorf("environment variable %s is empty", name)
	}
	return value, nil
}

// fromFile reads the file without its last line break, which editors and echo
// add and which no one means.
func fromFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("secret file: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return "", fmt.Errorf("secret file: %w", err)
	}
	if len(data) > maxBytes {
		return "", fmt.Errorf("secret file %s is larger than %d bytes", path, maxBytes)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if value == "" {
		return "", fmt.Errorf("secret file %s is empty", path)
	}
	return value, nil
}

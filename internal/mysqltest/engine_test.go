package mysqltest

import (
	"maps"
	"strings"
	"testing"
)

func TestDebiansEngineIsRefusedWithoutItsSettings(t *testing.T) {
	const debians = "20.10.24+dfsg1"
	both := map[string]string{ryukVar: "true", hostVar: "127.0.0.1"}
	check := func(version string, env map[string]string) error {
		return checkSettings(version, func(name string) string { return env[name] })
	}
	if err := check(debians, both); err != nil {
		t.Errorf("with both settings: %v", err)
	}
	if err := check("28.2.2", nil); err != nil {
		t.Errorf("another engine: %v", err)
	}
	for name := range both {
		env := maps.Clone(both)
		delete(env, name)
		if err := check(debians, env); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

package architecture

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows lists, for every package of the product, the packages of the product
// that it may import. A package that isn't listed may import none; a new package
// must be entered here by somebody who has thought about it.
var arrows = map[string][]string{
	"internal/seal":     {},
	"internal/refusal":  {},
	"internal/function": {},
	"internal/ident":    {},
	"internal/tree":     {"internal/refusal"},
	"config":            {"internal/function", "internal/ident"},
	"validator":         {"config", "internal/function", "internal/refusal", "internal/seal", "internal/tree"},
	"authz":             {"config", "internal/ident", "internal/refusal", "internal/seal", "internal/tree", "validator"},
	"internal/secret":   {"config"},
	"executor":          {"authz", "config", "internal/ident", "internal/seal", "internal/secret"},
	"projector":         {"authz", "config", "executor", "internal/seal"},
	"boundary": {"authz", "config", "executor", "internal/exactjson", "internal/ident", "internal/refusal", "internal/secret",
		"projector", "validator"},
	"boundary/ledger":       {"boundary"},
	"internal/exactjson":    {},
	"internal/lines":        {},
	"internal/mcpserver":    {"boundary", "internal/exactjson", "internal/lines"},
	"cmd/mysql-evidence":    {"authz", "boundary", "boundary/ledger", "config", "internal/exactjson", "internal/lines", "internal/mcpserver", "internal/refusal", "validator"},
	"internal/mysqltest":    {"testdata"},
	"internal/architecture": {},
}

// guarded lists packages that only the named packages of the product may import:
// each is the single door to something.
var guarded = map[string][]string{
	"vitess.io/vitess":                       {"validator"},
	"github.com/go-sql-driver/mysql":         {"executor", "internal/mysqltest", "internal/mysqltest/cmd/withservers"},
	"github.com/modelcontextprotocol/go-sdk": {"internal/mcpserver"},
	"gopkg.in/yaml.v3":                       {"config"},
	"modernc.org/sqlite":                     {"boundary/ledger"},
	"github.com/testcontainers":              {"internal/mysqltest", "internal/mysqltest/cmd/withservers"},
	"mysqlevidence/internal/seal":            {"validator", "authz", "executor", "projector"},
	"mysqlevidence/internal/tree":            {"validator", "authz"},
	"os/exec":                                {"internal/mysqltest", "internal/mysqltest/cmd/withservers"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "mysqlevidence/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 10 {
		t.Fatalf("only %d packages listed", len(list))
	}
	return list
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "mysqlevidence/")
		if strings.HasPrefix(name, "internal/mysqltest/") {
			continue // programs of the tests, outside the product
		}
		allowed, known := arrows[name]
		if !known {
			t.Errorf("%s is not in the table of arrows", name)
		}
		for _, i := range p.Imports {
			if rest, ours := strings.CutPrefix(i, "mysqlevidence/"); ours && !slices.Contains(allowed, rest) {
				t.Errorf("%s imports %s", name, rest)
			}
		}
	}
}

func TestEachDangerousPackageHasOneDoor(t *testing.T) {
	used := map[string]bool{}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "mysqlevidence/")
		for _, i := range p.Imports {
			for prefix, doors := range guarded {
				if i != prefix && !strings.HasPrefix(i, prefix+"/") {
					continue
				}
				used[prefix] = true
				if !slices.Contains(doors, name) {
					t.Errorf("%s imports %s", name, i)
				}
			}
		}
	}
	for prefix := range guarded {
		if !used[prefix] {
			t.Errorf("nothing imports %s: the rule guards nothing", prefix)
		}
	}
}

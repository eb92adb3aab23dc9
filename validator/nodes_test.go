package validator

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// markers are the methods by which the parser's types declare what they are.
var markers = map[string]bool{"IsExpr": true, "iSelectExpr": true, "iTableExpr": true, "iSimpleTableExpr": true, "iColTuple": true}

// TestEveryNodeOfTheParserIsDecidedByName fails when a version of the parser
// brings a node type that no case of this package names.
func TestEveryNodeOfTheParserIsDecidedByName(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "vitess.io/vitess/go/vt/sqlparser").Output()
	if err != nil {
		t.Fatal(err)
	}
	nodes := map[string]bool{}
	for _, f := range parseDir(t, strings.TrimSpace(string(dir))) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && markers[fn.Name.Name] {
				nodes[receiver(fn)] = true
			}
		}
	}
	named := map[string]bool{}
	for _, f := range parseDir(t, ".") {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "sqlparser" {
					named[s.Sel.Name] = true
				}
			}
			return true
		})
	}
	if len(nodes) < 120 {
		t.Fatalf("only %d node types found: the markers have changed", len(nodes))
	}
	for n := range nodes {
		if !named[n] {
			t.Errorf("nobody has decided on %s", n)
		}
	}
}

func parseDir(t *testing.T, dir string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "sql.go" { // sql.go is the generated parser
			continue
		}
		f, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func receiver(fn *ast.FuncDecl) string {
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	return typ.(*ast.Ident).Name
}

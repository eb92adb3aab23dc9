package authz_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mysqlevidence/internal/seal"
	"mysqlevidence/internal/tree"
)

// TestTheGeneratorLeavesNothingOut fails when accepted queries of the generator
// lack a node of the tree, an operator, a default function with a number of
// arguments that it takes, or a form listed below: what is never written is
// never compared.
func TestTheGeneratorLeavesNothingOut(t *testing.T) {
	p := newPipeline(t, genYAML("main", "second"))
	g := newGenerator(1, "main", "second")
	seen := coverage{}
	accepted, generated := 0, 0
	for ; accepted < 6000; generated++ {
		if generated > 9000 {
			t.Fatalf("only %d of %d queries are accepted", accepted, generated)
		}
		text, params := g.query().asked()
		q, err := p.validator.Validate(text)
		if err != nil {
			continue
		}
		plan, err := p.policy.Authorize(q)
		if err != nil {
			continue
		}
		if _, err := plan.Bind(params, wide); err != nil {
			continue
		}
		accepted++
		seen.query(q.Tree(seal.Open()))
		seen.words(text)
		for _, v := range params {
			seen[fmt.Sprintf("parameter %T", v)] = true
		}
	}
	want := slices.Concat(treeNodes(t), defaultCalls(p), listedForms())
	if len(want) < 350 {
		t.Fatalf("only %d things to look for", len(want))
	}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("no query has %s", w)
		}
	}
}

// listedForms are forms that neither the tree's types nor the catalogue name.
func listedForms() []string {
	out := []string{
		"DISTINCT", "WHERE", "GROUP BY", "HAVING of groups", "HAVING of rows", "5 tables", "JOIN 3 LEFT", "a table twice",
		"sort key: column", "sort key: position", "sort key: alias", "sort key: expression", "sort key: DESC", "group key: column", "group key: position", "group key: expression",
		"LIMIT number", "LIMIT ?", "OFFSET number", "OFFSET ?", "IN 1", "IN 4", "NOT IN", "NOT BETWEEN", "NOT LIKE", "ESCAPE", "IS NOT", "CASE", "CASE operand", "CASE ELSE", "CASE 2 WHEN",
		"COUNT(*)", "COUNT DISTINCT 3", "SUM DISTINCT", "GROUP_CONCAT DISTINCT", "GROUP_CONCAT ORDER BY", "GROUP_CONCAT ORDER BY DESC", "GROUP_CONCAT SEPARATOR", "GROUP_CONCAT 2",
		"TRIM without characters", "TRIM with characters", "schema.table.column", "alias.column", "column", "negated negation", "a sensitive item", "a sensitive filter",
		"string 'it''s ok'", "string with \\", "string beyond ASCII", "number .5", "number 5.", "number 1.5E-2", "number 18446744073709551615",
		"parameter <nil>", "parameter bool", "parameter float64", "parameter int64", "parameter uint64", "parameter string", "parameter int",
	}
	for _, unit := range slices.Concat(genSlots['u'], genSlots['w']) {
		unit = strings.ToUpper(unit)
		out = append(out, "EXTRACT "+unit, "DATE_ADD "+unit, "DATE_SUB "+unit)
	}
	for _, unit := range genSlots['u'] {
		out = append(out, "TIMESTAMPDIFF "+strings.ToUpper(unit), "TIMESTAMPADD "+strings.ToUpper(unit))
	}
	for _, typ := range []string{"SIGNED", "UNSIGNED", "CHAR", "CHAR 1", "DECIMAL", "DECIMAL 1", "DECIMAL 2", "DOUBLE", "FLOAT", "DATE", "DATETIME", "DATETIME 1", "TIME", "TIME 1"} {
		out = append(out, "CAST "+typ)
	}
	return out
}

// defaultCalls names every default function and every number of arguments: up to
// two more than it needs, if there is no most.
func defaultCalls(p pipeline) []string {
	var out []string
	for _, name := range p.source.Functions.Names() {
		f, _ := p.source.Functions.Lookup(name)
		out = append(out, "the word "+name)
		if ofOwnNode[name] {
			continue
		}
		most := f.Max
		if most < 0 {
			most = f.Min + 1
		}
		for n := f.Min; n <= most; n++ {
			if name == "JSON_CONTAINS_PATH" && n > 4 {
				continue
			}
			out = append(out, fmt.Sprintf("%s with %d", name, n))
		}
	}
	return out
}

// ofOwnNode are functions that are no Call of their name in the tree.
var ofOwnNode = map[string]bool{"COUNT": true, "GROUP_CONCAT": true, "SUM": true, "AVG": true, "MIN": true, "MAX": true, "DATE_ADD": true, "DATE_SUB": true,
	"ADDDATE": true, "SUBDATE": true, "EXTRACT": true, "TIMESTAMPADD": true, "TIMESTAMPDIFF": true, "TRIM": true, "POSITION": true, "SUBSTR": true, "MID": true}

// treeNodes reads the tree's node types and the values of its operators from its
// source.
func treeNodes(t *testing.T) []string {
	f, err := parser.ParseFile(token.NewFileSet(), "../internal/tree/tree.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok && len(s.Fields.List) > 0 && s.Fields.List[0].Names == nil {
				out = append(out, "node "+n.Name.Name)
			}
		case *ast.ValueSpec:
			if typ, ok := n.Type.(*ast.Ident); ok {
				value, err := strconv.Unquote(n.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, typ.Name+" "+value)
			}
		}
		return true
	})
	return out
}

// coverage is what was seen, in words.
type coverage map[string]bool

func (c coverage) note(yes bool, format string, args ...any) {
	if yes {
		c[fmt.Sprintf(format, args...)] = true
	}
}

var quotedOrName = regexp.MustCompile("'(?:[^'\\\\]|\\\\.|'')*'|\"[^\"]*\"|`[^`]*`")

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*`)

// words notes the words outside of strings and quoted names.
func (c coverage) words(text string) {
	for _, w := range word.FindAllString(quotedOrName.ReplaceAllString(text, " "), -1) {
		c["the word "+strings.ToUpper(w)] = true
	}
}

func (c coverage) query(q *tree.Select) {
	c.note(q.Distinct, "DISTINCT")
	c.note(q.Where != nil, "WHERE")
	c.note(len(q.GroupBy) > 0, "GROUP BY")
	c.note(q.Having != nil && (len(q.GroupBy) > 0 || q.Aggregates), "HAVING of groups")
	c.note(q.Having != nil && len(q.GroupBy) == 0 && !q.Aggregates, "HAVING of rows")
	c.from(q)
	names := map[string]bool{}
	exprs := []tree.Expr{q.Where, q.Having}
	for _, it := range q.Items {
		exprs = append(exprs, it.Expr)
		names[it.Alias] = true
		col, ok := it.Expr.(*tree.Column)
		c.note(ok && (col.Name == "email" || col.Name == "phone"), "a sensitive item")
	}
	for _, j := range q.Joins {
		exprs = append(exprs, j.On)
	}
	for _, e := range q.GroupBy {
		exprs = append(exprs, e)
		c["group key: "+keyKind(e, nil)] = true
	}
	for _, o := range q.OrderBy {
		exprs = append(exprs, o.Expr)
		c["sort key: "+keyKind(o.Expr, names)] = true
		c.note(o.Desc, "sort key: DESC")
	}
	for _, e := range exprs {
		tree.Walk(e, func(e tree.Expr) bool {
			c["node "+reflect.TypeOf(e).Elem().Name()] = true
			c.expr(e)
			c.call(e)
			return true
		})
	}
	if q.Limit != nil {
		for _, b := range []struct {
			name string
			tree.Bound
		}{{"LIMIT", q.Limit.Count}, {"OFFSET", q.Limit.Offset}} {
			c.note(b.Set && b.IsParam, "%s ?", b.name)
			c.note(b.Set && !b.IsParam, "%s number", b.name)
		}
	}
}

func (c coverage) from(q *tree.Select) {
	left := 0
	tables := map[string]bool{q.From.Name: true}
	for _, j := range q.Joins {
		if j.Left {
			left++
		}
		c.note(tables[j.Table.Name], "a table twice")
		tables[j.Table.Name] = true
	}
	c.note(left >= 3, "JOIN 3 LEFT")
	c.note(len(q.Joins) == 4, "5 tables")
}

func keyKind(e tree.Expr, aliases map[string]bool) string {
	switch e := e.(type) {
	case *tree.Number:
		return "position"
	case *tree.Column:
		if e.Table == "" && aliases[e.Name] {
			return "alias"
		}
		return "column"
	}
	return "expression"
}

func (c coverage) expr(e tree.Expr) {
	switch e := e.(type) {
	case *tree.Column:
		c.note(e.Schema != "", "schema.table.column")
		c.note(e.Schema == "" && e.Table != "", "alias.column")
		c.note(e.Table == "", "column")
	case *tree.String:
		c.note(e.Value == "it's ok", "string 'it''s ok'")
		c.note(strings.Contains(e.Value, `\`), `string with \`)
		c.note(strings.Contains(e.Value, "Č"), "string beyond ASCII")
	case *tree.Number:
		c["number "+e.Text] = true
	case *tree.Binary:
		c["BinaryOp "+string(e.Op)] = true
		col, ok := e.Left.(*tree.Column)
		c.note(ok && e.Op == tree.Equal && (col.Name == "phone" || col.Name == "pin"), "a sensitive filter")
	case *tree.Negate:
		_, again := e.Operand.(*tree.Negate)
		c.note(again, "negated negation")
	case *tree.Is:
		c["IsWhat "+string(e.What)] = true
		c.note(e.Negated, "IS NOT")
	case *tree.In:
		c["IN "+strconv.Itoa(len(e.List))] = true
		c.note(e.Negated, "NOT IN")
	case *tree.Between:
		c.note(e.Negated, "NOT BETWEEN")
	case *tree.Like:
		c.note(e.Negated, "NOT LIKE")
		c.note(e.Escape != "", "ESCAPE")
	case *tree.Case:
		c.note(e.Operand == nil, "CASE")
		c.note(e.Operand != nil, "CASE operand")
		c.note(e.Else != nil, "CASE ELSE")
		c.note(len(e.Whens) == 2, "CASE 2 WHEN")
	case *tree.Cast:
		c.note(e.Type.Length < 0, "CAST %s", e.Type.Name)
		c.note(e.Type.Length >= 0 && e.Type.Scale < 0, "CAST %s 1", e.Type.Name)
		c.note(e.Type.Scale >= 0, "CAST %s 2", e.Type.Name)
	}
}

func (c coverage) call(e tree.Expr) {
	switch e := e.(type) {
	case *tree.DateArith:
		c.note(e.Subtract, "DATE_SUB %s", e.Unit)
		c.note(!e.Subtract, "DATE_ADD %s", e.Unit)
	case *tree.Call:
		c[fmt.Sprintf("%s with %d", e.Name, len(e.Args))] = true
	case *tree.UnitCall:
		c[e.Name+" "+e.Unit] = true
	case *tree.Trim:
		c["TrimSide "+string(e.Side)] = true
		c.note(e.Chars == nil, "TRIM without characters")
		c.note(e.Chars != nil, "TRIM with characters")
	case *tree.Aggregate:
		c.note(e.Star, "COUNT(*)")
		c.note(e.Distinct, "%s DISTINCT", e.Name)
		c.note(e.Distinct, "%s DISTINCT %d", e.Name, len(e.Args))
		c[fmt.Sprintf("%s %d", e.Name, len(e.Args))] = true
		c.note(e.Separator != nil, "GROUP_CONCAT SEPARATOR")
		for _, o := range e.OrderBy {
			c["GROUP_CONCAT ORDER BY"] = true
			c.note(o.Desc, "GROUP_CONCAT ORDER BY DESC")
		}
	}
}

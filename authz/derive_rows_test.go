package authz_test

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/tree"
)

// kind is what a column seems to hold, the surest last.
type kind int

const (
	kindUnknown kind = iota
	kindInteger
	kindDecimal
	kindText
	kindDate
	kindJSON
)

var sqlTypes = map[kind]string{
	kindUnknown: "INT", kindInteger: "INT", kindDecimal: "DECIMAL(20,4)", kindText: "VARCHAR(80)", kindDate: "DATETIME", kindJSON: "JSON",
}

// usualValues are values that any column of the kind may have, beside those that the
// query compares it with. They overlap, so that joins find partners.
var usualValues = map[kind][]string{
	kindUnknown: {"1", "2", "3", "0", "-1", "NULL"},
	kindInteger: {"1", "2", "3", "0", "-1", "NULL", "2147483647"},
	kindDecimal: {"1", "2.5", "-0.1250", "0", "NULL"},
	kindText:    {"a", "B", "", "O'Neil", "50%_x", "Čeněk", "2024-02-29", "10", "NULL"},
	kindDate:    {"2024-02-29 23:59:59", "1999-12-31 00:00:00", "2024-06-01 12:00:00", "NULL"},
	kindJSON:    {`{"a": 1, "b": [1, "x", null]}`, `[]`, `"text"`, "NULL"},
}

// use finds what columns hold from where they stand, in e and below it.
func (d *derived) use(e tree.Expr) {
	tree.Walk(e, func(e tree.Expr) bool {
		switch e := e.(type) {
		case *tree.Binary:
			d.useBinary(e)
		case *tree.Negate:
			d.holds(e.Operand, kindInteger)
		case *tree.In:
			d.beComparedWith(e.Operand, e.List...)
		case *tree.Between:
			d.beComparedWith(e.Operand, e.Low, e.High)
		case *tree.Like:
			d.useLike(e)
		case *tree.Case:
			for _, w := range e.Whens {
				d.beComparedWith(e.Operand, w.Cond)
			}
		case *tree.DateArith:
			d.holds(e.Date, kindDate)
		case *tree.Trim:
			d.holds(e.Operand, kindText)
		case *tree.UnitCall:
			for _, a := range e.Args {
				d.holds(a, kindDate)
			}
		case *tree.Aggregate:
			if e.Name == "SUM" || e.Name == "AVG" {
				d.holds(e.Args[0], kindInteger)
			}
		case *tree.Call:
			d.useCall(e)
		}
		return true
	})
}

func (d *derived) useBinary(e *tree.Binary) {
	switch e.Op {
	case tree.Plus, tree.Minus, tree.Times, tree.Divide, tree.IntDivide, tree.Modulo:
		d.holds(e.Left, kindInteger)
		d.holds(e.Right, kindInteger)
	case tree.And, tree.Or, tree.Xor:
	default:
		d.beComparedWith(e.Left, e.Right)
		d.beComparedWith(e.Right, e.Left)
	}
}

// useLike gives the columns a text and a pattern that match, by their escape if
// there is one.
func (d *derived) useLike(e *tree.Like) {
	d.holds(e.Operand, kindText)
	pattern := e.Pattern
	if s, ok := pattern.(*tree.String); ok && e.Escape != "" {
		pattern = &tree.String{Value: strings.ReplaceAll(s.Value, e.Escape, `\`)}
	}
	d.beComparedWith(e.Operand, pattern)
	if c, ok := pattern.(*tree.Column); ok && e.Escape != "" {
		d.beComparedWith(e.Operand, &tree.String{Value: `\%`})
		d.beComparedWith(c, &tree.String{Value: e.Escape + `\%`})
	}
}

var callKinds = map[kind][]string{
	kindDate: {"DATE", "TIME", "YEAR", "MONTH", "DAY", "DAYOFMONTH", "HOUR", "MINUTE", "SECOND", "QUARTER", "WEEK", "WEEKDAY",
		"DAYOFWEEK", "DAYOFYEAR", "DAYNAME", "MONTHNAME", "LAST_DAY", "TO_DAYS", "DATE_FORMAT", "DATEDIFF", "UNIX_TIMESTAMP", "YEARWEEK"},
	kindText: {"LOWER", "LCASE", "UPPER", "UCASE", "LTRIM", "RTRIM", "REVERSE", "LENGTH", "CHAR_LENGTH", "CONCAT", "SUBSTRING",
		"SUBSTR", "LEFT", "RIGHT", "REPLACE", "SUBSTRING_INDEX", "STR_TO_DATE", "INSTR"},
	kindInteger: {"ABS", "CEIL", "CEILING", "FLOOR", "SIGN", "SQRT", "ROUND", "MOD", "POW", "POWER", "TRUNCATE"},
	kindJSON:    {"JSON_EXTRACT", "JSON_UNQUOTE", "JSON_TYPE", "JSON_LENGTH", "JSON_KEYS", "JSON_CONTAINS", "JSON_CONTAINS_PATH"},
}

func (d *derived) useCall(e *tree.Call) {
	for k, names := range callKinds {
		for _, a := range e.Args {
			if slices.Contains(names, e.Name) && (k == kindDate || a == e.Args[0]) {
				d.holds(a, k)
			}
		}
	}
}

// holds notes that an expression, if it is a column, holds such values.
func (d *derived) holds(e tree.Expr, k kind) {
	c, ok := e.(*tree.Column)
	if !ok {
		return
	}
	for _, t := range d.tables {
		if col := t.find(c.Name); col != nil && (c.Table == "" || d.column(c) == col) {
			col.kind = max(col.kind, k)
		}
	}
}

func (d *derived) beComparedWith(e tree.Expr, values ...tree.Expr) {
	c, ok := e.(*tree.Column)
	if !ok {
		return
	}
	i := slices.IndexFunc(d.tables, func(t *derivedTable) bool { return t.find(c.Name) != nil })
	if i < 0 {
		return // a select alias
	}
	col := d.column(c)
	if col == nil {
		return
	}
	for _, v := range values {
		switch v := v.(type) {
		case *tree.String:
			k := kindText
			if isDate.MatchString(v.Value) {
				k = kindDate
			}
			col.kind = max(col.kind, k)
			col.literals = append(col.literals, wildcards.Replace(v.Value))
		case *tree.Number:
			k := kindDecimal
			if n, err := strconv.ParseInt(v.Text, 10, 32); err == nil {
				k = kindInteger
				col.literals = append(col.literals, v.Text, fmt.Sprint(n-1))
			} else {
				col.literals = append(col.literals, v.Text)
			}
			col.kind = max(col.kind, k)
		case *tree.Param:
			d.beside[v.Index] = col
		}
	}
}

var (
	isDate    = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])( \d\d:[0-5]\d:[0-5]\d)?$`)
	isInteger = regexp.MustCompile(`^-?\d{1,9}$`)
	isDecimal = regexp.MustCompile(`^-?\d{1,15}(\.\d{1,4})?$`)
	// wildcards makes of a pattern a text that it may match.
	wildcards = strings.NewReplacer(`\%`, "%", `\_`, "_", "%", "x", "_", "y")
)

// values is what the column's rows take their values from.
func (c *derivedColumn) values() []string {
	var out []string
	for _, l := range c.literals {
		fits := map[kind]bool{
			kindInteger: isInteger.MatchString(l), kindDecimal: isDecimal.MatchString(l), kindDate: isDate.MatchString(l),
			kindText: len([]rune(l)) <= 80, kindJSON: false,
		}
		if fits[c.kind] {
			out = append(out, l)
		}
	}
	return append(out, usualValues[c.kind]...)
}

// value is the column's value in one row. Row 0 has the first literal of every
// column, row 1 the second; the others mix.
func (c *derivedColumn) value(row int) string {
	values := c.values()
	if c.key {
		return c.unique(values, row)
	}
	if row < 2 {
		return values[row]
	}
	h := fnv.New32a()
	fmt.Fprint(h, c.name, row)
	return values[int(h.Sum32())%len(values)]
}

// unique is the value of a primary key in one row: the literals first, then what
// nothing else has.
func (c *derivedColumn) unique(values []string, row int) string {
	var known []string
	add := func(v string) {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, v) }) {
			known = append(known, v)
		}
	}
	for _, v := range values[:len(values)-len(usualValues[c.kind])] {
		add(v)
	}
	for n := 1; len(known) <= row; n++ {
		switch c.kind {
		case kindDate:
			add(fmt.Sprintf("1970-01-%02d", n))
		case kindText:
			add(fmt.Sprintf("key %d", n))
		default:
			add(strconv.Itoa(n))
		}
	}
	return known[row]
}

// setParams gives each placeholder the value of the column that it is compared
// with in row 0, else a number of its own; and each bound of LIMIT a small one.
func (d *derived) setParams(q *tree.Select) {
	for i := range q.Params {
		d.params = append(d.params, int64(i+1))
	}
	for i, c := range d.beside {
		d.params[i] = c.value(0)
	}
	if q.Limit == nil {
		return
	}
	for _, b := range []tree.Bound{q.Limit.Count, q.Limit.Offset} {
		if b.IsParam {
			d.params[b.Param] = int64(2)
		}
	}
}

// setup is the statements that make the tables, with few enough rows that a join
// of all of them ends soon. Temporary tables are made sooner, but MySQL reads one
// only once in a query.
func (d *derived) setup() []string {
	create := "CREATE TEMPORARY TABLE "
	if len(d.tables) < len(d.inText) {
		create = "CREATE TABLE "
	}
	rows := []int{8, 8, 8, 6, 5, 4, 3, 3, 3, 3}[len(d.inText)]
	var out []string
	for _, t := range d.tables {
		columns, tuples := []string{"`row number` INT"}, make([]string, rows)
		for _, c := range t.columns {
			column := ident.Quote(c.name) + " " + sqlTypes[c.kind]
			if c.key {
				column += " PRIMARY KEY"
			}
			columns = append(columns, column)
		}
		for i := range tuples {
			values := []string{strconv.Itoa(i)}
			for _, c := range t.columns {
				values = append(values, sqlValue(c.value(i)))
			}
			tuples[i] = "(" + strings.Join(values, ", ") + ")"
		}
		name := ident.Quote(t.name)
		out = append(out, create+name+" ("+strings.Join(columns, ", ")+")",
			"INSERT INTO "+name+" VALUES "+strings.Join(tuples, ", "))
	}
	return out
}

func sqlValue(v string) string {
	if v == "NULL" {
		return v
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(v) + "'"
}

package authz

import (
	"strconv"

	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/tree"
)

// Class says how a value's length counts, and so how it may be cut.
type Class int

// The classes.
const (
	Fixed  Class = iota // bounded by its type: a number, a date, an ENUM; also what isn't known
	Text                // counts in characters
	Binary              // counts in bytes
	JSON                // MySQL's own type; MariaDB's is text
	// untyped is NULL or a placeholder: it takes the type of what stands beside it.
	untyped
)

// Extent is what a column or an expression can hold.
type Extent struct {
	Class  Class
	Length int64 // the most characters, of Binary the most bytes; not read of Fixed
	// Legacy says that the text's character set isn't a form of UTF-8, so that the
	// server's LENGTH counts other bytes than are sent.
	Legacy bool
}

// Types gives the extents of a server's columns.
type Types struct {
	// Columns are by table and ASCII-folded column name. An absent one is Fixed.
	Columns map[TableName]map[string]Extent
	// JSONIsText says that JSON functions give text, as MariaDB's do.
	JSONIsText bool
}

const (
	unbounded = int64(1) << 32
	// numberLength is more than the text of any number or date has.
	numberLength = 512
)

// extents finds what expressions of one query can hold. Where the servers' own
// typing isn't certain it says Fixed, which leaves the expression as it is.
type extents struct {
	scope *scope
	types Types
	// nominal, if it isn't nil, counts all leaves at a nominal length instead.
	nominal *nominal
}

func (x extents) of(e tree.Expr) Extent {
	if x.nominal != nil {
		if known, ok := x.nominal.leaf(e); ok {
			return known
		}
	}
	switch e := e.(type) {
	case *tree.Column:
		if col := x.scope.resolved(e); col != nil {
			return x.types.Columns[TableName{Schema: col.table.schema, Table: col.table.name}][ident.Fold(col.Name)]
		}
	case *tree.Param:
		return Extent{Class: untyped, Length: maxParams}
	case *tree.Null:
		return Extent{Class: untyped}
	case *tree.String:
		return Extent{Class: Text, Length: int64(len(e.Value))}
	case *tree.Case:
		results := make([]tree.Expr, 0, len(e.Whens)+1)
		for _, b := range e.Whens {
			results = append(results, b.Result)
		}
		if e.Else != nil {
			results = append(results, e.Else)
		}
		return x.oneOf(results)
	case *tree.Cast:
		if e.Type.Name == "CHAR" {
			return x.text(e.Operand).atMost(int64(e.Type.Length))
		}
	case *tree.Trim:
		return x.text(e.Operand)
	case *tree.Aggregate:
		// GROUP_CONCAT is bounded by the session's group_concat_max_len.
		if e.Name == "MIN" || e.Name == "MAX" {
			return x.oneOf(e.Args)
		}
	case *tree.Call:
		if x.nominal != nil {
			return x.nominal.remembered(e, x.call)
		}
		return x.call(e)
	}
	return Extent{}
}

// call goes by the function's name. A test compares it with what the servers
// make of long arguments, for every function of the catalogue.
func (x extents) call(e *tree.Call) Extent {
	switch e.Name {
	case "LOWER", "LCASE", "UPPER", "UCASE", "LTRIM", "RTRIM", "REVERSE", "REPLACE", "SUBSTRING_INDEX", "JSON_UNQUOTE":
		return x.text(e.Args[0])
	case "SUBSTRING", "SUBSTR", "MID", "LEFT", "RIGHT":
		return x.text(e.Args[0]).atMost(literalLength(e.Args[len(e.Args)-1], len(e.Args) == 3 || e.Name == "LEFT" || e.Name == "RIGHT"))
	case "CONCAT", "CONCAT_WS", "INSERT":
		return x.sum(e.Args)
	case "ELT":
		return x.sum(e.Args[1:]) // one of them, but always as text
	case "IF":
		return x.oneOf(e.Args[1:])
	case "IFNULL", "COALESCE":
		return x.oneOf(e.Args)
	case "NULLIF":
		return x.oneOf(e.Args[:1])
	case "SOUNDEX", "HEX", "TO_BASE64":
		return x.text(e.Args[0]).times(8)
	case "QUOTE", "JSON_QUOTE":
		if x.nominal != nil && x.nominal.isColumns(e.Args[0]) {
			return Extent{Class: Text, Length: columnLength}
		}
		return x.text(e.Args[0]).times(8)
	case "UNHEX", "FROM_BASE64":
		return Extent{Class: Binary, Length: x.text(e.Args[0]).Length}
	case "DATE_FORMAT", "TIME_FORMAT", "FROM_UNIXTIME":
		if len(e.Args) == 2 {
			return x.text(e.Args[1]).times(16)
		}
	case "GREATEST", "LEAST":
		if x.nominal != nil {
			return x.oneOf(e.Args)
		}
	case "JSON_EXTRACT", "JSON_KEYS":
		return x.json(e.Args[:1])
	case "JSON_ARRAY":
		return x.json(e.Args)
	}
	return Extent{}
}

// json is the extent of a function that writes JSON anew: 1e14 becomes
// 100000000000000.0.
func (x extents) json(parts []tree.Expr) Extent {
	if x.nominal != nil && len(parts) == 1 && x.nominal.isColumns(parts[0]) {
		return Extent{Class: Text, Length: columnLength}
	}
	out := x.sum(parts).times(8)
	out.Length += 2
	if x.nominal == nil && !x.types.JSONIsText {
		out.Class = JSON
	}
	return out
}

// text is the extent of a function that makes text of its argument.
func (x extents) text(e tree.Expr) Extent {
	in := x.of(e)
	switch in.Class {
	case Fixed:
		in.Length = numberLength
		in.Class = Text
	case JSON, untyped:
		in.Class = Text
	}
	return in
}

func (x extents) sum(parts []tree.Expr) Extent {
	total := Extent{Class: Text}
	for _, e := range parts {
		part := x.text(e)
		total = total.beside(part)
		total.Length = min(unbounded, total.Length+part.Length)
	}
	return total
}

// oneOf is the extent of a choice. Text beside a number makes text; JSON in a
// choice is left alone.
func (x extents) oneOf(choices []tree.Expr) Extent {
	out := Extent{Class: untyped}
	for _, e := range choices {
		in := x.of(e)
		switch {
		case in.Class == JSON:
			return Extent{}
		case in.Class == untyped:
		case out.Class == untyped:
			out.Class, out.Legacy = in.Class, in.Legacy
		case in.Class == Fixed, out.Class == Fixed:
			out.Class = max(in.Class, out.Class)
			in.Length = max(in.Length, numberLength)
		default:
			out = out.beside(in)
		}
		out.Length = max(out.Length, in.Length)
	}
	if out.Class == untyped {
		return Extent{}
	}
	return out
}

// beside is the class of two texts in one: binary if one is.
func (e Extent) beside(other Extent) Extent {
	e.Legacy = e.Legacy || other.Legacy
	if e.Class == Binary || other.Class == Binary {
		e.Class, e.Legacy = Binary, false
	}
	return e
}

func (e Extent) times(n int64) Extent {
	e.Length = min(unbounded, e.Length*n)
	return e
}

// atMost bounds the length; a negative bound is none.
func (e Extent) atMost(n int64) Extent {
	if n >= 0 {
		e.Length = min(e.Length, n)
	}
	return e
}

// literalLength is a length written as a number, or -1.
func literalLength(e tree.Expr, given bool) int64 {
	n, ok := e.(*tree.Number)
	if !ok || !given {
		return -1
	}
	i, err := strconv.ParseInt(n.Text, 10, 32)
	if err != nil {
		return -1
	}
	return i
}

// bytes is the most bytes that the value has in UTF-8.
func (e Extent) bytes() int64 {
	switch e.Class {
	case Text, JSON:
		return 4 * e.Length
	case Binary:
		return e.Length
	}
	return 0
}

package validator

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// function converts calls. The parser has node types of its own for many native
// functions; each that may pass has a case, the default refuses by name.
func (c *converter) function(e sqlparser.Expr) tree.Expr {
	switch e := e.(type) {
	case *sqlparser.FuncExpr:
		return c.plainCall(e)
	case *sqlparser.CountStar, *sqlparser.Count, *sqlparser.Sum, *sqlparser.Avg, *sqlparser.Min, *sqlparser.Max, *sqlparser.GroupConcatExpr:
		return c.aggregate(e)
	case *sqlparser.SubstrExpr:
		return c.call("SUBSTRING", e.Name, e.From, e.To)
	case *sqlparser.LocateExpr:
		return c.call("LOCATE", e.SubStr, e.Str, e.Pos)
	case *sqlparser.InsertExpr:
		return c.call("INSERT", e.Str, e.Pos, e.Len, e.NewStr)
	case *sqlparser.TrimFuncExpr:
		return c.trim(e)
	case *sqlparser.ExtractFuncExpr:
		pos := c.named("EXTRACT")
		return &tree.UnitCall{Node: at(pos), Name: "EXTRACT", Unit: c.unit(e.IntervalType), Args: c.exprs([]sqlparser.Expr{e.Expr})}
	case *sqlparser.TimestampDiffExpr:
		pos := c.named("TIMESTAMPDIFF")
		return &tree.UnitCall{Node: at(pos), Name: "TIMESTAMPDIFF", Unit: c.unit(e.Unit), Args: c.exprs([]sqlparser.Expr{e.Expr1, e.Expr2})}
	case *sqlparser.IntervalDateExpr:
		return c.dateArith(e)
	case *sqlparser.CurTimeFuncExpr:
		return c.clock(e)
	case *sqlparser.JSONExtractExpr:
		return c.call("JSON_EXTRACT", append([]sqlparser.Expr{e.JSONDoc}, e.PathList...)...)
	case *sqlparser.JSONUnquoteExpr:
		return c.call("JSON_UNQUOTE", e.JSONValue)
	case *sqlparser.JSONContainsExpr:
		return c.call("JSON_CONTAINS", append([]sqlparser.Expr{e.Target, e.Candidate}, e.PathList...)...)
	case *sqlparser.JSONContainsPathExpr:
		return c.call("JSON_CONTAINS_PATH", append([]sqlparser.Expr{e.JSONDoc, e.OneOrAll}, e.PathList...)...)
	case *sqlparser.JSONKeysExpr:
		return c.call("JSON_KEYS", e.JSONDoc, e.Path)
	case *sqlparser.JSONAttributesExpr:
		return c.call(strings.ToUpper(e.Type.ToString()), e.JSONDoc, e.Path)
	case *sqlparser.JSONArrayExpr:
		return c.call("JSON_ARRAY", e.Params...)
	case *sqlparser.JSONQuoteExpr:
		return c.call("JSON_QUOTE", e.StringArg)
	}
	return c.refuseNode(e)
}

// plainCall converts name(args).
func (c *converter) plainCall(e *sqlparser.FuncExpr) tree.Expr {
	name := e.Name.String()
	if e.Qualifier.NotEmpty() {
		c.refuse(refusal.QualifiedFunction, c.find(e.Qualifier.String()))
		return &tree.Null{}
	}
	f, ok := c.functions.Lookup(name)
	if !ok {
		c.refuseFunction(name, c.find(name))
		return &tree.Null{}
	}
	return c.call(f.Name, e.Exprs...)
}

// named finds a function's name in the text and refuses if it isn't allowed.
func (c *converter) named(name string) tree.Pos {
	pos := c.find(name)
	c.require(name, pos)
	return pos
}

// require refuses a function, or an operator that is a form of it, that isn't allowed.
func (c *converter) require(name string, pos tree.Pos) {
	if _, ok := c.functions.Lookup(name); !ok {
		c.refuseFunction(name, pos)
	}
}

func (c *converter) refuseFunction(name string, pos tree.Pos) {
	c.refuseWith(functionRefusal(c.functions, name, pos))
}

// call converts a call by its canonical name; nil arguments are left out.
func (c *converter) call(name string, args ...sqlparser.Expr) tree.Expr {
	pos := c.findCall(name)
	f, ok := c.functions.Lookup(name)
	if !ok {
		c.refuseFunction(name, pos)
		return &tree.Null{}
	}
	out := &tree.Call{Node: at(pos), Name: f.Name}
	for _, a := range args {
		if a != nil {
			out.Args = append(out.Args, c.expr(a))
		}
	}
	n := len(out.Args)
	switch {
	case n > maxArgs:
		c.refuse(refusal.TooManyItems, pos).Messagef("%s is called with more than %d arguments.", f.Name, maxArgs).
			Hintf("Call it with fewer arguments, or split the question.")
	case n < f.Min || f.Max >= 0 && n > f.Max:
		c.refuse(refusal.FunctionArguments, pos).Messagef("%s is called with the wrong number of arguments.", f.Name).Hintf("%s", arity(f))
	default:
		c.bounded(f, out)
	}
	return out
}

// maxSeparator bounds what CONCAT_WS repeats, in bytes.
const maxSeparator = 16

// bounded refuses calls whose result or time could outgrow their arguments, by the
// arguments' form: a server inside one long call heeds neither its time limit nor
// KILL. How long the arguments may be is package authz's business.
func (c *converter) bounded(f function.Function, call *tree.Call) {
	switch {
	case f.Name == "REPLACE" && !shrinks(call.Args):
		c.refuse(refusal.FunctionArguments, call.Pos).Messagef("REPLACE is accepted only where it can't make its input longer.").
			Hintf("Give the text to find and its replacement as literals, the replacement no longer than what it replaces.")
	case f.Name == "CONCAT_WS":
		if s, ok := call.Args[0].(*tree.String); !ok || len(s.Value) > maxSeparator {
			c.refuse(refusal.FunctionArguments, call.Pos).Messagef("The separator of CONCAT_WS must be a literal of at most %d bytes.", maxSeparator).
				Hintf("Write for instance CONCAT_WS(', ', a, b).")
		}
	case !literalPaths(f.Name, call):
		c.refuse(refusal.FunctionArguments, call.Pos).Messagef("A path of %s must be a literal without **.", f.Name).
			Hintf("Write paths as '$.key', '$.list[0]' or '$.list[*].key'.")
	case !plainFormat(f.Name, call):
		c.refuse(refusal.FunctionArguments, call.Pos).Messagef("The format of %s must be a literal or a parameter.", f.Name).
			Hintf("Write for instance '%%Y-%%m-%%d', or ?.")
	}
}

// literalPaths reports whether the JSON paths of a call are literals without **,
// which one after the other take exponential time.
func literalPaths(name string, call *tree.Call) bool {
	first := len(call.Args)
	switch name {
	case "JSON_EXTRACT", "JSON_LENGTH", "JSON_KEYS":
		first = 1
	case "JSON_CONTAINS", "JSON_CONTAINS_PATH":
		first = 2
	}
	for _, path := range call.Args[min(first, len(call.Args)):] {
		if s, ok := path.(*tree.String); !ok || strings.Contains(s.Value, "**") {
			return false
		}
	}
	return true
}

// plainFormat reports whether the format of a call, if it has one, is as long as
// it is written: %W%W%W becomes a text that could be a format again.
func plainFormat(name string, call *tree.Call) bool {
	switch name {
	case "DATE_FORMAT", "TIME_FORMAT", "FROM_UNIXTIME", "STR_TO_DATE":
		if len(call.Args) < 2 {
			return true
		}
		switch call.Args[1].(type) {
		case *tree.String, *tree.Param, *tree.Null:
			return true
		}
		return false
	}
	return true
}

// findCall finds the call's name where the text has it under that name; a
// synonym or an operator leaves the cursor where it is.
func (c *converter) findCall(name string) tree.Pos {
	for i := c.cursor; i < min(c.cursor+3, len(c.tokens)); i++ {
		if strings.EqualFold(c.tokens[i].val, name) {
			c.cursor = i + 1
			return c.tokens[i].pos
		}
	}
	return c.here()
}

// shrinks reports whether REPLACE(text, from, to) can't grow its input: nested
// calls that each double a value would outgrow every limit inside the server.
func shrinks(args []tree.Expr) bool {
	from, ok1 := args[1].(*tree.String)
	to, ok2 := args[2].(*tree.String)
	return ok1 && ok2 && len(to.Value) <= len(from.Value)
}

func (c *converter) trim(e *sqlparser.TrimFuncExpr) tree.Expr {
	switch e.TrimFuncType {
	case sqlparser.LTrimType:
		return c.call("LTRIM", e.StringArg)
	case sqlparser.RTrimType:
		return c.call("RTRIM", e.StringArg)
	}
	out := &tree.Trim{Node: at(c.named("TRIM"))}
	switch e.Type {
	case sqlparser.BothTrimType:
		out.Side = tree.TrimBoth
	case sqlparser.LeadingTrimType:
		out.Side = tree.TrimLeading
	case sqlparser.TrailingTrimType:
		out.Side = tree.TrimTrailing
	}
	if e.TrimArg != nil {
		out.Chars = c.expr(e.TrimArg)
	}
	out.Operand = c.expr(e.StringArg)
	return out
}

// clock converts NOW() and its family, also as bare words.
func (c *converter) clock(e *sqlparser.CurTimeFuncExpr) tree.Expr {
	name := e.Name.String()
	pos := c.find(name)
	f, ok := c.functions.Lookup(name)
	if !ok {
		c.refuseFunction(name, pos)
		return &tree.Null{}
	}
	out := &tree.Call{Node: at(pos), Name: f.Name}
	if e.Fsp < 0 || e.Fsp > 6 {
		c.refuse(refusal.FunctionArguments, pos).Messagef("%s takes a number of digits from 0 to 6.", f.Name).Hintf("%s", arity(f))
	} else if e.Fsp > 0 {
		out.Args = []tree.Expr{&tree.Number{Node: at(pos), Text: strconv.Itoa(e.Fsp), Integer: true}}
	}
	return out
}

func (c *converter) unit(u sqlparser.IntervalType) string {
	if u == sqlparser.IntervalNone {
		return "DAY"
	}
	return strings.ToUpper(u.ToString())
}

// dateArith converts DATE_ADD and its family, TIMESTAMPADD, and date ± INTERVAL.
func (c *converter) dateArith(e *sqlparser.IntervalDateExpr) tree.Expr {
	pos := c.here()
	switch e.Syntax {
	case sqlparser.IntervalDateExprTimestampadd:
		pos = c.named("TIMESTAMPADD")
		return &tree.UnitCall{Node: at(pos), Name: "TIMESTAMPADD", Unit: c.unit(e.Unit), Args: c.exprs([]sqlparser.Expr{e.Interval, e.Date})}
	case sqlparser.IntervalDateExprBinaryAddLeft:
		// MySQL takes all that follows for the date: INTERVAL 1 DAY + (d < '2024-05-01').
		c.refuse(refusal.UnsupportedSyntax, pos).Messagef("An interval must follow its date.").
			Hintf("Write d + INTERVAL 1 DAY instead of INTERVAL 1 DAY + d.")
		return &tree.Null{}
	}
	out := &tree.DateArith{Node: at(pos), Unit: c.unit(e.Unit)}
	switch e.Syntax {
	case sqlparser.IntervalDateExprDateAdd:
		out.Pos = c.named("DATE_ADD")
	case sqlparser.IntervalDateExprAdddate:
		out.Pos = c.named("ADDDATE")
	case sqlparser.IntervalDateExprDateSub:
		out.Pos, out.Subtract = c.named("DATE_SUB"), true
	case sqlparser.IntervalDateExprSubdate:
		out.Pos, out.Subtract = c.named("SUBDATE"), true
	case sqlparser.IntervalDateExprBinaryAdd:
		c.require("DATE_ADD", pos)
	case sqlparser.IntervalDateExprBinarySub:
		c.require("DATE_SUB", pos)
		out.Subtract = true
	default:
		c.refuse(refusal.UnsupportedSyntax, pos)
	}
	out.Date = c.expr(e.Date)
	out.Amount = c.expr(e.Interval)
	return out
}

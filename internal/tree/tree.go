// Package tree is the closed syntax tree of the language that agents may use.
//
// It has no parser and no text: package validator builds it node by node from
// the parser's tree, package authz resolves its names and renders SQL from it.
// What has no node here can't reach a server. A tree is immutable once built.
package tree

import "mysqlevidence/internal/refusal"

// Pos is the place of a node in the asker's text.
type Pos = refusal.Position

// Select is one query.
type Select struct {
	Distinct bool
	Items    []Item
	From     Table
	Joins    []Join
	Where    Expr // nil when absent
	GroupBy  []Expr
	Having   Expr // nil when absent
	OrderBy  []Order
	Limit    *Limit // nil when absent
	// Params is the number of placeholders, numbered from 0 in text order.
	Params int
	// Aggregates says whether any aggregate occurs in the query.
	Aggregates bool
}

// Item is one expression of the projection.
type Item struct {
	Expr  Expr
	Alias string // "" when absent
	Text  string // the expression's source text, comments dropped
	Pos   Pos
}

// Table is one table of FROM or JOIN.
type Table struct {
	Schema string // "" when not qualified
	Name   string
	Alias  string // "" when absent
	Pos    Pos
}

// Join is one [INNER] JOIN or LEFT JOIN, in text order.
type Join struct {
	Left  bool
	Table Table
	On    Expr
}

// Order is one item of ORDER BY.
type Order struct {
	Expr Expr
	Desc bool
}

// Limit is LIMIT with its optional OFFSET.
type Limit struct {
	Count, Offset Bound // Offset.Set is false when absent
}

// Bound is one number of LIMIT: a literal, or the placeholder with that index.
type Bound struct {
	Set     bool
	IsParam bool
	Param   int
	Value   uint64
	Pos     Pos
}

// Expr is an expression. The set of implementations is closed.
type Expr interface {
	At() Pos
	expr()
}

// Node is the part that all expressions share.
type Node struct{ Pos Pos }

// At returns the node's position.
func (n Node) At() Pos { return n.Pos }
func (n Node) expr()   {}

// Column is a column reference as written; it may also name a select alias.
type Column struct {
	Node
	Schema, Table, Name string
}

// Param is a placeholder; Index counts from 0 in text order.
type Param struct {
	Node
	Index int
}

// String is a string literal, decoded. It is valid UTF-8.
type String struct {
	Node
	Value string
}

// Number is a numeric literal in its source spelling: digits, '.', 'e', sign of
// the exponent, and nothing else.
type Number struct {
	Node
	Text    string
	Integer bool
}

// Null is NULL.
type Null struct{ Node }

// Bool is TRUE or FALSE.
type Bool struct {
	Node
	Value bool
}

// BinaryOp is an operator with two operands.
type BinaryOp string

// The binary operators, in MySQL's spelling.
const (
	Equal         BinaryOp = "="
	NotEqual      BinaryOp = "<>"
	Less          BinaryOp = "<"
	LessEqual     BinaryOp = "<="
	Greater       BinaryOp = ">"
	GreaterEqual  BinaryOp = ">="
	NullSafeEqual BinaryOp = "<=>"
	Plus          BinaryOp = "+"
	Minus         BinaryOp = "-"
	Times         BinaryOp = "*"
	Divide        BinaryOp = "/"
	IntDivide     BinaryOp = "DIV"
	Modulo        BinaryOp = "%"
	And           BinaryOp = "AND"
	Or            BinaryOp = "OR"
	Xor           BinaryOp = "XOR"
)

// Binary is Left Op Right.
type Binary struct {
	Node
	Op          BinaryOp
	Left, Right Expr
}

// Not is logical negation.
type Not struct {
	Node
	Operand Expr
}

// Negate is the unary minus.
type Negate struct {
	Node
	Operand Expr
}

// IsWhat is what an IS predicate tests for.
type IsWhat string

// The tests of IS.
const (
	IsNull  IsWhat = "NULL"
	IsTrue  IsWhat = "TRUE"
	IsFalse IsWhat = "FALSE"
)

// Is is Operand IS [NOT] What.
type Is struct {
	Node
	Operand Expr
	What    IsWhat
	Negated bool
}

// In is Operand [NOT] IN (List).
type In struct {
	Node
	Operand Expr
	List    []Expr
	Negated bool
}

// Between is Operand [NOT] BETWEEN Low AND High.
type Between struct {
	Node
	Operand, Low, High Expr
	Negated            bool
}

// Like is Operand [NOT] LIKE Pattern [ESCAPE Escape].
type Like struct {
	Node
	Operand, Pattern Expr
	Escape           string // "" when absent, else one character
	Negated          bool
}

// When is one branch of CASE.
type When struct{ Cond, Result Expr }

// Case is CASE [Operand] WHEN … [ELSE …] END.
type Case struct {
	Node
	Operand Expr // nil for a searched case
	Whens   []When
	Else    Expr // nil when absent
}

// Cast is CAST(Operand AS Type).
type Cast struct {
	Node
	Operand Expr
	Type    CastType
}

// CastType is a type that CAST may name. Length and Scale are -1 when absent.
type CastType struct {
	Name          string // from a fixed list, in MySQL's spelling
	Length, Scale int
}

// DateArith is Date plus or minus an interval.
type DateArith struct {
	Node
	Date, Amount Expr
	Unit         string // from a fixed list
	Subtract     bool
}

// Call is a call of an allowlisted native function with comma-separated
// arguments.
type Call struct {
	Node
	Name string // canonical spelling from the function catalogue
	Args []Expr
}

// UnitCall is TIMESTAMPDIFF(Unit, …), TIMESTAMPADD(Unit, …) or EXTRACT(Unit FROM …).
type UnitCall struct {
	Node
	Name string
	Unit string
	Args []Expr
}

// TrimSide says which end TRIM works on.
type TrimSide string

// The sides of TRIM; TrimDefault renders none.
const (
	TrimDefault  TrimSide = ""
	TrimBoth     TrimSide = "BOTH"
	TrimLeading  TrimSide = "LEADING"
	TrimTrailing TrimSide = "TRAILING"
)

// Trim is TRIM([Side] [Chars] FROM Operand).
type Trim struct {
	Node
	Side    TrimSide
	Chars   Expr // nil when absent
	Operand Expr
}

// Aggregate is COUNT, SUM, AVG, MIN, MAX or GROUP_CONCAT.
type Aggregate struct {
	Node
	Name     string
	Distinct bool
	Star     bool // COUNT(*): Args is empty
	Args     []Expr
	// OrderBy and Separator belong to GROUP_CONCAT. A nil Separator is the default.
	OrderBy   []Order
	Separator *string
}

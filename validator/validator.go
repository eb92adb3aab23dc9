// Package validator turns the text of one SELECT into the product's own closed
// tree, or refuses it.
//
// It guarantees that a Query holds nothing but node types of ours, each built by
// an explicit case from one node of the parser's tree: a construct that no case
// names is refused. Text is checked before it is parsed (encoding, size, tokens,
// comments), the parser runs where a panic is contained, and no input within the
// caps can exhaust stack or memory.
//
// It doesn't know what exists: names are package authz's business. It is the
// only package that imports the parser.
package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/config"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/seal"
	"mysqlevidence/internal/tree"
)

// Refusal is the error of this stage and of the two after it.
type Refusal = refusal.Refusal

// Query is a validated query. Only Validate makes one; later stages refuse the
// zero Query. It is immutable and safe for concurrent use.
type Query struct{ root *tree.Select }

// IsZero reports whether the query was never validated.
func (q Query) IsZero() bool { return q.root == nil }

// Tree returns the query's tree to the next stage, which must not change it, and
// nil to everybody else.
func (q Query) Tree(k seal.Key) *tree.Select {
	if !k.Valid() {
		return nil
	}
	return q.root
}

// Options configure a Validator.
type Options struct {
	// Functions are the functions that may be called.
	Functions function.Set
	// Caps bound the text; each must be positive and at most DefaultCaps.
	Caps config.QueryCaps
}

// Validator validates queries for one data source. It is safe for concurrent use.
type Validator struct {
	functions function.Set
	caps      config.QueryCaps
	parser    *sqlparser.Parser
}

// New makes a validator. Caps that are missing or above the ceiling become the
// ceiling, so a zero Options refuses every function call and bounds the rest.
func New(opts Options) *Validator {
	caps := config.QueryCaps{
		Bytes:        clamp(opts.Caps.Bytes, maxBytes),
		Tokens:       clamp(opts.Caps.Tokens, maxTokens),
		Nesting:      clamp(opts.Caps.Nesting, maxNesting),
		Placeholders: clamp(opts.Caps.Placeholders, maxPlaceholders),
	}
	return &Validator{functions: opts.Functions, caps: caps, parser: newParser()}
}

func newParser() *sqlparser.Parser {
	// The version matters only inside /*! */, which is refused before parsing.
	p, err := sqlparser.New(sqlparser.Options{MySQLServerVersion: "8.4.0"})
	if err != nil {
		panic("validator: the parser refuses its own version: " + err.Error())
	}
	return p
}

func clamp(n, ceiling int) int {
	if n <= 0 || n > ceiling {
		return ceiling
	}
	return n
}

// Validate checks one query. The error is a *Refusal of the stage validate. It
// uses no network, no clock and no state.
func (v *Validator) Validate(sql string) (q Query, err error) {
	defer func() {
		// The parser has panicked on malformed input before; such input is no
		// query. The panic's text may quote the input, so it goes nowhere.
		if recover() != nil {
			q, err = Query{}, refusal.New(refusal.Syntax, refusal.Position{})
		}
	}()
	root, r := v.validate(sql)
	if r != nil {
		return Query{}, r
	}
	return Query{root: root}, nil
}

func (v *Validator) validate(sql string) (*tree.Select, *refusal.Refusal) {
	if len(sql) > v.caps.Bytes {
		return nil, refusal.New(refusal.TooLong, refusal.Position{}).
			Messagef("The text has %d bytes; at most %d are accepted.", len(sql), v.caps.Bytes)
	}
	if r := checkCharacters(sql); r != nil {
		return nil, r
	}
	if strings.HasPrefix(strings.TrimSpace(sql), "```") {
		return nil, refusal.New(refusal.MarkdownFence, refusal.Position{Line: 1, Column: 1})
	}
	sc, r := v.scan(sql)
	if r != nil {
		return nil, r
	}
	stmt, _, err := v.parser.Parse2(sc.text)
	if err != nil {
		return nil, v.syntaxError(sc, err)
	}
	c := converter{scanned: sc, functions: v.functions}
	root := c.statement(stmt)
	if c.refused != nil {
		return nil, c.refused
	}
	return root, nil
}

package authz

import (
	"mysqlevidence/internal/ident"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// A server that is inside one call heeds neither its time limit nor KILL, so no
// text may reach a size there at which a call takes long. What the data holds is
// not known here; what is bounded is how much longer a query makes it, and how much
// it searches. Leaves count at a nominal length, aliases as what they stand for.
const (
	columnLength = 1 << 10
	paramLength  = 256
	// maxBulk is the most that an expression may come to.
	maxBulk = 66 << 10
	// maxPattern is the most that may be searched for, and maxPatternText how much
	// of that may be the asker's own.
	maxPattern     = 4 << 10
	maxPatternText = 512
	// maxSearches bounds all searches of a query together: each takes time by the
	// product of what is searched for and what is searched.
	maxSearches = 32 << 20
	// maxPatternParam is the longest parameter that may be searched for or be a
	// format, in bytes.
	maxPatternParam = 256
	// maxRepeated is the most text of parameters in the canonical SQL, in bytes,
	// where a parameter counts as often as it stands there.
	maxRepeated = 64 << 10
)

// nominal gives leaves their nominal extent.
type nominal struct {
	scope       *scope
	items       []Extent // what the select items come to
	aliases     bool     // a bare name may be a select item
	groupConcat int64
	calls       map[*tree.Call]Extent
}

func (n *nominal) leaf(e tree.Expr) (Extent, bool) {
	switch e := e.(type) {
	case *tree.Column:
		return Extent{Class: Text, Length: max(columnLength, n.made(e))}, true
	case *tree.Param:
		return Extent{Class: Text, Length: paramLength}, true
	case *tree.Aggregate:
		if e.Name == "GROUP_CONCAT" {
			return Extent{Class: Text, Length: n.groupConcat}, true
		}
	}
	return Extent{}, false
}

// made is the length of the select item that a name stands for, if it isn't a
// column.
func (n *nominal) made(c *tree.Column) int64 {
	if !n.aliases || c.Table != "" {
		return 0
	}
	longest := int64(0)
	for i, it := range n.scope.items {
		if it.name != "" && it.column == nil && ident.Fold(it.name) == ident.Fold(c.Name) {
			longest = max(longest, n.items[i].Length)
		}
	}
	return longest
}

// isColumns reports whether a text is a column's, or extracted from one: it is no
// longer than columns are taken to be.
func (n *nominal) isColumns(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.Column:
		return n.made(e) == 0
	case *tree.Call:
		return (e.Name == "JSON_EXTRACT" || e.Name == "JSON_UNQUOTE") && n.isColumns(e.Args[0])
	}
	return false
}

// remembered works a call out once: calls nest.
func (n *nominal) remembered(e *tree.Call, work func(*tree.Call) Extent) Extent {
	if known, ok := n.calls[e]; ok {
		return known
	}
	out := work(e)
	if n.calls == nil {
		n.calls = map[*tree.Call]Extent{}
	}
	n.calls[e] = out
	return out
}

// bulk checks every expression of a query.
type bulk struct {
	extents
	params   map[int]bool // placeholders that must be short
	searches int64        // of what is checked so far
	refused  *refusal.Refusal
}

// checkBulk refuses a query that could make the server hold or search a text that
// is much longer than what it reads, and returns the placeholders that must be
// short.
func checkBulk(sc *scope, q *tree.Select) (map[int]bool, *refusal.Refusal) {
	n := &nominal{scope: sc, items: make([]Extent, len(q.Items)), groupConcat: sc.policy.groupConcat}
	b := &bulk{extents: extents{scope: sc, nominal: n}}
	for i, it := range q.Items {
		b.check(it.Expr)
		n.items[i] = b.of(it.Expr)
	}
	for _, j := range q.Joins {
		b.check(j.On)
	}
	b.check(q.Where)
	n.aliases = true
	// A call that names an alias comes to something else now.
	n.calls = nil
	for _, e := range q.GroupBy {
		b.check(e)
	}
	b.check(q.Having)
	for _, o := range q.OrderBy {
		b.check(o.Expr)
	}
	return b.params, b.refused
}

func (b *bulk) check(e tree.Expr) {
	tree.Walk(e, func(e tree.Expr) bool {
		switch e := e.(type) {
		case *tree.Call:
			if b.of(e).Length > maxBulk {
				b.refuse(refusal.New(refusal.TextTooLong, e.Pos))
			}
			b.call(e)
		case *tree.Like:
			b.search(e.Pattern, e.Operand)
		case *tree.Trim:
			b.trim(e)
		}
		return b.refused == nil
	})
}

func (b *bulk) refuse(r *refusal.Refusal) {
	if b.refused == nil {
		b.refused = r
	}
}

// call checks what a function searches for, and formats.
func (b *bulk) call(e *tree.Call) {
	switch e.Name {
	case "LOCATE", "POSITION", "FIND_IN_SET":
		b.search(e.Args[0], e.Args[1])
	case "INSTR", "JSON_CONTAINS", "SUBSTRING_INDEX", "REPLACE":
		b.search(e.Args[1], e.Args[0])
	case "DATE_FORMAT", "TIME_FORMAT", "STR_TO_DATE", "FROM_UNIXTIME":
		if len(e.Args) == 2 {
			b.short(e.Args[1])
		}
	}
}

// search checks a pattern, and what searching it adds to the rest.
func (b *bulk) search(pattern, in tree.Expr) {
	b.short(pattern)
	b.searches += b.text(pattern).Length * b.text(in).Length
	if b.searches > maxSearches {
		b.refuse(refusal.New(refusal.PatternTooLong, pattern.At()).
			Messagef("The query searches too much text for too long patterns: each search takes time by the product of both lengths."))
	}
}

// short checks a pattern or format and notes its placeholders.
func (b *bulk) short(e tree.Expr) {
	if b.text(e).Length > maxPattern || b.own(e) > maxPatternText {
		b.refuse(refusal.New(refusal.PatternTooLong, e.At()))
	}
	tree.Walk(e, func(e tree.Expr) bool {
		if p, ok := e.(*tree.Param); ok {
			if b.params == nil {
				b.params = map[int]bool{}
			}
			b.params[p.Index] = true
		}
		return true
	})
}

// own is how much of an expression is text that the asker wrote or made.
func (b *bulk) own(e tree.Expr) int64 {
	total := int64(0)
	tree.Walk(e, func(e tree.Expr) bool {
		switch e := e.(type) {
		case *tree.String:
			total += int64(len(e.Value))
		case *tree.Column:
			total += b.nominal.made(e)
		case *tree.Aggregate:
			total += b.of(e).Length
		}
		return true
	})
	return total
}

// trim checks a TRIM of other than one ASCII character: of text in UTF-8 it takes
// the square of the text's length.
func (b *bulk) trim(e *tree.Trim) {
	if e.Chars == nil {
		return
	}
	if s, ok := e.Chars.(*tree.String); ok && len(s.Value) <= 1 {
		return
	}
	b.search(e.Chars, e.Operand)
	if b.text(e.Operand).Length > maxPattern {
		b.refuse(refusal.New(refusal.PatternTooLong, e.Pos).Messagef("TRIM of more than one character is accepted for short texts only.").
			Hintf("Trim the columns one by one, or trim a single character."))
		return
	}
	b.short(e.Operand)
}

// GroupConcatLength is the bytes at which a session cuts GROUP_CONCAT: room for a
// cell of cellBytes characters of four bytes and some more, so that a cut is ours
// and is marked.
func GroupConcatLength(cellBytes int) int64 { return 4*(int64(cellBytes)+1) + 1024 }

package authz

import (
	"slices"
	"strconv"
	"strings"

	"mysqlevidence/config"
	"mysqlevidence/internal/tree"
)

// Cells says how much of a cell is wanted, and what the server's columns hold.
// The zero Cells cuts nothing.
type Cells struct {
	Bytes int // the longest cell that is shown whole
	Types *Types
}

// Cut is a select item that the server sends cut: of a longer value only a
// prefix, of at least as many bytes as are wanted, and its length in a column of
// its own behind the items.
type Cut struct {
	Item   int // index of the column that is cut
	Length int // index of the column that has the whole value's LENGTH, or 0: the value isn't shown
	// JSON says that the column has the text of a value of the type JSON.
	JSON   bool
	legacy bool
}

// planItem is a select item as it stands in the body.
type planItem struct {
	start, end    int // bytes of the body
	args, argsEnd int // of order
	expr          tree.Expr
	// whole says that cutting the item could change the result.
	whole bool
}

// planItems completes the items once the whole query is written. Under DISTINCT,
// in a group, and as a sort key by its position, an item's value decides what the
// rows are; a pseudonym stands for the whole value.
func (w *writer) planItems() []planItem {
	for i := range w.items {
		known := w.scope.items[i]
		_, aggregate := known.expr.(*tree.Aggregate)
		w.items[i].expr = known.expr
		w.items[i].whole = w.items[i].whole || w.query.Distinct || len(w.query.GroupBy) > 0 && !aggregate ||
			known.column != nil && known.column.Mask == config.MaskPseudonym
	}
	return w.items
}

// resolved is the column that a name of a select item means.
func (s *scope) resolved(c *tree.Column) *column {
	if c.Table != "" {
		_, col, _ := s.qualifiedColumn(c)
		return col
	}
	if in := s.unqualified(c.Name); len(in) == 1 {
		return in[0].column
	}
	return nil
}

// cutBody is the body for cells of one kind.
type cutBody struct {
	cells Cells
	text  string
	order []int
	cuts  []Cut
}

// cut gives the body for these cells, worked out anew only when they change.
func (p *plan) cut(cells Cells) *cutBody {
	if known := p.lastCut.Load(); known != nil && known.cells == cells {
		return known
	}
	out := &cutBody{cells: cells}
	out.text, out.order, out.cuts = p.cutAnew(cells)
	p.lastCut.Store(out)
	return out
}

// cutAnew writes the body with the long items cut, the order of its arguments, and
// what was cut.
func (p *plan) cutAnew(cells Cells) (string, []int, []Cut) {
	cuts := p.cuts(cells)
	if len(cuts) == 0 {
		return p.body, p.order, nil
	}
	var items, lengths strings.Builder
	var args []int
	done := 0
	for _, c := range cuts {
		it := p.items[c.Item]
		expr, keep := p.body[it.start:it.end], cells.Bytes
		if c.Length == 0 {
			keep = 0
		} else {
			lengths.WriteString(", " + lengthOf(expr, c.legacy))
			args = append(args, p.order[it.args:it.argsEnd]...)
		}
		items.WriteString(p.body[done:it.start] + "LEFT(" + expr + ", " + strconv.Itoa(keep) + ")")
		done = it.end
	}
	last := p.items[len(p.items)-1]
	text := items.String() + p.body[done:last.end] + lengths.String() + p.body[last.end:]
	return text, slices.Concat(p.order[:last.argsEnd], args, p.order[last.argsEnd:]), cuts
}

// lengthOf is the number of bytes in UTF-8, which is what is sent.
func lengthOf(expr string, legacy bool) string {
	if legacy {
		return "LENGTH(CONVERT(" + expr + " USING utf8mb4))"
	}
	return "LENGTH(" + expr + ")"
}

// cuts finds the items that can be longer than what is wanted of them.
func (p *plan) cuts(cells Cells) []Cut {
	if cells.Bytes <= 0 || cells.Types == nil {
		return nil
	}
	found := extents{scope: p.scope, types: *cells.Types}
	var cuts []Cut
	next := len(p.items)
	for i, it := range p.items {
		if it.whole {
			continue
		}
		extent := found.of(it.expr)
		if extent.bytes() <= int64(cells.Bytes) {
			continue
		}
		c := Cut{Item: i, JSON: extent.Class == JSON, legacy: extent.Legacy}
		if col := p.scope.items[i].column; col == nil || col.Mask == config.MaskNone {
			c.Length = next
			next++
		}
		cuts = append(cuts, c)
	}
	return cuts
}

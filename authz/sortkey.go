package authz

import (
	"strconv"
	"strings"

	"mysqlevidence/config"
	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

func (w *writer) groupBy() {
	w.place = inGroupBy
	for i, e := range w.query.GroupBy {
		w.separate(i, " GROUP BY ")
		w.itemKey(e)
	}
}

// orderKey writes an item of ORDER BY. With DISTINCT it must be a select item, and
// one that is written otherwise there is found by its position only.
func (w *writer) orderKey(e tree.Expr) {
	if secondsIn(e, nil) == nil {
		w.sortKey(e)
		return
	}
	w.itemKey(e)
}

// itemKey writes a key as its position if it is a select item too: MariaDB doesn't
// find the two equal if they name a column of a view, and refuses the query (error
// 1055).
func (w *writer) itemKey(e tree.Expr) {
	if isName(e) {
		w.sortKey(e)
		return
	}
	start := w.here()
	w.seconds = secondsIn(e, nil) // as an item is written
	w.sortKey(e)
	changed := w.seconds != nil
	w.seconds = nil
	key := w.text.String()[start.text:]
	for i, it := range w.items {
		if len(w.order) == start.args && w.scope.items[i].column == nil && w.text.String()[it.start:it.end] == key {
			w.rewind(start)
			w.writePosition(i, e.At())
			return
		}
	}
	if changed {
		w.rewind(start)
		w.sortKey(e)
	}
}

// isName reports whether a key is a column, an alias or a position.
func isName(e tree.Expr) bool {
	switch e.(type) {
	case *tree.Column, *tree.Number:
		return true
	}
	return false
}

// mark is a place in what is being written.
type mark struct{ text, args int }

func (w *writer) here() mark { return mark{w.text.Len(), len(w.order)} }

// rewind takes back what was written after the mark.
func (w *writer) rewind(m mark) {
	kept := w.text.String()[:m.text]
	w.text.Reset()
	w.text.WriteString(kept)
	w.order = w.order[:m.args]
}

// sortKey writes an item of GROUP BY or ORDER BY.
func (w *writer) sortKey(e tree.Expr) {
	if n, ok := e.(*tree.Number); ok {
		i, err := strconv.Atoi(strings.TrimLeft(n.Text, "0"))
		if err != nil || i < 1 || i > len(w.scope.items) {
			w.refuse(refusal.New(refusal.BadPosition, n.Pos).Hintf("Use a position from 1 to %d, the number of select items.", len(w.scope.items)))
			return
		}
		if it := w.scope.items[i-1]; it.column != nil && it.column.Mask != config.MaskNone {
			w.refuse(refusal.New(refusal.SensitiveColumn, n.Pos))
			return
		}
		w.writePosition(i-1, n.Pos)
		return
	}
	w.topLevel = true
	w.expr(e)
	w.topLevel = false
}

func (w *writer) writePosition(i int, pos tree.Pos) {
	if w.place == inGroupBy && hasAggregate(w.scope.items[i].expr) {
		w.refuse(refusal.New(refusal.BadPosition, pos).Hintf("GROUP BY can't take an aggregate; group by the other select items."))
		return
	}
	w.items[i].whole = true
	w.text.WriteString(strconv.Itoa(i + 1))
}

package authz

import (
	"math"
	"slices"

	"mysqlevidence/internal/refusal"
	"mysqlevidence/internal/tree"
)

// countsDays are the functions in which MySQL 9.7 dies (SIGSEGV, the whole
// server) when a placeholder that it takes for a date gets the number 0 or a
// fraction of 1, also through COALESCE, IF and their like. No text and no literal
// does that.
var countsDays = map[string]bool{
	"DATEDIFF": true, "TO_DAYS": true, "DAYNAME": true, "DAYOFWEEK": true, "WEEKDAY": true, "DAYOFYEAR": true,
}

// dated writes the arguments of a call and notes the placeholders that would be
// dates.
func (w *writer) dated(e *tree.Call) {
	saved := w.inDate
	w.inDate = w.inDate || countsDays[e.Name]
	w.list(e.Args)
	w.inDate = saved
}

// amount writes an interval's amount, which is a number and may well be 0.
func (w *writer) amount(e *tree.DateArith) {
	saved := w.inDate
	w.inDate = false
	w.operand(e.Amount)
	w.inDate = saved
}

func (w *writer) param(e *tree.Param) {
	w.order = append(w.order, e.Index)
	w.text.WriteByte('?')
	if w.inDate {
		w.dates = append(w.dates, e.Index)
	}
}

// checkDate refuses the number 0 for a date, and what is cut to 0.
func (p *plan) checkDate(i int, value any) *refusal.Refusal {
	if !isZero(value) || !slices.Contains(p.dates, i) {
		return nil
	}
	return refusal.New(refusal.ParamType, refusal.Position{}).
		Messagef("Parameter %d stands for a date and can't be the number 0.", i+1).
		Hintf("Pass the date as text, like \"2024-05-01\", or null.")
}

func isZero(value any) bool {
	switch v := value.(type) {
	case int64:
		return v == 0
	case uint64:
		return v == 0
	case float64:
		return math.Abs(v) < 1
	case bool:
		return !v
	}
	return false
}

package authz

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"mysqlevidence/config"
	"mysqlevidence/internal/refusal"
)

// maxOffset keeps OFFSET within what both servers take as a signed integer. No
// table has so many rows, so a larger one means the same.
const maxOffset = math.MaxInt64

// maxParams bounds the text of all parameters together, in bytes, as the text of
// the query is bounded: some functions take time by the product of two lengths,
// and a server inside one call heeds no limit.
const maxParams = 16 << 10

// check returns the parameters as string, int64, uint64, float64, bool or nil.
func (p *plan) check(params []any) ([]any, *refusal.Refusal) {
	if len(params) != p.params {
		return nil, refusal.New(refusal.ParamCount, refusal.Position{}).
			Hintf("Placeholders in the query: %d; values in params: %d. A ? inside a string is text.", p.params, len(params))
	}
	values := make([]any, len(params))
	room := maxParams
	for i, in := range params {
		if text, ok := in.(string); ok {
			if room -= len(text); room < 0 {
				return nil, refusal.New(refusal.ParamSize, refusal.Position{})
			}
			if p.short[i] && len(text) > maxPatternParam {
				return nil, refusal.New(refusal.ParamSize, refusal.Position{}).
					Messagef("Parameter %d is searched for, trimmed or a format, and has more than %d bytes.", i+1, maxPatternParam).
					Hintf("Pass a shorter value.")
			}
		}
		v, ok := scalar(in)
		if !ok {
			return nil, refusal.New(refusal.ParamType, refusal.Position{}).
				Messagef("Parameter %d is not a string, a number, a boolean or null.", i+1)
		}
		if want, ok := p.types[i]; ok && !isOf(v, want) {
			return nil, refusal.New(refusal.ParamType, refusal.Position{}).
				Messagef("Parameter %d filters a sensitive column and must be of type %s.", i+1, want).
				Hintf("Pass a value of type %s.", want)
		}
		if r := p.checkDate(i, v); r != nil {
			return nil, r
		}
		values[i] = v
	}
	if p.repeated(values) > maxRepeated {
		return nil, refusal.New(refusal.ParamSize, refusal.Position{}).
			Messagef("The parameters, each counted as often as the query's aliases repeat it, have more than %d bytes.", maxRepeated).
			Hintf("Pass shorter values, or name the item that has the placeholder less often.")
	}
	for _, b := range []bound{p.limit, p.offset} {
		if b.isParam && !isCount(values[b.param]) {
			return nil, refusal.New(refusal.LimitParam, b.pos)
		}
	}
	return values, nil
}

// repeated is the text of the parameters as the final SQL has them.
func (p *plan) repeated(values []any) int {
	total := 0
	for _, i := range p.order {
		if text, ok := values[i].(string); ok {
			total += len(text)
		}
	}
	return total
}

// isCount reports whether a value may be bound to LIMIT or OFFSET. Others are
// taken differently by the servers: "2 or 1" as 2, -1 as unlimited on MariaDB.
func isCount(v any) bool {
	switch n := v.(type) {
	case int64:
		return n >= 0
	case uint64:
		return true
	}
	return false
}

// isOf reports whether a parameter may be compared with a sensitive column of
// that type. NULL is refused: it matches nothing, and IS NULL isn't admitted.
func isOf(v any, want config.ParamType) bool {
	switch v.(type) {
	case string:
		return want == config.ParamText
	case int64, uint64:
		return want == config.ParamInteger
	}
	return false
}

func scalar(in any) (any, bool) {
	switch v := in.(type) {
	case nil, bool, int64, uint64:
		return v, true
	case int:
		return int64(v), true
	case string:
		return v, utf8.ValidString(v)
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case json.Number:
		return number(string(v))
	}
	return nil, false
}

// number reads a JSON number: an integer of 64 bits, signed or unsigned, else a
// float. An integer that needs more bits is refused, not rounded.
func number(s string) (any, bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	if u, err := strconv.ParseUint(s, 10, 64); err == nil {
		return u, true
	}
	for _, c := range s {
		if c == '.' || c == 'e' || c == 'E' {
			f, err := strconv.ParseFloat(s, 64)
			return f, err == nil
		}
	}
	return nil, false
}

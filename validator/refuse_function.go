package validator

import (
	"slices"
	"strconv"
	"strings"

	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
)

// functionRefusal says why a function outside the set can't be called, and what
// to call instead. The name is the asker's; it is shown only as the word of our
// catalogue that it equals.
func functionRefusal(allowed function.Set, name string, pos refusal.Position) *refusal.Refusal {
	word := function.Word(name)
	var r *refusal.Refusal
	switch function.Classify(name) {
	case function.Metadata:
		r = refusal.New(refusal.MetadataFunction, pos).Messagef("%s tells about the server, the session or the account, and is not accepted.", word)
	case function.Forbidden:
		r = refusal.New(refusal.ForbiddenFunction, pos).Messagef("%s is never allowed: it waits, locks, has side effects, or can't be bounded.", word)
	case function.Regexp:
		r = refusal.New(refusal.RegexpOperator, pos).Messagef("%s is not accepted, nor are other regular expressions.", word)
	case function.Geometry:
		r = refusal.New(refusal.UnknownFunction, pos).Messagef("Functions on geometries are not accepted.").
			Hintf("Select plain columns; the operator can offer a view for more.")
	case function.Addable:
		r = refusal.New(refusal.UnknownFunction, pos).Messagef("%s is not allowed for this data source.", word).
			Hintf("Ask without it, and work the value out yourself; the operator can add it in the config.")
	case function.Unoffered:
		r = refusal.New(refusal.UnknownFunction, pos).Messagef("%s is not among the allowed functions.", word).
			Hintf("Ask without it, and work the value out yourself.")
	default:
		r = refusal.New(refusal.UnknownFunction, pos)
		if word != "" {
			r.Messagef("%s is not a function of MySQL.", word)
		} else if same := otherwiseSpelt(allowed, name); same != "" {
			r.Hintf("Write %s.", same)
		}
	}
	if hint := function.Hint(name); hint != "" {
		r.Hint = hint
	}
	return r
}

// otherwiseSpelt is the allowed function whose name differs only by underscores.
func otherwiseSpelt(allowed function.Set, name string) string {
	plain := func(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "_", "")) }
	names := allowed.Names()
	if i := slices.IndexFunc(names, func(n string) bool { return plain(n) == plain(name) }); i >= 0 {
		return names[i]
	}
	return ""
}

// arity says how many arguments a function takes, and how it is called where
// people often call it otherwise.
func arity(f function.Function) string {
	if usage := function.Usage(f.Name); usage != "" {
		return usage
	}
	number := strconv.Itoa(f.Min)
	switch {
	case f.Max < 0:
		number += " or more arguments"
	case f.Max != f.Min:
		number += " to " + strconv.Itoa(f.Max) + " arguments"
	case f.Min == 1:
		number += " argument"
	default:
		number += " arguments"
	}
	return "Give " + f.Name + " " + number + "."
}

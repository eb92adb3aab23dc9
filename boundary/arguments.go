package boundary

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"mysqlevidence/internal/exactjson"
	"mysqlevidence/internal/ident"
)

// arguments are the decoded arguments of any tool; a tool reads those that it
// declares.
type arguments struct {
	dataSource    string
	sql           string
	params        []any // string, json.Number, bool, nil, or what Bind refuses
	limit         int   // 0 when absent
	reason        string
	schema, table string
}

// maxReason bounds the asker's reason, in characters.
const maxReason = 1000

// argument is one key that a tool accepts.
type argument struct {
	name     string
	required bool
	set      func(*arguments, json.RawMessage) bool // false for a value that doesn't fit
	want     string                                 // what fits, for the message
}

func textArgument(name string, required bool, field func(*arguments) *string) argument {
	return argument{name, required, func(a *arguments, raw json.RawMessage) bool {
		return raw[0] == '"' && json.Unmarshal(raw, field(a)) == nil
	}, "a string"}
}

func dataSourceArgument() argument {
	return textArgument("data_source", true, func(a *arguments) *string { return &a.dataSource })
}

func sqlArgument() argument {
	return textArgument("sql", true, func(a *arguments) *string { return &a.sql })
}

func schemaArgument() argument {
	return textArgument("schema", false, func(a *arguments) *string { return &a.schema })
}

func tableArgument(required bool) argument {
	return textArgument("table", required, func(a *arguments) *string { return &a.table })
}

func reasonArgument() argument {
	return argument{"reason", false, func(a *arguments, raw json.RawMessage) bool {
		return raw[0] == '"' && json.Unmarshal(raw, &a.reason) == nil && utf8.RuneCountInString(a.reason) <= maxReason
	}, "a string of at most " + strconv.Itoa(maxReason) + " characters"}
}

func paramsArgument() argument {
	return argument{"params", false, func(a *arguments, raw json.RawMessage) bool {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber() // a float64 would round integers beyond 2^53
		return raw[0] == '[' && dec.Decode(&a.params) == nil
	}, "an array with one value for each ?"}
}

func limitArgument() argument {
	return argument{"limit", false, func(a *arguments, raw json.RawMessage) bool {
		n, ok := limitOf(string(raw))
		a.limit = n
		return ok
	}, "an integer of 1 or more"}
}

// limitOf reads a limit. One that no integer type holds is above any ceiling,
// and is clamped like the rest.
func limitOf(text string) (int, bool) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, false // not an integer, or negative
	}
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxInt32, true
	}
	return min(n, math.MaxInt32), err == nil && n > 0
}

// decode reads a call's arguments strictly: a JSON object, each key known and
// there once, each value of its type. An optional argument may be null, which is
// how some frameworks write an absent one. It returns what it could read also
// with a fault, for the record.
func decode(accepted []argument, raw json.RawMessage) (arguments, *Fault) {
	var out arguments
	if len(bytes.TrimSpace(raw)) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if err := exactjson.Check(raw); err != nil {
		return out, argumentFault("malformed_arguments", "The arguments are not well-formed JSON: "+err.Error()+".",
			"Send the arguments as one JSON object in UTF-8.")
	}
	members, err := exactjson.Object(raw)
	var duplicate *exactjson.DuplicateError
	if errors.As(err, &duplicate) {
		return out, argumentFault("duplicate_argument", "The argument "+exactjson.ShowKey(duplicate.Key)+" is there twice.", "Send each argument once.")
	}
	if err != nil {
		return out, argumentFault("malformed_arguments", "The arguments are not a JSON object.", "Send an object: "+listArguments(accepted)+".")
	}
	var fault *Fault
	seen := map[string]bool{}
	for _, m := range members {
		if f := set(&out, accepted, m); f != nil && fault == nil {
			fault = f
		}
		seen[m.Key] = true
	}
	for _, a := range accepted {
		if a.required && !seen[a.name] && fault == nil {
			fault = argumentFault("missing_argument", "The argument "+exactjson.ShowKey(a.name)+" is missing.",
				"Add "+exactjson.ShowKey(a.name)+"; this tool takes "+listArguments(accepted)+".")
		}
	}
	return out, fault
}

func set(out *arguments, accepted []argument, m exactjson.Member) *Fault {
	for _, a := range accepted {
		if a.name != m.Key {
			continue
		}
		if string(m.Value) == "null" && !a.required || a.set(out, m.Value) {
			return nil
		}
		return argumentFault("argument_type", "The argument "+exactjson.ShowKey(a.name)+" is not "+a.want+".", "Send "+exactjson.ShowKey(a.name)+" as "+a.want+".")
	}
	hint := "This tool takes " + listArguments(accepted) + "."
	if near := nearestArgument(m.Key, accepted); near != "" {
		hint = "Did you mean " + exactjson.ShowKey(near) + "? " + hint
	}
	return argumentFault("unknown_argument", "The argument "+exactjson.ShowKey(m.Key)+" is not known.", hint)
}

func argumentFault(reason, message, hint string) *Fault {
	return &Fault{Code: CodeInvalidArguments, Reason: reason, Stage: StageBoundary, Message: message, Hint: hint}
}

func listArguments(accepted []argument) string {
	if len(accepted) == 0 {
		return "no arguments"
	}
	var names []string
	for _, a := range accepted {
		name := a.name
		if !a.required {
			name += " (optional)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// otherNames are what other tools call these arguments.
func otherNames() map[string]string {
	return map[string]string{
		"query": "sql", "statement": "sql", "sqlquery": "sql", "q": "sql", "text": "sql",
		"parameters": "params", "args": "params", "arguments": "params", "bindings": "params", "values": "params", "binds": "params",
		"source": "data_source", "database": "data_source", "db": "data_source", "connection": "data_source", "datasourcename": "data_source",
		"maxrows": "limit", "rows": "limit", "rowlimit": "limit", "top": "limit", "count": "limit", "n": "limit",
		"why": "reason", "justification": "reason", "purpose": "reason",
		"tablename": "table", "schemaname": "schema",
	}
}

// maxNearKey bounds the keys for which the nearest argument is looked up.
const maxNearKey = 64

func nearestArgument(key string, accepted []argument) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
	if len(plain) > maxNearKey {
		return ""
	}
	known := make([]string, len(accepted))
	for i, a := range accepted {
		if a.name == otherNames()[plain] {
			return a.name
		}
		known[i] = a.name
	}
	return ident.Nearest(key, known)
}

package executor

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mysqlevidence/authz"
	"mysqlevidence/internal/ident"
)

// planStep is one row of EXPLAIN: a table, and how it is read each time.
type planStep struct {
	id, kind       string  // the SELECT that it is part of
	table          string  // our alias, a name inside a view, or "<derived2>"
	access, extra  string  // "ALL", "ref", …; "Using where; …"
	rows, filtered float64 // rows each time it is read, and the percentage that is kept
}

// planCost is what a plan is estimated to cost.
type planCost struct {
	rows  float64  // rows that the server expects to examine in all
	worst planStep // the table with the most rows each time it is read
}

// estimate counts the rows that the plan is expected to examine. Each SELECT is
// taken as nested loops: a table is read once for each combination of rows that
// the tables before it leave (the product of their rows × filtered), so that the
// last table of a join counts most. A hash join is taken so too: EXPLAIN doesn't
// say whether it has an equality to hash by. A view's subquery that depends on
// the row counts once for each row.
//
// Where LIMIT ends the reading because no step rejects or collects rows, no more
// than reach rows come from any step; reach is 0 where LIMIT ends nothing. An
// inner join is taken to find a partner for each row, as joins by a key do: EXPLAIN
// doesn't say otherwise.
func estimate(steps []planStep, reach uint64) planCost {
	var cost planCost
	for _, s := range steps {
		if s.rows >= cost.worst.rows {
			cost.worst = s
		}
	}
	most := math.Inf(1)
	if reach > 0 && streams(steps) {
		most = float64(reach)
	}
	widest := 1.0 // rows examined at the end of the widest SELECT so far
	for len(steps) > 0 {
		block := steps[:blockLen(steps)]
		steps = steps[len(block):]
		times := 1.0
		if block[0].perRow() {
			times = widest
		}
		for _, s := range block {
			examined := min(times*s.rows, most)
			cost.rows += examined
			widest = max(widest, examined)
			times = max(1, examined*s.filtered/100)
		}
		most = math.Inf(1) // only the outermost SELECT has the LIMIT
	}
	return cost
}

// blockLen is how many of the steps are of the first one's SELECT.
func blockLen(steps []planStep) int {
	n := 1
	for n < len(steps) && steps[n].id == steps[0].id {
		n++
	}
	return n
}

// perRow reports whether the SELECT is run anew for rows of another.
func (s planStep) perRow() bool {
	for _, word := range []string{"DEPENDENT", "UNCACHEABLE", "LATERAL"} {
		if strings.Contains(s.kind, word) {
			return true
		}
	}
	return false
}

// streams reports whether the outermost SELECT gives its rows as it reads them and
// keeps each: then LIMIT ends it. What isn't known to do so doesn't.
func streams(steps []planStep) bool {
	for _, s := range steps[:blockLen(steps)] {
		for note := range strings.SplitSeq(s.extra, "; ") {
			switch note {
			case "", "Using index", "Backward index scan":
			default:
				return false
			}
		}
	}
	return true
}

// namesOf are the allowlisted tables that the step can be of. Inside a view the
// plan has the names of tables that may be hidden: then it is one of those tables
// of the query that the plan doesn't have by our alias.
func namesOf(s planStep, steps []planStep, tables []authz.TableName, defaultSchema string) []string {
	var all, behind []string
	outer := steps[:blockLen(steps)]
	for i, t := range tables {
		alias, name := "t"+strconv.Itoa(i+1), ident.Show(t.Table)
		if t.Schema != defaultSchema {
			name = ident.Show(t.Schema) + "." + name
		}
		if s.table == alias && s.id == outer[0].id {
			return []string{name}
		}
		all = append(all, name)
		if !hasTable(outer, alias) {
			behind = append(behind, name)
		}
	}
	if len(behind) > 0 {
		return behind
	}
	return all
}

func hasTable(steps []planStep, alias string) bool {
	for _, s := range steps {
		if s.table == alias {
			return true
		}
	}
	return false
}

// tooExpensive is the refusal. The numbers are rounded: they are estimates, and
// tell of a table no more than its order of magnitude.
func tooExpensive(cost planCost, limit int, names []string) *Error {
	how, repair := "found by an index", "Narrow it by an indexed column"
	switch cost.worst.access {
	case "ALL":
		how, repair = "scanned without an index", "Filter or join it by an indexed column"
	case "index":
		how, repair = "the whole of an index is read", "Filter or join it by an indexed column"
	}
	return &Error{
		Kind: TooExpensive, Reason: "estimated_rows",
		Message: fmt.Sprintf("By the server's estimate the query would examine about %s rows; the most that is allowed here is %s, so it didn't run.",
			about(cost.rows), strconv.Itoa(limit)),
		Hint: fmt.Sprintf("The worst table is %s: about %s rows each time it is read, %s. %s (describe_schema lists the keys), or join fewer tables.",
			strings.Join(names, " or "), about(cost.worst.rows), how, repair),
		Cause: fmt.Errorf("the plan is estimated to examine %.4g rows, the limit is %d", cost.rows, limit),
	}
}

// about writes a number with two significant digits.
func about(n float64) string {
	const readable = 1e15
	if n >= readable {
		return "a million billion or more"
	}
	digits := math.Floor(n)
	for unit := 10.0; unit*10 <= n; unit *= 10 {
		digits = math.Round(n/unit) * unit
	}
	return strconv.FormatFloat(digits, 'f', 0, 64)
}

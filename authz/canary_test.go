package authz_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/function"
	"mysqlevidence/internal/refusal"
)

// The canaries stand for what no refusal may repeat. Both forms are unmistakable:
// no word of ours has this beginning, no number of ours this value.
const (
	canaryWord   = "zqcanary"
	canaryNumber = "7391828"
)

// grammar is the words that a canary doesn't replace, so that the texts keep their
// constructs; every function of our catalogues is kept too.
var grammar = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`select distinct distinctrow all from where group by having order asc desc limit offset as on
		using join inner left right full outer cross natural straight_join lateral and or not xor in is null true false
		between like ilike rlike regexp similar to escape case when then else end div mod interval day days month
		months year years hour minute second week quarter microsecond cast convert signed unsigned char varchar int integer bigint
		decimal numeric double float date datetime time timestamp text json binary union except intersect minus with recursive
		exists any some over partition window rows range unbounded preceding following current row for update share lock mode of
		nowait skip locked into outfile dumpfile force use ignore index key match against boolean collate character set charset
		separator rollup cube grouping sets filter within top fetch first next only percent nulls last tablesample pivot unpivot
		connect start prior at zone show describe explain insert delete drop table values default procedure qualify
		both leading trailing dual array json_table columns path ordinality nested sql_no_cache sql_calc_found_rows high_priority`) {
		m[w] = true
	}
	return m
}()

// cages are the ways in which a text's names are replaced: all by canaries, so that
// nothing is allowlisted; all but the tables, so that columns are looked for; and
// only aliases, so that the query is authorized as far as it goes.
var cages = map[string]func(before, word string) string{
	"names": func(before, word string) string { return canaryWord + word },
	"columns": func(before, word string) string {
		if before == "from" || before == "join" {
			return []string{"orders", "customers"}[len(word)%2]
		}
		return canaryWord + word
	},
	"aliases": func(before, word string) string {
		switch {
		case before == "as":
			return canaryWord + word
		case before == "from" || before == "join":
			return []string{"orders", "customers"}[len(word)%2]
		}
		return []string{"id", "status", "name", "email", "phone", "tier", "qty"}[len(word)%7]
	},
}

// caged replaces every literal and comment of a text by a canary, and its names as
// the cage says. It reads as far as it can, and needs no valid SQL.
func caged(sql string, cage func(before, word string) string) string {
	var out strings.Builder
	before := ""
	for i := 0; i < len(sql); {
		c := sql[i]
		n := 1
		switch {
		case c == '\'' || c == '"' || c == '`':
			for i+n < len(sql) && sql[i+n] != c {
				n++
			}
			closing := ""
			if i+n < len(sql) {
				closing = string(c)
				n++
			}
			inside := canaryWord
			if c == '`' {
				inside = cage(before, "quoted")
			}
			out.WriteString(string(c) + inside + closing)
			before = ""
		case isWordByte(c):
			for i+n < len(sql) && isWordByte(sql[i+n]) {
				n++
			}
			before = writeWord(&out, before, sql[i:i+n], cage)
		default:
			out.WriteByte(c)
			if c != ' ' && c != '\n' {
				before = ""
			}
		}
		i += n
	}
	return out.String()
}

// writeWord writes a bare word, replaced if it is a name or a number, and returns it as
// the next word's predecessor.
func writeWord(out *strings.Builder, before, word string, cage func(before, word string) string) string {
	lower := strings.ToLower(word)
	switch {
	case word[0] >= '0' && word[0] <= '9':
		out.WriteString(canaryNumber)
	case grammar[lower] || function.Word(word) != "":
		out.WriteString(word)
	default:
		out.WriteString(cage(before, word))
	}
	return lower
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// TestNoRefusalRepeatsALiteralOrAName puts every text of the corpora through
// validate, authorize and bind with its literals and names replaced by canaries:
// none is in any text of a refusal.
func TestNoRefusalRepeatsALiteralOrAName(t *testing.T) {
	p := newPipeline(t, shop)
	planner := authz.NewPlanner(p.validator, p.policy)
	texts := corpora(t)
	reasons := map[refusal.Reason]bool{}
	for _, text := range texts {
		for name, cage := range cages {
			sql := caged(text, cage)
			r := refusedWith(planner, sql)
			if r == nil {
				continue
			}
			reasons[r.Reason] = true
			if says := strings.ToLower(fmt.Sprint(r, r.Message, r.Hint, r.Reason, r.Code)); strings.Contains(says, canaryWord) || strings.Contains(says, canaryNumber) {
				t.Errorf("%s: %q: repeated in %s", name, sql, says)
			}
		}
	}
	if len(texts) < 16000 || len(reasons) < 65 {
		t.Errorf("%d texts have shown only %d reasons", len(texts), len(reasons))
	}
}

// refusedWith plans a text and, if that succeeds, binds canaries to it.
func refusedWith(planner *authz.Planner, sql string) *refusal.Refusal {
	plan, err := planner.Plan(sql)
	for _, params := range [][]any{{canaryWord}, {map[string]any{canaryWord: canaryWord}}, {canaryWord, canaryWord}} {
		if err == nil {
			_, err = plan.Bind(params, rows)
		}
	}
	var r *refusal.Refusal
	errors.As(err, &r)
	return r
}

// corpora are all texts that the project has: questions, statements of others,
// traps, attacks in every context, habits, and the catalogue's examples.
func corpora(t *testing.T) []string {
	var out []string
	for _, q := range readCorpus[realQuestion](t, "questions/questions.jsonl.gz", 590) {
		out = append(out, q.SQL)
	}
	for _, s := range readStatements(t) {
		out = append(out, s.SQL)
	}
	for _, c := range readTraps(t) {
		out = append(out, c.SQL)
	}
	for _, a := range readCorpus[attack](t, "attacks/attacks.jsonl.gz", 3608) {
		out = append(out, a.SQL)
	}
	for _, h := range slices.Concat(plainHabits, foreignHabits) {
		out = append(out, h.text, h.repaired)
	}
	for _, e := range refusal.Catalogue {
		out = append(out, unescape(e.Example), oversized[e.Reason])
	}
	return out
}

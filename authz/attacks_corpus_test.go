package authz_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// attackPolicy is what an operator of Sakila might allow. The attacks aim at
// staff: of all Sakila's tables it has the names that attackers guess (username,
// password, email), some allowed, some sensitive, and password not at all.
const attackPolicy = `
data_sources:
  sakila:
    flavour: FLAVOUR
    default_schema: sakila
    functions: {add: [ADDED]}
    allow:
      sakila:
        film: {columns: [film_id, title, description, release_year, length, rating, rental_duration, rental_rate]}
        actor: {columns: [actor_id, first_name, last_name]}
        film_actor: {columns: [actor_id, film_id]}
        category: {columns: [category_id, name]}
        film_category: {columns: [film_id, category_id]}
        inventory: {columns: [inventory_id, film_id, store_id]}
        rental: {columns: [rental_id, rental_date, inventory_id, customer_id, return_date]}
        customer:
          columns: [customer_id, store_id, first_name, last_name, active, create_date]
          sensitive: {email: redact}
        staff:
          columns: [staff_id, first_name, last_name, store_id, active]
          sensitive:
            email: redact
            username: {mask: redact, filter: equality, type: text}
`

// attackPipelines are the two flavours' pipelines, each with every function that
// an operator can add there and attackers like to call.
func attackPipelines(t testing.TB) map[string]pipeline {
	const both = "hex, unhex, bin, ord, conv, quote, soundex, crc32, sha2, pi, to_base64, from_base64, inet_aton, json_array"
	out := map[string]pipeline{}
	for flavour, added := range map[string]string{"mysql 9.7": both, "mariadb 10.11": both + ", md5, sha1, sha"} {
		out[flavour] = newPipeline(t, strings.NewReplacer("FLAVOUR", flavour, "ADDED", added).Replace(attackPolicy))
	}
	return out
}

// attackContext is a query that an attacker's text is pasted into at PAYLOAD.
type attackContext struct {
	name, query string
	// data is a harmless payload that ends up as one string in the payload's
	// place; "" where no string may stand.
	data string
}

// attackContexts are the four of the corpus (raw, num, str, order), and the
// places where its payloads expect to be: between the quotes that they close,
// after a value that is already there, within parentheses, and in every clause.
var attackContexts = []attackContext{
	{"raw", "PAYLOAD", ""},
	{"num", "SELECT staff_id, first_name, email FROM staff WHERE staff_id = PAYLOAD", "'x'"},
	{"str", "SELECT staff_id, first_name, email FROM staff WHERE first_name = 'PAYLOAD", "x'"},
	{"order", "SELECT staff_id, first_name, email FROM staff ORDER BY PAYLOAD", ""},
	{"quoted", "SELECT staff_id, first_name, email FROM staff WHERE first_name = 'PAYLOAD'", "x"},
	{"double", "SELECT staff_id, first_name, email FROM staff WHERE first_name = \"PAYLOAD\" LIMIT 5", "x"},
	{"within", "SELECT staff_id, first_name, email FROM staff WHERE (first_name = 'PAYLOAD') AND active = 1", "x"},
	{"number", "SELECT staff_id, first_name, email FROM staff WHERE (staff_id = PAYLOAD) LIMIT 5", "'x'"},
	{"after", "SELECT staff_id, first_name, email FROM staff WHERE staff_id = 1 PAYLOAD", ""},
	{"end", "SELECT staff_id, first_name, email FROM staff PAYLOAD", ""},
	{"item", "SELECT staff_id, PAYLOAD FROM staff", "'x'"},
	{"table", "SELECT first_name FROM PAYLOAD", ""},
	{"group", "SELECT COUNT(*) FROM staff GROUP BY PAYLOAD", ""},
	{"having", "SELECT store_id, COUNT(*) FROM staff GROUP BY store_id HAVING store_id = PAYLOAD", "'x'"},
	{"limit", "SELECT staff_id, first_name, email FROM staff LIMIT PAYLOAD", ""},
}

func (c attackContext) with(payload string) string {
	return strings.Replace(c.query, "PAYLOAD", payload, 1)
}

// corpusPrefix is what the corpus put before a payload, by its name of the context.
var corpusPrefix = map[string]string{
	"raw":   "",
	"num":   "SELECT id, name FROM users WHERE id = ",
	"str":   "SELECT id, name FROM users WHERE name = '",
	"order": "SELECT id, name FROM users ORDER BY ",
}

// guesses are the names that payloads guess, and Sakila's for the same things.
var guesses = strings.NewReplacer("tablenames", "staff", "users", "staff", "Users", "staff", "members", "staff",
	"userid", "staff_id", "user_id", "staff_id", "uname", "username", "user_name", "username", "passwd", "password",
	"__TIME__", "5")

// undisguised takes off what payloads wear to pass filters, and what gets them
// refused before anybody looks at their meaning: hexadecimal strings, executable
// comments, the national prefix, operators in symbols, the "1.e" that MySQL skips
// before a name, and characters that our text may not have.
func undisguised(payload string) string {
	for _, d := range disguises {
		payload = d.worn.ReplaceAllString(payload, d.bare)
	}
	return strings.ToValidUTF8(payload, "")
}

var disguises = []struct {
	worn *regexp.Regexp
	bare string
}{
	{regexp.MustCompile(`0[xX][0-9a-fA-F]+`), "'x'"},
	{regexp.MustCompile(`/\*!\d*(.*?)\*/`), " $1 "},
	{regexp.MustCompile(`\b[nN]'`), "'"},
	{regexp.MustCompile(`\|\|`), " or "},
	{regexp.MustCompile(`&&`), " and "},
	{regexp.MustCompile(`\b1\.e\b`), ""},
	{regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{200b}-\x{200f}]`), ""},
}

// attackPayloads are the corpus' payloads without their contexts, each as it is,
// with its URL escapes undone, with its guesses come true, and without disguise.
func attackPayloads(t testing.TB) []string {
	t.Helper()
	seen := map[string]bool{}
	var out []string
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, a := range readCorpus[attack](t, "attacks/attacks.jsonl.gz", 3608) {
		prefix, known := corpusPrefix[a.Context]
		payload, ok := strings.CutPrefix(a.SQL, prefix)
		if !known || !ok {
			t.Fatalf("the corpus has a context of its own: %+v", a)
		}
		plain, err := url.PathUnescape(payload)
		if err != nil {
			plain = payload
		}
		for _, p := range []string{payload, plain, undisguised(plain)} {
			add(p)
			add(guesses.Replace(p))
		}
	}
	return out
}

// attack is one line of testdata/attacks/attacks.jsonl.gz.
type attack struct {
	Context string `json:"ctx"`
	SQL     string `json:"sql"`
}

package authz_test

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mysqlevidence/authz"
	"mysqlevidence/internal/mysqltest"
)

// acceptedAttack is an attack that the pipeline took for a question.
type acceptedAttack struct {
	context, payload string
	plan             authz.Plan
	text             string // canonical
	isData           bool   // the payload became one string, in its place
}

func (a acceptedAttack) String() string {
	return a.context + "\t" + strconv.Quote(a.payload)
}

// runAttacks plans every payload in every context. Both flavours must agree.
func runAttacks(t *testing.T) (tried int, accepted []acceptedAttack) {
	t.Helper()
	pipelines := attackPipelines(t)
	mysql, mariadb := pipelines["mysql 9.7"], pipelines["mariadb 10.11"]
	payloads := attackPayloads(t)
	for _, c := range attackContexts {
		data := ""
		if c.data != "" {
			plan, err := mysql.plan(c.with(c.data))
			if err != nil {
				t.Fatalf("%s: the harmless payload: %v", c.name, err)
			}
			data = mustShape(t, plan.SQL(rows))
		}
		for _, payload := range payloads {
			tried++
			plan, err := mysql.plan(c.with(payload))
			other, otherErr := mariadb.plan(c.with(payload))
			if (err == nil) != (otherErr == nil) || err == nil && plan.SQL(rows) != other.SQL(rows) {
				t.Errorf("%s %q: MySQL %v, MariaDB %v", c.name, payload, err, otherErr)
			}
			if err != nil {
				continue
			}
			a := acceptedAttack{context: c.name, payload: payload, plan: plan, text: plan.SQL(rows)}
			a.isData = data != "" && mustShape(t, a.text) == data
			accepted = append(accepted, a)
		}
	}
	return tried, accepted
}

func mustShape(t *testing.T, text string) string {
	t.Helper()
	s, err := shape(text)
	if err != nil {
		t.Fatalf("canonical text can't be read: %v\n%s", err, text)
	}
	return s
}

// TestNoAttackReachesBeyondTheAllowlist plans every attack once, and looks at the
// accepted ones in three ways.
func TestNoAttackReachesBeyondTheAllowlist(t *testing.T) {
	tried, accepted := runAttacks(t)
	t.Run("what is accepted names nothing outside it", func(t *testing.T) { inspectAttacks(t, accepted) })
	t.Run("what is accepted is listed with a reason", func(t *testing.T) { compareWithReasons(t, tried, accepted) })
	for _, server := range mysqltest.Both(t) {
		t.Run("what is accepted runs under grants equal to it/"+server.Flavour, func(t *testing.T) {
			t.Parallel()
			runOn(t, server, accepted)
		})
	}
}

// inspectAttacks reads the canonical text of each accepted attack with other code
// than wrote it: nothing in it lies outside the allowlist or is of a kind that
// nobody expected, and sensitive columns are only ever items that the plan masks.
func inspectAttacks(t *testing.T, accepted []acceptedAttack) {
	for _, a := range accepted {
		sensitive, err := inspect(a.text)
		if err != nil {
			t.Errorf("%s: %v\n%s", a, err, a.text)
			continue
		}
		var masked []int
		for i, c := range a.plan.Columns() {
			if c.Mask != "" {
				masked = append(masked, i)
			}
		}
		if !reflect.DeepEqual(masked, sensitive) {
			t.Errorf("%s: items %v are masked, %v are sensitive\n%s", a, masked, sensitive, a.text)
		}
	}
}

// compareWithReasons fails for an attack that is newly accepted until somebody enters
// it in testdata/attacks/accepted.txt, under a reason why it is harmless. Payloads
// that became one string in their place are data by construction and only counted.
func compareWithReasons(t *testing.T, tried int, accepted []acceptedAttack) {
	list := readAcceptedList(t)
	data := 0
	var got []string
	for _, a := range accepted {
		if a.isData {
			data++
			continue
		}
		got = append(got, a.String())
		if !list.attacks[a.String()] {
			t.Errorf("accepted, but not in the list:\n%s\n%s", a, a.text)
		}
	}
	for listed := range list.attacks {
		if !slices.Contains(got, listed) {
			t.Errorf("in the list, but not accepted: %s", listed)
		}
	}
	if tried != list.tried || data != list.data || len(got) != len(list.attacks) {
		t.Errorf("%d tried, %d data, %d listed; the list says %d, %d, %d", tried, data, len(got), list.tried, list.data, len(list.attacks))
	}
}

// acceptedList is testdata/attacks/accepted.txt.
type acceptedList struct {
	tried, data int
	attacks     map[string]bool // context, tab, quoted payload
}

// readAcceptedList reads "tried N", "data N", and for each reason a line
// "class NAME: why" followed by its attacks, each a context, a tab and a payload
// as Go quotes it.
func readAcceptedList(t *testing.T) acceptedList {
	t.Helper()
	f, err := os.Open("../testdata/attacks/accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := acceptedList{attacks: map[string]bool{}}
	underReason := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case scan(line, "tried %d", &list.tried), scan(line, "data %d", &list.data):
		case strings.HasPrefix(line, "class "):
			name, why, ok := strings.Cut(strings.TrimPrefix(line, "class "), ": ")
			if underReason = ok && name != "" && len(why) > 20; !underReason {
				t.Fatalf("a class without a reason: %q", line)
			}
		case !underReason || !strings.Contains(line, "\t") || list.attacks[line]:
			t.Fatalf("not under a reason, or twice: %q", line)
		default:
			list.attacks[line] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func scan(line, format string, into *int) bool {
	_, err := fmt.Sscanf(line, format, into)
	return err == nil
}

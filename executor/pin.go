package executor

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mysqlevidence/authz"
)

// sqlMode decides how a server reads our text: without it a string literal, NOT
// and GROUP BY can mean something else than what was authorized.
const sqlMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

// pins are the properties of a session that the later promises rest on.
type pins struct {
	timeout     time.Duration // the server's own limit of one statement
	groupConcat int           // bytes at which GROUP_CONCAT is cut, silently
}

// newPins leaves GROUP_CONCAT room for a cell of cellBytes characters of four
// bytes and one more, so that a cut is ours and is marked.
func newPins(timeout time.Duration, cellBytes int) pins {
	return pins{timeout: timeout, groupConcat: int(authz.GroupConcatLength(cellBytes))}
}

// pin is one property: how it is set, and what reading it back must give.
type pin struct {
	read string // expression
	set  string // assignment, "" where SET NAMES does it
	ok   func(got string) bool
}

func is(want string) func(string) bool { return func(got string) bool { return got == want } }

// list is every pin for the flavour. Apart from the sql_mode these are: text in
// utf8mb4 with one collation for literals and parameters alike; UTC; no
// transaction that outlives a statement and shows old data; no IS NULL with a
// second meaning; no writes; an end to every statement.
func (p pins) list(f flavour) []pin {
	utf8 := is("utf8mb4")
	millis := p.timeout.Milliseconds()
	all := []pin{
		{"@@SESSION.character_set_client", "", utf8},
		{"@@SESSION.character_set_connection", "", utf8},
		{"@@SESSION.character_set_results", "", utf8},
		{"COLLATION(_utf8mb4 X'61') = @@SESSION.collation_connection", "", is("1")},
		{"@@SESSION.sql_mode", "SESSION sql_mode = '" + sqlMode + "'", sameModes},
		{"@@SESSION.time_zone", "SESSION time_zone = '+00:00'", is("+00:00")},
		{"@@SESSION.autocommit", "SESSION autocommit = 1", is("1")},
		{"@@SESSION.sql_auto_is_null", "SESSION sql_auto_is_null = 0", is("0")},
		{"@@SESSION.group_concat_max_len", fmt.Sprintf("SESSION group_concat_max_len = %d", p.groupConcat), is(strconv.Itoa(p.groupConcat))},
	}
	if f.mariadb {
		return append(all,
			pin{"@@SESSION.tx_read_only", "SESSION tx_read_only = 1", is("1")},
			pin{"@@SESSION.max_statement_time", fmt.Sprintf("SESSION max_statement_time = %d.%03d", millis/1000, millis%1000), seconds(millis)})
	}
	return append(all,
		pin{"@@SESSION.transaction_read_only", "SESSION transaction_read_only = 1", is("1")},
		pin{"@@SESSION.max_execution_time", fmt.Sprintf("SESSION max_execution_time = %d", millis), is(strconv.FormatInt(millis, 10))})
}

// sameModes compares as sets: servers print the modes in an order of their own.
func sameModes(got string) bool {
	return slices.Equal(modeSet(got), modeSet(sqlMode))
}

func modeSet(modes string) []string {
	out := strings.Split(strings.ToUpper(modes), ",")
	slices.Sort(out)
	return slices.Compact(out)
}

// seconds accepts MariaDB's decimal spelling of a number of milliseconds.
func seconds(millis int64) func(string) bool {
	return func(got string) bool {
		s, err := strconv.ParseFloat(got, 64)
		return err == nil && int64(s*1000+0.5) == millis
	}
}

// apply sets the pins, all in one statement. SESSION is written out: without it
// some of them would hold for one transaction only. SET NAMES has no COLLATE, so
// that the server's default collation of utf8mb4 is taken, which is also that of
// the literals with an introducer that are sent.
func (p pins) apply(ctx context.Context, c conn, f flavour) error {
	text := "SET NAMES utf8mb4"
	for _, one := range p.list(f) {
		if one.set != "" {
			text += ", " + one.set
		}
	}
	return execText(ctx, c, text)
}

// verify reads every pin back and names the first that doesn't hold. A proxy, an
// init_connect or a server that ignores a SET is found here.
func (p pins) verify(ctx context.Context, c conn, f flavour) error {
	all := p.list(f)
	reads := make([]string, len(all))
	for i, one := range all {
		reads[i] = one.read
	}
	row, err := queryRow(ctx, c, "SELECT "+strings.Join(reads, ", "))
	if err != nil {
		return err
	}
	if len(row) != len(all) {
		return fmt.Errorf("asked for %d settings and got %d", len(all), len(row))
	}
	for i, one := range all {
		if !one.ok(row[i]) {
			return pinError{setting: one.read, got: row[i]}
		}
	}
	return nil
}

// pinError says which setting doesn't hold.
type pinError struct{ setting, got string }

func (e pinError) Error() string {
	return fmt.Sprintf("%s is %q after it was set", e.setting, e.got)
}

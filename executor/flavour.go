package executor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// flavour is what a server says that it is.
type flavour struct {
	mariadb bool
	version string  // digits and dots: "8.4.3", "10.11.19"
	product product // "" for MySQL's and MariaDB's own
	release string  // the product's own version, "" where it isn't told apart
}

// product is a server or a service that speaks as MySQL does and isn't MySQL's or
// MariaDB's own.
type product string

const (
	aurora  product = "Aurora MySQL"
	percona product = "Percona Server"
)

// recognize asks a server what it is. Texts that the operator can change (a
// version's suffix, a comment) can make a server unfit and never fit.
func recognize(ctx context.Context, c conn) (flavour, error) {
	row, err := queryRow(ctx, c, "SELECT VERSION(), @@version_comment")
	if err != nil {
		return flavour{}, err
	}
	f := parseFlavour(row[0])
	if f.product, err = productOf(row[0], row[1]); err != nil {
		return f, err
	}
	if !f.mariadb {
		err = f.askAurora(ctx, c)
	}
	return f, err
}

// askAurora looks for the variable that only Aurora has. VERSION() there is that
// of the MySQL it derives from.
func (f *flavour) askAurora(ctx context.Context, c conn) error {
	row, err := queryRow(ctx, c, "SELECT @@aurora_version")
	if _, unknown := errors.AsType[*mysql.MySQLError](err); unknown {
		return nil // 1193, unknown variable
	}
	if err == nil {
		f.product, f.release = aurora, row[0]
	}
	return err
}

// parseFlavour reads the answer to SELECT VERSION().
func parseFlavour(version string) flavour {
	mariadb := strings.Contains(strings.ToLower(version), "mariadb")
	if mariadb { // what MariaDB tells replicas before its version, and some proxies pass on
		version = strings.TrimPrefix(version, "5.5.5-")
	}
	end := 0
	for end < len(version) && (version[end] == '.' || version[end] >= '0' && version[end] <= '9') {
		end++
	}
	return flavour{mariadb: mariadb, version: strings.Trim(version[:end], ".")}
}

// errImitation means that a server speaks as MySQL does without being it.
var errImitation = errors.New("the server is not MySQL or MariaDB")

// productOf names who made the server. Of those that imitate MySQL some accept
// the settings of a session, read them back as they were set, and do nothing of
// it: TiDB (with tidb_enable_noop_functions) and Vitess don't make a session
// read-only. So they are known by name, and refused.
func productOf(version, comment string) (product, error) {
	told := strings.ToLower(version + " " + comment)
	for _, name := range []string{"TiDB", "Vitess", "PlanetScale", "OceanBase", "SingleStore", "MemSQL", "Dolt",
		"StarRocks", "Doris", "TDDL", "PolarDB-X", "ClickHouse", "Databend", "GreptimeDB", "CrateDB", "ManticoreSearch"} {
		if strings.Contains(told, strings.ToLower(name)) {
			return product(name), fmt.Errorf("%w but %s: it says %q, %q", errImitation, name, version, comment)
		}
	}
	if strings.Contains(told, "percona") {
		return percona, nil
	}
	return "", nil
}

// supported reports whether the server is of a version on which the promises of
// this package can hold: MySQL 8.0 has roles, the limit of a statement's time
// and the grammar that is rendered; MariaDB has it all since 10.6.
func (f flavour) supported() bool {
	least := [2]int{8, 0}
	if f.mariadb {
		least = [2]int{10, 6}
	}
	major, rest, _ := strings.Cut(f.version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	return errA == nil && errB == nil && (a > least[0] || a == least[0] && b >= least[1])
}

// family is the first word of the config's flavour.
func (f flavour) family() string {
	if f.mariadb {
		return "mariadb"
	}
	return "mysql"
}

func (f flavour) String() string { return f.family() + " " + f.version }

// agrees reports whether the server is what the config says: the family, and as
// many parts of the version as are given. Which functions are native depends on
// both, and a name that isn't native would call a stored function.
func (f flavour) agrees(want string) bool {
	if want == "" {
		return true
	}
	family, version, _ := strings.Cut(want, " ")
	if family != f.family() {
		return false
	}
	return version == "" || f.version == version || strings.HasPrefix(f.version, version+".")
}

// identity is an expression that differs between servers, so that a KILL never
// goes to a server that the session isn't on.
func (f flavour) identity() string {
	switch {
	case f.mariadb:
		return "CONCAT_WS('|', @@hostname, @@port, @@server_id, @@datadir, @@pid_file)"
	case f.product == aurora: // the instances of a cluster have one volume between them
		return "CONCAT_WS('|', @@server_uuid, @@hostname, @@port, @@datadir, @@aurora_server_id)"
	}
	return "CONCAT_WS('|', @@server_uuid, @@hostname, @@port, @@datadir)"
}

package authz_test

import (
	"fmt"
	"strings"
)

// genTable is one table of the generator's schema: what the allowlist has of it,
// each column with its kind, and what it hides.
type genTable struct {
	name    string // as a query writes it within its schema
	second  bool   // in the second schema
	columns []genColumn
	hidden  []string
}

type genColumn struct {
	name      string // as a query writes it
	kind      byte   // n number, s text, d date, t time, j JSON
	sensitive string // the config's words; "" for a plain column
}

// columns reads "name:kind" and "name:kind:words of the config", one a line.
func columns(text string) []genColumn {
	var out []genColumn
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		kind, sensitive, _ := strings.Cut(rest, ":")
		out = append(out, genColumn{name, kind[0], sensitive})
	}
	return out
}

// genTables is the generator's schema. Names are hidden in one table and allowed
// in another, reserved, quoted, not ASCII, alike but for case, or a keyword of
// the language; the types are those that people have.
var genTables = []genTable{
	{name: "customers", columns: columns(`id:n
		name:s
		email:s:redact
		phone:s:{mask: redact, filter: equality, type: text}
		pin:n:{mask: pseudonym, filter: equality, type: integer}
		city:s
		tier:n
		note:s
		created_at:d`), hidden: []string{"ssn", "token", "total"}},
	{name: "orders", columns: columns(`id:n
		customer_id:n
		status:s
		total:n
		qty:n
		placed_at:d`), hidden: []string{"internal_note", "city", "kind"}},
	{name: "`Order`", columns: columns("`key`:n\n`group`:s\n`Select`:n\n`from`:s\n`rank`:n"), hidden: []string{"secret", "id"}},
	{name: "MixedCase", columns: columns("Id:n\nUserName:s\n`Full Name`:s"), hidden: []string{"hidden"}},
	{name: "events", columns: columns("id:n\nkind:s\npayload:j\n`at`:d\nflag:n\nraw:s"), hidden: []string{"token"}},
	{name: "`odd``name`", columns: columns("`a.b`:s\n`Čas`:t\n`a``b`:n\n`1a`:s\n`x y`:d"), hidden: []string{"`0x`", "val"}},
	{name: "measures", columns: columns(`id:n
		small:n
		big:n
		ratio:n
		share:n
		day:d
		span:t
		moment:d
		yr:n
		size:s
		tags:s`), hidden: []string{"status", "x"}},
	{name: "order_summary", columns: columns("id:n\nstatus:s\ntotal:n"), hidden: []string{"email"}},
	{name: "regions", second: true, columns: columns("id:n\ncity:s\nregion:s"), hidden: []string{"boss", "tier"}},
}

// genYAML is the config that allows the generator's schema. The functions are
// the default ones.
func genYAML(main, second string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pseudonym_key: {env: KEY}\ndata_sources:\n  generated:\n    default_schema: %s\n    allow:\n", main)
	for i, schema := range []string{main, second} {
		fmt.Fprintf(&b, "      %s:\n", schema)
		for _, t := range genTables {
			if t.second == (i == 1) {
				b.WriteString(t.yaml())
			}
		}
	}
	return b.String()
}

func (t genTable) yaml() string {
	var plain, sensitive []string
	for _, c := range t.columns {
		if c.sensitive == "" {
			plain = append(plain, fmt.Sprintf("%q", bare(c.name)))
		} else {
			sensitive = append(sensitive, fmt.Sprintf("%q: %s", bare(c.name), c.sensitive))
		}
	}
	return fmt.Sprintf("        %q:\n          columns: [%s]\n          sensitive: {%s}\n",
		bare(t.name), strings.Join(plain, ", "), strings.Join(sensitive, ", "))
}

// bare is the name without its backticks.
func bare(name string) string {
	if strings.HasPrefix(name, "`") {
		return strings.ReplaceAll(name[1:len(name)-1], "``", "`")
	}
	return name
}

// genScript creates the schema, with %[1]s for the main database and %[2]s for
// the second. Few rows, so that a product of three tables stays small, but with
// NULLs, duplicates, zeros, negative numbers, and texts that quote and escape. No
// two texts are equal but for case: a group of such has no one value to compare.
const genScript = `
CREATE TABLE %[1]s.customers (id INT PRIMARY KEY, name VARCHAR(60) NOT NULL, email VARCHAR(100) NOT NULL, phone VARCHAR(20), pin INT,
	city VARCHAR(40) NOT NULL, tier INT NOT NULL, note VARCHAR(80), created_at DATETIME NOT NULL, ssn CHAR(11) NOT NULL DEFAULT 'SSN',
	token VARCHAR(20) NOT NULL DEFAULT 'TOKEN', total INT NOT NULL DEFAULT 77);
INSERT INTO %[1]s.customers (id, name, email, phone, pin, city, tier, note, created_at) VALUES
	(1, 'Ann', 'ann@example.com', '+1-555', 1111, 'Oslo', 1, 'it''s ok', '2024-01-05 10:00:00'),
	(2, 'Bob', 'bob@example.com', NULL, 2222, 'Bergen', 2, '50%% off_x', '2024-02-29 11:30:15'),
	(3, 'Čeněk', 'cenek@example.com', '+420', NULL, 'Praha', 3, NULL, '2023-12-31 23:59:59'),
	(4, 'dan', 'dan@example.com', '+47', 4444, 'Oslo', 1, 'back\\slash', '2024-04-05 13:00:00'),
	(5, 'Eva 5', 'eva@example.com', '+47', 1111, 'Bergen', 0, '', '2024-01-05 10:00:00'),
	(6, '  Fay ', 'fay@example.com', '+1-555', 0, 'Praha', 2, 'paid', '2025-07-01 00:00:00');
CREATE TABLE %[1]s.orders (id INT PRIMARY KEY, customer_id INT NOT NULL, status VARCHAR(20) NOT NULL, total DECIMAL(10,2) NOT NULL, qty INT,
	placed_at DATETIME NOT NULL, internal_note VARCHAR(100) DEFAULT 'note', city VARCHAR(20) DEFAULT 'HIDDEN', kind INT DEFAULT 5, KEY k_cust (customer_id));
INSERT INTO %[1]s.orders (id, customer_id, status, total, qty, placed_at) VALUES
	(1, 1, 'paid', 10.50, 1, '2024-05-01 08:00:00'), (2, 1, 'open', 20.00, 2, '2024-05-02 09:30:00'),
	(3, 2, 'paid', 7.25, 3, '2024-05-03 10:45:00'), (4, 3, 'void', 100.00, NULL, '2024-06-01 00:00:00'),
	(5, 4, 'open', 0.00, 0, '2024-06-15 23:59:59'), (6, 9, 'paid', -5.05, 2, '2023-02-28 12:00:01'),
	(7, 2, 'void', 10.50, 1, '2024-05-01 08:00:00');
CREATE TABLE %[1]s.` + "`Order` (`key` INT PRIMARY KEY, `group` VARCHAR(20), `Select` INT, `from` VARCHAR(20), `rank` INT, secret VARCHAR(20) DEFAULT 's', id INT DEFAULT 1)" + `;
INSERT INTO %[1]s.` + "`Order` (`key`, `group`, `Select`, `from`, `rank`)" + ` VALUES (1, 'g1', 10, 'f1', 5), (2, 'g2', 20, 'f2', 6), (3, 'g1', NULL, 'f1', -5), (4, NULL, 10, '2', 0);
CREATE TABLE %[1]s.MixedCase (Id INT PRIMARY KEY, UserName VARCHAR(30), ` + "`Full Name`" + ` VARCHAR(40), hidden VARCHAR(20) DEFAULT 'h');
INSERT INTO %[1]s.MixedCase (Id, UserName, ` + "`Full Name`" + `) VALUES (1, 'Mia', 'Mia M'), (2, 'Max', 'Max M'), (3, 'O"Neil', '_a_'), (5, '12abc', NULL);
CREATE TABLE %[1]s.mixedcase (Id INT PRIMARY KEY, UserName VARCHAR(30));
INSERT INTO %[1]s.mixedcase VALUES (9, 'WRONG-TABLE');
CREATE TABLE %[1]s.events (id INT PRIMARY KEY, kind VARCHAR(20), payload JSON, at DATETIME(3), flag BIT(8), raw VARBINARY(40), token VARCHAR(20) DEFAULT 'T');
INSERT INTO %[1]s.events (id, kind, payload, at, flag, raw) VALUES
	(1, 'click', '{"x": 1, "y": {"z": "q"}, "a b": [1, 2]}', '2024-05-01 08:00:00.123', b'101', x'00FF41'),
	(2, 'view', '{"x": "it\\u0027s", "list": [3, null, true]}', '2024-05-02 08:00:00.000', b'11', x'275C0A'),
	(3, 'click', '[1, "two", {"x": 2.5}]', '2024-02-29 23:59:59.999', b'0', 'paid'), (4, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE %[1]s.` + "`odd``name` (`a.b` VARCHAR(20), `Čas` TIME(2), `a``b` DECIMAL(12,4), `1a` CHAR(5), `x y` DATE, `0x` VARCHAR(20) DEFAULT 'HIDDEN', val INT DEFAULT 3)" + `;
INSERT INTO %[1]s.` + "`odd``name` (`a.b`, `Čas`, `a``b`, `1a`, `x y`)" + ` VALUES ('ž', '08:30:00.25', 1.5000, 'paid', '2024-05-01'), ('open', '-100:00:01', -0.0001, 'x', '2023-12-31'),
	(NULL, '00:00:00', 0, '', NULL), ('50%%', NULL, 99999999.9999, 'x', '2024-02-29');
CREATE TABLE %[1]s.measures (id INT PRIMARY KEY, small TINYINT, big BIGINT UNSIGNED, ratio DOUBLE, share FLOAT, day DATE, span TIME, moment TIMESTAMP NULL,
	yr YEAR, size ENUM('small', 'big', 'x'), tags SET('a', 'b', 'c'), status INT DEFAULT 4, x INT DEFAULT 8);
INSERT INTO %[1]s.measures (id, small, big, ratio, share, day, span, moment, yr, size, tags) VALUES
	(1, -128, 18446744073709551615, 0.1, 0.5, '2024-01-01', '10:11:12', '2024-05-01 08:00:00', 2024, 'small', 'a,b'),
	(2, 0, 0, -2.5e10, 1.25, '2024-02-29', '-00:00:01', '2024-01-01 00:00:00', 1999, 'big', ''),
	(3, 5, 12345, 3, -0.5, NULL, NULL, NULL, NULL, NULL, NULL), (4, 5, 2, 1e-3, 3, '2024-12-31', '838:59:59', '2037-01-01 00:00:00', 2155, 'x', 'c');
CREATE TABLE %[2]s.regions (id INT PRIMARY KEY, city VARCHAR(40), region VARCHAR(40), boss VARCHAR(40) DEFAULT 'BOSS', tier INT DEFAULT 1);
INSERT INTO %[2]s.regions (id, city, region) VALUES (1, 'Oslo', 'East'), (2, 'Bergen', 'West'), (3, 'Oslo', NULL), (4, 'Brno', 'East');
CREATE VIEW %[1]s.order_summary AS SELECT o.id AS id, o.status AS status, o.total AS total, c.email AS email
	FROM %[1]s.orders o JOIN %[1]s.customers c ON c.id = o.customer_id`

package mysqltest

import (
	"errors"
	"net"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

func TestBothServersHoldTheSameData(t *testing.T) {
	for _, query := range []string{
		`SELECT COUNT(*), SUM(amount), MAX(payment_date) FROM sakila.payment`,
		`SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', rental_id, rental_date, inventory_id, customer_id, return_date))) FROM sakila.rental`,
		`SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', film_id, title, description, rating, special_features))) FROM sakila.film`,
		`SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', title, description))) FROM sakila.film_text`,
		`SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', city, country_id))) FROM sakila.city`,
		`SELECT COUNT(*), SUM(ROUND(ST_X(location) * 1000)), SUM(ROUND(ST_Y(location) * 1000)) FROM sakila.address`,
		`SELECT COUNT(*), SUM(LENGTH(picture)) FROM sakila.staff`,
		`SELECT COUNT(*), SUM(total_sales) FROM sakila.sales_by_store`,
		`SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', id, name, email, note, created_at))) FROM traps.customers`,
		`SELECT COUNT(*), SUM(flag), MAX(HEX(raw)) FROM traps.events`,
		`SELECT COUNT(*), MAX(city) FROM traps_priv.regions`,
		`SELECT COUNT(*), MAX(status) FROM Traps.orders`,
		`SELECT COUNT(*), MAX(table_name) FROM information_schema.tables WHERE table_schema IN ('sakila', 'traps', 'traps_priv', 'Traps')`,
		`SELECT COUNT(*), MAX(routine_name) FROM information_schema.routines WHERE routine_schema IN ('sakila', 'traps')`,
	} {
		var answers [][]string
		for _, s := range Both(t) {
			answers = append(answers, firstRow(t, s, query))
		}
		if !reflect.DeepEqual(answers[0], answers[1]) || answers[0][0] == "0" {
			t.Errorf("%s\nMySQL   %q\nMariaDB %q", query, answers[0], answers[1])
		}
	}
}

func firstRow(t *testing.T, s *Server, query string) []string {
	t.Helper()
	rows, err := s.DB(t).Query(query)
	if err != nil {
		t.Fatalf("%s: %v", s.Flavour, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatalf("%s: no row: %v, %v", s.Flavour, err, rows.Err())
	}
	cells := make([]string, len(columns))
	targets := make([]any, len(columns))
	for i := range cells {
		targets[i] = &cells[i]
	}
	if err := rows.Scan(targets...); err != nil {
		t.Fatalf("%s: %v", s.Flavour, err)
	}
	return cells
}

func TestAccountsMayReadWhatTheyAreGrantedAndNoMore(t *testing.T) {
	const denied = 1142 // of a whole table; 1143 of a column
	for _, c := range []struct {
		account    Account
		query      string
		wantDenied bool
	}{
		{Sakila, "SELECT * FROM sakila.film LIMIT 1", false},
		{Sakila, "SELECT * FROM sakila.actor_info LIMIT 1", false},
		{Sakila, "SELECT username, email FROM sakila.staff LIMIT 1", false},
		{Sakila, "SELECT password FROM sakila.staff LIMIT 1", true},
		{Sakila, "SELECT picture FROM sakila.staff LIMIT 1", true},
		{Sakila, "DELETE FROM sakila.film_text", true},
		{Sakila, "SELECT id FROM traps.customers LIMIT 1", true},
		{Awkward, "SELECT * FROM sakila.staff_list LIMIT 1", false},
		{Awkward, "SELECT password FROM sakila.staff LIMIT 1", true},
		{TrapAllow, "SELECT id, email FROM traps.customers LIMIT 1", false},
		{TrapAllow, "SELECT total FROM traps.order_summary LIMIT 1", false},
		{TrapAllow, "SELECT ssn FROM traps.customers LIMIT 1", true},
		{TrapAllow, "SELECT email FROM traps.order_summary LIMIT 1", true},
		{TrapAllow, "SELECT token FROM traps.secrets LIMIT 1", true},
		{TrapAllow, "SELECT title FROM sakila.film LIMIT 1", true},
	} {
		for _, s := range Both(t) {
			_, err := s.Open(t, c.account, "").Exec(c.query)
			var refusal *mysql.MySQLError
			isDenied := errors.As(err, &refusal) && (refusal.Number == denied || refusal.Number == denied+1)
			if isDenied != c.wantDenied || (!isDenied && err != nil) {
				t.Errorf("%s as %s: %s: %v", s.Flavour, c.account.User, c.query, err)
			}
		}
	}
}

func TestADSNCarriesAnyPassword(t *testing.T) {
	for _, s := range Both(t) {
		c, err := mysql.ParseDSN(s.DSN(Awkward, "sakila"))
		if err != nil {
			t.Fatal(err)
		}
		if c.User != Awkward.User || c.Passwd != Awkward.Password || c.DBName != "sakila" {
			t.Errorf("read back as %q, %q, %q", c.User, c.Passwd, c.DBName)
		}
	}
}

func TestAScratchDatabaseGoesWithItsTest(t *testing.T) {
	for _, s := range Both(t) {
		var name string
		t.Run(s.Flavour, func(t *testing.T) {
			name = s.Scratch(t)
			if _, err := s.Open(t, Root, name).Exec("CREATE TABLE a (id INT)"); err != nil {
				t.Error(err)
			}
		})
		left := firstRow(t, s, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = '"+name+"'")
		if left[0] != "0" {
			t.Errorf("%s: %s is still there", s.Flavour, name)
		}
	}
}

func TestServersListenOnLoopbackOnly(t *testing.T) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.To4() == nil {
			continue
		}
		for _, s := range Both(t) {
			address := net.JoinHostPort(ip.String(), strconv.Itoa(s.Port))
			if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
				conn.Close()
				t.Errorf("%s answers at %s", s.Flavour, address)
			}
		}
	}
}

package engine

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// shared is the engine of the tests that only ask. It ends with the process.
var shared = sync.OnceValues(func() (*Engine, error) { return Start(context.Background()) })

func running(t *testing.T) *Engine {
	t.Helper()
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// start gives the test an engine of its own.
func start(t *testing.T) *Engine {
	t.Helper()
	e, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// connect opens one connection of the engine's account.
func connect(t *testing.T, e *Engine) *sql.Conn {
	t.Helper()
	db := open(t, e, e.Password())
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func open(t *testing.T, e *Engine, password string) *sql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd = "tcp", e.Addr(), e.User(), password
	config.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// ask returns the rows, the columns joined by "|". With arguments the statement is
// prepared, so that values come in the binary protocol.
func ask(t *testing.T, c *sql.Conn, text string, args ...any) []string {
	t.Helper()
	out, err := query(t.Context(), c, text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func query(ctx context.Context, c *sql.Conn, text string, args ...any) ([]string, error) {
	rows, err := c.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var out []string
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		cells := make([]string, len(values))
		for i, v := range values {
			if cells[i] = v.String; !v.Valid {
				cells[i] = "NULL"
			}
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out, rows.Err()
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func number(err error) uint16 {
	if answer, ok := err.(*mysql.MySQLError); ok {
		return answer.Number
	}
	return 0
}

func TestItListensOnLoopbackOnly(t *testing.T) {
	host, _, err := net.SplitHostPort(running(t).Addr())
	if err != nil || !net.ParseIP(host).IsLoopback() {
		t.Errorf("listens on %q, %v", host, err)
	}
}

func TestItNamesItselfAndNotMySQL(t *testing.T) {
	got := ask(t, connect(t, running(t)), "SELECT VERSION(), @@version_comment, CONNECTION_ID() > 0")
	same(t, "version", got, "8.0.31-go-mysql-server|the demo's embedded engine (go-mysql-server), not MySQL|1")
}

func TestAnotherPasswordIsRefused(t *testing.T) {
	e := running(t)
	for _, password := range []string{"", "x", e.Password() + "x"} {
		if err := open(t, e, password).PingContext(t.Context()); number(err) != 1045 {
			t.Errorf("password %q: %v", password, err)
		}
	}
	if e.Password() == start(t).Password() {
		t.Error("two engines have one password")
	}
}

func TestEveryTableIsComplete(t *testing.T) {
	c := connect(t, running(t))
	for table, rows := range map[string]int{
		"actor": 200, "address": 603, "category": 16, "city": 600, "country": 109, "customer": 599,
		"film": 1000, "film_actor": 5462, "film_category": 1000, "film_text": 1000, "inventory": 4581,
		"language": 6, "payment": 16044, "rental": 16044, "staff": 2, "store": 2,
	} {
		same(t, table, ask(t, c, "SELECT COUNT(*) FROM sakila."+table), fmt.Sprint(rows))
	}
}

func TestEveryViewAnswers(t *testing.T) {
	c := connect(t, running(t))
	for view, rows := range map[string]int{
		"customer_list": 599, "film_list": 997, "nicer_but_slower_film_list": 997,
		"staff_list": 2, "sales_by_store": 2, "sales_by_film_category": 16,
	} {
		if got := len(ask(t, c, "SELECT * FROM sakila."+view)); got != rows {
			t.Errorf("%s has %d rows, want %d", view, got, rows)
		}
	}
}

func TestEveryKindOfValueIsWhole(t *testing.T) {
	c := connect(t, running(t))
	same(t, "film", ask(t, c, "SELECT title, release_year, original_language_id, rental_rate, rating, special_features, last_update FROM sakila.film WHERE film_id = ?", 1),
		"ACADEMY DINOSAUR|2006|NULL|0.99|PG|Deleted Scenes,Behind the Scenes|2006-02-15 05:03:42")
	same(t, "city", ask(t, c, "SELECT city FROM sakila.city WHERE city_id = ?", 1), "A Coruña (La Coruña)")
	same(t, "bytes and geometry", ask(t, c, "SELECT LENGTH(s.picture), HEX(a.location) FROM sakila.staff s JOIN sakila.address a ON a.address_id = 1 WHERE s.staff_id = ?", 1),
		"36365|0000000001010000003E0A325D63345CC0761FDB8D99D94840")
	same(t, "empty and NULL", ask(t, c, "SELECT address2 IS NULL, COUNT(*) FROM sakila.address GROUP BY 1 ORDER BY 1"), "0|599", "1|4")
}

func TestCloseEndsEverything(t *testing.T) {
	e, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, e)
	failed := make(chan error)
	go func() {
		_, err := query(t.Context(), c, endless)
		failed <- err
	}()
	time.Sleep(100 * time.Millisecond)
	begun := time.Now()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("the statement that ran gave an answer")
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("closing took %v", took)
	}
	if _, err := net.Dial("tcp", e.Addr()); err == nil {
		t.Error("it still accepts connections")
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx); err == nil {
		t.Error("it started")
	}
}

func TestManyConnectionsReadAtOnce(t *testing.T) {
	e := running(t)
	var all sync.WaitGroup
	for range 8 {
		c := connect(t, e)
		all.Go(func() {
			for range 3 {
				got, err := query(t.Context(), c, "SELECT COUNT(*) FROM sakila.film f LEFT JOIN sakila.inventory i ON i.film_id = f.film_id LEFT JOIN sakila.rental r ON r.inventory_id = i.inventory_id AND r.rental_id > ?", 0)
				if err != nil || !slices.Equal(got, []string{"16087"}) {
					t.Errorf("%q, %v", got, err)
				}
			}
		})
	}
	all.Wait()
}

package boundary_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"mysqlevidence/boundary"
	"mysqlevidence/internal/mysqltest"
)

const gatedAllow = sakilaAllow + "        customer_list: {columns: [ID, name, city]}\n"

// gated is a boundary whose queries may examine 2000 rows, on an account that may
// read Sakila's views but not see how they are made.
func gated(t *testing.T, server *mysqltest.Server) *service {
	return start(t, "limits: {max_estimated_rows: 2000}"+sakilaConfig(server, gatedAllow), nil)
}

func TestATooExpensiveQueryIsRefusedWithTheNextStep(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			s := gated(t, server)
			r := s.ask("SELECT r.rental_id FROM rental r JOIN payment p ON p.amount <> r.inventory_id")
			var got struct {
				Status string         `json:"status"`
				Error  map[string]any `json:"error"`
			}
			if err := json.Unmarshal(r.JSON, &got); err != nil {
				t.Fatal(err)
			}
			hint, _ := got.Error["hint"].(string)
			message, _ := got.Error["message"].(string)
			if !strings.Contains(hint, "without an index") || !strings.Contains(hint, "describe_schema") || !strings.Contains(message, "2000") ||
				strings.Contains(hint+message, "t1") || strings.Contains(hint+message, "t2") {
				t.Errorf("the asker is told %s %s", message, hint)
			}
			delete(got.Error, "hint")
			delete(got.Error, "message")
			want := map[string]any{"code": "too_expensive", "reason": "estimated_rows", "stage": "execute", "retryable": false, "request_id": "call 1"}
			if got.Status != "REFUSED" || !reflect.DeepEqual(got.Error, want) {
				t.Errorf("got %s", r.JSON)
			}
			rec := s.last(t)
			if rec.Status != "REFUSED" || rec.Code != boundary.CodeTooExpensive || rec.Outcome.Reason != "estimated_rows" || rec.Stage != "execute" ||
				rec.CostGate != "" || rec.EvidenceSHA256 != "" || !strings.Contains(rec.SQL, "`payment`") {
				t.Errorf("the record is %+v", rec)
			}
			if r.Fault.HTTPStatus() != 400 {
				t.Errorf("HTTP status %d", r.Fault.HTTPStatus())
			}
		})
	}
}

func TestTheRecordSaysWhetherThePlanWasLookedAt(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			s := gated(t, server)
			for _, c := range []struct{ sql, status, gate string }{
				{"SELECT amount FROM payment WHERE payment_id = 5", "OK", "passed"},
				{"SELECT amount FROM payment WHERE payment_id = -5", "NO_EVIDENCE", "passed"},
				{"SELECT 18446744073709551615 + payment_id AS x FROM payment WHERE payment_id = 5", "REFUSED", "passed"},
				{"SELECT name FROM customer_list WHERE ID = 5", "OK", "skipped"},
				{"SELECT c.name FROM customer_list c JOIN payment p ON p.customer_id = c.ID WHERE p.payment_id = 5", "OK", "skipped"},
				{"SELECT 18446744073709551615 + ID AS x FROM customer_list", "REFUSED", "skipped"}, // fails on its first row
				{"SELECT 18446744073709551017 + ID AS x FROM customer_list", "REFUSED", "skipped"}, // and on one of the others
				{"SELECT nothing FROM payment", "REFUSED", ""},
			} {
				s.ask(c.sql)
				if rec := s.last(t); rec.Status != c.status || rec.CostGate != c.gate {
					t.Errorf("%s: %s %s, gate %q; want %s, %q", c.sql, rec.Status, rec.Outcome.Reason, rec.CostGate, c.status, c.gate)
				}
				if !strings.Contains(s.log.String(), `request_id="`+s.last(t).CallID+`"`) {
					t.Errorf("%s: no line of the log has the call's ID", c.sql)
				}
			}
			s.call(context.Background(), "sample_table", args{"data_source": "shop", "table": "payment"})
			if rec := s.last(t); rec.Status != "OK" || rec.Rows != 10 || rec.CostGate != "passed" {
				t.Errorf("a sample of a large table: %+v", rec)
			}
			s.call(context.Background(), "list_data_sources", args{})
			if rec := s.last(t); rec.CostGate != "" {
				t.Errorf("a call without a query: %+v", rec)
			}
		})
	}
}

func TestWithoutACostGateTheRecordSaysNothingOfOne(t *testing.T) {
	s := start(t, sakilaConfig(mysqltest.MySQL(t), gatedAllow), nil)
	for _, sql := range []string{"SELECT amount FROM payment WHERE payment_id = 5", "SELECT name FROM customer_list WHERE ID = 5"} {
		s.ask(sql)
		if rec := s.last(t); rec.Status != "OK" || rec.CostGate != "" {
			t.Errorf("%s: %+v", sql, rec)
		}
	}
}

package boundary_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mysqlevidence/boundary"
	"mysqlevidence/internal/mysqltest"
)

func TestTheSchemaIsTheAllowlistsAndNamesNothingElse(t *testing.T) {
	for _, server := range mysqltest.Both(t) {
		t.Run(server.Flavour, func(t *testing.T) {
			s := start(t, sakilaConfig(server, sakilaAllow), nil)
			r := s.call(context.Background(), "describe_schema", args{"data_source": "shop"})
			if r.Fault != nil {
				t.Fatal(r.Fault)
			}
			text := string(r.JSON)
			for _, has := range []string{
				`"table":"rental"`, `{"name":"customer_id","type":"smallint`, `"references":"sakila.customer.customer_id"`,
				`{"name":"email","type":"varchar","sensitive":"redact"}`, `"sensitive":"pseudonym","filter":"equality","filter_type":"text"`,
				`"description":"Who rents"`, `"key":"primary"`, "One SELECT",
			} {
				if !strings.Contains(text, has) {
					t.Errorf("%s is missing in %s", has, text)
				}
			}
			detail := s.call(context.Background(), "describe_schema", args{"data_source": "shop", "table": "rental"})
			if detail.Fault != nil {
				t.Fatal(detail.Fault)
			}
			if d := string(detail.JSON); !strings.Contains(d, `"foreign_keys":[{`) || !strings.Contains(d, `"nullable":false`) || !strings.Contains(d, `"indexes":[{"name":"PRIMARY"`) || strings.Contains(d, `"table":"customer"`) {
				t.Errorf("got %s", d)
			}
			for _, hidden := range []string{"password", "picture", "address_id", "last_update", "actor", "idx_last_name", "staff_id,", "fk_rental_staff", "127.0.0.1"} {
				if strings.Contains(text+string(detail.JSON), hidden) {
					t.Errorf("%q is named", hidden)
				}
			}
			if rec := s.last(t); rec.Status != "OK" || rec.Rows != 1 || rec.EvidenceSHA256 == "" {
				t.Errorf("the record is %+v", rec)
			}
		})
	}
}

func TestEveryAnswerFitsItsOutputSchemasKeys(t *testing.T) {
	s := start(t, sakilaConfig(mysqltest.MySQL(t), sakilaAllow), nil)
	answers := map[string]boundary.Result{
		"list_data_sources": s.call(context.Background(), "list_data_sources", args{}),
		"describe_schema":   s.call(context.Background(), "describe_schema", args{"data_source": "shop", "table": "rental"}),
		"sample_table":      s.call(context.Background(), "sample_table", args{"data_source": "shop", "table": "customer"}),
		"run_query":         s.ask("SELECT customer_id FROM customer WHERE customer_id < 0"),
	}
	fault := s.ask("SELECT * FROM customer")
	for _, spec := range s.Tools() {
		var schema struct {
			OneOf []closedSchema `json:"oneOf"`
		}
		if err := json.Unmarshal(spec.OutputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for i, r := range []boundary.Result{answers[spec.Name], fault} {
			var v any
			if err := json.Unmarshal(r.JSON, &v); err != nil {
				t.Fatal(err)
			}
			if bad := schema.OneOf[i].check(spec.Name, v); len(bad) > 0 {
				t.Errorf("%s: %v", r.JSON, bad)
			}
		}
	}
}

// closedSchema is the part of JSON Schema that the tools use for objects.
type closedSchema struct {
	Type       string                  `json:"type"`
	Enum       []any                   `json:"enum"`
	Properties map[string]closedSchema `json:"properties"`
	Required   []string                `json:"required"`
	Items      *closedSchema           `json:"items"`
	Additional *bool                   `json:"additionalProperties"`
}

func (c closedSchema) check(at string, v any) []string {
	var bad []string
	if c.Enum != nil && !slices.Contains(c.Enum, v) {
		bad = append(bad, fmt.Sprintf("%s: %v is not in %v", at, v, c.Enum))
	}
	switch v := v.(type) {
	case map[string]any:
		if c.Type != "object" || c.Additional == nil || *c.Additional {
			bad = append(bad, at+": not a closed object in the schema")
		}
		for key, value := range v {
			if p, ok := c.Properties[key]; ok {
				bad = append(bad, p.check(at+"."+key, value)...)
			} else {
				bad = append(bad, at+": unexpected key "+key)
			}
		}
		for _, key := range c.Required {
			if _, ok := v[key]; !ok {
				bad = append(bad, at+": missing key "+key)
			}
		}
	case []any:
		for _, item := range v {
			if c.Items != nil {
				bad = append(bad, c.Items.check(at+"[]", item)...)
			}
		}
	}
	return bad
}

package executor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mysqlevidence/config"
)

func described(t *testing.T, e *Executor) (*Schema, string) {
	t.Helper()
	got, err := e.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got, fmt.Sprintf("%+v", *got)
}

func TestDescribeAnswersFromTheAllowlistOnly(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		got, text := described(t, e)
		for _, name := range []string{"unlisted", "hidden", "secret_key", "by_both", "gold"} {
			if strings.Contains(text, name) {
				t.Errorf("%s is told: %s", name, text)
			}
		}
		if want := []string{s.schema + ".cheap.gone", s.schema + ".nowhere"}; !slices.Equal(got.Missing, want) {
			t.Errorf("missing are %v, want %v", got.Missing, want)
		}
		if !strings.HasPrefix(got.Flavour, map[bool]string{false: "mysql ", true: "mariadb 10"}[s.mariadb]) {
			t.Errorf("flavour %q", got.Flavour)
		}
	})
}

func TestDescribeHasTypesKeysReferencesAndComments(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		got, _ := described(t, e)
		items := got.Tables[0]
		if items.Name != "items" || items.Comment != "things" || items.View {
			t.Errorf("%+v", items)
		}
		id, price, tier := items.Columns[0], items.Columns[2], items.Columns[8]
		if id.Comment != "number" || id.Nullable || !strings.HasPrefix(id.Type, "int") {
			t.Errorf("%+v", id)
		}
		if price.Type != "decimal(10,2)" || !price.Nullable {
			t.Errorf("%+v", price)
		}
		if tier.Name != "Tier" || tier.Type != "enum" || tier.Mask != config.MaskRedact {
			t.Errorf("%+v", tier)
		}
		keys := fmt.Sprint(items.Keys)
		if !strings.HasPrefix(keys, "[{PRIMARY true true [id]}") || !strings.Contains(keys, "{by_name false false [name small]}") {
			t.Errorf("keys are %s", keys)
		}
		if want := fmt.Sprintf("[{[group_id] %s groups_ [id]}]", s.schema); fmt.Sprint(items.ForeignKeys) != want {
			t.Errorf("references are %v, want %s", items.ForeignKeys, want)
		}
		if view := got.Tables[2]; !view.View || view.Comment != "" || len(view.Columns) != 2 {
			t.Errorf("%+v", view)
		}
	})
}

func TestDescribeIsCachedWithAnAgeBound(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		e, _ := open(t, s.source())
		first, _ := described(t, e)
		s.exec("ALTER TABLE " + s.schema + ".items COMMENT 'other things'")
		second, _ := described(t, e)
		if first != second {
			t.Error("the second call read again")
		}
		e.schema.read = time.Now().Add(-maxSchemaAge)
		if third, _ := described(t, e); third.Tables[0].Comment != "other things" {
			t.Error("an old answer was given")
		}
	})
}

// Column grants change what the servers show, never what is told.
func TestDescribeWithColumnGrants(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		src := s.source()
		src.Connection.Username, src.Connection.Password = s.account("SELECT (id, name) ON " + s.schema + ".items")
		e, _ := open(t, src)
		got, text := described(t, e)
		if strings.Contains(text, "hidden") || len(got.Tables) != 1 || len(got.Tables[0].Columns) != 2 {
			t.Error(text)
		}
		if keys := fmt.Sprint(got.Tables[0].Keys); !strings.HasPrefix(keys, "[{PRIMARY true true [id]}") || strings.Contains(keys, "[name]") {
			t.Errorf("a key is cut: %s", keys)
		}
	})
}

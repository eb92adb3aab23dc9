package config

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

func mustParse(t *testing.T, file string) *Config {
	t.Helper()
	cfg, err := Parse("c.yaml", []byte(file))
	if err != nil {
		t.Fatalf("does not load: %v\n%s", err, file)
	}
	checkInvariants(t, cfg)
	return cfg
}

func TestAnAbsentKeyHasTheDocumentedDefault(t *testing.T) {
	cfg := mustParse(t, "data_sources:\n  shop:\n    connection: {host: db, username: {env: U}}\n  local:\n    connection: {socket: /s, username: {env: U}}\n  offline:\n")
	want := Limits{Rows: 1000, SampleRows: 10, MaxRows: 10000, CellBytes: 4096, TotalBytes: 65536,
		Timeout: 10 * time.Second, InFlight: 512, InFlightPerCaller: 16}
	if cfg.Limits != want {
		t.Errorf("limits %+v, want %+v", cfg.Limits, want)
	}
	shop, local, offline := cfg.DataSources[0], cfg.DataSources[1], cfg.DataSources[2]
	if shop.Limits != want {
		t.Errorf("the source's limits %+v, want the file's", shop.Limits)
	}
	if caps := (QueryCaps{Bytes: 16384, Tokens: 2000, Nesting: 64, Placeholders: 256}); shop.Query != caps {
		t.Errorf("query caps %+v, want %+v", shop.Query, caps)
	}
	wantConn := Connection{Host: "db", Port: 3306, Username: Secret{Env: "U"}, TLS: TLS{Mode: TLSVerify}, MaxConnections: 8}
	if *shop.Connection != wantConn {
		t.Errorf("connection %+v, want %+v", *shop.Connection, wantConn)
	}
	if local.Connection.TLS.Mode != TLSPlaintext || local.Connection.Port != 0 {
		t.Errorf("a socket got %+v", *local.Connection)
	}
	if offline.Connection != nil || offline.Allow != nil || offline.DefaultSchema != "" {
		t.Errorf("an empty data source got %+v", offline)
	}
	if _, ok := shop.Functions.Lookup("CONCAT"); !ok {
		t.Error("the default functions are missing")
	}
	if cfg.Ledger.SQLitePath != "ledger.db" || !slices.Equal(cfg.CallID.MetaKeys, []string{"claudecode/toolUseId"}) || cfg.Server.Tools != nil {
		t.Errorf("ledger %+v, call ID %+v, server %+v", cfg.Ledger, cfg.CallID, cfg.Server)
	}
	if cfg.PseudonymKey != (Secret{}) {
		t.Errorf("a pseudonym key from nowhere: %+v", cfg.PseudonymKey)
	}
}

func TestADefaultGivesWayToALowerCeiling(t *testing.T) {
	cfg := mustParse(t, "limits: {max_rows: 5, total_bytes: 2000, in_flight: 3}\ndata_sources: {a: {limits: {max_rows: 4, total_bytes: 1024}}}\n")
	if l := cfg.Limits; l.Rows != 5 || l.SampleRows != 5 || l.CellBytes != 2000 || l.InFlightPerCaller != 3 {
		t.Errorf("the file's limits are %+v", l)
	}
	if l := cfg.DataSources[0].Limits; l.Rows != 4 || l.SampleRows != 4 || l.CellBytes != 1024 || l.InFlight != 3 {
		t.Errorf("the source's limits are %+v", l)
	}
}

func TestBlockAndFlowStyleMeanTheSame(t *testing.T) {
	block := mustParse(t, table("description: x\ncolumns:\n- id\n- payload\nsensitive:\n  email:\n    mask: redact\n    filter: equality\n    type: integer\njson:\n- payload"))
	flow := mustParse(t, `{data_sources: {shop: {allow: {shop: {orders: {description: x, columns: [id, payload], sensitive: {email: {filter: equality, type: integer}}, json: [payload]}}}}}}`)
	want := []Column{{Name: "id"}, {Name: "payload", JSON: true}, {Name: "email", Mask: MaskRedact, FilterEquality: true, FilterType: ParamInteger}}
	for name, cfg := range map[string]*Config{"block": block, "flow": flow} {
		tab := cfg.DataSources[0].Allow[0].Tables[0]
		if tab.Name != "orders" || tab.Description != "x" || !slices.Equal(tab.Columns, want) {
			t.Errorf("%s style: %+v", name, tab)
		}
	}
}

func TestATableWithoutColumnsIsNotAllowed(t *testing.T) {
	cfg := mustParse(t, source("default_schema: shop\nallow:\n  shop:\n    none: {columns: []}\n    null_too:\n    hidden: {sensitive: {a: redact}}\n  empty:"))
	allow := cfg.DataSources[0].Allow
	if len(allow) != 2 || len(allow[0].Tables) != 1 || allow[0].Tables[0].Name != "hidden" || len(allow[1].Tables) != 0 {
		t.Errorf("allow is %+v", allow)
	}
}

func TestNamesThatMySQLAcceptsLoadAsTheyAreWritten(t *testing.T) {
	names := []string{"Full Name", "a`b", "a.b", "select", "yes", "1", "商品", "a%", "*x", "ſ", strings.Repeat("é", 64)}
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, `"`+n+`"`)
	}
	cfg := mustParse(t, table("columns: ["+strings.Join(quoted, ", ")+", s]"))
	cols := cfg.DataSources[0].Allow[0].Tables[0].Columns
	for i, n := range names {
		if cols[i].Name != n {
			t.Errorf("column %d is %q, want %q", i, cols[i].Name, n)
		}
	}
}

func TestPlaintextIsForLoopbackSocketsAndTheDetermined(t *testing.T) {
	for _, address := range []string{"host: localhost", "host: LOCALHOST", "host: 127.0.0.1", "host: 127.9.9.9", `host: "::1"`, "socket: /s",
		"host: db.internal\ntls: {accept_plaintext: true, mode: plaintext}"} {
		if !strings.Contains(address, "tls") {
			address += "\ntls: {mode: plaintext}"
		}
		cfg := mustParse(t, connection("username: {file: u}\n"+address))
		if m := cfg.DataSources[0].Connection.TLS.Mode; m != TLSPlaintext {
			t.Errorf("%s: mode %q", address, m)
		}
	}
	cfg := mustParse(t, connection("username: {file: u}\nhost: db.internal\ntls: {accept_plaintext: true}"))
	if m := cfg.DataSources[0].Connection.TLS.Mode; m != TLSVerify {
		t.Errorf("accepting plaintext alone chose mode %q", m)
	}
}

func TestFunctionsOfTheConfigChangeTheSet(t *testing.T) {
	cfg := mustParse(t, source("flavour: mariadb 10.11\nfunctions: {add: [md5, Soundex], remove: [group_concat]}"))
	f := cfg.DataSources[0].Functions
	for name, want := range map[string]bool{"MD5": true, "SOUNDEX": true, "GROUP_CONCAT": false, "SHA1": false, "COUNT": true} {
		if _, got := f.Lookup(name); got != want {
			t.Errorf("%s allowed: %v, want %v", name, got, want)
		}
	}
}

func TestAPrivilegedAccountIsAcceptedOnlyInWords(t *testing.T) {
	const conn = "connection: {socket: /s, username: {env: U}}\n"
	for keys, want := range map[string]bool{conn: false, conn + "accept_privileged_account: true": true, conn + "accept_privileged_account: false": false} {
		if got := mustParse(t, source(keys)).DataSources[0].Connection.AcceptPrivilegedAccount; got != want {
			t.Errorf("%q: %v", keys, got)
		}
	}
}

func TestRelativePathsStartAtTheConfigFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	file := "ledger: {sqlite: {path: data/l.db}}\npseudonym_key: {file: key}\n" +
		connection("host: h\nusername: {file: ../user}\npassword: {file: /abs/pw}\ntls: {ca_file: ca.pem, cert_file: c.pem, key_file: k.pem}")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	conn := cfg.DataSources[0].Connection
	for got, want := range map[string]string{
		cfg.Ledger.SQLitePath: filepath.Join(dir, "data/l.db"), cfg.PseudonymKey.File: filepath.Join(dir, "key"),
		conn.Username.File: filepath.Join(filepath.Dir(dir), "user"), conn.Password.File: "/abs/pw",
		conn.TLS.CAFile: filepath.Join(dir, "ca.pem"), conn.TLS.CertFile: filepath.Join(dir, "c.pem"), conn.TLS.KeyFile: filepath.Join(dir, "k.pem"),
	} {
		if got != want {
			t.Errorf("path %q, want %q", got, want)
		}
	}
	parsed := mustParse(t, file)
	if parsed.Ledger.SQLitePath != "data/l.db" {
		t.Errorf("Parse moved a path to %q", parsed.Ledger.SQLitePath)
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.yaml")
	_, err := Load(path)
	if err == nil || err.Error() != path+": cannot be read: no such file or directory" {
		t.Errorf("got %v", err)
	}
}

func TestTheTrapsConfigLoads(t *testing.T) {
	cfg, err := Load(filepath.Join("..", "testdata", "traps", "traps.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, cfg)
	if n := len(cfg.DataSources[0].Allow); n != 2 {
		t.Errorf("%d schemas, want 2", n)
	}
}

// TestTheExampleShowsEveryKey compares the keys of example.yaml with those of the
// format, both ways.
func TestTheExampleShowsEveryKey(t *testing.T) {
	cfg, err := Load("example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, cfg)
	data, err := os.ReadFile("example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var format section[fileKeys]
	accepted := format.keys("")
	if len(accepted) < 60 {
		t.Fatalf("only %d accepted keys: the list is broken", len(accepted))
	}
	shown := map[string]bool{}
	collect(doc.Content[0], nil, accepted, shown)
	for _, key := range accepted {
		// A secret has either env or file: it is enough to show each once.
		anywhere := func(form string) bool {
			return strings.HasSuffix(key, form) && slices.ContainsFunc(slices.Collect(maps.Keys(shown)), func(k string) bool { return strings.HasSuffix(k, form) })
		}
		if !shown[key] && !anywhere(".env") && !anywhere(".file") {
			t.Errorf("example.yaml does not show %s", key)
		}
	}
}

// collect notes which accepted keys the mapping n shows.
func collect(n *yaml.Node, path []string, accepted []string, shown map[string]bool) {
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := strings.Join(append(slices.Clone(path), n.Content[i].Value), ".")
		if !slices.Contains(accepted, key) {
			key = strings.Join(append(slices.Clone(path), anyName), ".")
		}
		shown[key] = true
		collect(n.Content[i+1], strings.Split(key, "."), accepted, shown)
	}
}

func TestTheExampleShowsTheDefaults(t *testing.T) {
	example, err := Load("example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plain := mustParse(t, anySource)
	if !example.Limits.CostGate.On {
		t.Error("the example doesn't show the cost gate, which is off by default")
	}
	limits := example.Limits
	limits.CostGate = CostGate{}
	if limits != plain.Limits || example.DataSources[0].Query != plain.DataSources[0].Query {
		t.Error("the example's values are not the defaults that it says they are")
	}
}

func TestTheCostGateIsOffUnlessItIsWritten(t *testing.T) {
	cfg := mustParse(t, "data_sources: {a: {}, b: {limits: {max_estimated_rows: 7}}}\n")
	if cfg.Limits.CostGate != (CostGate{}) || cfg.DataSources[0].Limits.CostGate != (CostGate{}) {
		t.Error("a gate from nowhere")
	}
	if got := cfg.DataSources[1].Limits.CostGate; got != (CostGate{true, 7}) {
		t.Errorf("the source's own gate is %+v", got)
	}
	cfg = mustParse(t, "limits: {max_estimated_rows: 9}\ndata_sources: {a: {}, b: {limits: {max_estimated_rows: 7}}}\n")
	if a, b := cfg.DataSources[0].Limits.CostGate, cfg.DataSources[1].Limits.CostGate; a != (CostGate{true, 9}) || b != (CostGate{true, 7}) {
		t.Errorf("under the file's gate of 9: %+v and %+v", a, b)
	}
}

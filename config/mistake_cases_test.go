package config

import "strings"

type mistake struct{ name, file, want string }

func formMistakes() []mistake {
	return []mistake{
		{"empty file", "", `c.yaml:1: the file is empty; data_sources must name at least one data source`},
		{"only comments", "# nothing\n", `c.yaml:1: the file is empty; data_sources must name at least one data source`},
		{"an empty document", "---\n", `c.yaml:1: the file is empty; data_sources must name at least one data source`},
		{"a list at the top", "- a\n", `c.yaml:1: must be a mapping (key: value), not a list`},
		{"no data source", "limits: {rows: 5}\n", `c.yaml:1: data_sources: must name at least one data source`},
		{"an empty list of data sources", "\ndata_sources:\n", `c.yaml:2: data_sources: must name at least one data source`},
		{"data sources as a list", "data_sources: [shop]\n", `c.yaml:1: data_sources: must be a mapping (key: value), not a list`},
		{"two documents", anySource + "---\n" + anySource, `c.yaml:2: a second document; the file must be one document, without a second ---`},
		{"not UTF-8", "# caf\n# caf\xe9\n" + anySource, `c.yaml:2: not valid UTF-8`},
		{"a tab as indentation", "data_sources:\n\tshop: {}\n", `c.yaml:2: not valid YAML near this line: found character that cannot start any token`},
		{"a bracket left open", anySource + "server:\n  tools: [run_query\n", `c.yaml:3: not valid YAML near this line: did not find expected ',' or ']'`},
		{"a line indented too little", "data_sources:\n  shop:\n    description: x\n   tags: []\n  b: {}\n", `c.yaml:4: not valid YAML near this line: did not find expected key`},
		{"an item outside its list", anySource + "server:\n  tools:\n    - run_query\n    x: y\n", `c.yaml:5: not valid YAML near this line: did not find expected '-' indicator`},
		{"a text without its end", anySource + "x: \"abc\n", `c.yaml:2: not valid YAML near this line: found unexpected end of stream`},
		{"an anchor", "data_sources: {shop: &a {}}\n", `c.yaml:1: an anchor (&a) is not accepted; write the value out where it is used`},
		{"an alias to nothing", "data_sources:\n  shop: *gone\n", `c.yaml:2: an alias (*gone) is not accepted, and its anchor does not exist`},
		{"a merge key", source("<<: {description: x}"), `c.yaml:3: a merge key (<<) is not accepted; write the keys out`},
		{"a tag", source("description: !!str 5"), `c.yaml:3: a YAML tag is not accepted; write the value without it`},
		{"an anchor below an unknown key", anySource + "x:\n- &a b\n",
			"c.yaml:2: unknown key \"x\"; the keys here are limits, data_sources, pseudonym_key, ledger, call_id, server\n" +
				`c.yaml:3: an anchor (&a) is not accepted; write the value out where it is used`},
		{"a number as a key", anySource + "5: x\n", `c.yaml:2: a key must be text, not a number; put quotes around it`},
		{"a list as a key", anySource + "[a]: x\n", `c.yaml:2: a key must be text, not a list`},
		{"a duplicate key", anySource + "limits: {rows: 5}\nlimits: {rows: 6}\n", `c.yaml:3: duplicate key "limits"; it is already on line 2`},
		{"a duplicate key in flow style", anySource + "limits: {rows: 5, rows: 6}\n", `c.yaml:2: limits: duplicate key "rows"; it is already on line 2`},
		{"a duplicate data source", "data_sources:\n  shop: {}\n  shop: {}\n", `c.yaml:3: data_sources: duplicate key "shop"; it is already on line 2`},
		{"a mistake in a repeated section", anySource + "limits: {rows: 5}\nlimits: {rows: x}\n",
			"c.yaml:3: duplicate key \"limits\"; it is already on line 2\n" +
				`c.yaml:3: limits.rows: must be a whole number in digits, such as 1000`},
		{"a key with a typo", anySource + "limits: {tiemout: 5s}\n", `c.yaml:2: limits: unknown key "tiemout"; did you mean "timeout"?`},
		{"a key in another style", anySource + "limits: {maxRows: 5}\n", `c.yaml:2: limits: unknown key "maxRows"; did you mean "max_rows"?`},
		{"a shortened key", connection("host: localhost\nusername: {env: U}\npass: {env: P}"), `c.yaml:6: data_sources.shop.connection: unknown key "pass"; did you mean "password"?`},
		{"a key from elsewhere", connection("host: h\nusername: {env: U}\nca_file: x"), `c.yaml:6: data_sources.shop.connection: unknown key "ca_file"; it belongs in data_sources.NAME.connection.tls`},
		{"the account's check in the connection", connection("host: h\nusername: {env: U}\naccept_privileged_account: true"),
			`c.yaml:6: data_sources.shop.connection: unknown key "accept_privileged_account"; it belongs in data_sources.NAME`},
		{"an unknown key like none", anySource + "ledger: {zzz: 1}\n", `c.yaml:2: ledger: unknown key "zzz"; the keys here are sqlite`},
		{"a key that could move the cursor", anySource + "\"\\e[2J\": 1\n", `c.yaml:2: unknown key "\x1b[2J"; the keys here are limits, data_sources, pseudonym_key, ledger, call_id, server`},
		{"grants", anySource + "grants: [{caller: \"*\"}]\n", `c.yaml:2: grants: not supported by this version`},
		{"tools", anySource + "tools: []\n", `c.yaml:2: tools: not supported by this version`},
		{"server.http", anySource + "server: {http: {}}\n", `c.yaml:2: server.http: not supported by this version`},
		{"ledger.mysql", anySource + "ledger: {mysql: {}}\n", `c.yaml:2: ledger.mysql: not supported by this version`},
		{"a tool that isn't there yet", anySource + "server: {tools: [explain_query]}\n", `c.yaml:2: server.tools[0]: the tool explain_query is not supported by this version`},
		{"a tool with a typo", anySource + "server:\n  tools:\n  - run_query\n  - run_qurey\n", `c.yaml:5: server.tools[1]: unknown tool "run_qurey"; did you mean "run_query"?`},
		{"a tool twice", anySource + "server: {tools: [run_query, run_query]}\n", `c.yaml:2: server.tools[1]: the tool "run_query" is in the list twice, first on line 2`},
		{"no tools at all", anySource + "server: {tools: []}\n", `c.yaml:2: server.tools: names no tool; leave the key out to offer all of them`},
		{"a ledger in memory", anySource + "ledger: {sqlite: {path: \":memory:\"}}\n", `c.yaml:2: ledger.sqlite.path: must be the path of a file; a database in memory or a URI is not accepted`},
		{"a ledger without a path", anySource + "ledger: {sqlite: {path: \"\"}}\n", `c.yaml:2: ledger.sqlite.path: must be the path of a file; a database in memory or a URI is not accepted`},
		{"an empty meta key", anySource + "call_id: {meta_keys: [\" \"]}\n", `c.yaml:2: call_id.meta_keys[0]: a key must not be empty or hold control characters`},
		{"an inline pseudonym key", anySource + "pseudonym_key: hunter2\n", `c.yaml:2: pseudonym_key: a value in the config file is not accepted; write a reference, {env: NAME} for an environment variable or {file: PATH} for a file`},
	}
}

func limitMistakes() []mistake {
	limits := func(s string) string { return anySource + "limits:\n" + indent(s, 2) }
	return []mistake{
		{"text for a number", limits("rows: many"), `c.yaml:3: limits.rows: must be a whole number in digits, such as 1000`},
		{"a quoted number", limits(`rows: "10"`), `c.yaml:3: limits.rows: must be a whole number in digits, such as 1000`},
		{"a fraction", limits("rows: 1.5"), `c.yaml:3: limits.rows: must be a whole number in digits, such as 1000`},
		{"a hexadecimal number", limits("rows: 0x10"), `c.yaml:3: limits.rows: must be a whole number in digits, such as 1000`},
		{"an octal number", limits("rows: 010"), `c.yaml:3: limits.rows: must be a whole number in digits, such as 1000`},
		{"a number beyond an int", limits("rows: 99999999999999999999"), `c.yaml:3: limits.rows: must be a whole number in digits, such as 1000`},
		{"a list for a number", limits("rows: [1]"), `c.yaml:3: limits.rows: must be a whole number in digits, such as 1000, not a list`},
		{"no value", limits("rows:"), `c.yaml:3: limits.rows: has no value; it must be a whole number in digits, such as 1000`},
		{"no rows", limits("rows: 0"), `c.yaml:3: limits.rows: must be at least 1, not 0`},
		{"negative rows", limits("sample_rows: -1"), `c.yaml:3: limits.sample_rows: must be at least 1, not -1`},
		{"rows above the default maximum", limits("rows: 10001"), `c.yaml:3: limits.rows: 10001 is above max_rows (10000)`},
		{"rows above the written maximum", limits("rows: 51\nmax_rows: 50"), `c.yaml:3: limits.rows: 51 is above max_rows (50)`},
		{"sample above the maximum", limits("max_rows: 50\nsample_rows: 51"), `c.yaml:4: limits.sample_rows: 51 is above max_rows (50)`},
		{"maximum above the ceiling", limits("max_rows: 100001"), `c.yaml:3: limits.max_rows: 100001 is above the ceiling of 100000`},
		{"a cell above the whole", limits("cell_bytes: 70000"), `c.yaml:3: limits.cell_bytes: 70000 is above total_bytes (65536)`},
		{"a whole too small to say anything", limits("total_bytes: 1023"), `c.yaml:3: limits.total_bytes: must be at least 1024, not 1023`},
		{"a whole beyond memory", limits("total_bytes: 268435457"), `c.yaml:3: limits.total_bytes: 268435457 is above the ceiling of 268435456`},
		{"a timeout above the ceiling", limits("timeout: 30001ms"), `c.yaml:3: limits.timeout: 30.001s is above the ceiling of 30s`},
		{"no timeout", limits("timeout: 0s"), `c.yaml:3: limits.timeout: must be at least 1ms, not 0s`},
		{"a timeout that the server would round to none", limits("timeout: 999us"), `c.yaml:3: limits.timeout: must be at least 1ms, not 999µs`},
		{"a timeout without a unit", limits("timeout: 10"), `c.yaml:3: limits.timeout: must be a duration with its unit, such as 10s or 500ms`},
		{"no calls in flight", limits("in_flight: 0"), `c.yaml:3: limits.in_flight: must be at least 1, not 0`},
		{"more calls for one than for all", limits("in_flight: 4\nin_flight_per_caller: 5"), `c.yaml:4: limits.in_flight_per_caller: 5 is above in_flight (4)`},
		{"a source that widens rows", source("limits: {rows: 1001}"), `c.yaml:3: data_sources.shop.limits.rows: 1001 is above the file's limits.rows (1000); a data source may only tighten it`},
		{"a source that widens the maximum", source("limits: {max_rows: 10001}"), `c.yaml:3: data_sources.shop.limits.max_rows: 10001 is above the file's limits.max_rows (10000); a data source may only tighten it`},
		{"a source that widens samples", source("limits: {sample_rows: 11}"), `c.yaml:3: data_sources.shop.limits.sample_rows: 11 is above the file's limits.sample_rows (10); a data source may only tighten it`},
		{"a source that widens cells", source("limits: {cell_bytes: 4097}"), `c.yaml:3: data_sources.shop.limits.cell_bytes: 4097 is above the file's limits.cell_bytes (4096); a data source may only tighten it`},
		{"a source that widens the whole", source("limits: {total_bytes: 65537}"), `c.yaml:3: data_sources.shop.limits.total_bytes: 65537 is above the file's limits.total_bytes (65536); a data source may only tighten it`},
		{"a source that widens the timeout", source("limits: {timeout: 11s}"), `c.yaml:3: data_sources.shop.limits.timeout: 11s is above the file's limits.timeout (10s); a data source may only tighten it`},
		{"a source's rows above its own maximum", source("limits: {max_rows: 5, rows: 6}"), `c.yaml:3: data_sources.shop.limits.rows: 6 is above max_rows (5)`},
		{"calls in flight of a source", source("limits: {in_flight: 5}"), `c.yaml:3: data_sources.shop.limits: unknown key "in_flight"; it belongs in limits`},
		{"a cost gate of nothing", limits("max_estimated_rows: 0"), `c.yaml:3: limits.max_estimated_rows: must be at least 1, not 0`},
		{"a cost gate in words", limits("max_estimated_rows: off"), `c.yaml:3: limits.max_estimated_rows: must be a whole number in digits, such as 1000`},
		{"a cost gate above what can be examined", limits("max_estimated_rows: 1000000001"), `c.yaml:3: limits.max_estimated_rows: 1000000001 is above the ceiling of 1000000000`},
		{"a source's cost gate above what can be examined", source("limits: {max_estimated_rows: 1000000001}"), `c.yaml:3: data_sources.shop.limits.max_estimated_rows: 1000000001 is above the ceiling of 1000000000`},
		{"a source that widens the cost gate", "limits: {max_estimated_rows: 5}\ndata_sources: {shop: {limits: {max_estimated_rows: 6}}}\n", `c.yaml:2: data_sources.shop.limits.max_estimated_rows: 6 is above the file's limits.max_estimated_rows (5); a data source may only tighten it`},
		{"a source that takes the cost gate away", "limits: {max_estimated_rows: 5}\ndata_sources: {shop: {limits: {max_estimated_rows: null}}}\n", `c.yaml:2: data_sources.shop.limits.max_estimated_rows: has no value; it must be a whole number in digits, such as 1000`},
		{"a misspelt cost gate", source("max_estimated_rows: 5"), `c.yaml:3: data_sources.shop: unknown key "max_estimated_rows"; it belongs in limits or data_sources.NAME.limits`},
		{"a longer query", source("query: {bytes: 16385}"), `c.yaml:3: data_sources.shop.query.bytes: 16385 is above the ceiling of 16384`},
		{"more tokens", source("query: {tokens: 2001}"), `c.yaml:3: data_sources.shop.query.tokens: 2001 is above the ceiling of 2000`},
		{"deeper nesting", source("query: {nesting: 65}"), `c.yaml:3: data_sources.shop.query.nesting: 65 is above the ceiling of 64`},
		{"more placeholders", source("query: {placeholders: 257}"), `c.yaml:3: data_sources.shop.query.placeholders: 257 is above the ceiling of 256`},
		{"a query cap of none", source("query: {placeholders: 0}"), `c.yaml:3: data_sources.shop.query.placeholders: must be at least 1, not 0`},
	}
}

func connectionMistakes() []mistake {
	const reference = `; write a reference, {env: NAME} for an environment variable or {file: PATH} for a file`
	conn := func(s string) string { return connection("username: {env: U}\n" + s) } // s starts on line 5
	return []mistake{
		{"an inline user name", connection("host: h\nusername: root"), `c.yaml:5: data_sources.shop.connection.username: a value in the config file is not accepted` + reference},
		{"an inline password", conn("host: h\npassword: hunter2"), `c.yaml:6: data_sources.shop.connection.password: a value in the config file is not accepted` + reference},
		{"a number as a password", conn("host: h\npassword: 12345"), `c.yaml:6: data_sources.shop.connection.password: a value in the config file is not accepted` + reference},
		{"an empty password", conn("host: h\npassword: \"\""), `c.yaml:6: data_sources.shop.connection.password: a value in the config file is not accepted` + reference},
		{"a list as a password", conn("host: h\npassword: [hunter2]"), `c.yaml:6: data_sources.shop.connection.password: must not be a list` + reference},
		{"no password behind the key", conn("host: h\npassword:"), `c.yaml:6: data_sources.shop.connection.password: has no value` + reference},
		{"an empty reference", conn("host: h\npassword: {}"), `c.yaml:6: data_sources.shop.connection.password: names neither env nor file` + reference},
		{"a reference of both kinds", conn("host: h\npassword: {env: A, file: b}"), `c.yaml:6: data_sources.shop.connection.password: env and file exclude each other`},
		{"a secret as a variable's name", conn("host: h\npassword: {env: hunter-2}"), `c.yaml:6: data_sources.shop.connection.password.env: must be the name of an environment variable (letters, digits and _), not the secret itself`},
		{"an empty file name", conn("host: h\npassword: {file: \"\"}"), `c.yaml:6: data_sources.shop.connection.password.file: must be the path of a file`},
		{"no user name", connection("host: h"), `c.yaml:3: data_sources.shop.connection: username is missing; write username: {env: NAME} or {file: PATH}`},
		{"no server", conn("max_connections: 2"), `c.yaml:3: data_sources.shop.connection: names no server; write host or socket`},
		{"a text as a connection", source("connection: mysql://root@db"), `c.yaml:3: data_sources.shop.connection: must be a mapping (key: value), not text`},
		{"two servers", conn("host: h\nsocket: /s"), `c.yaml:6: data_sources.shop.connection.socket: host and socket exclude each other`},
		{"a port in the host", conn("host: db:3306"), `c.yaml:5: data_sources.shop.connection.host: must be a host name or an IP address alone; the port has a key of its own, port`},
		{"a DSN as the host", conn("host: tcp(db)/x?multiStatements=true"), `c.yaml:5: data_sources.shop.connection.host: must be a host name or an IP address`},
		{"an empty host", conn("host: \"\""), `c.yaml:5: data_sources.shop.connection.host: must be a host name or an IP address`},
		{"a port out of range", conn("host: h\nport: 65536"), `c.yaml:6: data_sources.shop.connection.port: 65536 is above the highest port, 65535`},
		{"port zero", conn("host: h\nport: 0"), `c.yaml:6: data_sources.shop.connection.port: must be at least 1, not 0`},
		{"a port of a socket", conn("socket: /s\nport: 3306"), `c.yaml:6: data_sources.shop.connection.port: a unix socket has no port`},
		{"a relative socket", conn("socket: mysqld.sock"), `c.yaml:5: data_sources.shop.connection.socket: must be the absolute path of a unix socket`},
		{"no connections", conn("host: h\nmax_connections: 0"), `c.yaml:6: data_sources.shop.connection.max_connections: must be at least 1, not 0`},
		{"plaintext over the network", conn("host: db.internal\ntls: {mode: plaintext}"), `c.yaml:6: data_sources.shop.connection.tls.mode: ` + plaintextRefused},
		{"plaintext to a name that may resolve to anything", conn("host: localhost.example\ntls: {mode: plaintext, accept_plaintext: false}"), `c.yaml:6: data_sources.shop.connection.tls.mode: ` + plaintextRefused},
		{"plaintext to an address beside loopback", conn("host: 128.0.0.1\ntls: {mode: plaintext}"), `c.yaml:6: data_sources.shop.connection.tls.mode: ` + plaintextRefused},
		{"plaintext to a private address", conn("host: 10.0.0.1\ntls: {mode: plaintext}"), `c.yaml:6: data_sources.shop.connection.tls.mode: ` + plaintextRefused},
		{"plaintext to the unspecified address", conn("host: 0.0.0.0\ntls: {mode: plaintext}"), `c.yaml:6: data_sources.shop.connection.tls.mode: ` + plaintextRefused},
		{"plaintext to a private IPv6 address", conn("host: \"fd00::1\"\ntls: {mode: plaintext}"), `c.yaml:6: data_sources.shop.connection.tls.mode: ` + plaintextRefused},
		{"encryption without verification", conn("host: h\ntls: {mode: skip-verify}"), `c.yaml:6: data_sources.shop.connection.tls.mode: unknown mode "skip-verify"; it is verify, or plaintext (loopback and sockets only, unless accept_plaintext: true)`},
		{"a yes that is text", conn("host: h\ntls: {mode: plaintext, accept_plaintext: yes}"), "c.yaml:6: data_sources.shop.connection.tls.accept_plaintext: must be true or false\n" + `c.yaml:6: data_sources.shop.connection.tls.mode: ` + plaintextRefused},
		{"a CA for plaintext", conn("host: localhost\ntls: {mode: plaintext, ca_file: ca.pem}"), `c.yaml:6: data_sources.shop.connection.tls.ca_file: has no meaning with plaintext`},
		{"a certificate without its key", conn("host: h\ntls: {cert_file: c.pem}"), `c.yaml:6: data_sources.shop.connection.tls.cert_file: a client certificate needs key_file too`},
		{"a key without its certificate", conn("host: h\ntls: {key_file: c.key}"), `c.yaml:6: data_sources.shop.connection.tls.key_file: a client key needs cert_file too`},
		{"an empty CA file", conn("host: h\ntls: {ca_file: \"\"}"), `c.yaml:6: data_sources.shop.connection.tls.ca_file: must be the path of a file`},
		{"a socket that nothing can verify", conn("socket: /s\ntls: {mode: verify}"), `c.yaml:6: data_sources.shop.connection.tls.mode: a unix socket has no name that a certificate could be verified against; write server_name, or leave tls out`},
		{"an empty server name", conn("host: h\ntls: {server_name: \"\"}"), `c.yaml:6: data_sources.shop.connection.tls.server_name: must be the name in the server's certificate`},
	}
}

const plaintextRefused = `plaintext to a host that is not loopback lets the network read passwords and data; use mode: verify, or write accept_plaintext: true beside it`

func sourceMistakes() []mistake {
	return []mistake{
		{"a data source's name with a space", "data_sources:\n  web shop: {}\n", `c.yaml:2: data_sources."web shop": the name of a data source must be 1 to 64 of the characters A-Z a-z 0-9 _ -`},
		{"a data source's name that is too long", "data_sources: {" + strings.Repeat("a", 65) + ": {}}\n", `c.yaml:1: data_sources.` + strings.Repeat("a", 65) + `: the name of a data source must be 1 to 64 of the characters A-Z a-z 0-9 _ -`},
		{"a flavour without a version", source("flavour: mysql"), `c.yaml:3: data_sources.shop.flavour: must look like "mysql 8.4" or "mariadb 10.11", not "mysql"`},
		{"another product's flavour", source("flavour: postgres 16.1"), `c.yaml:3: data_sources.shop.flavour: must look like "mysql 8.4" or "mariadb 10.11", not "postgres 16.1"`},
		{"a flavour that is a number", source("flavour: 8.4"), `c.yaml:3: data_sources.shop.flavour: must be text, not a number; put quotes around it`},
		{"a description with an escape", source(`description: "a\e[31mb"`), `c.yaml:3: data_sources.shop.description: must not hold control characters`},
		{"a tag twice", source("tags: [a, a]"), `c.yaml:3: data_sources.shop.tags[1]: the tag "a" is in the list twice, first on line 3`},
		{"a tag that is no text", source("tags: [true]"), `c.yaml:3: data_sources.shop.tags[0]: must be text, not a boolean; put quotes around it`},
		{"a text for a list", source("tags: a"), `c.yaml:3: data_sources.shop.tags: must be a list, such as [a, b], not text`},
		{"a function that nothing can allow", source("functions:\n  add:\n  - soundex\n  - sleep"), `c.yaml:6: data_sources.shop.functions.add[1]: function "sleep" can never be allowed`},
		{"a function that isn't native", source("functions: {add: [my_udf]}"), `c.yaml:3: data_sources.shop.functions.add[0]: function "my_udf" is not in the catalogue of native functions`},
		{"a function that isn't native everywhere", source("functions: {add: [md5]}"), `c.yaml:3: data_sources.shop.functions.add[0]: function "md5" is native only in mysql 8 and mariadb: name the data source's flavour`},
		{"a function that is gone from that version", source("flavour: mysql 9.7\nfunctions: {add: [md5]}"), `c.yaml:4: data_sources.shop.functions.add[0]: function "md5" is native only in mysql 8 and mariadb: name the data source's flavour`},
		{"a removed function that doesn't exist", source("functions: {remove: [group_cat]}"), `c.yaml:3: data_sources.shop.functions.remove[0]: function "group_cat" is not in the catalogue of native functions`},
		{"a function added and removed", source("functions: {add: [Hex], remove: [hex]}"), `c.yaml:3: data_sources.shop.functions.remove[0]: function "hex" is both added and removed`},
		{"a default schema that isn't allowed", source("default_schema: shpo\nallow: {shop: {}}"), `c.yaml:3: data_sources.shop.default_schema: the default schema "shpo" is not in allow; did you mean "shop"?`},
		{"a default schema in another case", source("default_schema: Shop\nallow: {shop: {}}"), `c.yaml:3: data_sources.shop.default_schema: the default schema "Shop" is not in allow; did you mean "shop"?`},
	}
}

func allowMistakes() []mistake {
	const at = `data_sources.shop.allow.shop.orders`
	out := []mistake{
		{"a system schema in another case", source("allow:\n  MySQL: {user: {columns: [User]}}"), `c.yaml:4: data_sources.shop.allow.MySQL: a system schema can't be allowed`},
		{"schemas that differ by case", source("allow:\n  shop: {}\n  SHOP: {}"), `c.yaml:5: data_sources.shop.allow.SHOP: schema "SHOP" differs only by case from "shop" on line 4`},
		{"tables that differ by case", source("allow:\n  shop:\n    orders: {columns: [id]}\n    Orders: {columns: [id]}"), `c.yaml:6: data_sources.shop.allow.shop.Orders: table "Orders" differs only by case from "orders" on line 5`},
		{"a table twice", source("allow:\n  shop:\n    orders: {columns: [id]}\n    orders: {columns: [name]}"), `c.yaml:6: data_sources.shop.allow.shop: duplicate key "orders"; it is already on line 5`},
		{"a schema as a list of tables", source("allow:\n  shop: [orders]"), `c.yaml:4: data_sources.shop.allow.shop: must be a mapping (key: value), not a list`},
		{"a table as a list of columns", source("allow:\n  shop: {orders: [id]}"), `c.yaml:4: ` + at + `: must be a mapping (key: value), not a list`},
		{"a pattern for every table", source("allow:\n  shop:\n    \"%\": {columns: [id]}"), `c.yaml:5: data_sources.shop.allow.shop."%": the table's name must be exact: patterns are not accepted, so write each name out`},
		{"a pattern for every column", table(`columns: ["*"]`), `c.yaml:6: ` + at + `.columns[0]: the column's name must be exact: patterns are not accepted, so write each name out`},
		{"a text for all columns", table(`columns: "*"`), `c.yaml:6: ` + at + `.columns: must be a list, such as [a, b], not text`},
		{"a column twice", table("columns:\n- id\n- id"), `c.yaml:8: ` + at + `.columns[1]: column "id" is listed twice, first on line 7`},
		{"a column twice in another case", table("columns: [id, ID]"), `c.yaml:6: ` + at + `.columns[1]: column "ID" differs only by case from "id" on line 6`},
		{"a column both plain and sensitive", table("columns: [email]\nsensitive: {email: redact}"), `c.yaml:7: ` + at + `.sensitive.email: column "email" is listed twice, first on line 6`},
		{"a column both plain and sensitive in another case", table("columns: [email]\nsensitive: {Email: redact}"), `c.yaml:7: ` + at + `.sensitive.Email: column "Email" differs only by case from "email" on line 6`},
		{"a column that YAML takes for a boolean", table("columns: [true]"), `c.yaml:6: ` + at + `.columns[0]: must be text, not a boolean; put quotes around it`},
		{"a column that YAML takes for nothing", table("columns: [null]"), `c.yaml:6: ` + at + `.columns[0]: has no value; it must be text`},
		{"a column that is a number", table("columns: [2024]"), `c.yaml:6: ` + at + `.columns[0]: must be text, not a number; put quotes around it`},
		{"an unknown mask", table("sensitive: {email: redacted}"), `c.yaml:6: ` + at + `.sensitive.email: unknown mask "redacted"; did you mean "redact"?`},
		{"an empty mask", table("sensitive: {email: }"), `c.yaml:6: ` + at + `.sensitive.email: has no value; it must be redact, pseudonym or a mapping (mask, filter, type)`},
		{"sensitive columns as a list", table("sensitive: [email]"), `c.yaml:6: ` + at + `.sensitive: must be a mapping (key: value), not a list`},
		{"a pseudonym without a key", table("sensitive:\n  email: pseudonym"), `c.yaml:7: ` + at + `.sensitive.email: a pseudonym needs the top-level key pseudonym_key`},
		{"a pseudonym in long form without a key", table("sensitive:\n  email:\n    mask: pseudonym"), `c.yaml:8: ` + at + `.sensitive.email.mask: a pseudonym needs the top-level key pseudonym_key`},
		{"a filter without a type", table("sensitive: {email: {filter: equality}}"), `c.yaml:6: ` + at + `.sensitive.email.filter: a filter needs the column's type too: text or integer`},
		{"a type without a filter", table("sensitive: {email: {type: text}}"), `c.yaml:6: ` + at + `.sensitive.email.type: a type has no meaning without filter: equality`},
		{"another filter", table("sensitive: {email: {filter: prefix, type: text}}"), `c.yaml:6: ` + at + `.sensitive.email.filter: unknown filter "prefix"; the one filter is equality`},
		{"another type", table("sensitive: {email: {filter: equality, type: float}}"), `c.yaml:6: ` + at + `.sensitive.email.type: unknown type "float"; it is text or integer`},
		{"JSON that isn't a column", table("columns: [id, payload]\njson: [paylaod]"), `c.yaml:7: ` + at + `.json[0]: column "paylaod" is not in the table's columns; did you mean "payload"?`},
		{"JSON that is sensitive", table("columns: [id]\nsensitive: {profile: redact}\njson: [profile]"), `c.yaml:8: ` + at + `.json[0]: column "profile" is not in the table's columns`},
		{"JSON twice", table("columns: [a]\njson: [a, A]"), `c.yaml:7: ` + at + `.json[1]: column "A" is in the list twice`},
	}
	for _, s := range []string{"information_schema", "mysql", "performance_schema", "sys", "ndbinfo"} {
		out = append(out, mistake{"the system schema " + s, source("allow: {" + s + ": {}}"), `c.yaml:3: data_sources.shop.allow.` + s + `: a system schema can't be allowed`})
	}
	for name, yaml := range map[string]string{
		"must not be empty":                                     `""`,
		"is longer than 64 characters":                          strings.Repeat("é", 65),
		"ends in a space, which MySQL does not accept":          `"id "`,
		"holds a control character":                             `"i\0d"`,
		"holds a character that MySQL does not accept in names": `"\U0001F600"`,
	} {
		out = append(out, mistake{"a name that " + name, table("columns: [" + yaml + "]"), `c.yaml:6: ` + at + `.columns[0]: the column's name ` + name})
	}
	return out
}

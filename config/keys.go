package config

// The structs of this file are the file format: a key is accepted if and only if
// it has a field here. The reader, the hints for misspelt keys and the test that
// example.yaml shows every key all walk them, so a key is added in one place.

type fileKeys struct {
	Limits       section[limitKeys]                               `key:"limits"`
	DataSources  named[section[sourceKeys], *section[sourceKeys]] `key:"data_sources"`
	PseudonymKey secret                                           `key:"pseudonym_key"`
	Ledger       section[ledgerKeys]                              `key:"ledger"`
	CallID       section[callIDKeys]                              `key:"call_id"`
	Server       section[serverKeys]                              `key:"server"`
	Grants       unsupported                                      `key:"grants"`
	Tools        unsupported                                      `key:"tools"`
}

type limitKeys struct {
	Rows              number   `key:"rows"`
	SampleRows        number   `key:"sample_rows"`
	MaxRows           number   `key:"max_rows"`
	CellBytes         number   `key:"cell_bytes"`
	TotalBytes        number   `key:"total_bytes"`
	Timeout           duration `key:"timeout"`
	InFlight          number   `key:"in_flight"`
	InFlightPerCaller number   `key:"in_flight_per_caller"`
	MaxEstimatedRows  number   `key:"max_estimated_rows"`
}

type sourceKeys struct {
	Description             text                     `key:"description"`
	Tags                    list                     `key:"tags"`
	Flavour                 text                     `key:"flavour"`
	Connection              section[connectionKeys]  `key:"connection"`
	AcceptPrivilegedAccount boolean                  `key:"accept_privileged_account"`
	DefaultSchema           text                     `key:"default_schema"`
	Functions               section[functionKeys]    `key:"functions"`
	Limits                  section[sourceLimitKeys] `key:"limits"`
	Query                   section[queryKeys]       `key:"query"`
	Allow                   named[tables, *tables]   `key:"allow"`
}

type connectionKeys struct {
	Host           text             `key:"host"`
	Socket         text             `key:"socket"`
	Port           number           `key:"port"`
	Username       secret           `key:"username"`
	Password       secret           `key:"password"`
	TLS            section[tlsKeys] `key:"tls"`
	MaxConnections number           `key:"max_connections"`
}

type tlsKeys struct {
	Mode            text    `key:"mode"`
	CAFile          text    `key:"ca_file"`
	CertFile        text    `key:"cert_file"`
	KeyFile         text    `key:"key_file"`
	ServerName      text    `key:"server_name"`
	AcceptPlaintext boolean `key:"accept_plaintext"`
}

type functionKeys struct {
	Add    list `key:"add"`
	Remove list `key:"remove"`
}

type sourceLimitKeys struct {
	Rows             number   `key:"rows"`
	SampleRows       number   `key:"sample_rows"`
	MaxRows          number   `key:"max_rows"`
	CellBytes        number   `key:"cell_bytes"`
	TotalBytes       number   `key:"total_bytes"`
	Timeout          duration `key:"timeout"`
	MaxEstimatedRows number   `key:"max_estimated_rows"`
}

type queryKeys struct {
	Bytes        number `key:"bytes"`
	Tokens       number `key:"tokens"`
	Nesting      number `key:"nesting"`
	Placeholders number `key:"placeholders"`
}

// tables is one schema of an allowlist.
type tables = named[section[tableKeys], *section[tableKeys]]

type tableKeys struct {
	Description text                         `key:"description"`
	Columns     list                         `key:"columns"`
	Sensitive   named[sensitive, *sensitive] `key:"sensitive"`
	JSON        list                         `key:"json"`
}

// sensitiveKeys is the long form of a sensitive column; the short one is the
// mask's name.
type sensitiveKeys struct {
	Mask   text `key:"mask"`
	Filter text `key:"filter"`
	Type   text `key:"type"`
}

type secretKeys struct {
	Env  text `key:"env"`
	File text `key:"file"`
}

type ledgerKeys struct {
	SQLite section[sqliteKeys] `key:"sqlite"`
	MySQL  unsupported         `key:"mysql"`
}

type sqliteKeys struct {
	Path text `key:"path"`
}

type callIDKeys struct {
	MetaKeys list `key:"meta_keys"`
}

type serverKeys struct {
	Tools list        `key:"tools"`
	HTTP  unsupported `key:"http"`
}

// Package config reads the YAML file and nothing else: it resolves no secret
// and opens no connection.
//
// It guarantees that what Load returns is complete and consistent: unknown keys,
// wrong types, contradictions and limits above their ceilings are all reported
// at once, each with its line. A Config is immutable after Load; nobody may
// write to it.
package config

import (
	"time"

	"mysqlevidence/internal/function"
)

// Config is one file, checked.
type Config struct {
	Limits       Limits
	DataSources  []DataSource // in the file's order
	PseudonymKey Secret       // zero when absent
	Ledger       Ledger
	CallID       CallID
	Server       Server
}

// Limits bound every call. All are positive; only the cost gate may be off.
type Limits struct {
	Rows              int           // rows when the asker names no limit
	SampleRows        int           // the same for sample_table
	MaxRows           int           // the most rows that anyone may ask for; at most 100000
	CellBytes         int           // bytes of one cell
	TotalBytes        int           // UTF-8 bytes of the encoded evidence
	Timeout           time.Duration // at most 30 s
	InFlight          int           // calls at once, in all
	InFlightPerCaller int           // calls at once, of one caller
	CostGate          CostGate
}

// CostGate refuses a query whose plan the server estimates to be too expensive,
// before the query runs. The zero CostGate is off.
type CostGate struct {
	On bool
	// MaxEstimatedRows is the most rows that a plan may be estimated to examine;
	// positive when On.
	MaxEstimatedRows int
}

// DataSource is one logical name for one MySQL account on one server.
type DataSource struct {
	Name          string
	Description   string
	Tags          []string
	Flavour       string      // "mysql 8.4", "mariadb 10.11", or "" for whatever answers
	Connection    *Connection // nil where only offline commands are run
	DefaultSchema string      // "" when tables must be qualified
	Functions     function.Set
	Limits        Limits // the file's limits, tightened by the source's own
	Query         QueryCaps
	Allow         []Schema // in the file's order
}

// QueryCaps bound the text of a query before it is parsed. All are positive.
type QueryCaps struct {
	Bytes, Tokens, Nesting, Placeholders int
}

// Connection says how to reach the server.
type Connection struct {
	Host     string // with Port; empty when Socket is set
	Port     int
	Socket   string // absolute path
	Username Secret
	Password Secret
	TLS      TLS
	// MaxConnections bounds the pool.
	MaxConnections int
	// AcceptPrivilegedAccount serves even if the account may do more than read.
	AcceptPrivilegedAccount bool
}

// TLSMode is how the connection is protected.
type TLSMode string

// The TLS modes. There is no mode that encrypts without verifying.
const (
	TLSVerify    TLSMode = "verify"
	TLSPlaintext TLSMode = "plaintext"
)

// TLS is the protection of a connection.
type TLS struct {
	Mode       TLSMode
	CAFile     string // "" for the system's roots
	CertFile   string // client certificate, "" for none
	KeyFile    string
	ServerName string // "" for the host's name
	// AcceptPlaintext allows plaintext to a host that isn't loopback.
	AcceptPlaintext bool
}

// Secret is a reference to a value that is read when it is needed. Exactly one
// of the fields is set, or none for an absent secret.
type Secret struct {
	Env  string
	File string
}

// Schema is the allowed part of one schema.
type Schema struct {
	Name   string
	Tables []Table
}

// Table is the allowed part of one table or view.
type Table struct {
	Name        string
	Description string
	Columns     []Column // plain ones in the file's order, then the sensitive ones
}

// Mask is what happens to a column's values in evidence.
type Mask string

// The masks.
const (
	MaskNone      Mask = ""
	MaskRedact    Mask = "redact"
	MaskPseudonym Mask = "pseudonym"
)

// Column is one allowed column.
type Column struct {
	Name string
	Mask Mask // MaskNone for a plain column
	// FilterEquality admits col = ? and col IN (?, …) for a sensitive column,
	// with parameters of FilterType.
	FilterEquality bool
	FilterType     ParamType
	// JSON says that a text column holds JSON and is inlined (MariaDB).
	JSON bool
}

// ParamType is the type of the parameters that may filter a sensitive column.
type ParamType string

// The parameter types.
const (
	ParamText    ParamType = "text"
	ParamInteger ParamType = "integer"
)

// Ledger says where invocations are recorded.
type Ledger struct {
	SQLitePath string
}

// CallID says where the framework's call ID is found.
type CallID struct {
	MetaKeys []string // tried in order, then the JSON-RPC id
}

// Server is what is advertised.
type Server struct {
	Tools []string // nil for all
}

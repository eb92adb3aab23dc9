package projector

import (
	"mysqlevidence/authz"
	"mysqlevidence/config"
)

// kind says how the values of a column are written.
type kind int

const (
	kindUnsupported kind = iota
	kindInteger
	kindDecimal
	kindFloat
	kindText
	kindBinary
	kindDate
	kindTime
	kindDatetime
	kindTimestamp
	kindBit
	kindJSON
	kindRedacted
	kindPseudonym
)

// column is one output column, ready to encode.
type column struct {
	name string
	kind kind
	// label is the unsupported_type of a value that has no JSON form. It is a
	// word of ours, whatever the server says.
	label string
	mac   *mac // for kindPseudonym
	// length is the index of the column that has the length of the whole value, of
	// which this one is a prefix; 0 if the value is whole.
	length int
}

// cut says that the server sends the column cut. Of a JSON value it sends the
// text.
func (c *column) cut(by authz.Cut) {
	c.length = by.Length
	if by.JSON && c.kind == kindText {
		c.kind = kindJSON
	}
}

// columnsOf joins what the plan says of each column with the server's type. The
// type of a masked column is not looked at.
func columnsOf(plan []authz.Column, types []string, ps Pseudonyms) []column {
	out := make([]column, len(plan))
	for i, p := range plan {
		c := &out[i]
		c.name = p.Name
		if p.Mask != config.MaskNone {
			c.kind = kindRedacted
			if p.Mask == config.MaskPseudonym {
				if c.mac = ps.column(p.Schema, p.Table, p.Source); c.mac != nil {
					c.kind = kindPseudonym
				}
			}
			continue
		}
		c.kind, c.label = kindOf(types[i])
		if p.JSON && c.kind == kindText {
			c.kind = kindJSON
		}
	}
	return out
}

// kindOf reads a type name of the driver (mysqlField.typeDatabaseName) and gives
// the label of values that don't fit the type. A name that isn't listed is
// unsupported, so that a new type of a new server is never guessed at.
func kindOf(driverType string) (kind, string) {
	switch driverType {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT",
		"UNSIGNED TINYINT", "UNSIGNED SMALLINT", "UNSIGNED MEDIUMINT", "UNSIGNED INT", "UNSIGNED BIGINT", "YEAR":
		return kindInteger, "INTEGER"
	case "DECIMAL":
		return kindDecimal, "DECIMAL"
	case "FLOAT", "DOUBLE":
		return kindFloat, "FLOAT"
	case "CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET",
		"NULL": // the bare literal NULL: it has no value to write, and text claims least
		return kindText, "TEXT"
	case "BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB":
		return kindBinary, "BINARY"
	case "DATE":
		return kindDate, "DATE"
	case "TIME":
		return kindTime, "TIME"
	case "DATETIME":
		return kindDatetime, "DATETIME"
	case "TIMESTAMP":
		return kindTimestamp, "TIMESTAMP"
	case "BIT":
		return kindBit, "BIT"
	case "JSON":
		return kindJSON, "JSON"
	case "GEOMETRY":
		return kindUnsupported, "GEOMETRY"
	case "VECTOR":
		return kindUnsupported, "VECTOR"
	}
	return kindUnsupported, "UNKNOWN"
}

// typeName is the column's type in the envelope.
func (k kind) typeName() string {
	switch k {
	case kindInteger:
		return "integer"
	case kindDecimal:
		return "decimal"
	case kindFloat:
		return "float"
	case kindText, kindRedacted, kindPseudonym:
		return "text"
	case kindBinary:
		return "binary"
	case kindDate:
		return "date"
	case kindTime:
		return "time"
	case kindDatetime:
		return "datetime"
	case kindTimestamp:
		return "timestamp"
	case kindBit:
		return "bit"
	case kindJSON:
		return "json"
	}
	return "unsupported"
}

func (k kind) masked() bool { return k == kindRedacted || k == kindPseudonym }

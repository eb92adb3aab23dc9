package projector

import (
	"database/sql/driver"
	"encoding/binary"
	"math"

	"mysqlevidence/authz"
	"mysqlevidence/config"
)

// recipe turns bytes, random or of a fuzzer, into a result and its limits. When
// the bytes end, everything is zero.
type recipe struct{ data []byte }

func (r *recipe) byte() byte {
	if len(r.data) == 0 {
		return 0
	}
	c := r.data[0]
	r.data = r.data[1:]
	return c
}

func (r *recipe) number(below int) int { return (int(r.byte())<<8 | int(r.byte())) % below }

func (r *recipe) bytes(n int) []byte {
	n = min(n, len(r.data))
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *recipe) uint64() uint64 {
	var b [8]byte
	copy(b[:], r.bytes(8))
	return binary.LittleEndian.Uint64(b[:])
}

// result is all that project takes.
type result struct {
	plan   []authz.Column
	types  []string
	rows   [][]driver.Value
	cuts   []authz.Cut
	budget authz.RowBudget
	limits Limits
	ps     Pseudonyms
}

func (r result) source() *memory { return &memory{types: r.types, rows: r.rows, cuts: r.cuts} }

var recipeTypes = []string{
	"BIGINT", "UNSIGNED BIGINT", "DECIMAL", "FLOAT", "DOUBLE", "TEXT", "TEXT", "TEXT", "BLOB", "JSON", "JSON",
	"DATE", "TIME", "DATETIME", "TIMESTAMP", "BIT", "GEOMETRY", "NULL", "no such type",
}

func (r *recipe) result() result {
	var out result
	out.limits = Limits{CellBytes: 1 + r.number(80), TotalBytes: MinTotalBytes + r.number(3000)}
	out.budget = authz.RowBudget{Rows: 1 + r.number(30), Capped: r.byte()%2 == 0}
	if r.byte()%2 == 0 {
		out.ps, _ = NewPseudonyms(make([]byte, 32))
	}
	for range 1 + r.number(7) {
		c := authz.Column{Name: string(r.bytes(r.number(12)))}
		if r.byte()%64 == 0 {
			c.Name = string(r.bytes(300))
		}
		switch r.byte() % 8 {
		case 0:
			c.Mask = config.MaskRedact
		case 1:
			c.Mask = config.MaskPseudonym
			c.Schema, c.Table, c.Source = "s", "t", "c"
		case 2:
			c.JSON = true
		}
		out.plan = append(out.plan, c)
		out.types = append(out.types, recipeTypes[r.number(len(recipeTypes))])
	}
	for range r.number(40) {
		row := make([]driver.Value, len(out.plan))
		for i, t := range out.types {
			if r.byte()%8 != 0 {
				row[i] = r.value(t)
			}
		}
		out.rows = append(out.rows, row)
	}
	return out
}

var jsonPieces = []string{
	`{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `"b\"c"`, `"\u00e9\n"`, `"\ud83c\udf89"`, `"\ud83c"`, `1`, `-0.50e+3`, `null`,
	`true`, ` `, "\n", `{"k": [1, 2.0, {"k": null}]}`, `[[[]]]`, `"` + "\u2028" + `"`, `12345678901234567890`,
}

func (r *recipe) value(driverType string) driver.Value {
	switch driverType {
	case "BIGINT":
		return int64(r.uint64() >> (r.byte() % 64))
	case "UNSIGNED BIGINT":
		return []byte("18446744073709551615")
	case "FLOAT":
		return math.Float32frombits(uint32(r.uint64()))
	case "DOUBLE":
		return math.Float64frombits(r.uint64())
	case "DECIMAL":
		return []byte("-1234567890.0123456789")
	case "DATE":
		return []byte("0000-00-00")
	case "TIME":
		return []byte("-838:59:59")
	case "DATETIME", "TIMESTAMP":
		return []byte("2024-05-01 08:00:00.123456")
	case "BIT":
		return r.bytes(r.number(9))
	case "JSON":
		var b []byte
		for range 1 + r.number(6) {
			b = append(b, jsonPieces[r.number(len(jsonPieces))]...)
		}
		return b
	case "TEXT":
		if r.byte()%2 == 0 {
			text := []byte("Zoë\u2028\U0001F389 \"quoted\" <tag> \x00\n日本語")
			return text[:r.number(len(text)+1)]
		}
	}
	return r.bytes(r.number(200))
}

// Package sakila holds the Sakila sample database: 16 tables, six views and some
// 48,000 rows of an imaginary chain of DVD shops.
//
// The data is Oracle's (version 1.3, BSD licence, see LICENSE.sakila.txt). What
// differs from the original schema is said at the top of schema.sql; the data is
// whole. generate.go makes both files from the original dump.
package sakila

import (
	"archive/zip"
	"bytes"
	_ "embed" // for the files below
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

//go:embed schema.sql
var schema string

//go:embed data.zip
var data []byte

// Database is the name that the original gives to the schema.
const Database = "sakila"

// Null is how a NULL is written among the fields of a row.
const Null = `\N`

// Statements returns the CREATE TABLE and CREATE VIEW statements in the
// original's order. Tables refer to later ones by foreign keys.
func Statements() []string {
	var out []string
	for part := range strings.SplitSeq(schema, ";\n") {
		if text := withoutComments(part); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "--") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// Read gives the rows of a table to add, one by one, in the order of the primary
// key. The fields stand in the order of columns, which must be all of the
// table's; bytes and geometries (MySQL's own format) are in hexadecimal. add may
// not keep the slice.
func Read(table string, columns []string, add func(fields []string) error) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	file, err := archive.Open(table + ".csv")
	if err != nil {
		return err
	}
	err = readCSV(file, columns, add)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	return nil
}

func readCSV(r io.Reader, columns []string, add func([]string) error) error {
	rows := csv.NewReader(r)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		return err
	}
	if got, want := strings.Join(header, ","), strings.Join(columns, ","); got != want {
		return fmt.Errorf("the data has the columns %s, the schema %s", got, want)
	}
	for {
		fields, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := add(fields); err != nil {
			return err
		}
	}
}

//go:build ignore

// Generate makes schema.sql and data.zip from the dump of the Sakila sample
// database (sakila-schema.sql and sakila-data.sql of version 1.3, one after the
// other, gzipped):
//
//	go run generate.go sakila.sql.gz
//
// The same dump always gives the same bytes. What is left out of the schema, and
// why, is said at the top of schema.sql.
package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

const header = `-- Sakila sample database, version 1.3.
-- Copyright (c) 2006, 2022, Oracle and/or its affiliates. See LICENSE.sakila.txt.
--
-- Made by generate.go; don't edit. Changed from the original, because the demo's
-- engine has no such thing: version comments are unwrapped; FULLTEXT and SPATIAL
-- keys, triggers, functions, procedures and the view actor_info are left out.

`

// null is how NULL is written in the CSV files; no value of Sakila is equal to it.
const null = `\N`

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate.go sakila.sql.gz")
	}
	dump, err := read(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	schema, columns := schemaOf(dump)
	rows, err := rowsOf(dump)
	if err != nil {
		log.Fatal(err)
	}
	// The original fills film_text by a trigger on film.
	for _, film := range rows["film"] {
		rows["film_text"] = append(rows["film_text"], film[:3])
	}
	if err := os.WriteFile("schema.sql", []byte(header+schema), 0o644); err != nil {
		log.Fatal(err)
	}
	if err := writeData("data.zip", columns, rows); err != nil {
		log.Fatal(err)
	}
}

func read(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return "", err
	}
	return unwrap(string(text)), nil
}

// unwrap replaces each version comment by what is in it.
func unwrap(text string) string {
	return regexp.MustCompile(`/\*!\d+ ?(.*?) ?\*/`).ReplaceAllString(text, "$1")
}

var (
	create  = regexp.MustCompile(`(?ms)^CREATE (TABLE|VIEW) (\w+)\b.*?;$`)
	comment = regexp.MustCompile(`(?m)^\s*--.*\n`)
	badKey  = regexp.MustCompile(`,\s*(FULLTEXT|SPATIAL) KEY [^\n]*?\)`)
	column  = regexp.MustCompile("(?m)^  `?([a-z]\\w*)`? [A-Z]+")
)

// schemaOf returns the statements that make the tables and views, and the names
// of each table's columns in order.
func schemaOf(dump string) (string, map[string][]string) {
	var out strings.Builder
	columns := map[string][]string{}
	for _, m := range create.FindAllStringSubmatch(dump, -1) {
		if m[2] == "actor_info" {
			continue
		}
		text := badKey.ReplaceAllString(comment.ReplaceAllString(m[0], ""), "")
		out.WriteString(text + "\n\n")
		if m[1] == "TABLE" {
			for _, c := range column.FindAllStringSubmatch(text, -1) {
				columns[m[2]] = append(columns[m[2]], c[1])
			}
		}
	}
	return out.String(), columns
}

var insert = regexp.MustCompile("(?m)^INSERT INTO `?(\\w+)`? VALUES ")

func rowsOf(dump string) (map[string][][]string, error) {
	rows := map[string][][]string{}
	for _, m := range insert.FindAllStringSubmatchIndex(dump, -1) {
		table := dump[m[2]:m[3]]
		s := scanner{text: dump[m[1]:]}
		found, err := s.tuples()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		rows[table] = append(rows[table], found...)
	}
	return rows, nil
}

// scanner reads the list of tuples of an INSERT statement.
type scanner struct{ text string }

func (s *scanner) tuples() ([][]string, error) {
	var out [][]string
	for {
		row, err := s.tuple()
		if err != nil {
			return nil, err
		}
		out = append(out, row)
		if s.accept(";") {
			return out, nil
		}
		if !s.accept(",") {
			return nil, s.unexpected()
		}
	}
}

func (s *scanner) tuple() ([]string, error) {
	if !s.accept("(") {
		return nil, s.unexpected()
	}
	var row []string
	for {
		value, err := s.value()
		if err != nil {
			return nil, err
		}
		row = append(row, value)
		if s.accept(")") {
			return row, nil
		}
		if !s.accept(",") {
			return nil, s.unexpected()
		}
	}
}

var bare = regexp.MustCompile(`^(NULL|0x[0-9A-F]+|-?[0-9.]+)`)

// value reads a string, a number, NULL, or bytes, which stay in hexadecimal.
func (s *scanner) value() (string, error) {
	if s.accept("'") {
		return s.quoted()
	}
	v := bare.FindString(s.text)
	if v == "" {
		return "", s.unexpected()
	}
	s.text = s.text[len(v):]
	if v == "NULL" {
		return null, nil
	}
	return strings.TrimPrefix(v, "0x"), nil
}

func (s *scanner) quoted() (string, error) {
	var b strings.Builder
	for i := 0; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\':
			i++
			if !strings.ContainsRune(`'"\`, rune(s.text[i])) {
				return "", fmt.Errorf("escape \\%c is not known", s.text[i])
			}
			b.WriteByte(s.text[i])
		case c != '\'':
			b.WriteByte(c)
		case strings.HasPrefix(s.text[i:], "''"):
			i++
			b.WriteByte(c)
		default:
			s.text = s.text[i+1:]
			return b.String(), nil
		}
	}
	return "", io.ErrUnexpectedEOF
}

func (s *scanner) accept(token string) bool {
	s.text = strings.TrimLeft(s.text, " \r\n")
	rest, ok := strings.CutPrefix(s.text, token)
	if ok {
		s.text = strings.TrimLeft(rest, " \r\n")
		if token == "'" {
			s.text = rest
		}
	}
	return ok
}

func (s *scanner) unexpected() error {
	return fmt.Errorf("unexpected text at %.40q", s.text)
}

// writeData writes one CSV file for each table, with a line of column names.
func writeData(path string, columns map[string][]string, rows map[string][][]string) error {
	var tables []string
	for table := range columns {
		tables = append(tables, table)
	}
	slices.Sort(tables)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, table := range tables {
		w, err := z.Create(table + ".csv")
		if err != nil {
			return err
		}
		if err := csv.NewWriter(w).WriteAll(append([][]string{columns[table]}, rows[table]...)); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

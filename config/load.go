package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxFileBytes bounds the memory that a file can cost. A config of thousands of
// tables stays far below.
const maxFileBytes = 16 << 20

// Load reads the config file at path. Relative paths in it are taken from its
// directory. The error is an Errors with every mistake of the file.
func Load(path string) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, Errors{{File: path, Message: "cannot be read: " + err.Error()}}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, Errors{{File: path, Message: "cannot be located: " + err.Error()}}
	}
	return parse(path, filepath.Dir(absolute), data)
}

// Parse reads a config from memory; name is what mistakes call the file.
// Relative paths in it stay as they are.
func Parse(name string, data []byte) (*Config, error) { return parse(name, "", data) }

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		// Without the operation and the path, which the mistake names already.
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read: nothing can be lost
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFileBytes)
	}
	return data, nil
}

func parse(name, dir string, data []byte) (*Config, error) {
	r := &report{file: name}
	root := document(r, data)
	if root == nil {
		return nil, r.err()
	}
	refuseSharing(r, root)
	var file section[fileKeys]
	rd := &reader{report: r, accepted: file.keys("")}
	file.read(rd, root, place{line: root.Line})
	if root.Kind != yaml.MappingNode {
		return nil, r.err()
	}
	c := &checker{report: r, dir: dir, file: &file.v}
	cfg := c.config()
	if err := r.err(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// document returns the top node of the one document in data, or nil after it
// reported why there is none.
func document(r *report, data []byte) *yaml.Node {
	if line := badUTF8(data); line > 0 {
		r.fail(place{line: line}, "not valid UTF-8")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := decode(dec, &doc); {
	case errors.Is(err, io.EOF):
		r.fail(place{line: 1}, "the file is empty; data_sources must name at least one data source")
		return nil
	case err != nil:
		syntaxError(r, data, err)
		return nil
	}
	switch err := decode(dec, &second); {
	case err == nil:
		r.fail(place{line: second.Line}, "a second document; the file must be one document, without a second ---")
	case !errors.Is(err, io.EOF):
		syntaxError(r, data, err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 || isNull(doc.Content[0]) {
		r.fail(place{line: 1}, "the file is empty; data_sources must name at least one data source")
		return nil
	}
	return doc.Content[0]
}

// decode contains a panic of the YAML parser: a config file must never crash the
// program that checks it.
func decode(dec *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the parser gave up")
		}
	}()
	return dec.Decode(n)
}

func badUTF8(data []byte) int {
	if utf8.Valid(data) {
		return 0
	}
	line := 1
	for len(data) > 0 {
		c, size := utf8.DecodeRune(data)
		if c == utf8.RuneError && size == 1 {
			return line
		}
		if c == '\n' {
			line++
		}
		data = data[size:]
	}
	return line
}

// refuseSharing reports anchors, aliases, merge keys and tags anywhere in the
// document, also below unknown keys: what a reviewer reads on a line must be all
// that holds there.
func refuseSharing(r *report, n *yaml.Node) {
	at := place{line: n.Line}
	switch {
	case n.Kind == yaml.AliasNode:
		r.fail(at, "an alias (*%s) is not accepted; write the value out", n.Value)
		return
	case n.Kind == yaml.ScalarNode && n.Tag == mergeTag:
		r.fail(at, "a merge key (<<) is not accepted; write the keys out")
	case n.Style&yaml.TaggedStyle != 0:
		r.fail(at, "a YAML tag is not accepted; write the value without it")
	}
	if n.Anchor != "" {
		r.fail(at, "an anchor (&%s) is not accepted; write the value out where it is used", n.Anchor)
	}
	for _, child := range n.Content {
		refuseSharing(r, child)
	}
}

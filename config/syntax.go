package config

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

var (
	yamlLine   = regexp.MustCompile(`^line (\d+): `)
	yamlAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
	// yamlGrammar are the messages of the parser proper, which counts lines from
	// 0; the scanner below it counts from 1.
	yamlGrammar = regexp.MustCompile(`^(did not find expected (',' or|'-' indicator|<|key$|node content)|found (duplicate %|incompatible YAML|undefined tag))`)
	// yamlBlock are those that name the line where the block began.
	yamlBlock = regexp.MustCompile(`^did not find expected ('-' indicator|key)$`)
)

// syntaxError reports what the YAML parser says. It stops at the first syntax
// error, so this is the one kind of mistake that hides others.
func syntaxError(r *report, data []byte, err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := yamlAnchor.FindStringSubmatch(message); m != nil {
		before, _, _ := bytes.Cut(data, []byte("*"+m[1]))
		r.fail(place{line: bytes.Count(before, []byte("\n")) + 1}, "an alias (*%s) is not accepted, and its anchor does not exist", m[1])
		return
	}
	line := 0
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	switch {
	case yamlBlock.MatchString(message):
		line = brokenLine(data, message)
	case yamlGrammar.MatchString(message):
		line++
	}
	line = min(max(line, 1), lineCount(data))
	r.fail(place{line: line}, "not valid YAML near this line: %s", message)
}

// lineCount counts lines as YAML 1.1 ends them; CR LF counts twice, which only
// makes the bound looser.
func lineCount(data []byte) int {
	n := 1
	for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
		n += bytes.Count(data, []byte(end))
	}
	return n
}

// brokenLine returns the first line with which the file fails in this way. All
// longer pieces of the file fail like that too, as the parser stops there.
func brokenLine(data []byte, message string) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return 1 + sort.Search(len(lines)-1, func(i int) bool {
		err := decode(yaml.NewDecoder(bytes.NewReader(bytes.Join(lines[:i+1], nil))), new(yaml.Node))
		return err != nil && strings.HasSuffix(err.Error(), message)
	})
}

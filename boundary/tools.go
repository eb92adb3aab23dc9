package boundary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// ToolSpec is what a framework is told of a tool. The schemas are closed JSON
// schemas; the output's admits the answer and the fault.
type ToolSpec struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
}

// tool is one tool: what is told of it and what a call of it does.
type tool struct {
	spec    ToolSpec
	accepts []argument
	// prepare does all that needs no connection and fills the record. It returns
	// the rest of the call, or a fault.
	prepare func(*ToolBoundary, arguments, *Invocation) (job, *Fault)
}

// allTools lists the tools of this version.
func allTools() []tool {
	return []tool{listDataSources(), describeSchema(), sampleTable(), runQuery()}
}

// advertised picks the tools that the config names; nil names all.
func advertised(names []string) ([]tool, error) {
	all := allTools()
	if names == nil {
		return all, nil
	}
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	var out []tool
	for _, t := range all {
		if wanted[t.spec.Name] {
			out = append(out, t)
		}
		delete(wanted, t.spec.Name)
	}
	for n := range wanted {
		return nil, fmt.Errorf("tool %q is not a tool of this version", n)
	}
	return out, nil
}

// Tools returns the advertised tools.
func (b *ToolBoundary) Tools() []ToolSpec {
	out := make([]ToolSpec, 0, len(b.tools))
	for _, t := range b.tools {
		out = append(out, t.spec)
	}
	return out
}

func (b *ToolBoundary) tool(name string) (tool, bool) {
	for _, t := range b.tools {
		if t.spec.Name == name {
			return t, true
		}
	}
	return tool{}, false
}

func (b *ToolBoundary) toolNames() string {
	var names []string
	for _, t := range b.tools {
		names = append(names, t.spec.Name)
	}
	return strings.Join(names, ", ")
}

func runQuery() tool {
	return tool{
		spec: ToolSpec{
			Name: "run_query", Title: "Run a query",
			Description: "Runs one read-only SELECT on a data source and returns bounded, redacted evidence as JSON. " +
				"Explicit columns only (no *), JOIN … ON, no subqueries, CTEs or UNION; pass values through ? and params. " +
				"An empty result has the status NO_EVIDENCE, which is an answer. A refusal says how to repair the query.",
			InputSchema: inputSchema([]string{"data_source", "sql"}, dataSourceProperty,
				`"sql":{"type":"string","description":"One SELECT in MySQL's syntax, with ? for each value."}`,
				`"params":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"null"}]},"description":"One value for each ?, in order."}`,
				limitProperty, reasonProperty),
			OutputSchema: outputSchema(evidenceSchema),
		},
		accepts: []argument{dataSourceArgument(), sqlArgument(), paramsArgument(), limitArgument(), reasonArgument()},
		prepare: func(b *ToolBoundary, args arguments, inv *Invocation) (job, *Fault) {
			s, f := b.source(args.dataSource, inv)
			if f != nil {
				b.describeRefused(args, inv)
				return nil, f
			}
			return b.queryJob(s, s.queries, args, s.cfg.Limits.Rows, inv)
		},
	}
}

func listDataSources() tool {
	return tool{
		spec: ToolSpec{
			Name: "list_data_sources", Title: "List data sources",
			Description:  "Lists the databases that may be asked: name, flavour, description and tags. Start here when you don't know the data source's name.",
			InputSchema:  inputSchema(nil),
			OutputSchema: outputSchema(dataSourcesSchema),
		},
		prepare: func(b *ToolBoundary, _ arguments, _ *Invocation) (job, *Fault) {
			return func(context.Context) (answer, error) { return b.listing() }, nil
		},
	}
}

type dataSourceJSON struct {
	Name        string   `json:"name"`
	Flavour     string   `json:"flavour,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
}

type dataSourcesJSON struct {
	DataSources []dataSourceJSON `json:"data_sources"`
	Truncated   bool             `json:"truncated"`
	Notice      string           `json:"notice,omitempty"`
}

// listing names the data sources. Descriptions go first when it gets too large,
// then the last names.
func (b *ToolBoundary) listing() (answer, error) {
	out := dataSourcesJSON{DataSources: []dataSourceJSON{}}
	for _, s := range b.cfg.DataSources {
		out.DataSources = append(out.DataSources, dataSourceJSON{s.Name, s.Flavour, s.Description, s.Tags})
	}
	if text, err := encode(out); err != nil || len(text) <= b.cfg.Limits.TotalBytes {
		return answerOf(text, len(out.DataSources), false, err)
	}
	out.Truncated, out.Notice = true, "The list was too long: descriptions and tags are left out, and perhaps names at its end. Ask the operator for the name."
	for i := range out.DataSources {
		out.DataSources[i] = dataSourceJSON{Name: out.DataSources[i].Name}
	}
	for {
		text, err := encode(out)
		if err != nil || len(text) <= b.cfg.Limits.TotalBytes || len(out.DataSources) == 0 {
			return answerOf(text, len(out.DataSources), true, err)
		}
		out.DataSources = out.DataSources[:len(out.DataSources)/2]
	}
}

// answerOf makes an answer of a listing's JSON.
func answerOf(text []byte, rows int, truncated bool, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	sum := sha256.Sum256(text)
	return answer{json: text, status: StatusOK, rows: rows, truncated: truncated, sha256: hex.EncodeToString(sum[:])}, nil
}

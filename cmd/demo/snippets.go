package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"mysqlevidence/cmd/demo/tour"
)

// printSnippets tells how clients attach. It goes to stderr: stdout is MCP's.
func printSnippets(w io.Writer, server tour.Server) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "cmd", "demo")
	type command struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	run := command{Command: "go", Args: []string{"run", "-C", dir, ".", "--serve"}}
	cursor, err := json.Marshal(map[string]any{"mcpServers": map[string]command{"sakila-demo": run}})
	if err != nil {
		return err
	}
	run.Type = "stdio"
	code, err := json.Marshal(map[string]any{"servers": map[string]command{"sakila-demo": run}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `Serving MCP over stdio on %s. %s
To attach a client (run the tour once before, so that everything is compiled):
  Claude Code   claude mcp add sakila-demo -- go run -C %s . --serve
  Cursor        .cursor/mcp.json    %s
  VS Code       .vscode/mcp.json    %s
Stop with end of input or Ctrl-C.
`, server.Title, server.Shortcoming, dir, cursor, code)
	return err
}

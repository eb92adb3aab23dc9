package refusal

import "strings"

// Markdown is docs/refusals.md: the catalogue for readers.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Refusals\n\nGenerated from `internal/refusal/catalogue.go` by `go test ./internal/refusal -update`; don't edit.\n\n" +
		"Every reason for which a query is refused before a server is asked. A refusal has a `reason` from this list, a `code`\n" +
		"(its class), the stage that refused, a sentence, a hint with the next step, and where there is one place, its line\n" +
		"and column. Other faults have reasons of their own: of the arguments, of the call, and of the server's answer.\n")
	for _, stage := range []Stage{Validate, Authorize, Bind} {
		b.WriteString("\n## Stage `" + string(stage) + "`\n\n| reason | code | cause | example | instead | hint |\n|---|---|---|---|---|---|\n")
		for _, e := range Catalogue {
			if e.Stage == stage {
				b.WriteString("| `" + string(e.Reason) + "` | `" + string(e.Code) + "` | " + cell(e.Message) + " | " + code(e.Example) +
					" | " + code(e.Instead) + " | " + cell(e.Hint) + " |\n")
			}
		}
	}
	return b.String()
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "`", "&#96;").Replace(s)
}

// code shows SQL as code; two backticks, because names have one.
func code(s string) string {
	return "`` " + strings.ReplaceAll(s, "|", `\|`) + " ``"
}

package refusal

import "strings"

// Markdown is docs/refusals.md: the catalogue for readers.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Refusals\n\nGenerated from `internal/refusal/catalogue.go` by `go test ./internal/refusal -update`; don't edit.\n\n" +
		"A refusal has a `reason` from this list, a `code` (its class), the stage that refused, a sentence, a hint with the\n" +
		"next step, and where there is one place, its line and column. Nothing that is refused here has reached a server.\n")
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

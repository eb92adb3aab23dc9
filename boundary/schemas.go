package boundary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The JSON schemas are written by hand: an inferred one admits null where the
// tool doesn't. Each object is closed.

const (
	dataSourceProperty = `"data_source":{"type":"string","description":"The data source's name."}`
	limitProperty      = `"limit":{"type":"integer","minimum":1,"description":"The most rows to return; clamped to the operator's ceiling."}`
	reasonProperty     = `"reason":{"type":"string","maxLength":1000,"description":"Why this is asked; it is recorded."}`
)

const evidenceSchema = `{"type":"object","properties":{
"status":{"enum":["OK","NO_EVIDENCE"]},
"columns":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"type":{"type":"string"},"redacted":{"type":"boolean"}},"required":["name","type"],"additionalProperties":false}},
"rows":{"type":"array","items":{"type":"array"}},
"row_count":{"type":"integer"},
"truncated":{"type":"boolean"},
"truncated_by":{"type":"array","items":{"enum":["rows","cells","bytes"]}},
"marks":{"type":"array","items":{"type":"array"}},
"notice":{"type":"string"}},
"required":["status","columns","rows","row_count","truncated"],"additionalProperties":false}`

const dataSourcesSchema = `{"type":"object","properties":{
"data_sources":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"flavour":{"type":"string"},"description":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},"required":["name"],"additionalProperties":false}},
"truncated":{"type":"boolean"},
"notice":{"type":"string"}},
"required":["data_sources","truncated"],"additionalProperties":false}`

const describedSchema = `{"type":"object","properties":{
"data_source":{"type":"string"},"flavour":{"type":"string"},"default_schema":{"type":"string"},
"dialect":{"type":"array","items":{"type":"string"}},
"tables":{"type":"array","items":{"type":"object","properties":{
"schema":{"type":"string"},"table":{"type":"string"},"view":{"type":"boolean"},"description":{"type":"string"},"comment":{"type":"string"},
"columns":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"type":{"type":"string"},"key":{"enum":["primary","unique","index"]},"references":{"type":"string"},"sensitive":{"enum":["redact","pseudonym"]},"filter":{"enum":["equality"]},"filter_type":{"type":"string"},"nullable":{"type":"boolean"},"comment":{"type":"string"}},"required":["name","type"],"additionalProperties":false}},
"indexes":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"unique":{"type":"boolean"},"columns":{"type":"array","items":{"type":"string"}}},"required":["name","unique","columns"],"additionalProperties":false}},
"foreign_keys":{"type":"array","items":{"type":"object","properties":{"columns":{"type":"array","items":{"type":"string"}},"references":{"type":"string"},"references_columns":{"type":"array","items":{"type":"string"}}},"required":["columns","references","references_columns"],"additionalProperties":false}}},
"required":["schema","table"],"additionalProperties":false}},
"truncated":{"type":"boolean"},"notice":{"type":"string"}},
"required":["data_source","tables","truncated"],"additionalProperties":false}`

const faultSchema = `{"type":"object","properties":{
"status":{"enum":["REFUSED","FAILED"]},
"error":{"type":"object","properties":{
"code":{"type":"string"},"reason":{"type":"string"},"stage":{"type":"string"},"message":{"type":"string"},"hint":{"type":"string"},
"position":{"type":"object","properties":{"line":{"type":"integer"},"column":{"type":"integer"}},"required":["line","column"],"additionalProperties":false},
"retryable":{"type":"boolean"},"retry_after_s":{"type":"integer"},"request_id":{"type":"string"}},
"required":["code","reason","stage","message","hint","retryable","request_id"],"additionalProperties":false}},
"required":["status","error"],"additionalProperties":false}`

func inputSchema(required []string, properties ...string) json.RawMessage {
	names := "[]"
	if len(required) > 0 {
		names = `["` + strings.Join(required, `","`) + `"]`
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") +
		`},"required":` + names + `,"additionalProperties":false}`)
}

// outputSchema admits the fault too: clients validate the structured content of
// an error against the same schema.
func outputSchema(answer string) json.RawMessage {
	return json.RawMessage(`{"type":"object","oneOf":[` + answer + `,` + faultSchema + `]}`)
}

// encode writes JSON without escaping <, > and &, which are frequent in SQL and
// cost a model six characters each.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

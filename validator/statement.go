package validator

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// statementWords begin a statement; after a semicolon they make a second one.
var statementWords = wordSet(`select insert update delete replace drop alter create truncate set call do
	show with grant revoke load lock unlock use begin start commit rollback rename analyze optimize
	explain describe desc handler flush kill shutdown prepare execute deallocate declare if table values exec`)

func (s *scanner) afterSemicolon(tok token) *refusal.Refusal {
	switch {
	case tok.typ == ';':
		return refusal.New(refusal.MultipleStatements, tok.pos).
			Messagef("There is a second semicolon.").Hintf("End the SELECT with one semicolon or none, and delete the rest.")
	case statementWords[strings.ToLower(tok.val)] || tok.typ == sqlparser.SELECT:
		return refusal.New(refusal.MultipleStatements, tok.pos)
	case strings.HasPrefix(s.sql[tok.start:], "```"):
		return refusal.New(refusal.MarkdownFence, tok.pos).Hintf("Delete the line with ``` and what follows it.")
	}
	return refusal.New(refusal.TrailingText, tok.pos)
}

var writeWords = wordSet(`insert update delete replace drop alter create truncate set call do grant revoke
	load lock unlock use begin start commit rollback savepoint release rename analyze optimize repair check
	checksum handler flush kill shutdown prepare execute deallocate import install uninstall reset purge
	change cache binlog xa restart clone merge upsert exec declare vacuum copy attach`)

// writeHints say how to go on without a statement that readers often begin with.
var writeHints = map[string]string{
	"use":     "Leave it out; where a table is in another schema write schema.table.",
	"set":     "Leave it out and send the SELECT alone; pass values as parameters with ?.",
	"begin":   "Leave it out and send the SELECT alone: every query reads by itself.",
	"start":   "Leave it out and send the SELECT alone: every query reads by itself.",
	"commit":  "Leave it out and send the SELECT alone: every query reads by itself.",
	"declare": "Leave it out and pass the value as a parameter with ?.",
	"analyze": "Call explain_query with the SELECT alone.",
}

var metadataWords = wordSet(`show describe desc help pragma info sp_help sp_tables sp_columns`)

// firstToken refuses everything but SELECT before the parser sees it: the parser
// accepts broken DDL and logs its text.
func (s *scanner) firstToken(tok token) *refusal.Refusal {
	word := strings.ToLower(tok.val)
	switch {
	case tok.typ == sqlparser.SELECT:
		return nil
	case tok.typ == '(':
		return refusal.New(refusal.Parenthesised, tok.pos)
	case tok.typ == sqlparser.WITH:
		return refusal.New(refusal.CTE, tok.pos)
	case !tok.isBareWord():
		return s.notSelect(tok)
	case metadataWords[word]:
		r := refusal.New(refusal.ShowStatement, tok.pos)
		r.Tables = s.tablesAhead()
		return r
	case writeWords[word]:
		r := refusal.New(refusal.WriteStatement, tok.pos).
			Messagef("%s is not accepted: this tool only reads, and takes one SELECT.", strings.ToUpper(word))
		if hint := writeHints[word]; hint != "" {
			r.Hint = hint
		}
		return r
	}
	return s.notSelect(tok)
}

// notSelect says what to change in a text that begins with something else.
func (s *scanner) notSelect(tok token) *refusal.Refusal {
	r := refusal.New(refusal.NotSelect, tok.pos)
	switch strings.ToLower(tok.val) {
	case "explain":
		return r.Messagef("EXPLAIN is not accepted here.").Hintf("Call explain_query with the SELECT alone; or delete EXPLAIN to run it.")
	case "table":
		r.Tables = s.tablesAhead()
		return r.Messagef("TABLE is not accepted as a statement.").Hintf("Write SELECT with the columns that you need, and FROM with the table.")
	case "values":
		return r.Messagef("VALUES is not accepted as a statement.").Hintf("Write the question as a SELECT from a table.")
	case "from":
		return r.Messagef("The query begins with FROM.").Hintf("Write SELECT and the columns before FROM.")
	}
	switch {
	case tok.typ == sqlparser.STRING, tok.typ == sqlparser.ID && !tok.isBareWord():
		r.Messagef("The text begins with a quote.").Hintf("Send the SELECT itself, without quotes or backticks round it.")
	case tok.typ == '.':
		r = refusal.New(refusal.ShowStatement, tok.pos)
	default:
		r.Messagef("The text doesn't begin with SELECT.").
			Hintf("Send the SELECT alone: delete the words before it, and any Markdown fence.")
	}
	return r
}

// tablesAhead lists the names in the rest of a text that is refused already.
func (s *scanner) tablesAhead() []refusal.TableName {
	var out []refusal.TableName
	schema := ""
	for range 12 {
		typ, val := s.tkn.Scan()
		if typ == 0 || typ == sqlparser.LEX_ERROR || typ == ';' {
			break
		}
		switch {
		case typ == '.' && len(out) > 0:
			schema = out[len(out)-1].Name
		case val != "" && typ != sqlparser.STRING && typ != sqlparser.COMMENT:
			out = append(out, refusal.TableName{Schema: schema, Name: val})
			schema = ""
		}
	}
	return out
}

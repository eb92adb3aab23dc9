package validator

import (
	"strings"
	"unicode/utf8"

	"vitess.io/vitess/go/vt/sqlparser"

	"mysqlevidence/internal/refusal"
)

// token is one token of the text, comments left out.
type token struct {
	typ        int
	val        string // decoded: an identifier's name, a string's value
	start, end int    // bytes in the text
	pos        refusal.Position
}

// scanned is a text that passed the token checks.
type scanned struct {
	text   string // as sent, with comments and the final semicolon blanked
	tokens []token
	params int
	hash   refusal.Position // of the last comment with #, if any
}

// scanner walks the text once with the parser's own tokenizer, so that both see
// the same tokens.
type scanner struct {
	v       *Validator
	sql     string
	tkn     *sqlparser.Tokenizer
	blank   []byte // nil until something is blanked
	out     scanned
	nesting int
	ended   bool // the final semicolon was seen
	// line, column and at track the position of the byte at.
	line, column, at int
}

func (v *Validator) scan(sql string) (*scanned, *refusal.Refusal) {
	s := &scanner{v: v, sql: sql, tkn: v.parser.NewStringTokenizer(sql), line: 1, column: 1}
	// Executable comments arrive as comments, so that they can be refused.
	s.tkn.SkipSpecialComments = true
	s.out.text = sql
	s.out.tokens = make([]token, 0, min(len(sql)/3+8, 256))
	for {
		done, r := s.next()
		if r != nil {
			return nil, r
		}
		if done {
			break
		}
	}
	if len(s.out.tokens) == 0 {
		return nil, refusal.New(refusal.EmptyStatement, refusal.Position{})
	}
	if r := s.out.checkShape(); r != nil {
		return nil, r
	}
	if s.blank != nil {
		s.out.text = string(s.blank)
	}
	return &s.out, nil
}

func (s *scanner) next() (done bool, r *refusal.Refusal) {
	start := s.tkn.Pos
	for start < len(s.sql) && strings.IndexByte(" \n\r\t", s.sql[start]) >= 0 {
		start++
	}
	typ, val := s.tkn.Scan()
	if typ == 0 {
		return true, nil
	}
	tok := token{typ: typ, val: val, start: start, end: min(s.tkn.Pos, len(s.sql)), pos: s.position(start)}
	if s.ended && typ != sqlparser.COMMENT {
		return false, s.afterSemicolon(tok)
	}
	switch typ {
	case sqlparser.LEX_ERROR:
		return false, s.lexError(tok)
	case sqlparser.COMMENT:
		if r := checkComment(s.sql[tok.start:tok.end], tok.pos); r != nil {
			return false, r
		}
		if s.sql[tok.start] == '#' {
			s.out.hash = tok.pos
		}
		s.erase(tok)
		return false, nil
	case ';':
		if len(s.out.tokens) == 0 {
			return false, refusal.New(refusal.EmptyStatement, tok.pos).
				Messagef("The text begins with a semicolon.").Hintf("Delete it, and send one SELECT.")
		}
		s.erase(tok)
		s.ended = true
		return false, nil
	}
	if len(s.out.tokens) == 0 {
		if r := s.firstToken(tok); r != nil {
			return false, r
		}
	}
	if r := s.checkToken(tok); r != nil {
		return false, r
	}
	s.out.tokens = append(s.out.tokens, tok)
	if len(s.out.tokens) > s.v.caps.Tokens {
		return false, refusal.New(refusal.TooManyTokens, tok.pos).Messagef("The text has more than %d tokens.", s.v.caps.Tokens)
	}
	return false, nil
}

// position gives line and column of a byte offset; offsets only grow.
func (s *scanner) position(offset int) refusal.Position {
	for ; s.at < offset; s.at++ {
		if c := s.sql[s.at]; c == '\n' {
			s.line, s.column = s.line+1, 1
		} else if utf8.RuneStart(c) {
			s.column++
		}
	}
	return refusal.Position{Line: s.line, Column: s.column}
}

// erase replaces a token by blanks, so that the parser never sees it and every
// other token keeps its place.
func (s *scanner) erase(tok token) {
	if s.blank == nil {
		s.blank = []byte(s.sql)
	}
	for i := tok.start; i < tok.end; i++ {
		if s.blank[i] != '\n' {
			s.blank[i] = ' '
		}
	}
}

// checkComment accepts plain comments only. The other kinds are code for one
// reader or another: /*! */ (MySQL, MariaDB), /*M! */ (MariaDB), /*+ */ (hints).
func checkComment(text string, pos refusal.Position) *refusal.Refusal {
	switch {
	case strings.HasPrefix(text, "//"):
		return refusal.New(refusal.SlashComment, pos)
	case strings.HasPrefix(text, "/*!"), strings.HasPrefix(text, "/*M!"), strings.HasPrefix(text, "/*m!"):
		return refusal.New(refusal.ExecutableComment, pos)
	case strings.HasPrefix(text, "/*+"), strings.HasPrefix(text, "/*vt+"):
		return refusal.New(refusal.OptimizerHint, pos)
	}
	return nil
}

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

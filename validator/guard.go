package validator

import (
	"unicode"
	"unicode/utf8"

	"mysqlevidence/internal/refusal"
)

// The ceilings of the accepted language. The first four can be lowered by the
// config, none can be raised.
const (
	maxBytes        = 16 << 10
	maxTokens       = 2000
	maxNesting      = 64
	maxPlaceholders = 256

	maxDepth  = 64
	maxItems  = 64
	maxInList = 500
	maxJoins  = 8
	maxOrder  = 20 // items of GROUP BY, of ORDER BY
	maxArgs   = 64 // arguments of one call, branches of one CASE
)

// checkCharacters refuses what readers take differently: bytes that aren't
// UTF-8 (multi-byte charsets, the parser's U+FFFD), NUL (ignored at the end by
// MySQL), controls (white space for one reader, an error for the other), and
// characters that make text look like what it isn't.
func checkCharacters(sql string) *refusal.Refusal {
	line, column := 1, 1
	for i, c := range sql {
		if c < utf8.RuneSelf {
			if c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
				return refusal.New(refusal.ControlCharacter, refusal.Position{Line: line, Column: column})
			}
		} else if r := checkWide(sql, i, c, refusal.Position{Line: line, Column: column}); r != nil {
			return r
		}
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	return nil
}

func checkWide(sql string, i int, c rune, pos refusal.Position) *refusal.Refusal {
	switch {
	case c == utf8.RuneError:
		if _, n := utf8.DecodeRuneInString(sql[i:]); n == 1 {
			return refusal.New(refusal.InvalidUTF8, pos)
		}
	case unicode.IsControl(c):
		return refusal.New(refusal.ControlCharacter, pos)
	case unicode.Is(unicode.Cf, c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c):
		return refusal.New(refusal.FormatCharacter, pos)
	}
	return nil
}

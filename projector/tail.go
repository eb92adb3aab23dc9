package projector

import "strconv"

// What the end of an envelope is made of.
const (
	tailRowCount    = `],"row_count":`
	tailTruncated   = `,"truncated":true,"truncated_by":[`
	tailComplete    = `,"truncated":false`
	tailMarks       = `,"marks":[`
	tailNotice      = `,"notice":"`
	noEvidenceStart = `{"status":"NO_EVIDENCE",`
	okStart         = `{"status":"OK",`
)

// The sentences of notice. They hold no character that JSON escapes.
const (
	noticeEmpty       = "The query ran and no row matched; that is an answer, not an error. Check the values compared with, or widen the conditions."
	noticeRows        = "There are more rows than the row limit: narrow the query, aggregate, or read on with ORDER BY, LIMIT and OFFSET. "
	noticeCells       = "Clipped cells are listed in marks as [row, column, kind], counted from 0: read on with SUBSTRING(column, start, length). "
	noticeBytes       = "The answer reached its size limit: select fewer or shorter columns, or read on with ORDER BY, LIMIT and OFFSET. "
	noticeHeader      = "The column names alone exceed the size limit: select fewer columns, or give them short aliases. "
	noticeUnsupported = "Cells listed in marks as unsupported have no JSON form: leave the column out. "
)

// reserve is at least the length of any end of an envelope without its marks: a
// count of up to ten digits, all three caps, and every sentence that can meet
// another. The difference of the two statuses is in it too.
const reserve = len(noEvidenceStart) - len(okStart) +
	len(tailRowCount) + 10 +
	len(tailTruncated) + len(`"rows","cells","bytes"]`) +
	len(tailMarks) + len(`]`) +
	len(tailNotice) + len(noticeRows+noticeCells+noticeBytes+noticeUnsupported) + len(`"}`)

// finish closes the envelope.
func (e *encoder) finish() Evidence {
	ev := &evidence{status: StatusOK, rows: e.rows, truncatedBy: e.by.names()}
	if !e.seen {
		ev.status = StatusNoEvidence
		e.b = append([]byte(noEvidenceStart), e.b[len(okStart):]...)
	}
	b := append(e.b, tailRowCount...)
	b = strconv.AppendInt(b, int64(e.rows), 10)
	if len(ev.truncatedBy) == 0 {
		b = append(b, tailComplete...)
	} else {
		b = append(b, tailTruncated...)
		for i, name := range ev.truncatedBy {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(append(b, '"'), name...), '"')
		}
		b = append(b, ']')
	}
	if len(e.marks) > 0 {
		b = append(b, tailMarks...)
		b = append(b, e.marks...)
		b = append(b, ']')
	}
	if e.noteworthy() {
		b = append(b, tailNotice...)
		b = e.notice(b)
		b = append(b, '"')
	}
	ev.json = append(b, '}')
	return Evidence{e: ev}
}

func (c caps) names() []string {
	var out []string
	if c.rows {
		out = append(out, "rows")
	}
	if c.cells {
		out = append(out, "cells")
	}
	if c.bytes {
		out = append(out, "bytes")
	}
	return out
}

func (e *encoder) noteworthy() bool {
	return !e.seen || e.odd || e.by != caps{}
}

// notice appends what to do next.
func (e *encoder) notice(b []byte) []byte {
	if e.headless {
		b = append(b, noticeHeader...)
	} else if e.by.bytes {
		b = append(b, noticeBytes...)
	}
	if !e.seen {
		return append(b, noticeEmpty...)
	}
	if e.by.rows {
		b = append(b, noticeRows...)
	}
	if e.by.cells {
		b = append(b, noticeCells...)
	}
	if e.odd {
		b = append(b, noticeUnsupported...)
	}
	return b[:len(b)-1] // the space after the last sentence
}

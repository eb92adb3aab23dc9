package boundary

const (
	noticeTables  = "The listing reached its size limit: columns, and perhaps tables at its end, are left out. Name a table in the argument table to see all of it."
	noticeColumns = "The listing reached its size limit: comments, and perhaps columns at its end, are left out."
)

// fit makes a description no longer than the limit, in bytes. It gives up first
// what helps least: comments, then columns where a table can be asked for by
// name, then the dialect, then the end of the list.
func fit(out schemaJSON, limit int) (answer, error) {
	for _, shrink := range []func(*schemaJSON) bool{
		func(*schemaJSON) bool { return false },
		dropComments, dropColumns, dropDialect, halve,
	} {
		for {
			again := shrink(&out)
			text, err := encode(out)
			if err != nil || len(text) <= limit {
				return answerOf(text, len(out.Tables), out.Truncated, err)
			}
			if !again {
				break
			}
		}
	}
	// Nothing is left but the data source's name and our own sentence.
	out.Tables, out.Notice = []tableJSON{}, noticeColumns
	text, err := encode(out)
	return answerOf(text, 0, true, err)
}

// Each step reports whether it may be taken again. A step works on copies: the
// lists may be shared.

func dropComments(out *schemaJSON) bool {
	out.Truncated, out.Notice = true, noticeColumns
	out.Tables = append([]tableJSON{}, out.Tables...)
	for i := range out.Tables {
		t := &out.Tables[i]
		t.Comment, t.Description = "", ""
		t.Columns = append([]columnJSON(nil), t.Columns...)
		for j := range t.Columns {
			t.Columns[j].Comment = ""
		}
	}
	return false
}

func dropColumns(out *schemaJSON) bool {
	if len(out.Tables) < 2 {
		return false
	}
	out.Notice = noticeTables
	for i := range out.Tables {
		t := &out.Tables[i]
		t.Columns, t.Indexes, t.ForeignKeys = nil, nil, nil
	}
	return false
}

func dropDialect(out *schemaJSON) bool {
	out.Dialect = nil
	return false
}

// halve shortens the longest list there is.
func halve(out *schemaJSON) bool {
	switch {
	case len(out.Tables) > 1:
		out.Tables = out.Tables[:len(out.Tables)/2]
		return true
	case len(out.Tables) == 1 && len(out.Tables[0].Columns) > 0:
		t := &out.Tables[0]
		t.Indexes, t.ForeignKeys = nil, nil
		t.Columns = t.Columns[:len(t.Columns)/2]
		return true
	}
	return false
}

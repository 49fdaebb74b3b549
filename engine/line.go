package engine

import (
	"math"
	"strconv"
	"time"

	"kavosh/internal/journal"
)

// append appends l to b as its line of crawl.log, without line feed: the JSON that encoding/json reads back to the same
// line. A score that is not a number is left out.
func (l *Line) append(b []byte) []byte {
	b = moment(b, `{"time":`, l.Time)
	b = journal.AppendString(append(b, `,"url":`...), l.URL)
	b = journal.AppendString(append(b, `,"outcome":`...), l.Outcome)
	b = number(b, `,"status":`, int64(l.Status))
	b = text(b, `,"failure":`, string(l.Failure))
	b = text(b, `,"reason":`, l.Reason)
	b = text(b, `,"forbidden":`, l.Forbids)
	b = text(b, `,"wall":`, l.Wall)
	b = text(b, `,"rule":`, l.Rule)
	b = journal.AppendString(append(b, `,"kind":`...), l.Kind)
	b = text(b, `,"via":`, l.Via)
	b = text(b, `,"seed":`, l.Seed)
	b = text(b, `,"path":`, l.Path)
	b = strconv.AppendInt(append(b, `,"hops":`...), int64(l.Hops), 10)
	if l.Score != 0 && !math.IsNaN(l.Score) && !math.IsInf(l.Score, 0) {
		b = strconv.AppendFloat(append(b, `,"score":`...), l.Score, 'g', -1, 64)
	}
	b = text(b, `,"why":`, l.Why)
	b = number(b, `,"attempt":`, int64(l.Attempt))
	b = text(b, `,"mime":`, l.MIME)
	b = number(b, `,"size":`, l.Size)
	b = number(b, `,"took":`, l.Took)
	if !l.Began.IsZero() {
		b = moment(b, `,"began":`, l.Began)
	}
	b = text(b, `,"digest":`, l.Digest)
	b = text(b, `,"revisit":`, l.Revisit)
	b = text(b, `,"near":`, l.Near)
	b = text(b, `,"truncated":`, string(l.Cut))
	b = text(b, `,"file":`, l.File)
	b = number(b, `,"offset":`, l.Offset)
	if l.Verdict != 0 && !math.IsNaN(l.Verdict) && !math.IsInf(l.Verdict, 0) {
		b = strconv.AppendFloat(append(b, `,"verdict":`...), l.Verdict, 'g', 4, 64)
	}
	b = text(b, `,"because":`, l.Because)
	if l.Variant {
		b = append(b, `,"variant":true`...)
	}
	b = text(b, `,"class":`, string(l.Class))
	b = number(b, `,"links":`, int64(l.Links))
	b = text(b, `,"anchor":`, l.Anchor)
	for i, note := range l.Notes {
		if i == 0 {
			b = append(b, `,"notes":[`...)
		} else {
			b = append(b, ',')
		}
		b = journal.AppendString(b, note)
	}
	if len(l.Notes) > 0 {
		b = append(b, ']')
	}
	return append(b, '}')
}

// number appends a field that is left out when 0.
func number(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), n, 10)
}

// text appends a field that is left out when empty.
func text(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return journal.AppendString(append(b, name...), s)
}

func moment(b []byte, name string, t time.Time) []byte {
	b = append(append(b, name...), '"')
	return append(t.AppendFormat(b, time.RFC3339Nano), '"')
}

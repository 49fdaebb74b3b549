package archive

import (
	"math"
	"strconv"
	"time"

	"kavosh"
	"kavosh/internal/journal"
)

// Line is one line of crawl.log: a URL with its outcome, or why it was never requested.
type Line struct {
	Time    time.Time         `json:"time"` // end of the exchange, or of the decision
	URL     string            `json:"url"`
	Outcome string            `json:"outcome"` // "recorded", "failed", "refused" (never requested), "retry", "dropped" (by --only)
	Status  int               `json:"status,omitempty"`
	Failure kavosh.Failure    `json:"failure,omitempty"`
	Reason  string            `json:"reason,omitempty"`    // in words: scope rule, robots line, budget, trap, cause of the failure
	Forbids string            `json:"forbidden,omitempty"` // the rule of robots.txt against it, where it was asked all the same
	Wall    string            `json:"wall,omitempty"`      // the bot wall that answered in place of the site
	Rule    string            `json:"rule,omitempty"`      // class of a refusal by scope: "scope", "exclude", "hops", "nofollow", "guess", "chain", "trap"
	Kind    string            `json:"kind"`
	Via     string            `json:"via,omitempty"`
	Seed    string            `json:"seed,omitempty"`
	Path    string            `json:"path,omitempty"`
	Hops    int               `json:"hops"`
	Score   float64           `json:"score,omitempty"`
	Why     string            `json:"why,omitempty"` // words for Score, where the order or somebody else has any
	Attempt int               `json:"attempt,omitempty"`
	MIME    string            `json:"mime,omitempty"`
	Size    int64             `json:"size,omitempty"` // payload bytes
	Took    int64             `json:"took,omitempty"` // milliseconds
	Began   time.Time         `json:"began,omitzero"` // the WARC-Date of its records
	Digest  string            `json:"digest,omitempty"`
	Revisit string            `json:"revisit,omitempty"` // profile, when nothing new was stored
	Near    string            `json:"near,omitempty"`    // URL of an earlier page of this run that says nearly the same
	Cut     kavosh.Truncation `json:"truncated,omitempty"`
	File    string            `json:"file,omitempty"`
	Offset  int64             `json:"offset,omitempty"`
	Verdict float64           `json:"verdict,omitempty"` // the judge's, from 0 to 1
	Because string            `json:"because,omitempty"` // the judge's reasons
	Variant bool              `json:"variant,omitempty"` // its form in RDF was asked for
	Class   kavosh.Class      `json:"class,omitempty"`   // what it is to a crawl of the semantic web, where somebody asked
	Links   int               `json:"links,omitempty"`   // found in it
	Anchor  string            `json:"anchor,omitempty"`  // of the link that led to it
	Notes   []string          `json:"notes,omitempty"`
}

// Outcomes of a line.
const (
	Recorded = "recorded" // a response or revisit record stands for it
	Failed   = "failed"   // a metadata record says why there is no answer
	Refused  = "refused"  // never requested
	Retry    = "retry"    // asked in vain; it waits for another attempt, and nothing is recorded yet
	Dropped  = "dropped"  // a metadata record says why the archive does not keep the answer
)

// Append appends l to b as its line of crawl.log, without line feed: the JSON that encoding/json reads back to the same
// line. A score that is not a number is left out.
func (l *Line) Append(b []byte) []byte {
	b = moment(b, `{"time":`, l.Time)
	b = journal.AppendString(append(b, `,"url":`...), l.URL)
	b = journal.AppendString(append(b, `,"outcome":`...), l.Outcome)
	b = journal.AppendNumber(b, `,"status":`, int64(l.Status))
	b = journal.AppendText(b, `,"failure":`, string(l.Failure))
	b = journal.AppendText(b, `,"reason":`, l.Reason)
	b = journal.AppendText(b, `,"forbidden":`, l.Forbids)
	b = journal.AppendText(b, `,"wall":`, l.Wall)
	b = journal.AppendText(b, `,"rule":`, l.Rule)
	b = journal.AppendString(append(b, `,"kind":`...), l.Kind)
	b = journal.AppendText(b, `,"via":`, l.Via)
	b = journal.AppendText(b, `,"seed":`, l.Seed)
	b = journal.AppendText(b, `,"path":`, l.Path)
	b = strconv.AppendInt(append(b, `,"hops":`...), int64(l.Hops), 10)
	if l.Score != 0 && !math.IsNaN(l.Score) && !math.IsInf(l.Score, 0) {
		b = strconv.AppendFloat(append(b, `,"score":`...), l.Score, 'g', -1, 64)
	}
	b = journal.AppendText(b, `,"why":`, l.Why)
	b = journal.AppendNumber(b, `,"attempt":`, int64(l.Attempt))
	b = journal.AppendText(b, `,"mime":`, l.MIME)
	b = journal.AppendNumber(b, `,"size":`, l.Size)
	b = journal.AppendNumber(b, `,"took":`, l.Took)
	if !l.Began.IsZero() {
		b = moment(b, `,"began":`, l.Began)
	}
	b = journal.AppendText(b, `,"digest":`, l.Digest)
	b = journal.AppendText(b, `,"revisit":`, l.Revisit)
	b = journal.AppendText(b, `,"near":`, l.Near)
	b = journal.AppendText(b, `,"truncated":`, string(l.Cut))
	b = journal.AppendText(b, `,"file":`, l.File)
	b = journal.AppendNumber(b, `,"offset":`, l.Offset)
	if l.Verdict != 0 && !math.IsNaN(l.Verdict) && !math.IsInf(l.Verdict, 0) {
		b = strconv.AppendFloat(append(b, `,"verdict":`...), l.Verdict, 'g', 4, 64)
	}
	b = journal.AppendText(b, `,"because":`, l.Because)
	if l.Variant {
		b = append(b, `,"variant":true`...)
	}
	b = journal.AppendText(b, `,"class":`, string(l.Class))
	b = journal.AppendNumber(b, `,"links":`, int64(l.Links))
	b = journal.AppendText(b, `,"anchor":`, l.Anchor)
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

func moment(b []byte, name string, t time.Time) []byte {
	b = append(append(b, name...), '"')
	return append(t.AppendFormat(b, time.RFC3339Nano), '"')
}

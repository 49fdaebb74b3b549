package archive

// This file is a line of crawl.log. It is written faster than by encoding/json, because every URL of a crawl has one.

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"kavosh"
	"kavosh/internal/journal"
)

// Line is one line of crawl.log: what came of a URL, or why it was never requested.
type Line struct {
	Time    time.Time         `json:"time"` // when the exchange ended, or the decision was made
	URL     string            `json:"url"`
	Outcome string            `json:"outcome"` // "recorded", "failed", "refused" (never requested), "retry", "dropped" (by --only or --keep)
	Status  int               `json:"status,omitempty"`
	Failure kavosh.Failure    `json:"failure,omitempty"`
	Reason  string            `json:"reason,omitempty"`    // in words: scope rule, robots line, budget, trap, cause of the failure
	Forbids string            `json:"forbidden,omitempty"` // the robots.txt rule that forbids the URL, if it was requested nevertheless
	Permit  string            `json:"permitted,omitempty"` // the permit by which it was requested; "" for --robots record
	StandIn kavosh.StandIn    `json:"standin,omitempty"`   // what the answer stands in for; "" if it is the page that was asked for
	Sign    string            `json:"sign,omitempty"`      // what tells that, in words: a maker, or what the page does or says
	Rule    string            `json:"rule,omitempty"`      // class of a refusal by scope: "scope", "exclude", "hops", "nofollow", "guess", "chain", "trap", "since"
	Kind    string            `json:"kind"`
	Via     string            `json:"via,omitempty"`
	Seed    string            `json:"seed,omitempty"`
	Path    string            `json:"path,omitempty"`
	Hops    int               `json:"hops"`
	Score   float64           `json:"score,omitempty"`
	Why     string            `json:"why,omitempty"` // the reason for Score in words, or ""
	Attempt int               `json:"attempt,omitempty"`
	MIME    string            `json:"mime,omitempty"`
	Size    int64             `json:"size,omitempty"` // bytes of the payload
	Took    int64             `json:"took,omitempty"` // milliseconds
	Began   time.Time         `json:"began,omitzero"` // the WARC-Date of its records
	Digest  string            `json:"digest,omitempty"`
	Revisit string            `json:"revisit,omitempty"` // the revisit profile, if nothing new was stored
	Near    string            `json:"near,omitempty"`    // URL of an earlier page of this run with nearly the same text
	Cut     kavosh.Truncation `json:"truncated,omitempty"`
	File    string            `json:"file,omitempty"`
	Offset  int64             `json:"offset,omitempty"`
	Verdict float64           `json:"verdict,omitempty"` // the judge's score, from 0 to 1
	Because string            `json:"because,omitempty"` // the judge's reasons
	Variant bool              `json:"variant,omitempty"` // RDF was asked for at this URL
	Class   kavosh.Class      `json:"class,omitempty"`   // its class in a crawl for RDF; "" in other crawls
	Title   string            `json:"title,omitempty"`   // the title of the page or feed, at most 1 KiB
	Lang    string            `json:"lang,omitempty"`    // the language that the page declares, as written
	Links   int               `json:"links,omitempty"`   // number of links found in it
	Anchor  string            `json:"anchor,omitempty"`  // text of the link that led to it
	Notes   []string          `json:"notes,omitempty"`
	Acts    map[string]int    `json:"behaviours,omitempty"` // how often each behaviour acted on it in the browser, by name

	Round int `json:"round,omitempty"` // of a crawl that goes on: the period of its schedule, from 1

	Programs string `json:"programs,omitempty"` // kavosh.Page.Programs in hexadecimal, of a page that --browser auto may load
}

// These are the values of Outcome.
const (
	Recorded = "recorded" // a response or revisit record was written
	Failed   = "failed"   // a metadata record says why there is no answer
	Refused  = "refused"  // never requested
	Retry    = "retry"    // the request failed and will be made again; nothing is recorded yet
	Dropped  = "dropped"  // a metadata record says why the archive does not keep the answer
)

// Unkept is Rule of answers that were dropped since they differ little from an earlier capture (--keep).
const Unkept = "keep"

// ReadLine reads a line of crawl.log, also one of older programs.
func ReadLine(line []byte) (l Line, err error) {
	if err = json.Unmarshal(line, &l); err != nil || l.StandIn != kavosh.NoStandIn || !bytes.Contains(line, []byte(`"wall":`)) {
		return l, err
	}
	var older struct{ Wall string }
	if err = json.Unmarshal(line, &older); older.Wall != "" {
		l.StandIn, l.Sign = kavosh.Wall, older.Wall
	}
	return l, err
}

// Append appends l to b as a line of crawl.log, without line feed. ReadLine reads the same line back. A score that
// is not a number is left out.
func (l *Line) Append(b []byte) []byte {
	b = moment(b, `{"time":`, l.Time)
	b = journal.AppendString(append(b, `,"url":`...), l.URL)
	b = journal.AppendString(append(b, `,"outcome":`...), l.Outcome)
	b = journal.AppendNumber(b, `,"status":`, int64(l.Status))
	b = journal.AppendText(b, `,"failure":`, string(l.Failure))
	b = journal.AppendText(b, `,"reason":`, l.Reason)
	b = journal.AppendText(b, `,"forbidden":`, l.Forbids)
	b = journal.AppendText(b, `,"permitted":`, l.Permit)
	b = journal.AppendText(b, `,"standin":`, string(l.StandIn))
	b = journal.AppendText(b, `,"sign":`, l.Sign)
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
	b = journal.AppendText(b, `,"title":`, l.Title)
	b = journal.AppendText(b, `,"lang":`, l.Lang)
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
	if len(l.Acts) > 0 {
		b = append(b, `,"behaviours":`...)
		comma := byte('{')
		for _, name := range slices.Sorted(maps.Keys(l.Acts)) {
			b = strconv.AppendInt(append(journal.AppendString(append(b, comma), name), ':'), int64(l.Acts[name]), 10)
			comma = ','
		}
		b = append(b, '}')
	}
	b = journal.AppendNumber(b, `,"round":`, int64(l.Round))
	b = journal.AppendText(b, `,"programs":`, l.Programs)
	return append(b, '}')
}

func moment(b []byte, name string, t time.Time) []byte {
	b = append(append(b, name...), '"')
	return append(t.AppendFormat(b, time.RFC3339Nano), '"')
}

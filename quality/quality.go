// Package quality tells how good an archive is, by the archive itself: which parts of its pages it lacks and how much that
// matters, and which parts do not fit the page that shows them, since they are of another time.
//
// A page is what somebody reads; its parts are the files that a browser loads to show it: styles, scripts, pictures, frames,
// and what styles ask for in turn (parts.go). For each part the capture counts that replay would show: the nearest in time
// (held.go). What a missing part costs is its share in the weight of all parts (Page.Damage). Whether a part that is there can have
// been seen with the page is told by its captures before and after, and by Last-Modified (fits.go).
//
// Whether pages fit each other is told by visiting them twice (defects.go), or by all their captures (asof.go, history.go): each version
// has a time in which it was there, and a sweep finds the moment at which most were (together.go); timeline.go says which were not. blur.go and importance.go weigh.
//
// How pages behave over a series of crawls is read from the index (behaviour.go), sorted into groups (groups.go) and said in words (habit.go);
// which crawls are odd is told by series.go.
//
// What all this speaks for is proposed as settings of the next crawl (proposals.go, hosttally.go).
//
// Everything is read through kavosh/internal/records, so what a rule of access closes is not told.
package quality

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// Reader reads the pages of an archive.
type Reader struct {
	Records *records.Records
	// Links returns the links of a document, as package extract finds them.
	Links func(Document) []kavosh.Link

	// Hide says that captures that may not be shown count for nothing, as if the archive did not have them.
	Hide bool

	known   map[string]*captures // of URLs that are parts; at most maxKnown
	entries int                  // how many captures they have
}

// Document is an answer whose links are wanted.
type Document struct {
	URL    string
	Header kavosh.Header
	Body   []byte // without content coding
}

// Page is what is told of one capture of a page.
type Page struct {
	URL       string      `json:"url"`
	Time      time.Time   `json:"time"`
	Parts     int         `json:"parts"`                // that a browser would load to show it
	Lacks     []Part      `json:"lacks,omitempty"`      // those that the archive does not have
	Unfit     []Part      `json:"unfit,omitempty"`      // those that are there, and cannot have been seen with the page
	MoreLacks map[Use]int `json:"more_lacks,omitempty"` // how many parts Lacks has not, of a page that a Summary lists
	MoreUnfit int         `json:"more_unfit,omitempty"` // how many Unfit has not
	Unsure    int         `json:"unsure"`               // parts of which nobody can tell whether they can
	Damage    float64     `json:"damage"`               // share of the weight of all parts that is missing, from 0 to 1
	More      bool        `json:"more,omitempty"`       // it has more than maxParts parts, and only the first were looked at
	Unread    string      `json:"unread,omitempty"`     // why its record cannot be read; "" if it can

	Capture cdx.Entry `json:"-"` // what was looked at
}

// cut leaves at most MaxOfPage parts in each list.
func (p *Page) cut() {
	if len(p.Lacks) > MaxOfPage {
		p.MoreLacks = map[Use]int{}
		for i := range p.Lacks[MaxOfPage:] {
			p.MoreLacks[p.Lacks[MaxOfPage+i].As]++
		}
		p.Lacks = slices.Clone(p.Lacks[:MaxOfPage])
	}
	if more := len(p.Unfit) - MaxOfPage; more > 0 {
		p.Unfit, p.MoreUnfit = slices.Clone(p.Unfit[:MaxOfPage]), more
	}
}

// Part is a file that a page shows.
type Part struct {
	URL   string    `json:"url"`
	As    Use       `json:"as"`
	Via   string    `json:"via,omitempty"` // the style or frame that asks for it; "" if the page does
	State State     `json:"state"`
	Code  int       `json:"code,omitempty"`  // of the answer, where State is Failed
	Ask   string    `json:"ask,omitempty"`   // of a missing part: what to ask for in place of URL: where the archive's redirects lead, or another size
	Time  time.Time `json:"time,omitzero"`   // of the capture that is shown
	Fit   Fit       `json:"fit,omitempty"`   // of a part that is held
	Share float64   `json:"share,omitempty"` // of a missing part of a page that was rendered: how much of the page it would be, from 0 to 1
}

// Wanted returns the URL that a crawl asks for so that a missing part is there.
func (p *Part) Wanted() string { return cmp.Or(p.Ask, p.URL) }

// State says whether an archive has a part.
type State string

// The states of parts.
const (
	Held   State = "held"
	Absent State = "absent" // it was never asked for, or no answer came
	Failed State = "failed" // all answers are errors
	Closed State = "closed" // a rule of access closes it
	Loops  State = "loops"  // it is redirected in a circle, or on and on, by answers that the archive has
)

// Open reports whether a crawl may bring a missing part.
func (p *Part) Open() bool { return p.State != Closed && p.State != Loops }

// Of returns what matches the captures of a host; of all if it is "".
func Of(host string) (cdx.Query, error) {
	if host == "" {
		return cdx.Query{URL: "*"}, nil
	}
	u, err := weburl.Parse("http://" + host + "/")
	if err != nil {
		return cdx.Query{}, err
	}
	if u.PathQuery() != "/" {
		return cdx.Query{}, fmt.Errorf("%q is no host", host)
	}
	return cdx.Query{URL: u.String(), MatchType: cdx.Host}, nil
}

// Within returns a test whether a capture is of a host; all are of "".
func Within(host string) (func(*cdx.Entry) bool, error) {
	q, err := Of(host)
	if err != nil || host == "" {
		return func(*cdx.Entry) bool { return true }, err
	}
	from, to, err := q.Range()
	return func(e *cdx.Entry) bool { return from <= e.Key && e.Key < to }, err
}

// Pages yields what the newest capture of each page for which of returns true lacks, in the order of the index; with what of q
// matches. What may not be shown is left out. Memory is bounded by one address and by what is known of parts.
func (r *Reader) Pages(ctx context.Context, q cdx.Query, of func(*cdx.Entry) bool) iter.Seq2[*Page, error] {
	return r.looked(ctx, r.newest(ctx, q, of))
}

// looked yields what captures of pages lack.
func (r *Reader) looked(ctx context.Context, captures iter.Seq2[cdx.Entry, error]) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		for e, err := range captures {
			if err != nil {
				yield(nil, err)
				return
			}
			p, err := r.Page(ctx, &e)
			if isRefused(err) { // by a rule of a moment ago
				continue
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// newest yields the newest capture of each page for which of returns true, if it may be shown.
func (r *Reader) newest(ctx context.Context, q cdx.Query, of func(*cdx.Entry) bool) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		newest := map[string]cdx.Entry{} // of one key of the index, by URL
		pages := map[string]bool{}       // URLs of that key that are pages
		key := ""
		flush := func() bool {
			for _, url := range slices.Sorted(maps.Keys(newest)) {
				e := newest[url]
				refused, err := mayHave(ctx, r.Records, &e)
				if refused == nil && (!yield(e, err) || err != nil) {
					return false
				}
			}
			clear(newest)
			clear(pages)
			return true
		}
		for e, err := range r.Records.Index.Query(ctx, q) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(cdx.Entry{}, err)
				return
			}
			if e.Key != key {
				if !flush() {
					return
				}
				key = e.Key
			}
			if !isPage(&e, pages[e.URL]) || len(pages) >= maxOfAKey && !pages[e.URL] {
				continue
			}
			if pages[e.URL] = true; of(&e) && e.Timestamp >= newest[e.URL].Timestamp {
				newest[e.URL] = e
			}
		}
		flush()
	}
}

// maxOfAKey is how many URLs count that are one to the index, such as those with and without www.
const maxOfAKey = 1000

// isPage reports whether a capture is of a page that somebody reads. was tells that an earlier one of its URL is, which says what
// it is that a server called unchanged without its type.
func isPage(e *cdx.Entry, was bool) bool {
	if e.Get("method") != "" || e.Get("variant") != "" || e.Get(cdx.Of) != "" {
		return false
	}
	html := strings.Contains(e.Type(), "html")
	if e.MIME == cdx.Revisit && e.Status == http.StatusNotModified {
		return html || was && e.Type() == ""
	}
	return html && (e.Status/100 == 2 || e.Status == 0)
}

package change

// This file says which pages of a crawl can have been seen together at one time, by a later crawl that visits them again
// (Spaniol, Mazeika, Denev and Weikum, "Catch me if you can: Visual Analysis of Coherence Defects in Web Archiving", 2009).
//
// A version is valid from some time on until the page changes. At the end of the first crawl all its pages had been
// visited: a page is coherent if its version was still valid then. When it changed is told by the cheapest evidence that is
// plausible.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/htmltree"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// State says whether a page of a crawl fits to the others.
type State string

// The states.
const (
	Coherent   State = "coherent"   // its version was valid when the crawl ended
	Incoherent State = "incoherent" // it had changed by then
	Unknown    State = "unknown"    // nothing tells
)

// Evidence says how an end of the time is known in which a version is valid, the surest first. What is the same at both
// visits may have been another page between them.
type Evidence string

// The kinds of evidence.
const (
	ByDigest   Evidence = "digest"        // the bytes are the same at both visits
	ByServer   Evidence = "not-modified"  // the server said at the second visit that nothing had changed
	ByContent  Evidence = "insignificant" // the bytes are others, and nothing differs but noise
	ByHTTPDate Evidence = "http-date"     // Last-Modified
	ByPageDate Evidence = "content-date"  // a date of modification in the page
	BySight    Evidence = "visit"         // it was seen then: no evidence tells more
	NoDate     Evidence = "undated"       // it changed, and nothing plausible says when
	NoPage     Evidence = "gone"          // there was another answer at the second visit
	NoAnswer   Evidence = "not-asked"     // the second crawl has no answer
	NotRead    Evidence = "unread"        // a version cannot be read
	Disbelief  Evidence = "disbelieved"   // as ByServer, but another such answer of the host was not true
)

// Trust says in a word how far a kind of evidence goes: "sure" where bytes tell, "told" where a server or a page says so,
// "judged" where it is what we make of what differs; "none" where nothing tells.
func (e Evidence) Trust() string {
	switch e {
	case ByDigest, BySight:
		return "sure"
	case ByServer, ByHTTPDate, ByPageDate:
		return "told"
	case ByContent:
		return "judged"
	}
	return "none"
}

// Validity is the time in which a page's version in the first crawl is known to be valid: From ≤ t < Until. All times are to
// the second, which is how exact dates of HTTP and indexes are.
type Validity struct {
	URL        string    `json:"url"`
	State      State     `json:"state"`
	Visited    time.Time `json:"visited"`
	From       time.Time `json:"from"`
	FromBy     Evidence  `json:"from_by"`    // ByHTTPDate, ByPageDate or BySight
	FromTrust  string    `json:"from_trust"` // Evidence.Trust
	Until      time.Time `json:"until"`      // the second visit, if nothing had changed then
	UntilBy    Evidence  `json:"until_by"`
	UntilTrust string    `json:"until_trust"`
}

// Visit is a page at both visits. Of a page that only the second crawl has, Validity is zero.
type Visit struct {
	Pair
	Validity Validity
	Report   *Report // what differs between both; nil if the bytes are the same, or if one cannot be read
	// Came and Went are the addresses to which the page leads at one visit alone, sorted. Links that are noise do not count, nor
	// what names a visit or a place within a page.
	Came, Went []string
}

// Unchanged reports whether the page was the same at both visits, but for noise.
func (v *Validity) Unchanged() bool {
	return v.UntilBy == ByDigest || v.UntilBy == ByServer || v.UntilBy == ByContent
}

// Coherence is how many pages of a crawl could be seen together.
type Coherence struct {
	At         time.Time        `json:"at"`        // the time at which they are
	Unchanged  int64            `json:"unchanged"` // pages that were the same at the second visit: all that the publication counts as coherent
	Coherent   int64            `json:"coherent"`
	Incoherent int64            `json:"incoherent"`
	Unknown    int64            `json:"unknown"`
	Why        map[string]int64 `json:"why"`     // counts by state and evidence, such as "coherent digest"
	Checked    int64            `json:"checked"` // answers 304 that were checked by asking for the whole page
	Lied       int64            `json:"lied"`    // … of which the page was another
}

// Add counts a page.
func (c *Coherence) Add(v *Validity) {
	if c.Why == nil {
		c.Why = map[string]int64{}
	}
	c.Why[string(v.State)+" "+string(v.UntilBy)]++
	if v.Unchanged() {
		c.Unchanged++
	}
	switch v.State {
	case Coherent:
		c.Coherent++
	case Incoherent:
		c.Incoherent++
	case Unknown:
		c.Unknown++
	}
}

// Moment is a time at which the pages of a crawl can have been seen together, and what was checked of the word of servers.
type Moment struct {
	At            time.Time
	Checked, Lied int64
	liars         map[string]bool // hosts of which an answer 304 was not true
}

// Overlap means that two crawls are no pair of visits, since the second began before the first had ended.
type Overlap struct{ Last, First time.Time }

func (o *Overlap) Error() string {
	return fmt.Sprintf("the older crawl still visited pages at %s, when the newer one had begun (%s): choose two that follow each other, by --from and --to",
		o.Last.Format(time.DateTime), o.First.Format(time.DateTime))
}

// Moment returns the time of the last visit of the first of two crawls to a page that is a pair, rounded up to a second. With
// checks, an answer in full that the second has after a 304 checks that. The error may be an *Overlap.
func (r *Reader) Moment(ctx context.Context, old, new func(*cdx.Entry) bool, checks bool) (*Moment, error) {
	var last, first time.Time
	m := &Moment{liars: map[string]bool{}}
	for p, err := range r.pairs(ctx, old, new) {
		if err == nil && checks && p.Asked != nil && p.Old != nil {
			err = r.check(ctx, &p, m)
		}
		if err != nil {
			return nil, err
		}
		if p.Old != nil && p.Old.Time().After(last) {
			last = p.Old.Time()
		}
		if p.New != nil && p.Old != nil && (first.IsZero() || p.New.Time().Before(first)) {
			first = p.New.Time()
		}
	}
	if m.At = last.Add(time.Second); !first.IsZero() && first.Before(m.At) {
		m.At = first // within the same second
	}
	if m.At.Before(last) {
		return nil, &Overlap{last, first}
	}
	return m, nil
}

// check notes whether the answer 304 of a page was true, by the whole page that was asked for then. It was if what differs is
// noise, or if the page says that it changed meanwhile.
func (r *Reader) check(ctx context.Context, p *Pair, m *Moment) error {
	switch p.Fate {
	case Same:
		m.Checked++
		return nil
	case Differs:
	default:
		return nil
	}
	report, err := r.Compare(ctx, p.Old, p.New)
	if err != nil {
		return ctx.Err() // it cannot be read, or may not be: nothing is told of it
	}
	m.Checked++
	if len(report.News()) == 0 {
		return nil
	}
	if _, by, err := r.Dated(ctx, p.New, p.Asked.Time()); err == nil && by == ByHTTPDate {
		return nil
	}
	m.Lied++
	m.liars[weburl.Host(p.URL)] = true
	return ctx.Err()
}

// Coherence counts the pages of the first of two crawls; checks is as for Moment.
func (r *Reader) Coherence(ctx context.Context, old, new func(*cdx.Entry) bool, checks bool) (c Coherence, err error) {
	m, err := r.Moment(ctx, old, new, checks)
	if err != nil {
		return c, err
	}
	c.At, c.Checked, c.Lied = m.At, m.Checked, m.Lied
	for v, err := range r.visits(ctx, old, new, m, false) {
		if err != nil {
			return c, err
		}
		if v.Fate != New {
			c.Add(&v.Validity)
		}
	}
	return c, nil
}

// Validities yields the pages of the first of two crawls in the order of the index, each with the time in which its version
// is valid, and whether it was at a moment. What may not be shown is left out.
func (r *Reader) Validities(ctx context.Context, old, new func(*cdx.Entry) bool, m *Moment) iter.Seq2[Validity, error] {
	return func(yield func(Validity, error) bool) {
		for v, err := range r.Visits(ctx, old, new, m) {
			if err == nil && v.Fate == New {
				continue
			}
			if !yield(v.Validity, err) || err != nil {
				return
			}
		}
	}
}

// Visits is as Validities, with what differs between both visits, and also yields the pages that only the second crawl has.
func (r *Reader) Visits(ctx context.Context, old, new func(*cdx.Entry) bool, m *Moment) iter.Seq2[Visit, error] {
	return r.visits(ctx, old, new, m, true)
}

// visits is Visits; without from, it does not read when versions began. It reads as many pages at once as there are processors.
func (r *Reader) visits(ctx context.Context, old, new func(*cdx.Entry) bool, m *Moment, from bool) iter.Seq2[Visit, error] {
	return func(yield func(Visit, error) bool) {
		outer := ctx
		ctx, stop := context.WithCancel(ctx)
		var work sync.WaitGroup
		defer work.Wait()
		defer stop()
		type told struct {
			v   Visit
			err error
		}
		queue := make(chan chan told, runtime.GOMAXPROCS(0)-1)
		work.Go(func() {
			defer close(queue)
			for p, err := range r.pairs(ctx, old, new) {
				one := make(chan told, 1)
				select {
				case queue <- one:
				case <-ctx.Done():
					return
				}
				work.Go(func() {
					t := told{Visit{Pair: p}, err}
					if err == nil {
						t.err = r.visit(ctx, &t.v, m, from)
					}
					one <- t
				})
			}
		})
		for one := range queue {
			t := <-one
			if _, closed := errors.AsType[*kavosh.Refused](t.err); closed {
				continue
			}
			if !yield(t.v, t.err) || t.err != nil {
				return
			}
		}
		if err := outer.Err(); err != nil {
			yield(Visit{}, err)
		}
	}
}

// visit tells it of one page.
func (r *Reader) visit(ctx context.Context, t *Visit, m *Moment, from bool) error {
	for _, e := range [...]*cdx.Entry{t.Old, t.New} {
		if e != nil {
			if err := r.Records.May(ctx, e); err != nil {
				return err
			}
		}
	}
	if t.Fate == New {
		return nil
	}
	v, err := &t.Validity, r.validity(ctx, t, m, from)
	v.FromTrust, v.UntilTrust = v.FromBy.Trust(), v.UntilBy.Trust()
	return err
}

// validity fills in Validity and Report.
func (r *Reader) validity(ctx context.Context, p *Visit, m *Moment, from bool) error {
	v, at := &p.Validity, p.Old.Time()
	*v = Validity{URL: p.URL, Visited: at, From: at, FromBy: BySight, Until: at, State: Unknown}
	if from {
		if began, by, err := r.Dated(ctx, p.Old, time.Time{}); err == nil && by != NoDate {
			v.From, v.FromBy = began, by
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	switch p.Fate {
	case Gone:
		v.UntilBy = NoPage
		return nil
	case NotAsked:
		v.UntilBy = NoAnswer
		return nil
	case Same:
		if other, err := r.showsOther(ctx, p); other || err != nil {
			v.UntilBy = NoDate // nobody says since when
			return err
		}
		if p.New.Status != http.StatusNotModified {
			v.State, v.Until, v.UntilBy = Coherent, p.New.Time(), ByDigest
		} else if v.UntilBy = Disbelief; !m.liars[weburl.Host(p.URL)] {
			v.State, v.Until, v.UntilBy = Coherent, p.New.Time(), ByServer
		}
		return nil
	}
	changed, by, err := r.Dated(ctx, p.New, at)
	if err == nil {
		if err = r.compareVisits(ctx, p); err == nil && len(p.Report.News()) == 0 {
			v.State, v.Until, v.UntilBy = Coherent, p.New.Time(), ByContent
			return nil
		}
	}
	if _, closed := errors.AsType[*kavosh.Refused](err); closed || ctx.Err() != nil {
		return err
	}
	if v.UntilBy = by; err != nil {
		v.UntilBy = NotRead
		return nil
	}
	switch {
	case by == NoDate:
	case !changed.Before(m.At):
		v.State, v.Until = Coherent, changed
	case changed.Add(time.Second).After(m.At): // within the second in which the crawl ended
		v.Until = changed
	default:
		v.State, v.Until = Incoherent, changed
	}
	return nil
}

// showsOther reports whether a page of which the HTML is the same showed something else in the browser, by the documents that the
// archive keeps of both visits (--render dom).
func (r *Reader) showsOther(ctx context.Context, p *Visit) (other bool, err error) {
	old, err := r.document(ctx, p.Old)
	if err != nil || old == nil {
		return false, err
	}
	new, err := r.document(ctx, p.New)
	if err != nil || new == nil || warc.SameDigest(old.Digest, new.Digest) {
		return false, err
	}
	report, err := r.Compare(ctx, old, new)
	if err != nil {
		return false, ctx.Err() // the HTML decides where documents cannot be read
	}
	return len(report.News()) > 0, nil
}

// document returns the document that a browser's scripts made of a capture; nil if the archive does not keep it.
func (r *Reader) document(ctx context.Context, of *cdx.Entry) (*cdx.Entry, error) {
	q := cdx.Query{URL: kavosh.RenderedDOM.URL(of.URL), MatchType: cdx.Exact, From: of.Timestamp, To: of.Timestamp, Limit: 1}
	for e, err := range r.Records.Index.Query(ctx, q) {
		return &e, err
	}
	return nil, nil
}

// maxDated is how many bytes of a page are read for its date.
const maxDated = 1 << 20

// Dated returns when a capture's version began, by the first evidence that is plausible; NoDate if none is. after is the time
// at which another version was seen.
func (r *Reader) Dated(ctx context.Context, e *cdx.Entry, after time.Time) (at time.Time, by Evidence, err error) {
	p, err := r.Records.Open(ctx, e)
	if err != nil {
		return at, NoDate, err
	}
	defer p.Close()
	seen := e.Time()
	if p.Original != nil {
		seen = p.Original.Time()
	}
	if at, ok := httpwire.LastModified(p.Header); ok && plausible(at, after, seen) {
		return at, ByHTTPDate, nil
	}
	s, err := r.source(ctx, e)
	if err != nil {
		return at, NoDate, err
	}
	s.Body = s.Body[:min(len(s.Body), maxDated)]
	if !mayState(s.Body) {
		return at, NoDate, nil
	}
	if at, ok := modified(s.tree(e.URL)); ok && plausible(at, after, seen) {
		return at.Truncate(time.Second), ByPageDate, nil
	}
	return at, NoDate, nil
}

// plausible reports whether a page may have changed at a time: before it was seen, and after another version was.
func plausible(at, after, seen time.Time) bool {
	return httpwire.ChangedBefore(at, seen) && at.Add(time.Second).After(after)
}

// mayState reports whether the bytes of a page can hold what modified looks for. To read a page as a tree takes much longer.
func mayState(body []byte) bool {
	body = bytes.ToLower(body)
	for _, sign := range [...]string{"modified", "updated_time", "&#", "\x00"} { // as a reference, or in letters of two bytes
		if bytes.Contains(body, []byte(sign)) {
			return true
		}
	}
	return false
}

// modified returns the date of modification that a page states for programs.
func modified(page *htmltree.Page) (at time.Time, ok bool) {
	for n := range page.Elements() {
		name := ""
		for _, attr := range [...]string{"property", "name", "http-equiv", "itemprop"} {
			if value, has := n.Get(attr); has {
				name = strings.ToLower(value)
				break
			}
		}
		switch name {
		case "article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "last-modified":
		default:
			continue
		}
		value, has := n.Get("content")
		if !has {
			value, _ = n.Get("datetime")
		}
		if at, err := warc.ParseDate(strings.TrimSpace(value)); err == nil {
			return at, true
		}
		if at, err := http.ParseTime(value); err == nil {
			return at, true
		}
	}
	return at, false
}

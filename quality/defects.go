package quality

// This file tells the defects of a crawl, by a second visit of its pages (Spaniol, Mazeika, Denev and Weikum, "Catch me if you
// can: Visual Analysis of Coherence Defects in Web Archiving", 2009). The second visit is a later crawl, or the second
// round of the same one.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"kavosh/change"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
)

// Class is what kind of defect a page has.
type Class string

// The classes, the worst first. Noise (adverts, counters, dates) is no defect.
const (
	DefectMissing   Class = "missing"   // asked for again, and not there: an error, another address, a page that stands in for it, no answer
	DefectDeleted   Class = "deleted"   // the second crawl does not have its address
	DefectStructure Class = "structure" // other links
	DefectContent   Class = "content"   // other content, the same links
	DefectAdded     Class = "added"     // the first crawl does not have its address
	noDefect        Class = ""
)

// What is told of pages without a defect.
const (
	Coherent Class = "coherent" // as it was, but for noise
	Untold   Class = "untold"   // nothing tells: it was not asked for again, or a version cannot be read, or a server is doubted
)

// classes are all, the worst first.
var classes = []Class{DefectMissing, DefectDeleted, DefectStructure, DefectContent, DefectAdded}

// Defect is a page with a defect.
type Defect struct {
	URL        string    `json:"url"`
	Class      Class     `json:"class"`
	Visited    time.Time `json:"visited,omitzero"` // the first time
	Again      time.Time `json:"again,omitzero"`   // the second time
	Status     int       `json:"status,omitempty"` // of the second answer, for a missing page; 0 if none came
	Came       []string  `json:"links_added,omitempty"`
	Went       []string  `json:"links_removed,omitempty"`
	Importance float64   `json:"importance,omitempty"` // of the change, from 0 to 1
	Weight     float64   `json:"weight"`               // of the page: 1 + ln(1 + pages that link to it)
}

// maxLinks is how many links that came or went a Defect names.
const maxLinks = 20

// Defects is what the second visit of some pages tells.
type Defects struct {
	Pages   int64           `json:"pages"`   // of the first visit
	Classes map[Class]int64 `json:"defects"` // pages by class; those added are not among Pages

	Unchanged int64 `json:"unchanged"` // same bytes, or the server said that nothing had changed
	Noise     int64 `json:"noise"`     // other bytes, and nothing but noise differs; also if the second crawl did not keep it for that
	NotAsked  int64 `json:"not_asked"` // pages that the second crawl did not ask for, by a rule, or whose answer it did not keep
	Unread    int64 `json:"unread"`    // other bytes, of which one version cannot be read
	Doubted   int64 `json:"doubted"`   // "not modified", from a server that has lied

	// Coherence is the share of pages that were as they had been, of those that NotAsked does not count: all that counts as coherent
	// by visit and revisit.
	Coherence float64 `json:"coherence"`
	// Together is how many versions of the first visit were there at one moment.
	Together Together `json:"together"`
	// Blur is the expected number of changes of a page between its first visit and a moment of the crawl chosen by chance, the
	// mean of the pages that have a second answer (Denev and others, "SHARC", 2009). Rates of change come from the two visits alone.
	Blur float64 `json:"blur"`

	// Estimate is how many pages there are in all, by what both crawls found of those that were still there; nil for two rounds
	// of one crawl, and if they have no page in common.
	Estimate *Estimate `json:"estimate,omitempty"`

	// Timeline is when the versions of the first visit were there, if Comparer.Bars asks for it.
	Timeline *Timeline `json:"timeline,omitempty"`

	Worst []Defect `json:"worst"`

	most, bars int // that are listed
	ages       []age
	life       lives
	lived      []lived // with bars, the pages of life
}

// Comparer tells the defects of crawls.
type Comparer struct {
	Reader *change.Reader
	Links  records.Index // the index of links, by which pages are weighed; nil if there is none
	// NotAsked reports whether the second crawl left out a page by a rule, or did not keep its answer. nil: none.
	NotAsked func(url string) bool
	// Noise reports whether the second crawl found nothing but noise in a page, and did not keep that. nil: none.
	Noise func(url string) bool
	// Had reports whether the first crawl found nothing but noise in a page that was there before, and did not keep that: it was
	// not added. nil: none.
	Had func(url string) bool
	// Rounds says that both visits are of one crawl: a page that has no second one was not asked for.
	Rounds bool
	// StandsIn reports whether a capture stands in place of the page that was asked for, as a page that says that there is
	// none. nil: none does.
	StandsIn func(*cdx.Entry) bool
	// Rate returns how often a page changes, in changes an hour, of which so many visits within so many hours found changes.
	Rate func(visits, changed int, hours float64) float64
	Most int           // pages with defects that are listed, the worst; memory grows with it
	Bars int           // pages of the Timeline, at most MostBars; 0: none is made
	Done func(n int64) // is called after each page
	// Told is called with each page, its class, or Coherent or Untold, and its weight (Defect.Weight). nil: nobody wants them.
	Told func(v *change.Visit, class Class, weight float64)
}

// Defects compares the captures for which old and new are true. What whoever the records are read for may not see is left
// out. Memory is some 150 bytes a page, and with Bars 100 and the address more. The error may be a *change.Overlap.
func (c *Comparer) Defects(ctx context.Context, old, new func(*cdx.Entry) bool) (*Defects, error) {
	r := *c.Reader
	folds, err := change.Folding(ctx, r.Records.Index, old, new)
	if err != nil {
		return nil, err
	}
	r.Folds = folds
	m, err := r.Moment(ctx, old, new, c.Rounds)
	if err != nil {
		return nil, err
	}
	links, err := openLinked(ctx, c.Links)
	if err != nil {
		return nil, err
	}
	defer links.stop()
	d := &Defects{Classes: map[Class]int64{}, Worst: []Defect{}, most: c.Most, bars: min(c.Bars, MostBars)}
	for _, class := range classes {
		d.Classes[class] = 0
	}
	n := int64(0)
	for v, err := range r.Visits(ctx, old, new, m) {
		if err != nil {
			return nil, err
		}
		weight, err := links.weigh(key(&v))
		if err != nil {
			return nil, err
		}
		class := c.add(d, &v, weight)
		if c.Told != nil && class != noDefect {
			c.Told(&v, class, weight)
		}
		if n++; c.Done != nil {
			c.Done(n)
		}
	}
	d.end(c.Rounds)
	return d, nil
}

// key is that of a page's address in the index.
func key(v *change.Visit) string {
	if v.Old != nil {
		return v.Old.Key
	}
	return v.New.Key
}

// add counts one page, and returns its class, or what is told of it without a defect; none for what is no page.
func (c *Comparer) add(d *Defects, v *change.Visit, weight float64) Class {
	p := Defect{URL: v.URL, Weight: weight}
	for _, visit := range [...]struct {
		of *cdx.Entry
		at *time.Time
	}{{v.Old, &p.Visited}, {v.New, &p.Again}} {
		if visit.of != nil {
			*visit.at = visit.of.Time()
		}
	}
	if v.Fate == change.New {
		if !c.standsIn(v.New) && (c.Had == nil || !c.Had(v.URL)) {
			p.Class = DefectAdded
			d.defect(p)
		}
		return p.Class
	}
	d.Pages++
	changed, told := false, Untold
	switch by := v.Validity.UntilBy; {
	case v.Fate == change.NotAsked && c.Noise != nil && c.Noise(v.URL):
		d.Noise++
		told = Coherent
	case v.Fate == change.NotAsked && (c.Rounds || c.NotAsked != nil && c.NotAsked(v.URL)):
		d.NotAsked++
	case v.Fate == change.NotAsked:
		p.Class, changed = DefectDeleted, true
	case v.Fate == change.Gone:
		p.Class, p.Status, changed = DefectMissing, v.New.Status, true
	case c.standsIn(v.New) && !c.standsIn(v.Old):
		p.Class, p.Status, changed = DefectMissing, v.New.Status, true
	case by == change.Disbelief:
		d.Doubted++
	case by == change.ByContent:
		d.Noise++
		told = Coherent
	case v.Validity.Unchanged():
		d.Unchanged++
		told = Coherent
	case v.Report == nil:
		d.Unread++
		changed = true
	default:
		changed = true
		p.Importance = v.Report.Importance.Weighed
		p.Came, p.Went = firstLinks(v.Came), firstLinks(v.Went)
		if p.Class = DefectContent; len(p.Came)+len(p.Went) > 0 {
			p.Class = DefectStructure
		}
	}
	if p.Class != noDefect {
		d.defect(p)
	}
	d.dates(v, changed, weight, c.Rate)
	told = cmp.Or(p.Class, told)
	if d.bars > 0 {
		l := lived{url: strings.Clone(p.URL), visited: p.Visited.Unix(), again: always, class: told, weight: weight}
		if v.New != nil {
			l.again = p.Again.Unix()
		}
		d.lived = append(d.lived, l)
	}
	return told
}

// firstLinks returns a copy of the first links, so that the others are not kept.
func firstLinks(all []string) []string { return slices.Clone(all[:min(len(all), maxLinks)]) }

func (c *Comparer) standsIn(e *cdx.Entry) bool { return c.StandsIn != nil && e != nil && c.StandsIn(e) }

// defect counts a page with a defect, and lists it if it is among the worst.
func (d *Defects) defect(p Defect) {
	d.Classes[p.Class]++
	if at, _ := slices.BinarySearchFunc(d.Worst, p, worseDefect); at < d.most {
		d.Worst = slices.Insert(d.Worst, at, p)
		d.Worst = d.Worst[:min(len(d.Worst), d.most)]
	}
}

// worseDefect orders pages with defects: by class, then by what the page and its change weigh together.
func worseDefect(a, b Defect) int {
	cost := func(p *Defect) float64 {
		if p.Class == DefectStructure || p.Class == DefectContent {
			return p.Weight * p.Importance
		}
		return p.Weight
	}
	return cmp.Or(cmp.Compare(slices.Index(classes, a.Class), slices.Index(classes, b.Class)), cmp.Compare(cost(&b), cost(&a)), strings.Compare(a.URL, b.URL))
}

// The ends of time, for versions of which nobody knows when they began or ended.
const (
	always  = math.MinInt64
	forever = math.MaxInt64
)

// dates notes when the version of the first visit was valid.
func (d *Defects) dates(v *change.Visit, changed bool, weight float64, rate func(int, int, float64) float64) {
	valid, seen := &v.Validity, v.Old.Time().Unix()
	known := Span{From: valid.From.Unix(), Until: seen + 1}
	possible := Span{From: always, Until: forever}
	if valid.FromBy != change.BySight {
		possible.From = known.From
	}
	switch {
	case valid.Unchanged() && !changed:
		known.Until = valid.Until.Unix() + 1 // it was seen in that second
	case valid.UntilBy == change.ByHTTPDate, valid.UntilBy == change.ByPageDate:
		known.Until = max(valid.Until.Unix(), known.Until)
		possible.Until = known.Until
	case changed && v.New != nil:
		possible.Until = max(v.New.Time().Unix(), seen) + 1
	}
	d.life.add(known, possible, weight)
	a, changes := age{at: seen}, 0
	if changed {
		changes = 1
	}
	if v.New != nil {
		a.again, a.rate = true, rate(2, changes, v.New.Time().Sub(v.Old.Time()).Hours())
	}
	d.ages = append(d.ages, a)
}

// end is called when all pages are added.
func (d *Defects) end(rounds bool) {
	first := d.Pages - d.Classes[DefectMissing] - d.NotAsked
	if both := first - d.Classes[DefectDeleted]; both > 0 && !rounds {
		e := Recapture(first, both+d.Classes[DefectAdded], both)
		d.Estimate = &e
	}
	d.Coherence = float64(d.Unchanged+d.Noise) / float64(max(1, d.Pages-d.NotAsked))
	d.Together = d.life.together()
	d.Blur = blur(d.ages)
	if d.bars > 0 && len(d.lived) > 0 {
		d.Timeline = d.life.timeline(d.lived, d.Together.At.Unix(), d.bars)
	}
	d.life, d.ages, d.lived = lives{}, nil, nil
}

// Package needs learns which pages need a browser, because their scripts find what nobody reads in the pages themselves.
//
// Pages of one template are alike: of one host, with the same scripts (kavosh.Page.Programs) and URLs of one form. The
// first pages of a template are loaded. While their scripts find URLs that the crawl does not know, more are loaded; what
// all of them share is found once. When several in a row found nothing, the others are spared. After every 10th, 20th,
// 40th … spared page one is tested. If its scripts find something, the pages spared since the last good test are loaded
// too, the newest first, until again several in a row find nothing. On a host where nothing was found in some templates,
// fewer pages of a new one are loaded.
//
// Often all that a page's scripts find follows from its URL: /docs/a loads /docs/a.json. frames.go learns such frames.
// Pages of a template whose frames explain everything are spared, and their Links are known without a browser.
//
// The package does no input or output, and keeps a bounded number of templates and pages.
package needs

import (
	"fmt"
	"slices"
	"sync"
)

// How many loads that find nothing, one after the other, let a template be spared; fewer on a host where other templates
// are. A template that found something more often must find nothing for longer.
const (
	enough     = 3
	mostEnough = 30
)

// After how many spared pages the first test comes, and the most between two tests.
const (
	firstGap = 10
	lastGap  = 320
)

// Bounds on what is kept.
const (
	maxTemplates = 20_000
	ofHost       = 64  // templates; more go by less
	maxHeld      = 256 // pages of a template that are not loaded, the newest
	maxAllHeld   = 50_000
	maxClaimed   = 500_000 // hashes of URLs that scripts found
)

// Table is what is known of all templates. Create it with New. It is safe for concurrent use. P says where a page is.
type Table[P any] struct {
	mu      sync.Mutex
	hosts   map[string]*host[P]
	count   int // of templates
	held    int // pages
	wanting []*template[P]
	claimed map[uint64]bool
}

// New returns a Table that knows nothing.
func New[P any]() *Table[P] {
	return &Table[P]{hosts: map[string]*host[P]{}, claimed: map[uint64]bool{}}
}

type host[P any] struct {
	templates map[uint64]*template[P]
	programs  map[uint64]bool // those met, and the forms of URLs; at most ofHost
	forms     map[uint64]bool
	pages     int
}

// template is what is known of pages that are alike.
type template[P any] struct {
	host    *host[P]
	runs    uint64 // its programs
	loads   int    // that have ended
	gains   int    // of them, those that found something
	quiet   int    // those that found nothing, in a row up to now
	loading int
	makes   bool // scripts make much of what the page shows that was loaded last
	spared  bool // pages are not loaded, but for tests
	since   int  // pages since the last test
	gap     int  // how many of them bring the next one
	held    []held[P]
	listed  bool // in Table.wanting
	frames  frames
}

type held[P any] struct {
	url  string
	page P
}

// Page is a page to be loaded, or one that was spared.
type Page[P any] struct {
	URL   string
	Page  P
	Links []string // of a spared page: what its scripts would ask for
	Why   string   // of a page to be loaded: the reason in words

	of *template[P]
}

// Met is what is known of a page that was read.
type Met struct {
	Spared bool     // it will not be loaded, but perhaps as a test
	Links  []string // of a spared page: what its scripts would ask for
	Reason string   // in words
}

// Meet says that a page with programs was read. Hold follows when it can be loaded.
func (t *Table[P]) Meet(hostName, url string, programs uint64) Met {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.of(hostName, url, programs)
	p.since++
	m := Met{Spared: p.spared, Reason: p.reason()}
	if p.spared {
		m.Links = p.frames.links(url)
	}
	return m
}

// Spares reports whether a page with programs would be spared.
func (t *Table[P]) Spares(hostName, url string, programs uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.met(hostName, url, programs).spared
}

// Makes reports whether scripts make much of what pages show that are like a page with programs.
func (t *Table[P]) Makes(hostName, url string, programs uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.met(hostName, url, programs).makes
}

// Shows says that a page with programs was loaded although it would be spared, and whether scripts make much of what it shows.
func (t *Table[P]) Shows(hostName, url string, programs uint64, makes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.met(hostName, url, programs).makes = makes
}

// Hold keeps a page that was met, so that Next may give it.
func (t *Table[P]) Hold(hostName, url string, programs uint64, page P) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.met(hostName, url, programs)
	t.hold(p, held[P]{url, page})
	t.want(p)
}

// Loaded says that a page with programs was loaded in an earlier run: as Meet and Found together.
func (t *Table[P]) Loaded(hostName, url string, programs uint64, found Finding) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.of(hostName, url, programs)
	p.loading++
	t.learn(p, url, found)
}

// Next takes a page that is worth loading; the caller ends with Found or Lost. ok is false if there is none now. last says
// that nothing else is left to do: then it takes pages for a last test, too.
func (t *Table[P]) Next(last bool) (page Page[P], ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last {
		for _, h := range t.hosts {
			for _, p := range h.templates {
				if p.spared && p.since >= firstGap/2 {
					p.gap = min(p.gap, p.since)
					t.want(p)
				}
			}
		}
	}
	for len(t.wanting) > 0 {
		p := t.wanting[0]
		t.wanting = t.wanting[1:]
		p.listed = false
		if !p.wants() {
			continue
		}
		reason := p.reason()
		if p.spared {
			p.since = 0
			reason = "as a test: " + reason
		}
		h := p.held[len(p.held)-1]
		p.held = p.held[:len(p.held)-1]
		t.held--
		p.loading++
		t.want(p)
		return Page[P]{URL: h.url, Page: h.page, Why: reason, of: p}, true
	}
	return page, false
}

// Finding is what loading a page brought.
type Finding struct {
	Links     int      // in the final document that the crawl did not know
	Resources []string // asked for that the crawl did not know
	Asked     []string // all that was asked for by GET
	Makes     bool     // much of what the document shows is nowhere in the HTML
	Around    []string // where the document's links lead that are in scope; scripts load parts of these pages before they are asked for
}

// Found says what came of a page that Next gave. spared are the pages whose Links are known now.
func (t *Table[P]) Found(page Page[P], found Finding) (spared []Page[P]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.learn(page.of, page.URL, found)
}

// Lost says that nothing came of a page that Next gave.
func (t *Table[P]) Lost(page Page[P]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	page.of.loading--
	t.want(page.of)
}

// Crowded reports whether so many pages wait to be loaded that some would be forgotten.
func (t *Table[P]) Crowded() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.wanting) > 0 && (t.held > maxAllHeld/2 || len(t.wanting[0].held) > maxHeld/2)
}

// Claim reports whether a URL was not claimed before: what scripts find again and again is found once.
func (t *Table[P]) Claim(url string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.claimed) >= maxClaimed {
		clear(t.claimed)
	}
	h := hash(lasting(url))
	before := t.claimed[h]
	t.claimed[h] = true
	return !before
}

// met returns the template of a page without counting it: that is done when it is met.
func (t *Table[P]) met(hostName, url string, programs uint64) *template[P] {
	p := t.of(hostName, url, programs)
	p.host.pages--
	return p
}

// of returns the template of a page, and counts the page.
func (t *Table[P]) of(hostName, url string, programs uint64) *template[P] {
	h := t.hosts[hostName]
	if h == nil {
		if t.count >= maxTemplates { // all is forgotten, and begins again
			for _, h := range t.hosts {
				for _, p := range h.templates {
					p.held = nil // pages that are being loaded still know their template
				}
			}
			t.hosts, t.count, t.held, t.wanting = map[string]*host[P]{}, 0, 0, nil
		}
		h = &host[P]{templates: map[uint64]*template[P]{}, programs: map[uint64]bool{}, forms: map[uint64]bool{}}
		t.hosts[hostName] = h
	}
	h.pages++
	form := formOf(url)
	if len(h.programs) < ofHost {
		h.programs[programs] = true
	}
	if len(h.forms) < ofHost {
		h.forms[form] = true
	}
	key := programs ^ form
	if n := len(h.templates); h.templates[key] == nil && n >= ofHost/4 && h.pages < 4*n || n >= ofHost-1 {
		if key = form; len(h.forms) > len(h.programs) { // what differs from page to page tells nothing
			key = programs
		}
		if len(h.templates) >= 2*ofHost {
			key = 0
		}
	}
	p := h.templates[key]
	if p == nil {
		p = &template[P]{host: h, runs: programs, gap: firstGap}
		for _, o := range h.templates {
			p.follow(o)
		}
		h.templates[key] = p
		t.count++
	}
	return p
}

// follow spares pages that were never loaded where pages with the same programs, but URLs of another form, are spared. The
// first test comes soon.
func (p *template[P]) follow(o *template[P]) {
	if o.spared && o.runs == p.runs && !p.spared && p.loads+p.loading == 0 && (len(p.held) == 0 || o.frames.trusted() == 0) {
		p.spared, p.since, p.gap, p.frames.all = true, len(p.held), firstGap/2, slices.Clone(o.frames.all)
	}
}

// hold keeps a page that is not loaded.
func (t *Table[P]) hold(p *template[P], page held[P]) {
	if len(p.held) >= maxHeld || t.held >= maxAllHeld && len(p.held) > 0 {
		p.held = slices.Delete(p.held, 0, 1)
		t.held--
	}
	if t.held < maxAllHeld {
		p.held = append(p.held, page)
		t.held++
	}
}

// want puts a template in the list of those that want loads, if it does.
func (t *Table[P]) want(p *template[P]) {
	if !p.listed && p.wants() {
		p.listed = true
		t.wanting = append(t.wanting, p)
	}
}

// wants reports whether another page is to be loaded now.
func (p *template[P]) wants() bool {
	if len(p.held) == 0 {
		return false
	}
	if p.spared {
		return p.since >= p.gap && p.loading == 0
	}
	for _, o := range p.host.templates { // it may tell of this one
		if o != p && o.runs == p.runs && !o.spared && o.gains <= 1 && o.loading > 0 && p.loads+p.loading == 0 {
			return false
		}
	}
	return p.quiet+p.loading < p.need()
}

// need is how many loads in a row must find nothing before pages are spared.
func (p *template[P]) need() int {
	n := enough
	if p.gains <= 1 {
		spared, alike, other := 0, 0, 0
		for _, o := range p.host.templates {
			switch {
			case o == p:
			case o.spared:
				spared++
			case o.gains > 1:
				other++
			case o.runs == p.runs:
				alike += o.quiet
			}
		}
		if other == 0 {
			n = max(1, enough-spared/2-alike)
		}
	}
	return min(n*max(1, p.gains), mostEnough)
}

// learn is Found for a page of p.
func (t *Table[P]) learn(p *template[P], url string, found Finding) (spared []Page[P]) {
	p.loading--
	p.loads++
	p.makes = found.Makes
	explained, more := p.frames.learn(url, found)
	if more { // what was found so far follows from URLs: the rest is looked at anew
		p.gains, p.quiet = min(p.gains, 1), 0
	}
	switch {
	case found.Makes || found.Links+len(found.Resources) > explained:
		p.gains++
		p.quiet, p.spared, p.gap = 0, false, firstGap
	case p.spared:
		p.quiet++
		p.gap = min(max(firstGap, 2*p.gap), lastGap)
		t.spare(p, false)
	default:
		if p.quiet++; p.quiet >= p.need() {
			p.spared = true
			spared = t.spare(p, true)
			p.since = len(p.held) // they came meanwhile, and none of them has been tested
		}
	}
	for _, o := range p.host.templates {
		o.follow(p)
		t.want(o)
	}
	return spared
}

// spare lets the pages that wait go, since pages like them found nothing; with untested only those whose links are known.
func (t *Table[P]) spare(p *template[P], untested bool) (spared []Page[P]) {
	var left []held[P]
	for _, h := range p.held {
		if links := p.frames.links(h.url); len(links) > 0 {
			spared = append(spared, Page[P]{URL: h.url, Page: h.page, Links: links})
		} else if untested {
			left = append(left, h)
		}
	}
	t.held -= len(p.held) - len(left)
	p.held = left
	return spared
}

// reason says in words what is known of the template.
func (p *template[P]) reason() string {
	switch {
	case p.loads == 0 && p.spared:
		return "pages with the same scripts were loaded, and these found nothing more"
	case p.loads == 0:
		return "no page like it has been loaded yet"
	case p.spared && p.frames.trusted() > 0:
		return fmt.Sprintf("what the scripts of pages like it ask for follows from their URLs (%d loaded)", p.loads)
	case p.spared && p.gains == 0:
		return fmt.Sprintf("%d pages like it were loaded, and their scripts found nothing more", p.loads)
	case p.spared:
		return fmt.Sprintf("%d pages like it were loaded, and the scripts of the last %d found nothing more", p.loads, p.quiet)
	}
	return fmt.Sprintf("the scripts of %d of %d pages like it found more", p.gains, p.loads)
}

package kavosh

// This file says what a link is: extractors and seeds give it, the frontier takes it.

import "time"

// Kind says how one URL led to another. It is what scope rules and orders look at first.
type Kind uint8

const (
	Seed         Kind = iota // given by a person, a file or another system
	Navigation               // what a reader would click: a[href], area[href], form[action] with GET
	Embed                    // what a browser would load to show the page: img, css, script, iframe, font
	Redirect                 // Location of a 3xx answer, or a meta refresh of at most a few seconds
	Sitemap                  // listed in a sitemap, or a sitemap listed in robots.txt
	Feed                     // an entry or enclosure of an RSS, Atom or JSON feed
	Speculative              // guessed from a string in a script or JSON; one hop, lowest priority
	Prerequisite             // robots.txt: needed before the URLs of its origin
)

var kindNames = [...]string{"seed", "navigation", "embed", "redirect", "sitemap", "feed", "speculative", "prerequisite"}
var kindLetters = [...]byte{'S', 'L', 'E', 'R', 'M', 'F', 'X', 'P'}

// String returns the kind's name in logs, records and reports, such as "navigation".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Letter returns the kind's letter in Task.Path. As in Heritrix's crawl.log: L link, E embed, R redirect, X
// speculative, P prerequisite. Our own: S seed, M sitemap, F feed.
func (k Kind) Letter() byte {
	if int(k) < len(kindLetters) {
		return kindLetters[k]
	}
	return '?'
}

// ParseKind parses a name that String returned. ok is false for any other name.
func ParseKind(name string) (Kind, bool) {
	for i, n := range kindNames {
		if n == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// Link is a URL found in a page, with all that is known about it before it is fetched.
type Link struct {
	URL      string // absolute, WHATWG serialisation without fragment: the seen-key (weburl.Key)
	Kind     Kind
	Element  string    // where it was found: "a", "img", "link", "css", "script", "json", "http" (a header), "sitemap", "feed"
	Attr     string    // the attribute, property or pattern: "href", "srcset", "url()", "@import", "Location", "window.open"
	Anchor   string    // text a reader would click, or alt text; at most 512 bytes, white space folded
	Around   string    // text before and after it in the same block; at most 512 bytes, white space folded
	Rel      string    // rel attribute, lower case
	Hreflang string    // hreflang attribute
	Title    string    // title attribute; at most 256 bytes
	Type     string    // type attribute of a, area and link: the media type that the page says it has; lower case, at most 64 bytes
	Position int       // ordinal among the document's links, from 0
	Variant  bool      // the RDF form of the URL is meant (content negotiation); together with the URL it is the seen-key
	Listed   *Listed   // what the sitemap says of it that lists it; nil elsewhere
	From     StandIn   // what its page stands in for
	NoFollow bool      // rel=nofollow|ugc|sponsored, or the page's robots meta says nofollow
	Extra    int       // clicks since the crawl's scope was left, where the seed's SeedPlan lets it be left
	Plan     *SeedPlan // what a person said of this seed alone; nil for most seeds and for all other links
}

// Listed is what a sitemap says of a URL.
type Listed struct {
	Changed  time.Time     // when it was changed last; zero if the sitemap does not say it
	Every    time.Duration // how often it changes; 0 if the sitemap does not say it, negative for never
	Priority float64       // among the URLs of its site, from 0 to 1; 0.5 if the sitemap does not say it
}

// SeedPlan is what a person said of one seed (docs/formats/seeds.md). It holds for the seed and for all that descends from
// it (Task.Seed).
type SeedPlan struct {
	Rules     []string `json:"rules,omitempty"`      // rules that are asked before the crawl's (docs/formats/rules.md)
	Depth     *int     `json:"depth,omitempty"`      // most clicks from the seed; nil is as the crawl has it
	ExtraHops int      `json:"extra_hops,omitempty"` // clicks that may lead out of the crawl's scope; 0 is none
	Priority  float64  `json:"priority,omitempty"`   // added to the scores of its URLs
}

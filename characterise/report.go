package characterise

// This file makes the report of a survey from its counts.

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"kavosh/lib/weburl"
)

// Report is the result of a survey. Shares are of pages unless stated otherwise.
type Report struct {
	Captures   int64 `json:"captures"`
	URLs       int64 `json:"urls"`       // distinct
	Pages      int64 `json:"pages"`      // URLs with a 2xx status and HTML
	Hosts      int64 `json:"hosts"`      // with a page
	Domains    int64 `json:"domains"`    // registered ones
	Duplicates int64 `json:"duplicates"` // pages with the same content as an earlier one
	Dynamic    int64 `json:"dynamic"`    // pages with a query, or the extension of a program
	Bytes      int64 `json:"bytes"`      // of the payloads of all URLs

	Status    []Part `json:"status"`    // of URLs
	Types     []Part `json:"types"`     // media types, of URLs with a 2xx status
	Languages []Part `json:"languages"` // as detected
	Declared  []Part `json:"declared"`  // languages that pages declare
	Charsets  []Part `json:"charsets"`  // as used
	Suffixes  []Part `json:"suffixes"`  // top-level domains
	Linked    []Part `json:"linked"`    // top-level domains of links to other domains
	Programs  []Part `json:"programs"`  // extensions of dynamic pages; "?" for only a query
	Modified  []Part `json:"modified"`  // years in Last-Modified, the newest first
	Servers   []Part `json:"servers"`   // server programs, of hosts

	LanguageTags Tags `json:"language_tags"`
	CharsetTags  Tags `json:"charset_tags"`

	Unreached int64 `json:"unreached"` // pages to which no such links lead in the archive

	Links  LinkKinds `json:"links"`
	URL    Shape     `json:"url"`    // bytes of a page's URL
	Depth  Shape     `json:"depth"`  // folders in the URL
	Clicks Shape     `json:"clicks"` // least number of links from the host's root to a page, up to 64
	Out    Shape     `json:"out"`    // distinct URLs that a page links to
	In     Shape     `json:"in"`     // pages that link to a page
	Size   Shape     `json:"size"`   // bytes of a page, to three digits
	OfHost Shape     `json:"of_host"`
}

// Part is a name and how often it occurs.
type Part struct {
	Name  string  `json:"name"`
	Count int64   `json:"count"`
	Share float64 `json:"share"`
}

// Tags says how many pages declare something, and how many of those that could be checked are right.
type Tags struct {
	Present int64 `json:"present"`
	Judged  int64 `json:"judged"`
	True    int64 `json:"true"`
}

// LinkKinds counts the links that a reader would follow, by target.
type LinkKinds struct {
	Host   int64 `json:"host"`   // within the page's host
	Domain int64 `json:"domain"` // to another host of its domain
	Away   int64 `json:"away"`   // to another domain
}

// Shape is the distribution of a number over pages (or hosts).
type Shape struct {
	Mean     float64 `json:"mean"`
	Median   int64   `json:"median"`
	Most     int64   `json:"most"`
	Exponent float64 `json:"exponent,omitempty"` // of the power law that fits the tail best; 0 if there are too few numbers
	From     int64   `json:"from,omitempty"`     // where that tail begins
	Bars     []Bar   `json:"bars"`
}

// Bar is how many numbers are from From to To.
type Bar struct {
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Count int64 `json:"count"`
}

// Report makes the report of everything added.
func (s *Survey) Report() (*Report, error) {
	r := s.report
	in, err := s.links.count()
	if err != nil {
		return nil, err
	}
	domains, servers, ofHost, entries := map[string]bool{}, tally{}, Spread{}, map[uint64]bool{}
	for name, h := range s.hosts {
		domains[weburl.Domain(name)] = true
		servers.add(h.server)
		ofHost.add(h.pages)
		entries[h.entry] = true
	}
	away, unreached, err := s.clicks.count(entries)
	if err != nil {
		return nil, err
	}
	r.Clicks, r.Unreached = away.shape(false), unreached
	r.Hosts, r.Domains = int64(len(s.hosts)), int64(len(domains))
	r.Status, r.Types, r.Languages, r.Declared = s.status.parts(), s.types.parts(), s.languages.parts(), s.declared.parts()
	r.Charsets, r.Suffixes, r.Servers = s.charsets.parts(), s.suffixes.parts(), servers.parts()
	r.Linked, r.Programs, r.Modified = s.linked.parts(), s.programs.parts(), s.modified.parts()
	slices.SortFunc(r.Modified, func(a, b Part) int { return strings.Compare(b.Name, a.Name) }) // "unknown" sorts first
	r.URL, r.Depth, r.Out, r.In, r.Size, r.OfHost = s.addresses.shape(true), s.depths.shape(false), s.out.shape(true), in.shape(true), s.sizes.shape(true), ofHost.shape(true)
	for _, s := range []*Shape{&r.Size, &r.URL, &r.Depth, &r.Clicks} { // these follow no power law
		s.Exponent, s.From = 0, 0
	}
	return &r, nil
}

// tally counts names.
type tally map[string]int64

// mostNames bounds the distinct names; all further ones count as one name.
const mostNames = 10_000

func (t tally) add(name string) {
	if _, known := t[name]; !known && len(t) >= mostNames {
		name = "(others)"
	}
	if _, known := t[name]; !known {
		name = strings.Clone(name) // it may be part of a document
	}
	t[name]++
}

// parts returns the names, the most frequent first.
func (t tally) parts() []Part {
	all := int64(0)
	for _, n := range t {
		all += n
	}
	parts := make([]Part, 0, len(t))
	for name, n := range t {
		parts = append(parts, Part{name, n, float64(n) / float64(all)})
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	return parts
}

// Spread counts how often each number occurs.
type Spread map[int64]int64

func (s Spread) add(n int64) { s[n]++ }

// shape summarises a spread. Each number gets a bar; if they spread far (wide), each bar is twice as wide as the last.
func (s Spread) shape(wide bool) Shape {
	var sh Shape
	values := slices.Sorted(maps.Keys(s))
	var n, sum int64
	for _, v := range values {
		n += s[v]
		sum += v * s[v]
	}
	if n == 0 {
		return sh
	}
	sh.Mean, sh.Most = float64(sum)/float64(n), values[len(values)-1]
	seen := int64(0)
	for _, v := range values {
		if seen += s[v]; 2*seen >= n {
			sh.Median = v
			break
		}
	}
	for _, v := range values {
		from, to := v, v
		if wide && v > 0 {
			from = 1 << (bits.Len64(uint64(v)) - 1)
			to = 2*from - 1
		}
		if k := len(sh.Bars); k > 0 && sh.Bars[k-1].From == from {
			sh.Bars[k-1].Count += s[v]
			continue
		}
		sh.Bars = append(sh.Bars, Bar{from, to, s[v]})
	}
	sh.Exponent, sh.From = s.powerLaw(values)
	return sh
}

// Bounds for fitting a tail.
const (
	leastTail  = 50 // least numbers in it
	leastTried = 1  // least beginning
	mostTried  = 60 // beginnings to try
)

// powerLaw fits p(x) ~ x^-alpha to the tail that it fits best: the maximum likelihood estimate for integers, for each
// beginning of the tail, and of these the one with the least Kolmogorov-Smirnov distance (Clauset, Shalizi and Newman,
// "Power-law distributions in empirical data", 2009, equations 3.7 and 3.9). values must be sorted.
func (s Spread) powerLaw(values []int64) (alpha float64, from int64) {
	best := math.Inf(1)
	for tried, i := 0, 0; i < len(values) && tried < mostTried; i++ {
		x0 := values[i]
		if x0 < leastTried {
			continue
		}
		tried++
		var n, logs float64
		for _, v := range values[i:] {
			c := float64(s[v])
			n += c
			logs += c * math.Log(float64(v)/(float64(x0)-0.5))
		}
		if n < leastTail || len(values)-i < 5 || logs == 0 {
			break
		}
		a := 1 + n/logs
		seen, distance := 0.0, 0.0
		for _, v := range values[i:] {
			seen += float64(s[v])
			fitted := 1 - math.Pow((float64(v)+0.5)/(float64(x0)-0.5), 1-a)
			distance = max(distance, math.Abs(seen/n-fitted))
		}
		if distance < best {
			best, alpha, from = distance, a, x0
		}
	}
	return alpha, from
}

// coarse keeps the first ten bits of a number, so that there are few distinct ones: the error is 0.1 % at most.
func coarse(n int64) int64 {
	shift := max(0, bits.Len64(uint64(max(n, 0)))-10)
	return (n + 1<<shift>>1) >> shift << shift
}

package seeds

// This file learns which URLs are likely wanted, to propose seeds.

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"kavosh/lib/packed"
	"kavosh/lib/weburl"
)

// Likely learns from the URLs that a crawl fetched which of the others are likely wanted, for use as seeds of another
// crawl. (Swoogle found seeds with an inductive learner over the crawl graph: Ding et al., "Swoogle: a search and
// metadata engine for the semantic web", 2004.) The zero value has learned nothing.
//
// A URL has patterns, the general ones first: the kind of document that links to it, its extension, its domain, its
// host, the host with the extension, each folder, the last folder with the extension, and the page that links to it.
// The estimate starts with the share of wanted URLs among all and moves towards the share of each pattern in turn, more
// so the more often the pattern was seen.
type Likely struct {
	all      share
	patterns map[uint64]share
}

// share counts URLs fetched, and those of them that were wanted.
type share struct{ fetched, wanted float64 }

const (
	mostPatterns = 1 << 20 // patterns remembered: the first ones that came
	mostFolders  = 6       // folders of a URL that count
	believed     = 2       // how many URLs the estimate of the more general pattern counts for
)

// pattern is a property that URLs share.
type pattern struct {
	key  uint64
	name string // for people
}

// patterns returns the patterns of a URL that the document at via links to; kind is that document's kind, in a word.
func patterns(url, via, kind string) []pattern {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil
	}
	ext := strings.ToLower(path.Ext(packed.Inside(u.Path())))
	ending := " that end in " + cmp.Or(ext, "no extension")
	host, domain := u.Origin(), weburl.Domain(u.Hostname())
	all := []pattern{
		{hashOf("kind", kind), "named in " + kind}, {hashOf("ext", ext), ending[1:]}, {hashOf("domain", domain), "of " + domain},
		{hashOf("host", host), "of " + host}, {hashOf("host", host, ext), "of " + host + ending},
	}
	at, folder := host, ""
	for _, name := range foldersOf(u.Path()) {
		at += "/" + strings.Map(digitless, name)
		folder = at + "/"
		all = append(all, pattern{hashOf("folder", folder), "below " + folder})
	}
	if folder != "" {
		all = append(all, pattern{hashOf("folder", folder, ext), "below " + folder + ending})
	}
	return append(all, pattern{hashOf("page", via, ext), "that " + via + " names," + ending})
}

func foldersOf(path string) []string {
	all := strings.Split(strings.Trim(path[:strings.LastIndexByte(path, '/')+1], "/"), "/")
	if all[0] == "" {
		return nil
	}
	return all[:min(len(all), mostFolders)]
}

// digitless replaces each digit by 0, because numbered folders are alike.
func digitless(c rune) rune {
	if c >= '0' && c <= '9' {
		return '0'
	}
	return c
}

func hashOf(texts ...string) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		_, _ = h.Write(append([]byte(t), 0)) // never fails
	}
	return h.Sum64()
}

// Learn adds the outcome for a URL that the document at via links to; kind is that document's kind, in a word.
func (l *Likely) Learn(url, via, kind string, wanted bool) {
	add := func(s share) share {
		s.fetched++
		if wanted {
			s.wanted++
		}
		return s
	}
	l.all = add(l.all)
	if l.patterns == nil {
		l.patterns = map[uint64]share{}
	}
	for _, p := range patterns(url, via, kind) {
		if s, known := l.patterns[p.key]; known || len(l.patterns) < mostPatterns {
			l.patterns[p.key] = add(s)
		}
	}
}

// Chance returns the probability that a URL is wanted, with the reason: the narrowest known pattern and its share.
func (l *Likely) Chance(url, via, kind string) (chance float64, why string) {
	chance = (l.all.wanted + 0.5) / (l.all.fetched + 1)
	for _, p := range patterns(url, via, kind) {
		if s := l.patterns[p.key]; s.fetched > 0 {
			chance = (s.wanted + believed*chance) / (s.fetched + believed)
			why = fmt.Sprintf("%.0f of %.0f %s", s.wanted, s.fetched, p.name)
		}
	}
	return chance, why
}

// Candidate is a URL that may become a seed.
type Candidate struct {
	URL    string  `json:"url"`
	Chance float64 `json:"chance"`
	Why    string  `json:"why"`
}

// Best collects the candidates with the greatest chance, at most Limit; ties are ordered by URL. Each URL counts once.
type Best struct {
	Limit int
	Least float64 // least chance of a candidate

	met  map[uint64]struct{}
	kept []Candidate
}

// mostMet is how many URLs are remembered to avoid repeats; beyond it, some may repeat.
const mostMet = 10_000_000

// Add adds a candidate.
func (b *Best) Add(c Candidate) {
	if c.Chance < b.Least {
		return
	}
	if b.met == nil {
		b.met = map[uint64]struct{}{}
	}
	key := hashOf(c.URL)
	if _, met := b.met[key]; met {
		return
	}
	if len(b.met) < mostMet {
		b.met[key] = struct{}{}
	}
	if b.kept = append(b.kept, c); len(b.kept) > 2*b.Limit+100 {
		b.prune()
	}
}

func (b *Best) prune() {
	slices.SortFunc(b.kept, func(a, c Candidate) int { return cmp.Or(cmp.Compare(c.Chance, a.Chance), cmp.Compare(a.URL, c.URL)) })
	b.kept = b.kept[:min(len(b.kept), b.Limit)]
}

// All returns the candidates, the likeliest first.
func (b *Best) All() []Candidate {
	b.prune()
	return b.kept
}

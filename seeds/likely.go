package seeds

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

// Likely learns from what a crawl fetched which of the URLs that it did not fetch are likely what it was after, so that they may be
// seeds of another (the inductive learner over the crawl graph by which Swoogle came to seeds: Ding et al., "Swoogle: a search and
// metadata engine for the semantic web", 2004). The zero value has learned nothing.
//
// A URL has patterns, the general ones first: what kind of document names it, its extension, its domain, its host, this with the
// extension, each folder, the last with the extension, and the page that names it. The share of what was wanted is that of the first pattern drawn
// towards that of all, and so on: a pattern counts the more the oftener it was seen, and says nothing of a URL that it does not
// fit.
type Likely struct {
	all      share
	patterns map[uint64]share
}

// share is URLs fetched, and those of them that were wanted.
type share struct{ fetched, wanted float64 }

const (
	mostPatterns = 1 << 20 // that are remembered: the first that came
	mostFolders  = 6       // of a URL that count
	believed     = 2       // URLs that what is known of a more general pattern counts for
)

// pattern is what URLs have in common.
type pattern struct {
	key  uint64
	name string // for people
}

// patterns are those of a URL that a document at via names; kind says in a word what that is.
func patterns(url, via, kind string) []pattern {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil
	}
	ext := strings.ToLower(path.Ext(packed.Inside(u.Path())))
	ending := " that end in " + cmp.Or(ext, "no extension")
	host, domain := u.Origin(), weburl.Domain(u.Hostname())
	all := []pattern{
		{named("kind", kind), "named in " + kind}, {named("ext", ext), ending[1:]}, {named("domain", domain), "of " + domain},
		{named("host", host), "of " + host}, {named("host", host, ext), "of " + host + ending},
	}
	at, folder := host, ""
	for _, name := range foldersOf(u.Path()) {
		at += "/" + strings.Map(digitless, name)
		folder = at + "/"
		all = append(all, pattern{named("folder", folder), "below " + folder})
	}
	if folder != "" {
		all = append(all, pattern{named("folder", folder, ext), "below " + folder + ending})
	}
	return append(all, pattern{named("page", via, ext), "that " + via + " names," + ending})
}

// foldersOf are the first folders of a path.
func foldersOf(path string) []string {
	all := strings.Split(strings.Trim(path[:strings.LastIndexByte(path, '/')+1], "/"), "/")
	if all[0] == "" {
		return nil
	}
	return all[:min(len(all), mostFolders)]
}

// digitless writes 0 for each digit: folders that are numbered are alike.
func digitless(c rune) rune {
	if c >= '0' && c <= '9' {
		return '0'
	}
	return c
}

// named is the hash of texts.
func named(texts ...string) uint64 {
	h := fnv.New64a()
	for _, t := range texts {
		_, _ = h.Write(append([]byte(t), 0)) // never fails
	}
	return h.Sum64()
}

// Learn takes in what became of a URL that a document at via named; kind says in a word what that document is.
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

// Chance is how likely a URL is what was wanted, and why: the narrowest pattern that was seen, and what came of it.
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

// Candidate is a URL that may be a seed.
type Candidate struct {
	URL    string  `json:"url"`
	Chance float64 `json:"chance"`
	Why    string  `json:"why"`
}

// Best collects the candidates with the greatest chance, at most Limit, of two with the same the first by URL. Each URL counts once.
type Best struct {
	Limit int
	Least float64 // chance that one needs

	met  map[uint64]struct{}
	kept []Candidate
}

// mostMet is how many URLs are remembered, so that none is listed twice; of more, one may be.
const mostMet = 10_000_000

// Add takes a candidate in.
func (b *Best) Add(c Candidate) {
	if c.Chance < b.Least {
		return
	}
	if b.met == nil {
		b.met = map[uint64]struct{}{}
	}
	key := named(c.URL)
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

// All are the candidates, the likeliest first.
func (b *Best) All() []Candidate {
	b.prune()
	return b.kept
}

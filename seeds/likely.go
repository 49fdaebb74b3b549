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
// A URL has patterns, the general ones first: the kind of documents that link to it, its extension, its top-level domain,
// its domain, its host, the host with the extension, each folder, the last folder with the extension, and the page that
// links to it. The estimate starts with the share of wanted URLs among all and moves towards the share of each pattern in turn, more
// so the more often the pattern was seen. Its odds are then multiplied by how much better, or worse, links by such words
// do than all that have words.
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

// Seen is a URL that a document links to.
type Seen struct {
	URL, Via string // Via is the document that links to it
	Kind     string // the kind of documents that link to it, in words
	Words    string // what the words of the link are like, in words; "" if it has none
}

// pattern is a property that URLs share.
type pattern struct {
	key  uint64
	name string // for people
}

// patterns returns the patterns of a URL.
func (s Seen) patterns() []pattern {
	u, err := weburl.Parse(s.URL)
	if err != nil {
		return nil
	}
	ext := strings.ToLower(path.Ext(packed.Inside(u.Path())))
	ending := " that end in " + cmp.Or(ext, "no extension")
	host, domain, top := u.Origin(), weburl.Domain(u.Hostname()), path.Ext(u.Hostname())
	all := []pattern{
		{hashOf("kind", s.Kind), "named in " + s.Kind}, {hashOf("ext", ext), ending[1:]}, {hashOf("top", top), "of " + cmp.Or(top, "no domain")}, {hashOf("domain", domain), "of " + domain},
		{hashOf("host", host), "of " + host},
		{hashOf("host", host, ext), "of " + host + ending},
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
	return append(all, pattern{hashOf("page", s.Via, ext, top), "that " + s.Via + " names," + ending})
}

// words returns the words of the link, without and with their likeness, as patterns.
func (s Seen) words() []pattern {
	if s.Words == "" {
		return nil
	}
	return []pattern{{key: hashOf("words")}, {hashOf("words", s.Words), s.Words}}
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

// Learn adds the outcome for a URL.
func (l *Likely) Learn(url Seen, wanted bool) {
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
	for _, p := range append(url.patterns(), url.words()...) {
		if s, known := l.patterns[p.key]; known || len(l.patterns) < mostPatterns {
			l.patterns[p.key] = add(s)
		}
	}
}

// Chance returns the probability that a URL is wanted, with the reason: the narrowest known pattern and its share.
func (l *Likely) Chance(url Seen) (chance float64, why string) {
	chance = (l.all.wanted + 0.5) / (l.all.fetched + 1)
	for _, p := range url.patterns() {
		if s := l.patterns[p.key]; s.fetched > 0 {
			chance = (s.wanted + believed*chance) / (s.fetched + believed)
			why = fmt.Sprintf("%.0f of %.0f %s", s.wanted, s.fetched, p.name)
		}
	}
	if words := url.words(); words != nil {
		all, these := l.patterns[words[0].key], l.patterns[words[1].key]
		if these.fetched > 0 {
			usual := (all.wanted + 0.5) / (all.fetched + 1)
			is := (these.wanted + believed*usual) / (these.fetched + believed)
			odds := chance / (1 - chance) * is / (1 - is) * (1 - usual) / usual
			chance = odds / (1 + odds)
			why = strings.TrimPrefix(why+fmt.Sprintf(", %.0f of %.0f %s", these.wanted, these.fetched, words[1].name), ", ")
		}
	}
	return chance, why
}

// Candidate is a URL that may become a seed.
type Candidate struct {
	Kind   string  `json:"kind"` // KindHost, KindHub or KindSearch
	URL    string  `json:"url"`
	Chance float64 `json:"chance"` // that it is wanted, as far as the archive tells, from 0 to 1
	Hosts  int     `json:"hosts"`  // hosts that speak for it
	Why    string  `json:"why"`    // one line
	Rank   float64 `json:"-"`      // greater is better
}

// These are the kinds of candidates.
const (
	KindHost   = "host"   // on a host that the crawls hardly know
	KindHub    = "hub"    // a page that leads to what is wanted on many hosts
	KindSearch = "search" // a page of search results, Search in a list of seeds
)

// Line returns the candidate as a line of a list of seeds.
func (c *Candidate) Line() string {
	mark := ""
	if c.Kind == KindSearch {
		mark = Search + ":"
	}
	return fmt.Sprintf("%s%s  # %.2f: %s", mark, c.URL, c.Chance, c.Why)
}

// Best collects the candidates of the greatest rank, at most Limit; ties are ordered by hosts, then by URL. Each URL
// counts once.
type Best struct {
	Limit int

	met  map[uint64]struct{}
	kept []Candidate
}

// mostMet is how many URLs are remembered to avoid repeats; beyond it, some may repeat.
const mostMet = 10_000_000

// Add adds a candidate.
func (b *Best) Add(c Candidate) {
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
	slices.SortFunc(b.kept, func(a, c Candidate) int {
		return cmp.Or(cmp.Compare(c.Rank, a.Rank), cmp.Compare(c.Hosts, a.Hosts), cmp.Compare(a.URL, c.URL))
	})
	b.kept = b.kept[:min(len(b.kept), b.Limit)]
}

// All returns the candidates, the best first.
func (b *Best) All() []Candidate {
	b.prune()
	return b.kept
}

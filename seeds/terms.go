package seeds

// This file finds the words that tell wanted pages from others, to search by.

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh/lib/words"
)

// Terms counts on how many pages each word is, to find those that tell wanted pages from the others by Dunning's
// likelihood ratio ("Accurate Methods for the Statistics of Surprise and Coincidence", 1993). Queries made of such words
// find more pages of a language or topic (Ghani, Jones and Mladenić, "Using the Web to Create Minority Language
// Corpora", 2001). The zero value is ready. It keeps at most mostWords words, about 50 MB.
type Terms struct {
	pages [2]int    // that are not wanted, and that are
	hosts [2]uint64 // as in word
	words map[string]*word
}

// word is what is known of a word.
type word struct {
	pages [2]int32 // with the word, as in Terms
	hosts uint64   // of wanted pages with it: a bit for each, by its hash
	last  int32    // number of the last page with it
}

// Term is a word that tells wanted pages from others.
type Term struct {
	Text                 string
	Wanted, Others       int // pages with it
	AllWanted, AllOthers int // pages
	ratio                float64
}

const (
	mostWords    = 1 << 19
	wordsText    = 64 << 10 // bytes of a page's text that count
	leastLetters = 3        // shorter words are left out of queries by many search engines
	leastHosts   = 3        // wanted pages of so many hosts must have a word, so that it is not the name of a site
)

// Add counts the words of a page. host is its host.
func (t *Terms) Add(host, text string, wanted bool) {
	if t.words == nil {
		t.words = map[string]*word{}
	}
	side := 0
	if wanted {
		side = 1
	}
	bit := uint64(1) << (hashOf(host) >> 58)
	t.pages[side]++
	t.hosts[side] |= bit
	page := int32(t.pages[0] + t.pages[1])
	for w := range words.All(words.Clip(text, wordsText)) {
		one := t.words[string(w)]
		if one == nil {
			if utf8.RuneCount(w) < leastLetters || strings.IndexFunc(string(w), unicode.IsNumber) >= 0 {
				continue
			}
			if len(t.words) >= mostWords {
				t.forget()
			}
			one = &word{}
			t.words[string(w)] = one
		}
		if one.last == page {
			continue
		}
		one.last = page
		one.pages[side]++
		if wanted {
			one.hosts |= bit
		}
	}
}

// forget removes the words of the fewest pages, at least half of all.
func (t *Terms) forget() {
	for least := int32(1); len(t.words) > mostWords/2; least++ {
		for text, w := range t.words {
			if w.pages[0]+w.pages[1] <= least {
				delete(t.words, text)
			}
		}
	}
}

// Best returns at most n words that wanted pages have more often than others, the most telling first.
func (t *Terms) Best(n int) (all []Term) {
	for text, w := range t.words {
		one := Term{text, int(w.pages[1]), int(w.pages[0]), t.pages[1], t.pages[0], 0}
		if one.Wanted*one.AllOthers <= one.Others*one.AllWanted || bits.OnesCount64(w.hosts) < min(leastHosts, bits.OnesCount64(t.hosts[1])) {
			continue
		}
		one.ratio = likelihoodRatio(one.Wanted, one.AllWanted, one.Others, one.AllOthers)
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Term) int { return cmp.Or(cmp.Compare(b.ratio, a.ratio), strings.Compare(a.Text, b.Text)) })
	return all[:min(len(all), n)]
}

// likelihoodRatio returns −2 log λ for k of n and l of m being of the same share.
func likelihoodRatio(k, n, l, m int) float64 {
	fit := func(k, n int, p float64) float64 {
		sum := 0.0
		if k > 0 {
			sum += float64(k) * math.Log(p)
		}
		if k < n {
			sum += float64(n-k) * math.Log(1-p)
		}
		return sum
	}
	same := float64(k+l) / float64(n+m)
	return 2 * (fit(k, n, float64(k)/float64(n)) + fit(l, m, float64(l)/float64(m)) - fit(k, n, same) - fit(l, m, same))
}

package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// draws is how many places the table of word frequencies has: one draw is one look-up.
const draws = 1 << 16

// prose writes made-up text in which words are as frequent as in a real language (Zipf's law: the n-th word is 1/n as
// frequent as the first, the frequent ones short), some follow others by habit, and a page keeps coming back to its own
// subject. gzip makes of it what it makes of English prose: 2.6 times less at level 6. The words of one seed are always
// the same.
type prose struct {
	words     []string
	rank      [draws]uint16 // word by frequency
	sentences []string      // of easy text, which says the same again and again; nil for hard text
}

// subject is how many words a page has of its own; one word in subjectShare is one of them, and one in habitShare is the
// word that always follows the one before it.
const (
	subject      = 120
	subjectShare = 4
	habitShare   = 4
)

// newProse makes the language. Easy text is put together from few sentences, as pages made from templates are.
func newProse(seed uint64, easy bool) *prose {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &prose{words: makeWords(rng, 20_000)}
	total := 0.0
	for n := range p.words {
		total += 1 / float64(n+1)
	}
	n, reached := 0, 1/total
	for i := range p.rank {
		for reached < (float64(i)+0.5)/draws && n < len(p.words)-1 {
			n++
			reached += 1 / float64(n+1) / total
		}
		p.rank[i] = uint16(n)
	}
	if easy {
		var sentences []string
		for range 60 {
			sentences = append(sentences, string(p.sentence(nil, rng, p.subject(rng))))
		}
		p.sentences = sentences
	}
	return p
}

// makeWords makes n different words of syllables, the shorter ones mostly first.
func makeWords(rng *rand.Rand, n int) []string {
	onsets := strings.Fields("b c d f g h l m n p r s t v w br ch cl cr dr fl fr gr ph pl pr qu sc sh sp st th tr str")
	nuclei := strings.Fields("a e i o u a e i o e a ai ea ee ie io ou y")
	codas := strings.Fields("- - - - l m n r s t d n r s ck ll nd ng nt rd rn rs ss st ment tion")
	known := map[string]bool{}
	var words []string
	for len(words) < n {
		var b strings.Builder
		for range 1 + min(rng.IntN(4), rng.IntN(4)) {
			b.WriteString(onsets[rng.IntN(len(onsets))] + nuclei[rng.IntN(len(nuclei))])
			if c := codas[rng.IntN(len(codas))]; c != "-" {
				b.WriteString(c)
			}
		}
		if w := b.String(); !known[w] {
			known[w] = true
			words = append(words, w)
		}
	}
	weight := make(map[string]float64, n)
	for _, w := range words {
		weight[w] = float64(len(w)) * math.Exp(rng.NormFloat64()/2)
	}
	slices.SortFunc(words, func(a, b string) int {
		if weight[a] < weight[b] {
			return -1
		}
		return 1
	})
	return words
}

// subject draws the words that a page is about: middling ones, neither articles nor rarities.
func (p *prose) subject(rng *rand.Rand) []string {
	words := make([]string, subject)
	for i := range words {
		words[i] = p.words[200+rng.IntN(8000)]
	}
	return words
}

// word draws a word, after another one or "".
func (p *prose) word(rng *rand.Rand, about []string, before string) string {
	r := rng.Uint64()
	if before != "" && r>>16%habitShare == 0 {
		n := uint32(len(before))
		for i := range len(before) {
			n = n*31 + uint32(before[i])
		}
		return p.words[p.rank[n*2654435761>>16]]
	}
	if r>>32%subjectShare == 0 {
		// The first words of a subject come most often.
		i := (r >> 40 % subject) * (r >> 48 % subject) / subject
		return about[i]
	}
	return p.words[p.rank[r%draws]]
}

// sentence appends one sentence of 6 to 25 words.
func (p *prose) sentence(b []byte, rng *rand.Rand, about []string) []byte {
	if p.sentences != nil {
		return append(b, p.sentences[rng.IntN(len(p.sentences))]...)
	}
	n, w := 6+rng.IntN(20), ""
	for i := range n {
		w = p.word(rng, about, w)
		if i == 0 {
			b = append(b, capital(w)...)
		} else {
			b = append(b, w...)
		}
		switch {
		case i == n-1:
			b = append(b, ". "...)
		case rng.IntN(12) == 0:
			b = append(b, ", "...)
		default:
			b = append(b, ' ')
		}
	}
	return b
}

// phrase appends n words, as titles and the texts of links have them.
func (p *prose) phrase(b []byte, rng *rand.Rand, about []string, n int) []byte {
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, capital(p.word(rng, about, ""))...)
	}
	return b
}

func capital(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	return strings.ToUpper(w[:n]) + w[n:]
}

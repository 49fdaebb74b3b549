package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// draws is the size of the table of word frequencies, in which one draw is one look-up.
const draws = 1 << 16

// prose writes generated text with the word frequencies of a real language (Zipf's law: the n-th word is 1/n as
// frequent as the first, and frequent words are short). Some words often follow others, and a page repeats words of its
// own subject. gzip compresses it like English prose: 2.6 times at level 6. The same seed always gives the same words.
type prose struct {
	words     []string
	rank      [draws]uint16 // word by frequency
	sentences []string      // of easy text, which repeats them; nil for hard text
}

// subject is how many words of its own a page has. One word in subjectShare is one of them, and one in habitShare is
// the usual successor of the word before.
const (
	subject      = 120
	subjectShare = 4
	habitShare   = 4
)

// newProse makes the language. Easy text is put together from few sentences, like pages from templates.
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

// makeWords makes n different words of syllables, mostly the shorter ones first.
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

// subject draws the words of a page's subject: of medium frequency.
func (p *prose) subject(rng *rand.Rand) []string {
	words := make([]string, subject)
	for i := range words {
		words[i] = p.words[200+rng.IntN(8000)]
	}
	return words
}

// word draws a word; before is the word before it, or "".
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

// phrase appends n words, for titles and link texts.
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

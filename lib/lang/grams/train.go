package grams

// This file learns the n-grams that tell languages apart.

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Words are the counts of words in one language, folded like a Counter folds them, to train a table with.
type Words struct {
	Language string
	Count    map[string]float64 // shares or numbers; only the proportions matter
	// how many letters of text that represents: a word missing from much text is rarer than one missing from little
	Letters float64
}

// shrink is how many letters of the mean of all languages are added to each language's own, for smoothing.
const shrink = 3000

// Train makes the table of a script with the n-grams that tell its languages apart best: those with the greatest share
// in the mutual information of n-gram and language.
func (m *Model) Train(script Script, all []Words, rows int) {
	t := &table{blocks: (len(all) + 7) / 8}
	counts := map[uint32][]float32{}
	sums := make([]float64, len(all))
	for l, words := range all {
		t.languages = append(t.languages, words.Language)
		for _, w := range slices.Sorted(maps.Keys(words.Count)) { // sums of floats depend on the order
			n := words.Count[w]
			each(w, func(h uint32) {
				c := counts[h]
				if c == nil {
					c = make([]float32, len(all))
					counts[h] = c
				}
				c[l] += float32(n)
			})
			sums[l] += n * float64(len([]rune(w)))
		}
	}
	type candidate struct {
		hash uint32
		gain float64
	}
	best := make([]candidate, 0, len(counts))
	p := make([]float64, len(all))
	for h, c := range counts {
		best = append(best, candidate{h, likelier(p, c, sums, all)})
	}
	slices.SortFunc(best, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.hash, b.hash))
	})
	best = best[:min(len(best), rows, mostRows)]
	slices.SortFunc(best, func(a, b candidate) int { return cmp.Compare(a.hash, b.hash) })
	t.rows = make([]uint64, len(best)*t.blocks)
	for row, b := range best {
		t.hashes = append(t.hashes, b.hash)
		likelier(p, counts[b.hash], sums, all)
		for l := range all {
			t.setWeight(row, l, byte(max(0, min(heaviest, zero+math.Round(PerNat*p[l])))))
		}
	}
	t.index()
	m.tables[script] = t
}

// likelier sets p to how much likelier an n-gram is in each language than in their mean, in nats. It returns its share
// in the mutual information, with all languages equally frequent.
func likelier(p []float64, counts []float32, sums []float64, all []Words) (gain float64) {
	mean := 0.0
	for l, n := range counts {
		p[l] = float64(n) / sums[l]
		mean += p[l] / float64(len(p))
	}
	for l := range p {
		share := (p[l]*all[l].Letters + mean*shrink) / (all[l].Letters + shrink)
		p[l] = math.Log(share / mean)
		gain += share * p[l]
	}
	return gain
}

// each yields the hashes of all n-grams of a folded word. Those of two letters are counted everywhere, although a
// Counter looks them up only where the longer one is unknown.
func each(word string, yield func(uint32)) {
	letters := append(make([]uint16, 1, longest+2), ' ')[1:]
	for _, r := range word {
		if len(letters) > longest {
			break
		}
		letters = append(letters, uint16(r))
	}
	letters = append(letters, ' ')
	whole := uint64(0)
	for i := range len(letters) - 1 {
		k1 := uint64(letters[i])
		k2 := k1 | uint64(letters[i+1])<<16
		whole = (whole ^ k1) * wordPrime
		if k1 >= 0x80 {
			yield(hash(k1))
		}
		yield(hash(k2))
		if i+2 < len(letters) {
			k3 := k2 | uint64(letters[i+2])<<32
			yield(hash(k3))
			if i+3 < len(letters) {
				yield(hash(k3 | uint64(letters[i+3])<<48))
			}
		}
	}
	if len(letters) >= 5 {
		yield(hash(whole | 1))
	}
}

// Folded calls give for each word of text as a [Counter] reads it, with its script.
func Folded(text string, give func(script Script, word string)) {
	var letters []rune
	w := walker{give: func(script Script, word []uint16) {
		letters = letters[:0]
		for _, l := range word[1 : len(word)-1] {
			letters = append(letters, rune(l))
		}
		give(script, string(letters))
	}}
	w.walk(text)
}

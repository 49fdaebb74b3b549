package judge

// This file knows which words are common, so that a judge of words gives rare words more weight.

import (
	_ "embed"
	"math"
	"strings"

	"kavosh/lib/words"
)

// Background knows how common words are, from texts about anything. It makes rare words of a query weigh more. nil is
// valid: then only the most common words of some languages count as common.
type Background struct {
	lines int            // documents
	with  map[string]int // word to the number of documents that contain it
}

// Bounds on a background.
const (
	maxBackground = 64 << 20 // bytes of text
	maxKnown      = 1 << 20  // distinct words; those met later count as rare
)

// NewBackground learns from UTF-8 text, each line being one document. It reads at most 64 MiB.
func NewBackground(text string) *Background {
	b := &Background{with: map[string]int{}}
	last := map[string]int{} // the last line in which each word occurred
	for line := range strings.Lines(text[:min(len(text), maxBackground)]) {
		b.lines++
		for w := range words.All(line) {
			if last[string(w)] == b.lines {
				continue
			}
			if n, known := b.with[string(w)]; known || len(b.with) < maxKnown {
				b.with[string(w)] = n + 1
				last[string(w)] = b.lines
			}
		}
	}
	return b
}

// weight returns a word's inverse document frequency as in BM25, divided by that of an unknown word.
func (b *Background) weight(word string) float64 {
	if b == nil {
		if common[word] {
			return 0.1
		}
		return 1
	}
	idf := func(with int) float64 {
		return math.Log(1 + (float64(b.lines-with)+0.5)/(float64(with)+0.5))
	}
	return idf(b.with[word]) / idf(0)
}

//go:embed common.txt
var commonWords string

// common holds the words of common.txt.
var common = func() map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(commonWords) {
		if !strings.HasPrefix(line, "#") {
			for w := range words.All(line) {
				m[string(w)] = true
			}
		}
	}
	return m
}()

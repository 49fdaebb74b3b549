package judge

import (
	_ "embed"
	"math"
	"strings"

	"kavosh/lib/words"
)

// Background knows how common words are, from texts that are about anything. It makes the words of a query weigh more the
// rarer they are. nil is a background, too: that of the commonest words of some languages, and no others.
type Background struct {
	lines int            // documents
	with  map[string]int // … that have the word
}

// Bounds of a background.
const (
	maxBackground = 64 << 20 // bytes
	maxKnown      = 1 << 20  // distinct words; those met later are taken for rare
)

// NewBackground learns from text in UTF-8, each line a document of its own; 64 MiB of it are read at most.
func NewBackground(text string) *Background {
	b := &Background{with: map[string]int{}}
	last := map[string]int{} // the line that a word was met in last
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

// weight is a word's inverse document frequency as BM25 has it, as a share of that of a word never met.
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

// common are the words of common.txt.
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

package order

// This file is the model of the ordering policy context-graph: it tells from the words of a page how many links away a
// target page may be. It trains the model, stores it and reads it back.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"kavosh/lib/words"
)

// ContextGraph tells from the words of a page how many links away a target page may be. TrainContextGraph or
// ReadContextGraph makes it; after that it does not change.
type ContextGraph struct {
	levels int
	terms  map[string][]float32 // for each word, the logarithm of its probability at each level
}

// Bounds of a model.
const (
	maxLevels     = 8
	termsPerLevel = 40      // words that a level adds to the model; the number is the source's
	maxModel      = 1 << 20 // bytes of a stored model
	maxTerms      = 100_000 // different words that the training counts; it ignores later ones
)

// Levels returns how many levels there are. Level 0 is the targets themselves.
func (g *ContextGraph) Levels() int { return g.levels }

// Level returns the level that a page with this text most probably has, and the probability of that. It is naive Bayes
// over the words of the model, with all levels equally probable at first. For a text without any of these words it
// returns Levels() and 0.
func (g *ContextGraph) Level(text string) (level int, probability float64) {
	logs := make([]float64, g.levels)
	n := 0
	for word := range words.All(text) {
		if chances, ok := g.terms[string(word)]; ok {
			n++
			for i, c := range chances {
				logs[i] += float64(c)
			}
		}
	}
	if n == 0 {
		return g.levels, 0
	}
	for i, x := range logs {
		if x > logs[level] {
			level = i
		}
	}
	sum := 0.0
	for _, x := range logs {
		sum += math.Exp((x - logs[level]) / math.Sqrt(float64(n))) // words of a page depend on each other: n of them count as √n
	}
	return level, 1 / sum
}

// TrainContextGraph makes a model from the texts of pages. levels[0] holds the texts of target pages, levels[i] those
// of pages from which a target is i links away. There must be 2 to 8 levels, with at least one page in each. The model
// uses the words of each level with the highest TF-IDF, where a level counts as one document.
func TrainContextGraph(levels [][]string) (*ContextGraph, error) {
	if len(levels) < 2 || len(levels) > maxLevels {
		return nil, fmt.Errorf("a context graph has 2 to %d levels, not %d", maxLevels, len(levels))
	}
	counts := map[string][]float64{}
	totals := make([]float64, len(levels))
	for i, texts := range levels {
		if len(texts) == 0 {
			return nil, fmt.Errorf("level %d of the context graph has no page", i)
		}
		for _, text := range texts {
			for word := range words.All(text) {
				c := counts[string(word)]
				if c == nil {
					if len(counts) == maxTerms {
						continue
					}
					c = make([]float64, len(levels))
					counts[string(word)] = c
				}
				c[i]++
				totals[i]++
			}
		}
	}
	g := &ContextGraph{levels: len(levels), terms: map[string][]float32{}}
	for i := range levels {
		for _, word := range telling(counts, totals, i) {
			chances := make([]float32, len(levels))
			for j := range levels {
				chances[j] = float32(math.Log((counts[word][j] + 0.5) / (totals[j] + 0.5*float64(len(counts)))))
			}
			g.terms[word] = chances
		}
	}
	return g, nil
}

// telling returns the words with the highest TF-IDF at a level. Instead of counting the levels that hold a word, it
// measures how evenly the word is spread over them: a word that is equally frequent at every level tells nothing.
func telling(counts map[string][]float64, totals []float64, level int) []string {
	type term struct {
		word  string
		score float64
	}
	var terms []term
	for word, c := range counts {
		if c[level] < 2 {
			continue
		}
		all, here := 0.0, c[level]/max(totals[level], 1)
		for j := range totals {
			all += c[j] / max(totals[j], 1)
		}
		terms = append(terms, term{word, here * math.Log(float64(len(totals))*here/all)})
	}
	slices.SortFunc(terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.word, b.word))
	})
	var best []string
	for _, t := range terms[:min(len(terms), termsPerLevel)] {
		if t.score > 0 {
			best = append(best, t.word)
		}
	}
	return best
}

// storedGraph is a model as it is stored (docs/formats/contextgraph.md).
type storedGraph struct {
	Format string               `json:"format"`
	Levels int                  `json:"levels"`
	Terms  map[string][]float32 `json:"terms"`
}

const graphFormat = "kavosh context graph 1"

// Save returns the model in the form that ReadContextGraph reads, at most 1 MiB.
func (g *ContextGraph) Save() ([]byte, error) {
	return json.MarshalIndent(storedGraph{graphFormat, g.levels, g.terms}, "", " ")
}

// ReadContextGraph returns the model that Save stored. The error says what is wrong with data.
func ReadContextGraph(data []byte) (*ContextGraph, error) {
	var s storedGraph
	if len(data) > maxModel {
		return nil, fmt.Errorf("context graph: %d bytes, at most %d are read", len(data), maxModel)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("context graph: %w", err)
	}
	if s.Format != graphFormat {
		return nil, fmt.Errorf("context graph: the format is %q, not %q", s.Format, graphFormat)
	}
	if s.Levels < 2 || s.Levels > maxLevels {
		return nil, errors.New("context graph: a wrong number of levels")
	}
	for word, chances := range s.Terms {
		if len(chances) != s.Levels {
			return nil, fmt.Errorf("context graph: %q has %d numbers, and there are %d levels", word, len(chances), s.Levels)
		}
		for _, c := range chances {
			if c > 0 {
				return nil, fmt.Errorf("context graph: %q has a chance above 1", word)
			}
		}
	}
	return &ContextGraph{levels: s.Levels, terms: s.Terms}, nil
}

package order

// This file is the model of the policy context-graph: it tells from the words of a page how many links away a target
// page may be. It trains the model, stores it and reads it back.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"kavosh/lib/words"
)

// ContextGraph tells by a page's words how many links away a target page may be. It is made by TrainContextGraph or read
// by ReadContextGraph, and does not change after that.
type ContextGraph struct {
	levels int
	terms  map[string][]float32 // log of the chance of a word at each level
}

// Bounds of a model.
const (
	maxLevels     = 8
	termsPerLevel = 40 // the source's number of words of the highest TF-IDF
	maxModel      = 1 << 20
	maxTerms      = 100_000 // words of all pages trained on that are told apart
)

// Levels is how many levels there are; level 0 is the targets themselves.
func (g *ContextGraph) Levels() int { return g.levels }

// Level is the level that a page with this text most probably has, and that probability, all levels being as probable
// before: naive Bayes over the model's words. A text with none of them is of no level, which is Levels() and 0.
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
		sum += math.Exp((x - logs[level]) / math.Sqrt(float64(n))) // words of a page are not independent: n of them count as √n
	}
	return level, 1 / sum
}

// TrainContextGraph makes a model of the texts of pages by level: levels[0] are targets, levels[i] pages from which a
// target is i links away. Of each level the words with the highest TF-IDF count, a level being a document. There must be
// 2 to 8 levels with a page in each.
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

// telling are the words of the highest TF-IDF at a level. A word's document frequency is smoothed by how evenly it is
// spread: one that every level has equally often tells nothing.
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

// storedGraph is the stored form (docs/formats/contextgraph.md).
type storedGraph struct {
	Format string               `json:"format"`
	Levels int                  `json:"levels"`
	Terms  map[string][]float32 `json:"terms"`
}

const graphFormat = "kavosh context graph 1"

// Save is the model as ReadContextGraph reads it, at most 1 MiB.
func (g *ContextGraph) Save() ([]byte, error) {
	return json.MarshalIndent(storedGraph{graphFormat, g.levels, g.terms}, "", " ")
}

// ReadContextGraph reads what Save made. The error says what is wrong.
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

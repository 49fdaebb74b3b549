package search

// This file turns a parsed query into units: what a document must have, with all ways to write it that the index knows.

import "math"

// unit is something that a document must have: a word, or words side by side, in one of several ways to write them.
type unit struct {
	ways  [][]string // the ways to write it, at least one; each is one or more terms side by side
	title bool       // it must stand in the title
	not   bool
	idf   float64
	word  string // the word as it was written, if the unit is one word that may be misspelt
}

const maxWays = 8 // ways to write one phrase

// plan returns the units of a query for this index.
func (s *snapshot) plan(q *query) (units []unit, err error) {
	var a analyzer
	for _, g := range q.groups {
		var terms, written []string
		var ends []int
		a.each(g.text, func(t term) bool {
			terms, ends, written = append(terms, string(t.Text)), append(ends, t.End), append(written, g.text[t.Start:t.End])
			return len(terms) <= maxUnits+1
		})
		made, err := s.units(&g, terms, written, ends, q)
		if err != nil {
			return nil, err
		}
		units = append(units, made...)
	}
	if len(units) > maxUnits {
		units = units[:maxUnits]
		q.note("the question was cut: it has too many words")
	}
	for i := range units {
		if err := s.weigh(&units[i]); err != nil {
			return nil, err
		}
	}
	return units, nil
}

// units returns the units of a phrase, or of words that need not stand together. ends says where the terms of each word
// end.
func (s *snapshot) units(g *phrase, terms, written []string, ends []int, q *query) (units []unit, err error) {
	if len(terms) == 0 {
		return nil, nil
	}
	if g.star {
		last := terms[len(terms)-1]
		if len([]rune(last)) < minPrefix {
			q.note("a * needs two letters before it")
			return nil, nil
		}
		expanded, more, err := s.withPrefix(last, maxExpansion)
		if err != nil {
			return nil, err
		}
		if more {
			q.note("a * stands for too many words: only some are looked for")
		}
		u := unit{title: g.title, not: g.not}
		for _, e := range expanded {
			u.ways = append(u.ways, append(terms[:len(terms)-1:len(terms)-1], e))
		}
		if len(u.ways) == 0 {
			u.ways = [][]string{terms}
		}
		return []unit{u}, nil
	}
	if g.quote {
		if len(terms) > maxPhrase {
			terms = terms[:maxPhrase]
			q.note("the question was cut: a phrase has too many words")
		}
		ways, err := s.ways(terms)
		return []unit{{ways: ways, title: g.title, not: g.not}}, err
	}
	for i := 0; i < len(terms); {
		n := 1
		for i+n < len(terms) && ends[i+n] == ends[i] { // terms of one word, in a script without spaces
			n++
		}
		word := terms[i : i+n]
		u := unit{title: g.title, not: g.not, word: written[i]}
		if i+n < len(terms) && n == 1 {
			part, err := s.firstPart(terms[i] + terms[i+1])
			if err != nil {
				return nil, err
			}
			if part == terms[i] {
				word, n = terms[i:i+2], 2
			}
		}
		if u.ways, err = s.ways(word[:min(n, maxPhrase)]); err != nil {
			return nil, err
		}
		units = append(units, u)
		i += n
	}
	return units, nil
}

// ways returns the ways to write terms side by side. Each compound is one term, or its two parts.
func (s *snapshot) ways(terms []string) (ways [][]string, err error) {
	var apart []string
	for _, t := range terms {
		part, err := s.firstPart(t)
		if err != nil {
			return nil, err
		}
		if part == "" || len(part) >= len(t) {
			apart = append(apart, t)
			continue
		}
		var a analyzer
		a.each(part+" "+t[len(part):], func(p term) bool {
			apart = append(apart, string(p.Text))
			return true
		})
	}
	ways = [][]string{nil}
	for i := 0; i < len(apart); i++ {
		joined := ""
		if i+1 < len(apart) {
			part, err := s.firstPart(apart[i] + apart[i+1])
			if err != nil {
				return nil, err
			}
			if part == apart[i] {
				joined = apart[i] + apart[i+1]
			}
		}
		if joined == "" {
			for w := range ways {
				ways[w] = append(ways[w], apart[i])
			}
			continue
		}
		n := len(ways)
		for w := range n {
			if len(ways) < maxWays {
				ways = append(ways, append(ways[w][:len(ways[w]):len(ways[w])], joined))
			}
			ways[w] = append(ways[w][:len(ways[w]):len(ways[w])], apart[i], apart[i+1])
		}
		i++
	}
	return ways, nil
}

// weigh sets how rare a unit is.
func (s *snapshot) weigh(u *unit) error {
	n := 0
	for _, way := range u.ways {
		least := math.MaxInt
		for _, t := range way {
			f, err := s.frequency([]byte(t))
			if err != nil {
				return err
			}
			least = min(least, f)
		}
		n += least
	}
	all := float64(len(s.kinds))
	have := min(float64(n), all)
	u.idf = math.Log(1 + (all-have+0.5)/(have+0.5))
	return nil
}

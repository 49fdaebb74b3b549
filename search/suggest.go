package search

// This file suggests a better spelling of a query by words that the index has. It never suggests a word that only
// hidden documents have.

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	mostSuggested  = 8      // words of a query for which another is looked for
	mostCandidates = 50_000 // terms that are compared with one word
	frequentTimes  = 20     // a word that the index has is only replaced by one this many times as frequent
)

// suggest returns the query with better words in place of those that the index does not have, or "" if there are none.
func (f *search) suggest() (string, error) {
	text := f.ask.Text
	changed := false
	for i := range f.units {
		u := &f.units[i]
		if u.not || u.word == "" || len(u.ways) != 1 || len(u.ways[0]) != 1 || i >= mostSuggested {
			continue
		}
		word := u.ways[0][0]
		have, err := f.frequency([]byte(word))
		if err != nil {
			return "", err
		}
		better, n, err := f.nearest(word)
		if err != nil {
			return "", err
		}
		if better == "" || have > 0 && n < frequentTimes*have {
			continue
		}
		text = strings.Replace(text, u.word, better, 1)
		changed = true
	}
	if !changed || text == f.ask.Text {
		return "", nil
	}
	return text, nil
}

// nearest returns the most frequent term that is one edit away from word (two, if word is long), or "" if no such term may be
// shown. It compares terms with the same first letter, with the second letter first, or with the first two exchanged.
func (s *snapshot) nearest(word string) (best string, count int, err error) {
	letters := []rune(word)
	if len(letters) < 3 {
		return "", 0, nil
	}
	most := 1
	if len(letters) > 6 {
		most = 2
	}
	nearest := most + 1
	var row editRows
	for _, prefix := range []string{string(letters[:1]), string(letters[1:2])} {
		for _, in := range s.segments {
			n := 0
			err := in.terms([]byte(prefix), func(e entry) bool {
				if n++; !bytes.HasPrefix(e.text, []byte(prefix)) || n > mostCandidates {
					return false
				}
				if d := utf8.RuneCount(e.text) - len(letters); d < -most || d > most || string(e.text) == word {
					return true
				}
				d := row.distance(letters, e.text, most)
				if d > most || d > nearest || d == nearest && (e.count < count || e.count == count && string(e.text) >= best) {
					return true
				}
				nearest, best, count = d, string(e.text), e.count
				return true
			})
			if err != nil {
				return "", 0, err
			}
		}
	}
	if best == "" {
		return "", 0, nil
	}
	visible, err := s.visible(best)
	if err != nil || !visible {
		return "", 0, err
	}
	return best, count, nil
}

// visible reports whether a document that has a term may be shown.
func (s *snapshot) visible(text string) (bool, error) {
	for _, in := range s.segments {
		e, ok, err := in.find([]byte(text))
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		var p postings
		if _, err := in.postings(&p, nil, e, false); err != nil {
			return false, err
		}
		for p.next() {
			if len(s.facts.of(in.base+p.doc)) > 0 {
				return true, nil
			}
		}
		if p.err != nil {
			return false, p.err
		}
	}
	return false, nil
}

// editRows is memory for distance.
type editRows struct{ two, one, now []int }

// distance returns how many letters must be inserted, removed, replaced or exchanged with their neighbour to get from a
// to text (Damerau–Levenshtein, optimal string alignment). If there are more than most, it returns a number above most.
func (r *editRows) distance(a []rune, text []byte, most int) int {
	for _, row := range []*[]int{&r.two, &r.one, &r.now} {
		if cap(*row) <= len(a) {
			*row = make([]int, len(a)+1)
		}
		*row = (*row)[:len(a)+1]
	}
	for i := range r.one {
		r.one[i] = i
	}
	before := rune(-1)
	for j := 1; len(text) > 0; j++ {
		c, size := utf8.DecodeRune(text)
		text = text[size:]
		r.now[0] = j
		least := j
		for i := 1; i <= len(a); i++ {
			cost := 1
			if a[i-1] == c {
				cost = 0
			}
			d := min(r.one[i]+1, r.now[i-1]+1, r.one[i-1]+cost)
			if i > 1 && j > 1 && a[i-1] == before && a[i-2] == c {
				d = min(d, r.two[i-2]+1)
			}
			r.now[i] = d
			least = min(least, d)
		}
		if least > most {
			return most + 1
		}
		r.two, r.one, r.now = r.one, r.now, r.two
		before = c
	}
	return r.one[len(a)]
}

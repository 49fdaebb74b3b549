package search

// This file chooses the piece of a text that a result shows, and marks the words of the query in it.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh"
	"kavosh/lib/words"
)

const (
	snippetBytes = 320      // bytes of a snippet, about
	snippetScan  = 96 << 10 // bytes of a text in which a snippet is looked for
	mostMarks    = 40
)

// marker finds the words of a query in texts.
type marker struct {
	analyze analyzer
	weight  map[string]float64 // by term; rare terms weigh more
}

// marker returns a marker for the units of the query.
func (f *search) marker() *marker {
	m := &marker{weight: map[string]float64{}}
	for i := range f.units {
		if f.units[i].not {
			continue
		}
		for _, way := range f.units[i].ways {
			for _, t := range way {
				m.weight[t] = max(m.weight[t], f.units[i].idf+0.1)
			}
		}
	}
	return m
}

// hit is a word of the query in a text.
type hit struct {
	kavosh.Span
	term string
}

// hits returns the words of the query in the beginning of a text. It stops soon after each was found.
func (m *marker) hits(text string) (hits []hit) {
	if len(m.weight) == 0 {
		return nil
	}
	met := map[string]bool{}
	enough := snippetScan
	m.analyze.each(words.Clip(text, snippetScan), func(t term) bool {
		if t.Start > enough {
			return false
		}
		if _, ok := m.weight[string(t.Text)]; ok {
			if n := len(hits); n > 0 && hits[n-1].Start == t.Start {
				return true
			}
			h := hit{kavosh.Span{Start: t.Start, End: t.End}, string(t.Text)}
			hits = append(hits, h)
			if met[h.term] = true; len(met) == len(m.weight) && enough == snippetScan {
				enough = t.End + 4*snippetBytes
			}
		}
		return true
	})
	return hits
}

// marks returns where words of the query stand in a short text.
func (m *marker) marks(text string) (marks []kavosh.Span) {
	for _, h := range m.hits(text) {
		if len(marks) < mostMarks {
			marks = append(marks, h.Span)
		}
	}
	return marks
}

// leastProse is the least number of bytes of a block of prose. Shorter blocks are entries of menus, headings or
// buttons.
const leastProse = 120

// inMenu is the factor by which a word of the query counts less in a shorter block.
const inMenu = 0.4

// prose returns where the first block of prose at or after a place begins. It returns false if there is none.
func prose(text string, from int) (int, bool) {
	for from < len(text) && from < snippetScan {
		end := strings.IndexByte(text[from:], '\n')
		if end < 0 {
			end = len(text) - from
		}
		if end >= leastProse {
			return from, true
		}
		from += end + 1
	}
	return 0, false
}

// snippet returns the piece of a text that has the most words of the query, each counted once. Prose comes before
// menus. A text without any such word gives its first prose.
func (m *marker) snippet(text string) kavosh.Snippet {
	hits := m.hits(text)
	from, most := 0, -1.0
	if len(hits) == 0 {
		from, _ = prose(text, 0)
	}
	for i := range hits {
		sum := 0.0
		if block := strings.LastIndexByte(text[:hits[i].Start], '\n') + 1; !isProse(text, block) {
			sum = -(1 - inMenu) * m.weight[hits[i].term]
		}
		met := map[string]bool{}
		for _, h := range hits[i:] {
			if h.End > hits[i].Start+snippetBytes*3/4 || len(met) == len(m.weight) {
				break
			}
			if !met[h.term] {
				met[h.term] = true
				sum += m.weight[h.term]
			}
		}
		if sum > most {
			from, most = hits[i].Start, sum
		}
	}
	start, end := window(text, from)
	s := kavosh.Snippet{Text: strings.Map(oneSpace, text[start:end])}
	for _, h := range hits {
		if h.Start >= start && h.End <= end && len(s.Marks) < mostMarks {
			s.Marks = append(s.Marks, kavosh.Span{Start: h.Start - start, End: h.End - start})
		}
	}
	return s
}

// isProse reports whether the block that begins at a place of a text is prose.
func isProse(text string, block int) bool {
	end := strings.IndexByte(text[block:], '\n')
	return end >= leastProse || end < 0 && len(text)-block >= leastProse
}

// oneSpace replaces line feeds and tabs by spaces of the same length.
func oneSpace(r rune) rune {
	if r == '\n' || r == '\t' || r == '\r' {
		return ' '
	}
	return r
}

// window returns a piece of a text around a place, cut between words if possible. A quarter of it lies before the
// place.
func window(text string, place int) (start, end int) {
	start = max(0, place-snippetBytes/4)
	if start > 0 {
		for start < place && text[start]&0xC0 == 0x80 {
			start++
		}
		if i := strings.IndexFunc(text[start:place], unicode.IsSpace); i >= 0 {
			_, size := utf8.DecodeRuneInString(text[start+i:])
			start += i + size
		}
	}
	end = min(len(text), start+snippetBytes)
	if end < len(text) {
		for end > start && text[end]&0xC0 == 0x80 {
			end--
		}
		if i := strings.LastIndexFunc(text[start:end], unicode.IsSpace); i > snippetBytes/2 {
			end = start + i
		}
	}
	return start, end
}

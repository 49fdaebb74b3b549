package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh"
)

const (
	snippetBytes = 320      // of a snippet, about
	snippetScan  = 96 << 10 // bytes of a text that are looked at for one
	mostMarks    = 40
)

// marker finds the words of a question in texts.
type marker struct {
	analyze analyzer
	weight  map[string]float64 // of terms
}

// marker is made of the units that documents must have.
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

// hit is a word of the question in a text.
type hit struct {
	kavosh.Span
	term string
}

// hits are the words of the question in the beginning of a text: up to a little after each was met.
func (m *marker) hits(text string) (hits []hit) {
	if len(m.weight) == 0 {
		return nil
	}
	met := map[string]bool{}
	enough := snippetScan
	m.analyze.each(clip(text, snippetScan), func(t term) bool {
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

// marks are the places of words of the question in a short text.
func (m *marker) marks(text string) (marks []kavosh.Span) {
	for _, h := range m.hits(text) {
		if len(marks) < mostMarks {
			marks = append(marks, h.Span)
		}
	}
	return marks
}

// leastProse is how many bytes a block of a text has at least that is no entry of a menu, heading or button.
const leastProse = 120

// inMenu is what a word of the question counts for a snippet in a shorter block.
const inMenu = 0.4

// prose is where in a text the first block of prose from a place on begins; false where there is none.
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

// snippet is the piece of a text that has the most of the question, each word but once, prose before menus: its first prose when it has nothing.
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

// oneSpace makes line feeds and tabs spaces of the same length.
func oneSpace(r rune) rune {
	if r == '\n' || r == '\t' || r == '\r' {
		return ' '
	}
	return r
}

// window is a piece of a text around a place, cut between words where there are such: a quarter of it lies before.
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

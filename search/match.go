package search

// This file finds the documents of a segment that have the words and phrases of a query.

// matcher walks over the documents of a segment that have a unit of the query.
type matcher struct {
	unit   *unit
	ways   []sequence
	doc    int64 // the current document's number in the segment; done at the end
	inDoc  tally
	titles []uint16 // words in the title of each document of the segment
	err    error
}

// tally counts how often a unit is in a document.
type tally struct{ title, url, text uint32 }

const done = int64(1) << 40

// sequence walks over the documents in which terms stand side by side.
type sequence struct {
	terms  []postings
	doc    int64
	found  tally
	places [][]uint32
}

// newMatcher returns a matcher before the first document. It is at its end at once if the segment does not have the
// unit.
func (s *snapshot) newMatcher(in *segment, u *unit) (*matcher, error) {
	m := &matcher{unit: u, doc: -1, titles: s.titles[in.base : int(in.base)+in.foot.Documents]}
ways:
	for _, way := range u.ways {
		q := sequence{doc: -1, terms: make([]postings, len(way))}
		for i, t := range way {
			e, ok, err := in.find([]byte(t))
			if err != nil {
				return nil, err
			}
			if !ok {
				continue ways
			}
			if _, err := in.postings(&q.terms[i], nil, e, len(way) > 1); err != nil {
				return nil, err
			}
		}
		q.places = make([][]uint32, len(way))
		m.ways = append(m.ways, q)
	}
	if len(m.ways) == 0 {
		m.doc = done
	}
	return m, nil
}

// count returns about how many documents match. The rarest unit is walked first.
func (m *matcher) count() (n int) {
	for i := range m.ways {
		least := m.ways[i].terms[0].count
		for j := range m.ways[i].terms {
			least = min(least, m.ways[i].terms[j].count)
		}
		n += least
	}
	return n
}

// seek goes to the first matching document at or after doc and returns it. It counts how often the unit is in it.
func (m *matcher) seek(doc int64) int64 {
	if m.doc >= doc || m.doc == done {
		return m.doc
	}
	for {
		if m.doc = done; doc >= done {
			return done
		}
		for i := range m.ways {
			m.doc = min(m.doc, m.ways[i].seek(doc, m.titles, &m.err))
		}
		if m.doc == done {
			return done
		}
		m.inDoc = tally{}
		for i := range m.ways {
			if w := &m.ways[i]; w.doc == m.doc {
				m.inDoc.title += w.found.title
				m.inDoc.url += w.found.url
				m.inDoc.text += w.found.text
			}
		}
		if !m.unit.title || m.inDoc.title > 0 {
			return m.doc
		}
		doc = m.doc + 1
	}
}

// seek goes to the first document at or after doc in which the terms stand side by side.
func (q *sequence) seek(doc int64, titles []uint16, failed *error) int64 {
	if q.doc >= doc || q.doc == done {
		return q.doc
	}
	for q.doc != done {
		first := &q.terms[0]
		if !first.seek(uint32(doc)) {
			q.end(first, failed)
			return done
		}
		doc = int64(first.doc)
		together := true
		for i := 1; i < len(q.terms); i++ {
			t := &q.terms[i]
			if !t.seek(uint32(doc)) {
				q.end(t, failed)
				return done
			}
			if int64(t.doc) > doc {
				doc, together = int64(t.doc), false
				break
			}
		}
		if !together {
			continue
		}
		if q.here(titles) {
			q.doc = doc
			return doc
		}
		doc++
	}
	return done
}

func (q *sequence) end(p *postings, failed *error) {
	q.doc = done
	if p.err != nil {
		*failed = p.err
	}
}

// here reports whether the terms stand side by side in the document that all postings are at, and counts how often.
func (q *sequence) here(titles []uint16) bool {
	first := &q.terms[0]
	if len(q.terms) == 1 {
		title := uint32(first.title)
		q.found = tally{title: title, url: uint32(first.url), text: first.posting.places - min(title, first.posting.places)}
		return first.posting.places > 0 || first.url > 0
	}
	for i := range q.terms {
		q.places[i] = q.terms[i].appendPlaces(q.places[i][:0])
	}
	q.found = tally{}
	var at [maxPhrase]int // of each term: which of its places to look at next
	for _, place := range q.places[0] {
		whole := true
		for i := 1; i < len(q.terms); i++ {
			for at[i] < len(q.places[i]) && q.places[i][at[i]] < place+uint32(i) {
				at[i]++
			}
			if at[i] == len(q.places[i]) {
				return q.found != tally{}
			}
			if q.places[i][at[i]] != place+uint32(i) {
				whole = false
				break
			}
		}
		if !whole {
			continue
		}
		if place < uint32(titles[first.doc]) {
			q.found.title++
		} else {
			q.found.text++
		}
	}
	return q.found != tally{}
}

package search

// This file reads the captures of search segments by URL: from one segment, or merged from several.

import (
	"sort"
)

// capture is a capture of a document, or the mention of a picture in a page, at a URL.
type capture struct {
	time    uint32 // seconds since 1970
	doc     uint32
	status  uint16
	kind    uint16 // media type, by its number in the segment
	mention bool
}

// run walks over the URLs of a segment in order, with the captures of each.
type run struct {
	s        *segment
	next     int // the group to read next
	left     int // URLs of the group that are not read yet
	r        reader
	buf      []byte
	url      []byte
	ordinal  int // the number of the URL in the segment
	captures []capture
	bare     bool // skips the captures and reads URLs only
	err      error
}

func (s *segment) run() *run { return &run{s: s, ordinal: -1} }

// advance goes to the next URL. It returns false at the end, and when err is set.
func (r *run) advance() bool {
	if r.left == 0 {
		if r.next+1 >= len(r.s.runs) || r.err != nil {
			return false
		}
		at := r.s.runs[r.next]
		if r.buf, r.err = r.s.read(r.buf, r.s.foot.Runs.At+at, r.s.runs[r.next+1]-at); r.err != nil {
			return false
		}
		var group []byte
		if group, r.err = r.s.whole(r.buf); r.err != nil {
			return false
		}
		r.r = reader{b: group}
		r.left = min(urlGroup, r.s.foot.URLs-r.next*urlGroup)
		r.next++
	}
	shared := r.r.uvarint()
	suffix := r.r.bytes()
	n := r.r.uvarint()
	if shared > uint64(len(r.url)) || n > uint64(len(r.r.b)) {
		r.err = ErrDamaged
		return false
	}
	r.url = append(r.url[:shared], suffix...)
	r.captures = r.captures[:0]
	if r.bare {
		r.r.skip(captureNumbers * n)
		n = 0
	}
	time := uint32(0)
	for range n {
		time += uint32(r.r.uvarint())
		c := capture{time: time, doc: uint32(r.r.uvarint()), kind: uint16(r.r.uvarint())}
		status := r.r.uvarint()
		c.status, c.mention = uint16(status>>1), status&1 != 0
		if int(c.kind) >= len(r.s.foot.Types) {
			r.err = ErrDamaged
			return false
		}
		r.captures = append(r.captures, c)
	}
	if r.r.bad {
		r.err = ErrDamaged
		return false
	}
	r.left--
	r.ordinal++
	return true
}

// urlAt returns the URL with the given number in the segment.
func (s *segment) urlAt(ordinal int) (string, error) {
	r := run{s: s, bare: true, next: ordinal / urlGroup, ordinal: ordinal/urlGroup*urlGroup - 1}
	for r.advance() {
		if r.ordinal == ordinal {
			return string(r.url), nil
		}
	}
	if r.err == nil {
		r.err = ErrDamaged
	}
	return "", r.err
}

// runs walks over the URLs of several segments together. Each URL comes once, with its captures from all segments.
type runs struct {
	open []*run // the runs that have URLs left, sorted by URL and then by segment
	// Of the current URL:
	url      string
	found    []*run // the runs that have it
	captures []located
	err      error
}

// located is a capture with the segment that holds it.
type located struct {
	capture
	in *segment
}

func mergeRuns(segments []*segment) *runs {
	m := &runs{}
	for _, s := range segments {
		m.found = append(m.found, s.run())
	}
	return m
}

// advance goes to the next URL. It returns false at the end, and when err is set.
func (m *runs) advance() bool {
	for _, r := range m.found {
		if r.advance() {
			m.open = append(m.open, r)
		} else if r.err != nil {
			m.err = r.err
			return false
		}
	}
	m.found, m.captures = m.found[:0], m.captures[:0]
	if len(m.open) == 0 {
		return false
	}
	least := m.open[0].url
	for _, r := range m.open[1:] {
		if string(r.url) < string(least) {
			least = r.url
		}
	}
	m.url = string(least)
	rest := m.open[:0]
	for _, r := range m.open {
		if string(r.url) != m.url {
			rest = append(rest, r)
			continue
		}
		m.found = append(m.found, r)
		for _, c := range r.captures {
			m.captures = append(m.captures, located{c, r.s})
		}
	}
	m.open = rest
	sort.SliceStable(m.captures, func(i, j int) bool { return m.captures[i].time < m.captures[j].time })
	return true
}

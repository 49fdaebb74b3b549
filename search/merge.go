package search

// This file joins segments of the search index, so that there are few of them however often something is added.

import (
	"io"
	"slices"
)

// merge writes several segments as one. They must be neighbours in the index.
func merge(w io.Writer, segments []*segment) error {
	s := newSegmentWriter(w)
	base := segments[0].base
	s.begin(&s.foot.Texts)
	firstBlock := make([]uint32, len(segments)) // the number of each segment's first block in the new segment
	for i, from := range segments {
		firstBlock[i] = uint32(len(s.blocks))
		for j := range len(from.blocks) - 1 {
			packed, err := from.read(s.buf, from.foot.Texts.At+from.blocks[j], from.blocks[j+1]-from.blocks[j])
			if err != nil {
				return err
			}
			s.buf = packed
			s.text(packed)
		}
		s.foot.Documents += from.foot.Documents
		s.foot.Words += from.foot.Words
	}
	s.end(&s.foot.Texts)
	if err := mergeTerms(s, segments, base); err != nil {
		return err
	}
	var types, langs numbers
	s.begin(&s.foot.Runs)
	all := mergeRuns(segments)
	var captures []capture
	for all.advance() {
		captures = captures[:0]
		for _, c := range all.captures {
			c.kind = uint16(types.get(c.in.foot.Types[c.kind]))
			captures = append(captures, c.capture)
		}
		s.url(all.url, captures)
	}
	if all.err != nil {
		return all.err
	}
	s.endURLs()
	s.end(&s.foot.Runs)
	s.begin(&s.foot.Table)
	for i, from := range segments {
		table, err := from.section(from.foot.Table)
		if err != nil {
			return err
		}
		for b := range slices.Chunk(table, from.row) {
			d := readRecord(b)
			d.block += firstBlock[i]
			if int(d.lang) >= len(from.foot.Langs) {
				return ErrDamaged
			}
			d.lang = uint8(min(langs.get(from.foot.Langs[d.lang]), maxLangs))
			s.write(d.bytes(s.buf))
		}
	}
	s.end(&s.foot.Table)
	s.begin(&s.foot.Digests)
	for _, from := range segments {
		table, err := from.section(from.foot.Digests)
		if err != nil {
			return err
		}
		s.write(table)
	}
	s.end(&s.foot.Digests)
	s.foot.Types, s.foot.Langs = types.list, langs.list[:min(len(langs.list), maxLangs+1)]
	return s.finish()
}

// termStream gives the terms of a segment one after the other. It reads some thousand at a time.
type termStream struct {
	s     *segment
	batch []entry
	texts []byte // of the batch
	err   error
}

const termBatch = 4096

// advance drops the first term of the batch. It reads the next batch if this one is empty, and returns false at the
// end.
func (t *termStream) advance(after []byte) bool {
	if len(t.batch) > 0 {
		t.batch = t.batch[1:]
	}
	if len(t.batch) > 0 {
		return true
	}
	var from []byte
	if after != nil {
		from = append(slices.Clone(after), 0)
	}
	var batch []entry
	var ends []int
	t.texts = t.texts[:0]
	t.err = t.s.terms(from, func(e entry) bool {
		t.texts = append(t.texts, e.text...)
		batch, ends = append(batch, e), append(ends, len(t.texts))
		return len(batch) < termBatch
	})
	start := 0
	for i, end := range ends {
		batch[i].text = t.texts[start:end:end]
		start = end
	}
	t.batch = batch
	return t.err == nil && len(batch) > 0
}

// mergeTerms writes the postings and the dictionary of several segments.
func mergeTerms(s *segmentWriter, segments []*segment, base uint32) error {
	var streams []*termStream
	for _, from := range segments {
		t := &termStream{s: from}
		if t.advance(nil) {
			streams = append(streams, t)
		} else if t.err != nil {
			return t.err
		}
	}
	var w postingsWriter
	var p postings
	var buf, text []byte
	s.begin(&s.foot.Postings)
	for len(streams) > 0 {
		text = append(text[:0], streams[0].batch[0].text...)
		for _, t := range streams[1:] {
			if string(t.batch[0].text) < string(text) {
				text = append(text[:0], t.batch[0].text...)
			}
		}
		w.reset()
		open := streams[:0]
		for _, t := range streams {
			if string(t.batch[0].text) == string(text) {
				e := t.batch[0]
				var err error
				if buf, err = t.s.postings(&p, buf, e, true); err != nil {
					return err
				}
				for p.next() {
					moved := p.posting
					moved.doc += t.s.base - base
					w.add(moved, p.rawPlaces())
				}
				if p.err != nil {
					return p.err
				}
				if !t.advance(text) {
					if t.err != nil {
						return t.err
					}
					continue
				}
			}
			open = append(open, t)
		}
		streams = open
		s.term(text, &w)
	}
	s.end(&s.foot.Postings)
	s.terms()
	return nil
}

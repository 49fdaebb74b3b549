package search

// This file tells the titles of documents that somebody knows already, for lists of captures.

import "slices"

// Payload is what a URL answered, by its digest as the capture log writes it.
type Payload struct{ URL, Digest string }

// Titles returns the title of each payload, "" where the index has none. It asks no rule: whoever calls it may see the
// payloads. An error is about the index.
func (x *Index) Titles(of []Payload) ([]string, error) {
	s := x.acquire()
	defer x.release(s)
	titles, err := s.titlesOf(of)
	note(x.fs, x.dir, &s.manifest, err)
	return titles, err
}

func (s *snapshot) titlesOf(of []Payload) ([]string, error) {
	known, err := s.known()
	if err != nil {
		return nil, err
	}
	type wanted struct {
		doc uint32
		at  int
	}
	var list []wanted
	for i, p := range of {
		if p.Digest == "" {
			continue
		}
		doc, ok := known.find(toldHash(p.Digest, p.URL))
		if !ok {
			doc, ok = known.find(payloadHash(p.Digest))
		}
		if ok {
			list = append(list, wanted{doc, i})
		}
	}
	slices.SortFunc(list, func(a, b wanted) int { return int(a.doc) - int(b.doc) }) // in the order of the file
	titles := make([]string, len(of))
	var room textRoom
	for _, w := range list {
		d, err := s.stored(w.doc, &room)
		if err != nil {
			return nil, err
		}
		titles[w.at] = d.title
	}
	return titles, nil
}

// readDigests reads which documents the payloads of segments are.
func readDigests(segments []*segment) (d digests, err error) {
	for _, s := range segments {
		if d, err = d.add(s); err != nil {
			return nil, err
		}
	}
	d.sort()
	return d, nil
}

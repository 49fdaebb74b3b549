package search

// This file is the one place of search where captures that may not be shown are left out.

// hider leaves out the captures that may not be found, and the words around pictures in pages that may not be found.
type hider struct {
	Hidden
	digests  map[uint32][]string // of each document: the digests of Hidden from which it was read
	mentions map[uint32]bool     // the mentions of pictures that are hidden
}

func newHider(segments []*segment, documents int, hidden Hidden) (*hider, error) {
	h := &hider{Hidden: hidden, digests: map[uint32][]string{}, mentions: map[uint32]bool{}}
	if hidden.Capture == nil {
		return h, nil
	}
	byHash := map[uint64]string{}
	for _, d := range hidden.Digests {
		byHash[payloadHash(d)], byHash[toldHash(d, "")] = d, d
	}
	for _, s := range segments {
		if len(byHash) == 0 {
			break
		}
		known, err := digests(nil).add(s)
		if err != nil {
			return nil, err
		}
		for _, d := range known {
			if text, ok := byHash[d.hash]; ok {
				h.digests[d.doc] = append(h.digests[d.doc], text)
			}
		}
	}
	return h, h.readMentions(segments, documents)
}

// hides reports whether a document must not be found at a URL.
func (h *hider) hides(url string, seconds uint32, digests []string) bool {
	at := instant(seconds)
	if h.Capture(url, at, "") {
		return true
	}
	for _, d := range digests {
		if h.Capture(url, at, d) {
			return true
		}
	}
	return false
}

// visible returns the captures of a URL that may be found. all is sorted by time. If a picture is left out, the words
// around it are left out too: those that were captured nearest to it.
func (h *hider) visible(url string, all []located) []located {
	if h.Capture == nil {
		return all
	}
	hidden, before := make([]bool, len(all)), make([]int, len(all)) // before: the picture captured last, -1 for none
	last := -1
	for i, c := range all {
		if !c.mention {
			last = i
		}
		before[i] = last
		hidden[i] = h.mentions[c.doc] || h.hides(url, c.time, h.digests[c.doc])
	}
	next := -1
	for i := len(all) - 1; i >= 0; i-- {
		if !all[i].mention {
			next = i
			continue
		}
		nearest := before[i]
		if next >= 0 && (nearest < 0 || all[next].time-all[i].time < all[i].time-all[nearest].time) {
			nearest = next
		}
		hidden[i] = hidden[i] || nearest >= 0 && hidden[nearest]
	}
	var kept []located
	for i, c := range all {
		if !hidden[i] {
			kept = append(kept, c)
		}
	}
	return kept
}

// pageAt is a page at the time of its capture.
type pageAt struct {
	url  string
	time uint32
}

// readMentions finds the words around pictures in pages that may not be found.
func (h *hider) readMentions(segments []*segment, documents int) error {
	times := make([]uint32, documents) // of each mention: when its page was captured
	held := map[pageAt][]string{}      // the digests of the pages' payloads
	m := mergeRuns(segments)
	for m.advance() {
		for _, c := range m.captures {
			if int(c.doc) >= documents {
				return ErrDamaged
			}
			if c.mention {
				times[c.doc] = c.time
			} else if d := h.digests[c.doc]; d != nil {
				held[pageAt{m.url, c.time}] = d
			}
		}
	}
	if m.err != nil {
		return m.err
	}
	for _, s := range segments {
		table, err := s.section(s.foot.Table)
		if err != nil {
			return err
		}
		var text []byte
		var room textRoom
		block := -1
		for i := range s.foot.Documents {
			d := readRecord(table[i*s.row:])
			if d.kind != mentionKind {
				continue
			}
			if int(d.block) != block {
				if text, err = s.textBlock(int(d.block), &room); err != nil {
					return err
				}
				block = int(d.block)
			}
			kept, err := readStored(text, d.at)
			if err != nil {
				return err
			}
			doc := s.base + uint32(i)
			if h.hides(kept.page, times[doc], held[pageAt{kept.page, times[doc]}]) {
				h.mentions[doc] = true
			}
		}
	}
	return nil
}

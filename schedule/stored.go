package schedule

// This file is the stored form of what a schedule has learned, so that a crawl goes on where it was.

import (
	"bytes"
	"encoding/binary"
	"errors"

	"kavosh/schedule/pattern"
)

// storedPage is a Page on disk: 48 bytes.
type storedPage struct {
	Worth                        float32
	Site                         uint32
	Rule                         uint16
	Flags                        uint16
	Visits, Changed              uint16
	First, Last                  uint32
	Importance, Watched, Changes float32
	Told, Age                    uint32
	Spare                        uint32
}

const (
	flagListing = 1 << iota
	flagToldChange
	flagOut
)

// storedSite is what is known of a site, on disk.
type storedSite struct {
	Seen                            pattern.Pattern
	Trust                           pattern.Trust
	Changes, Hours, Importance, Hit float32
}

var errStored = errors.New("schedule: what is stored of it is damaged")

// AppendPage appends what is known of a page to b, to be read by LoadPage.
func (s *Schedule) AppendPage(b []byte, id ID) []byte {
	p := &s.pages[id]
	q := storedPage{
		Worth: p.Worth, Site: p.Site, Rule: p.Rule, Visits: p.Visits, Changed: p.Changed, First: p.First, Last: p.Last,
		Importance: p.Importance, Watched: p.Watched, Changes: p.Changes, Told: p.Told, Age: p.age,
	}
	for flag, set := range map[uint16]bool{flagListing: p.Listing, flagToldChange: p.ToldChange, flagOut: p.out} {
		if set {
			q.Flags |= flag
		}
	}
	b, _ = binary.Append(b, binary.BigEndian, &q) // its size is fixed
	return b
}

// PageSize is how many bytes AppendPage appends.
const PageSize = 48

// LoadPage adds a page that AppendPage appended, with its site if that is new. Pages are loaded in the order of their
// numbers, before the first visit is chosen.
func (s *Schedule) LoadPage(b []byte) (ID, error) {
	var q storedPage
	if len(b) != PageSize {
		return 0, errStored
	}
	_ = binary.Read(bytes.NewReader(b), binary.BigEndian, &q) // its size is right
	id := s.Add(Page{
		Worth: q.Worth, Site: q.Site, Rule: q.Rule, Listing: q.Flags&flagListing != 0, Visits: q.Visits, Changed: q.Changed, First: q.First, Last: q.Last,
		Importance: q.Importance, Watched: q.Watched, Changes: q.Changes, Told: q.Told, ToldChange: q.Flags&flagToldChange != 0, age: q.Age,
	})
	if q.Flags&flagOut != 0 {
		s.hand(id)
	}
	return id, nil
}

// AppendSite appends what is known of a site to b, to be read by LoadSite.
func (s *Schedule) AppendSite(b []byte, number uint32) []byte {
	n := &s.sites[number]
	b, _ = binary.Append(b, binary.BigEndian, &storedSite{n.seen, n.trust, n.changes, n.hours, n.importance, n.hit})
	return b
}

// LoadSite takes up what AppendSite appended of a site.
func (s *Schedule) LoadSite(number uint32, b []byte) error {
	var q storedSite
	if number >= mostSites || len(b) != binary.Size(&q) {
		return errStored
	}
	_ = binary.Read(bytes.NewReader(b), binary.BigEndian, &q)
	for int(number) >= len(s.sites) {
		s.sites = append(s.sites, site{})
	}
	s.sites[number] = site{seen: q.Seen, trust: q.Trust, changes: q.Changes, hours: q.Hours, importance: q.Importance, hit: q.Hit}
	return nil
}

// AppendBegun appends to b the period that is on and how much of its budget is spent, to be read by LoadBegun.
func (s *Schedule) AppendBegun(b []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, s.start), uint32(s.spent+s.next))
}

// LoadBegun takes up what AppendBegun appended. It comes after the pages and sites.
func (s *Schedule) LoadBegun(b []byte) error {
	if len(b) != 8 {
		return errStored
	}
	s.kept.start, s.kept.spent = binary.BigEndian.Uint32(b), int(binary.BigEndian.Uint32(b[4:]))
	s.regroup()
	s.roll(s.start)
	s.begin()
	return nil
}

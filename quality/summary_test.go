package quality

import (
	"fmt"
	"testing"
)

// A part that a rule closes at the time of one page alone is one that a crawl may bring, whichever page is met first.
func TestMissingPartThatOnePageMayShow(t *testing.T) {
	for _, first := range []State{Closed, Absent} {
		s := NewSummary(0, 10)
		for i, state := range []State{first, Absent, Closed} {
			s.Add(&Page{URL: fmt.Sprint("http://a.test/", i), Parts: 1, Lacks: []Part{{URL: "http://a.test/p", As: Image, State: state}}})
		}
		if s.End(); len(s.Missing) != 1 || s.Missing[0].State != Absent || s.Missing[0].Pages != 3 {
			t.Errorf("%s first: %+v", first, s.Missing)
		}
	}
}

// A page with very many missing parts does not fill the memory when it is listed, and all are counted.
func TestListedPageIsBounded(t *testing.T) {
	page := &Page{URL: "http://a.test/", Parts: 2000, Damage: 1}
	for i := range 1000 {
		as := Image
		if i >= 900 {
			as = Style
		}
		page.Lacks = append(page.Lacks, Part{URL: fmt.Sprint("http://a.test/lost/", i), As: as, State: Absent})
		page.Unfit = append(page.Unfit, Part{URL: fmt.Sprint("http://a.test/other/", i), As: Image, State: Held})
	}
	s := NewSummary(1, 10_000)
	s.Add(page)
	s.End()
	p := s.Worst[0]
	if cap(p.Lacks) > 2*MaxOfPage || cap(p.Unfit) > 2*MaxOfPage || p.MoreLacks[Image] != 800 || p.MoreLacks[Style] != 100 || p.MoreUnfit != 900 {
		t.Errorf("%d parts listed, %v and %d more", len(p.Lacks), p.MoreLacks, p.MoreUnfit)
	}
	if s.Lacking != 1000 || s.Unfit != 1000 || len(s.Missing) != 1000 {
		t.Errorf("%d lacking, %d unfit, %d missing", s.Lacking, s.Unfit, len(s.Missing))
	}
}

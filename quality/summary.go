package quality

// This file sums up what is told of many pages.

import (
	"cmp"
	"iter"
	"slices"
)

// MaxMissing is how many different missing parts are counted; those met after them are counted in Summary.Lacking alone.
const MaxMissing = 100_000

// MaxOfPage is how many parts that a page lacks, and how many of another time, are listed with it.
const MaxOfPage = 100

// Summary is what is told of all pages of an archive or crawl.
type Summary struct {
	Pages   int     `json:"pages"`
	Whole   int     `json:"whole"`   // pages that lack nothing
	Unread  int     `json:"unread"`  // pages whose record cannot be read
	Parts   int     `json:"parts"`   // a part that several pages show counts for each
	Lacking int     `json:"lacking"` // of them, those that the archive does not have
	Unfit   int     `json:"unfit"`   // those that cannot have been seen with their page
	Unsure  int     `json:"unsure"`  // those of which nobody can tell whether they can
	Damage  float64 `json:"damage"`  // mean of all pages

	Different int `json:"different"` // parts that are missing, each counted once; at most MaxMissing

	Sample *Sample `json:"sample,omitempty"` // how far this is true of all pages, if only some were looked at

	Worst   []*Page   `json:"worst"`   // the pages with the greatest damage, then with the most parts of another time
	Missing []Missing `json:"missing"` // the parts that cost most, over all pages

	mostPages, mostParts int // that are listed

	damage float64
	byURL  map[string]*Missing
	open   int64         // of Lacking, those that a crawl may bring
	uses   map[Use]int64 // these by what they are
}

// Missing is a part that pages lack.
type Missing struct {
	Part
	Pages int    `json:"pages"` // that lack it
	On    string `json:"on"`    // one of them
}

// Sample says what pages that were picked at random tell of all. All of it holds with a probability of at least 95 %.
type Sample struct {
	Of     int    `json:"of"`     // how many pages there are
	Whole  *Share `json:"whole"`  // those that lack nothing
	Damage *Mean  `json:"damage"` // of all pages
}

// NewSample returns what is known of so many pages before one was looked at.
func NewSample(all int) *Sample { return &Sample{all, NewShare(all), NewMean(all)} }

// NewSummary returns a Summary that lists so many pages, each with at most MaxOfPage parts that it lacks, and so many parts.
func NewSummary(pages, parts int) *Summary {
	return &Summary{mostPages: pages, mostParts: parts, byURL: map[string]*Missing{}, uses: map[Use]int64{}, Worst: []*Page{}, Missing: []Missing{}}
}

// Add counts a page.
func (s *Summary) Add(p *Page) {
	s.Pages++
	s.Parts += p.Parts
	s.Lacking += len(p.Lacks)
	s.Unfit += len(p.Unfit)
	s.Unsure += p.Unsure
	s.damage += p.Damage
	switch {
	case p.Unread != "":
		s.Unread++
	case len(p.Lacks) == 0:
		s.Whole++
	}
	if s.Sample != nil {
		s.Sample.Whole.Add(p.Unread == "" && len(p.Lacks) == 0)
		s.Sample.Damage.Add(p.Damage)
	}
	for i := range p.Lacks {
		part := &p.Lacks[i]
		if part.Open() {
			s.open++
			s.uses[part.As]++
		}
		m := s.byURL[part.URL]
		if m == nil && len(s.byURL) < MaxMissing {
			m = &Missing{Part: *part, On: p.URL}
			s.byURL[part.URL] = m
		}
		if m != nil {
			if !m.Open() && part.Open() { // a rule may close it at the time of one page alone
				m.Part, m.On = *part, p.URL
			}
			m.Pages++
		}
	}
	if p.Damage == 0 && len(p.Unfit) == 0 {
		return
	}
	if at, _ := slices.BinarySearchFunc(s.Worst, p, worse); at < s.mostPages {
		p.cut()
		s.Worst = slices.Insert(s.Worst, at, p)
		s.Worst = s.Worst[:min(len(s.Worst), s.mostPages)]
	}
}

// Read adds all of these pages, and calls more, which may be nil, after each: if it returns false, the others are left out.
func (s *Summary) Read(all iter.Seq2[*Page, error], more func() bool) error {
	for page, err := range all {
		if err != nil {
			return err
		}
		if s.Add(page); more != nil && !more() {
			break
		}
	}
	s.End()
	return nil
}

// worse orders pages, the worst first.
func worse(a, b *Page) int {
	return cmp.Or(cmp.Compare(b.Damage, a.Damage), cmp.Compare(len(b.Unfit)+b.MoreUnfit, len(a.Unfit)+a.MoreUnfit), cmp.Compare(a.URL, b.URL))
}

// End is to be called when all pages are added, once.
func (s *Summary) End() {
	s.Damage = s.damage / float64(max(1, s.Pages))
	s.Different = len(s.byURL)
	for _, m := range s.byURL {
		s.Missing = append(s.Missing, *m)
	}
	s.byURL = nil
	cost := func(m *Missing) float64 { return float64(m.Pages) * m.As.weight() }
	slices.SortFunc(s.Missing, func(a, b Missing) int { return cmp.Or(cmp.Compare(cost(&b), cost(&a)), cmp.Compare(a.URL, b.URL)) })
	s.Missing = s.Missing[:min(len(s.Missing), s.mostParts)]
}

package schedule

// This file chooses the visits of a period. All pages are looked at for it; this is spread over the visits of the period
// before, so that no single call takes long.

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// pick is a page that may be chosen.
type pick struct {
	score float64
	id    uint32
	last  uint32 // when it was visited last as its score was computed
	firm  bool   // it stays chosen, whatever sites tell
}

// better reports whether a comes before b.
func better(a, b pick) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return cmp.Compare(a.id, b.id)
}

// top keeps the best picks: a heap whose root is the worst of them.
type top struct {
	picks []pick
	most  int
}

func (t *top) offer(p pick) {
	h := t.picks
	if len(h) < t.most {
		h = append(h, p)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if better(h[i], h[up]) < 0 {
				break
			}
			h[i], h[up] = h[up], h[i]
			i = up
		}
		t.picks = h
		return
	}
	if t.most == 0 || better(p, h[0]) > 0 {
		return
	}
	h[0] = p
	for i := 0; ; {
		worst := i
		for _, c := range [...]int{2*i + 1, 2*i + 2} {
			if c < len(h) && better(h[c], h[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// sweep looks at all pages to find the best for a period.
type sweep struct {
	at                  int // the next page
	urgent, old, recent top
	narrow              map[uint32]*top // the most urgent of sites that have a bound (site.room)
}

// begin begins to choose the visits of the period after the one that is served.
func (s *Schedule) begin() {
	at := s.start + s.seconds()
	s.look = Outlook{s: s, at: at, end: at + s.seconds(), number: uint64(at) / uint64(s.seconds())}
	changes, hours, importance, hit := 1.0, 24.0*7, 0.1, 1.0 // what is believed before anything is seen
	for i := range s.sites {
		changes, hours = changes+float64(s.sites[i].changes), hours+float64(s.sites[i].hours)
		importance, hit = importance+float64(s.sites[i].importance), hit+float64(s.sites[i].hit)
	}
	s.look.usual, s.look.usualE = changes/hours, importance/hit
	if s.now.s == nil {
		s.now = s.look
	}
	// A page that is visited while the choice is made may have to leave it: as many again are kept to take its place.
	s.sweep.at = 0
	clear(s.sweep.narrow)
	for _, t := range [...]struct {
		*top
		n int
	}{{&s.sweep.urgent, s.Budget}, {&s.sweep.old, s.share(s.Fair)}, {&s.sweep.recent, s.share(s.Monitor)}} {
		t.most = t.n
		if t.n > 0 {
			t.most += s.Budget
		}
		t.picks = t.picks[:0]
	}
}

func (s *Schedule) share(of float64) int { return int(math.Ceil(of * float64(s.Budget))) }

// sweepOn looks at the next n pages.
func (s *Schedule) sweepOn(n int) {
	if s.Sweeper != nil {
		return
	}
	for ; n > 0 && s.sweep.at < len(s.pages); n-- {
		s.consider(uint32(s.sweep.at))
		s.sweep.at++
	}
}

// never is the score of pages that were never visited, and late that of those whose greatest interval is over, an hour.
const (
	never = 1e300
	late  = 1e200
)

func (s *Schedule) consider(id uint32) {
	p := &s.pages[id]
	o := &s.look
	state, _ := s.bound(p, o.at)
	if state == early || state == ended || p.Listing || p.out {
		return
	}
	if p.Visits == 0 {
		s.offer(pick{never, id, 0, true})
		return
	}
	score := 0.0
	if state == overdue {
		score = late * max(o.Hours(p), 1)
	} else if score = s.Policy.Urgency(p, o); math.IsNaN(score) {
		score = 0
	}
	s.offer(pick{score, id, p.Last, state == overdue})
	s.sweep.old.offer(pick{o.Hours(p), id, p.Last, true})
	if s.sweep.recent.most > 0 && since(p.Last, o.at) <= s.seconds()*3/2 {
		s.sweep.recent.offer(pick{s.unsure(p, o), id, p.Last, true})
	}
}

// offer offers a page to the most urgent: of all, or of its site if that has a bound.
func (s *Schedule) offer(p pick) {
	number := s.pages[p.id].Site
	site := &s.sites[number]
	if site.room == 0 {
		s.sweep.urgent.offer(p)
		return
	}
	t := s.sweep.narrow[number]
	if t == nil {
		if s.sweep.narrow == nil {
			s.sweep.narrow = map[uint32]*top{}
		}
		t = &top{most: int(site.room)}
		s.sweep.narrow[number] = t
	}
	t.offer(p)
}

// unsure returns how much another visit of a page in the period would tell of its site's rhythm: more, the less was seen of
// the bin.
func (s *Schedule) unsure(p *Page, o *Outlook) float64 {
	return o.Rate(p) / (1 + float64(s.clusters[s.sites[p.Site].cluster].seen.Expected[s.bin(o.at)]))
}

// border ends the choice of visits, and begins to serve them.
func (s *Schedule) border() {
	s.sweepOn(len(s.pages))
	s.queue, s.next = s.queue[:0], 0
	room := s.room()
	s.spent = s.Budget - room
	if s.Sweeper != nil {
		s.serveRound(room)
	} else {
		s.serveBest(room)
	}
	s.start += s.seconds()
	s.now = s.look
	if s.start-s.grouped >= regroupedIn {
		for i := range s.sites {
			s.sites[i].seen.Fade(fades)
		}
		s.regroup()
		s.grouped = s.start
	}
	s.roll(s.start)
	s.begin()
}

// Once in a day sites are grouped anew, and what was seen of a rhythm fades: it counts half after ten weeks.
const (
	regroupedIn = 24 * 3600
	fades       = 0.99
)

// serveBest takes the shares first, then the most urgent.
func (s *Schedule) serveBest(room int) {
	for _, n := range slices.Sorted(maps.Keys(s.sweep.narrow)) {
		for _, p := range s.sweep.narrow[n].picks {
			s.sweep.urgent.offer(p)
		}
	}
	taken := make(map[uint32]bool, s.Budget)
	take := func(t *top, n int, score func(*Page) float64) (rest []pick) {
		for i := range t.picks {
			if p := &s.pages[t.picks[i].id]; p.Last != t.picks[i].last { // it was visited since
				t.picks[i].score = math.Inf(-1)
				if state, _ := s.bound(p, s.look.at); score != nil && state == free {
					t.picks[i].score = score(p)
				}
			}
		}
		slices.SortFunc(t.picks, better)
		for i, p := range t.picks {
			if n == 0 || len(s.queue) == room {
				return t.picks[i:]
			}
			if !taken[p.id] && !s.pages[p.id].out && p.score > math.Inf(-1) {
				taken[p.id] = true
				s.queue = append(s.queue, p)
				n--
			}
		}
		return nil
	}
	take(&s.sweep.recent, s.share(s.Monitor), nil)
	take(&s.sweep.old, s.share(s.Fair), nil)
	rest := take(&s.sweep.urgent, s.Budget, func(p *Page) float64 { return s.Policy.Urgency(p, &s.look) })
	s.spare = append(s.spare[:0], rest...)
	s.takeListings(room)
	s.arrange(s.queue, &s.look)
}

// takeListings takes listings in the place of the least urgent visits: those that are likely to save at least one, as they
// tell that pages of their site did not change, and those that nobody has read for a day.
func (s *Schedule) takeListings(room int) {
	if len(s.listings) == 0 {
		return
	}
	saves := map[uint32]float64{}
	for _, pick := range s.queue {
		p := &s.pages[pick.id]
		missed, _ := s.look.Missed(p)
		saves[p.Site] += math.Exp(-missed)
	}
	for _, id := range s.listings {
		p := &s.pages[id]
		if state, _ := s.bound(p, s.look.at); p.out || state == early || state == ended {
			continue
		}
		daily := p.Visits == 0 || since(p.Last, s.look.at) >= 24*3600-s.seconds()/2
		if !daily && s.Trust(p.Site)*saves[p.Site] < 1 {
			continue
		}
		listing := pick{math.Inf(1), uint32(id), p.Last, true}
		if len(s.queue) < room {
			s.queue = append(s.queue, listing)
			continue
		}
		for i := len(s.queue) - 1; i >= 0; i-- {
			if !s.queue[i].firm {
				s.spare = slices.Insert(s.spare, 0, s.queue[i])
				s.queue[i] = listing
				break
			}
		}
	}
}

// arrange puts visits in the order of the policy. Listings come first, as other visits may go by what they tell.
func (s *Schedule) arrange(visits []pick, o *Outlook) {
	place, ok := s.Policy.(Arranger)
	if !ok {
		return
	}
	for i := range visits {
		p := &s.pages[visits[i].id]
		if visits[i].score = place.Place(p, o); p.Listing {
			visits[i].score = math.Inf(1)
		}
	}
	slices.SortFunc(visits, better)
}

// rechoose chooses the visits anew that are left of the period, after sites told of changes.
func (s *Schedule) rechoose() {
	left := s.queue[s.next:]
	s.now.at = s.time(s.next)
	var open []pick
	had := map[uint32]bool{}
	firm := left[:0]
	for _, p := range left {
		if had[p.id] = true; p.firm {
			firm = append(firm, p)
		} else {
			open = append(open, p)
		}
	}
	n := len(left) - len(firm)
	for _, p := range s.spare {
		if !had[p.id] {
			had[p.id] = true
			open = append(open, p)
		}
	}
	for _, id := range s.told {
		if !had[uint32(id)] {
			had[uint32(id)] = true
			open = append(open, pick{id: uint32(id)})
		}
	}
	s.told = s.told[:0]
	for i := range open {
		p := &s.pages[open[i].id]
		if state, _ := s.bound(p, s.now.at); p.Last >= s.start || p.out || state != free {
			open[i].score = math.Inf(-1)
			continue
		}
		open[i].score = s.Policy.Urgency(p, &s.now)
	}
	slices.SortFunc(open, better)
	for _, p := range open[:min(n, len(open))] {
		if p.score > math.Inf(-1) {
			firm = append(firm, p)
		}
	}
	s.queue = s.queue[:s.next+len(firm)]
	s.spare = append(s.spare[:0], open[min(n, len(open)):]...)
	s.arrange(firm, &s.now)
}

// serveRound goes on with the round of a Sweeper. Rules hold here, too.
func (s *Schedule) serveRound(room int) {
	for begun := 0; len(s.queue) < room && begun < 2; {
		if len(s.round) == 0 {
			s.round = s.Sweeper.Sweep(s.pages, &s.look)
			if begun++; begun == 2 {
				return // a page has one visit a period
			}
		}
		for len(s.round) > 0 && len(s.queue) < room {
			id := uint32(s.round[0])
			s.round = s.round[1:]
			if state, _ := s.bound(&s.pages[id], s.look.at); !s.pages[id].out && (state == free || state == overdue) {
				s.queue = append(s.queue, pick{0, id, s.pages[id].Last, true})
			}
		}
	}
}

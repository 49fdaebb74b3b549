package order

// shares counts the relevant pages among those fetched, for hosts, paths, words and whatever else has a hash.
type shares struct {
	all share
	by  *known[share]
}

// share is how many were relevant of how many. The fields are JSON's.
type share struct {
	N   float64 `json:"n"`
	Hit float64 `json:"hit"`
}

func newShares(most int) *shares { return &shares{by: newKnown[share](most)} }

// learn counts a page once for all and once for each key.
func (s *shares) learn(relevant float64, keys ...uint64) {
	s.all.N, s.all.Hit = s.all.N+1, s.all.Hit+relevant
	for _, key := range keys {
		x, _ := s.by.get(key)
		s.by.set(key, share{x.N + 1, x.Hit + relevant})
	}
}

// of is the share that key is believed to have: what was counted, drawn towards before as though that had been seen
// weight times (the mean of a beta distribution; James and Stein's shrinkage in kind).
func (s *shares) of(key uint64, before, weight float64) float64 {
	x, _ := s.by.get(key)
	return (x.Hit + weight*before) / (x.N + weight)
}

// overall is the share among all pages so far, from a half before the first.
func (s *shares) overall() float64 { return (s.all.Hit + 0.5) / (s.all.N + 1) }

type savedShares struct {
	All share         `json:"all"`
	By  []fact[share] `json:"by"`
}

func (s *shares) save() savedShares { return savedShares{s.all, s.by.save()} }

func (s *shares) restore(from savedShares) {
	s.all = from.All
	s.by.restore(from.By)
}

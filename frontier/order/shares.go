package order

// shares counts the relevant pages among the fetched pages: among all, and among those of each host, folder, word or
// whatever else has a hash (key).
type shares struct {
	all share
	by  *known[share]
}

// share is how many pages there were (N), and how many of them were relevant (Hit). A page may count as partly
// relevant. It is saved as JSON.
type share struct {
	N   float64 `json:"n"`
	Hit float64 `json:"hit"`
}

func newShares(most int) *shares { return &shares{by: newKnown[share](most)} }

// learn counts a page once among all, and once for each key. relevant is from 0 to 1.
func (s *shares) learn(relevant float64, keys ...uint64) {
	s.all.N, s.all.Hit = s.all.N+1, s.all.Hit+relevant
	for _, key := range keys {
		x, _ := s.by.get(key)
		s.by.set(key, share{x.N + 1, x.Hit + relevant})
	}
}

// of returns the share that is expected for key. With few pages it is drawn towards before, as if weight more pages
// with that share had been counted (the mean of a beta distribution, like the shrinkage of James and Stein).
func (s *shares) of(key uint64, before, weight float64) float64 {
	x, _ := s.by.get(key)
	return (x.Hit + weight*before) / (x.N + weight)
}

// overall returns the share among all pages so far; a half before the first page.
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

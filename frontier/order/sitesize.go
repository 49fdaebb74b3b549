package order

// newSiteSize makes the ordering policy in which the host with the most waiting URLs comes first (Baeza-Yates,
// Castillo, Marin and Rodriguez, "Crawling a country: better strategies than breadth-first for web page ordering",
// 2005: larger sites first). The score of a URL is how many URLs of its host wait when it is queued, itself included.
// The newest URL of a host is then fetched first, so the greatest score of a host is always the number of its URLs that
// wait, and no score ever needs to change.
func newSiteSize(a *Args) (Policy, error) {
	return &siteSize{"site-size", "host", hostKey, newKnown[int](a.Memory)}, nil
}

type siteSize struct {
	name, site string                  // of the policy; what a site is, for people
	key        func(url string) uint64 // returns the hash of a URL's site
	waiting    *known[int]             // how many URLs wait, by site
}

// Score implements Policy.
func (z *siteSize) Score(c *Candidate) (float64, string) {
	key := z.key(c.Task.URL)
	n, _ := z.waiting.get(key)
	z.waiting.set(key, n+1)
	return float64(n + 1), new(reasons).count("URLs of its "+z.site+" that waited", float64(n+1)).String()
}

// Learn implements Learner.
func (z *siteSize) Learn(v *Visit) []Change {
	key := z.key(v.Task.URL)
	if n, _ := z.waiting.get(key); n > 0 {
		z.waiting.set(key, n-1)
	}
	return nil
}

// Save implements Keeper.
func (z *siteSize) Save() ([]byte, error) { return save(z.name, 1, z.waiting.save()) }

// Restore implements Keeper.
func (z *siteSize) Restore(data []byte) error { return restoreTo(z.waiting, z.name, 1, data) }

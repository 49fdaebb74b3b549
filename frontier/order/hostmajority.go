package order

// This file is the ordering policy host-majority: URLs of hosts that gave the greatest share of relevant pages come
// first. The judge of the crawl says which pages are relevant. The file keeps the counts of pages by host and folder.

// newHostMajority makes a simple rule that cleverer policies have to beat: URLs come first whose host gave the greatest
// share of relevant pages so far. The share of a host with few pages is drawn towards the share of all pages, as if
// smooth more pages with that share had been fetched from the host. With folders=N the same is done for up to N folders
// of the path: the share of each folder is drawn towards the share of the folder above.
func newHostMajority(a *Args) (Policy, error) {
	h := &hostMajority{smooth: a.Value("smooth"), folders: int(a.Value("folders")), shares: newShares(a.Memory)}
	h.showing = newShowing(a, func(g *place, _ float64) float64 { return h.share(g) })
	h.why = func(s int32) string { return h.because(&h.groups[h.urls[s].group].data) }
	return h, nil
}

type hostMajority struct {
	// showing holds the waiting URLs; those of one place are a group.
	*showing[place]
	smooth  float64
	folders int
	shares  *shares // of relevant pages, by host and folder
}

// place is a host and the first folders of a path. keys[0] is the hash of the host; each later key is the hash of the
// host and that many folders. n is how many keys there are.
type place struct {
	keys [1 + maxFolders]uint64
	n    int
}

// maxFolders is how many folders of a path may count.
const maxFolders = 4

// placeOf returns the place of a URL, with at most that many folders.
func placeOf(url string, folders int) place {
	p := place{n: folders + 1}
	for i := range p.n {
		p.keys[i] = folder(url, i)
		if i > 0 && p.keys[i] == p.keys[i-1] {
			p.n = i
			break
		}
	}
	return p
}

// share returns the share of relevant pages that is expected at p.
func (h *hostMajority) share(p *place) float64 {
	share := h.shares.overall()
	for _, key := range p.keys[:p.n] {
		share = h.shares.of(key, share, h.smooth)
	}
	return share
}

func (h *hostMajority) because(p *place) string {
	host, _ := h.shares.by.get(p.keys[0])
	return new(reasons).and("share of relevant", h.share(p)).count("relevant of its host", host.Hit).count("of", host.N).String()
}

// Score implements Policy.
func (h *hostMajority) Score(c *Candidate) (float64, string) {
	p := placeOf(c.Task.URL, h.folders)
	g := h.group(p.keys[p.n-1])
	h.groups[g].data = p
	_, score := h.add(c.Task.URL, g, 0)
	return score, h.because(&p)
}

// Learn implements Learner.
func (h *hostMajority) Learn(v *Visit) []Change {
	h.take(v.Task.URL)
	if judged(v) {
		p := placeOf(v.Task.URL, h.folders)
		h.shares.learn(asNumber(v.Verdict.Relevant()), p.keys[:p.n]...)
		if g, ok := h.named[p.keys[p.n-1]]; ok {
			h.touch(g)
		}
	}
	return h.settle()
}

// asNumber returns 1 for true and 0 for false.
func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Save implements Keeper.
func (h *hostMajority) Save() ([]byte, error) { return save("host-majority", 1, h.shares.save()) }

// Restore implements Keeper.
func (h *hostMajority) Restore(data []byte) error {
	return restoreTo(h.shares, "host-majority", 1, data)
}

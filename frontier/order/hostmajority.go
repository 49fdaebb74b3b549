package order

// This file is the policy host-majority: URLs of hosts that gave the greatest share of relevant pages come first. It
// keeps the counts of pages by host and folder.

// newHostMajority asks those URLs first whose host gave the greatest share of relevant pages so far: the simple rule that
// cleverer ones have to beat. A share is drawn towards that of all pages as though smooth more had been seen; with folders
// the same is done again for each folder of the path, up to so many, drawn towards the share of the one above.
func newHostMajority(a *Args) (Policy, error) {
	h := &hostMajority{smooth: a.Value("smooth"), folders: int(a.Value("folders")), shares: newShares(a.Memory)}
	h.showing = newShowing(a, func(g *place, _ float64) float64 { return h.share(g) })
	h.why = func(s int32) string { return h.because(&h.groups[h.urls[s].group].data) }
	return h, nil
}

type hostMajority struct {
	*showing[place]
	smooth  float64
	folders int
	shares  *shares
}

// place is a host and the folders of a path, each hashed with those before it.
type place struct {
	keys [1 + maxFolders]uint64
	n    int
}

// maxFolders bounds the folders of a path that count.
const maxFolders = 4

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

// asNumber is 1 for true.
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

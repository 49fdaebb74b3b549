package order

// This file is the ordering policy capped(part): by its part, within the bounds that published experiments had. It keeps
// how many URLs of each host were taken in, and the domains of the seeds.

import (
	"errors"

	"kavosh"
)

// newCapped makes the policy capped, which leaves out what lies beyond a bound; a bound of 0 is none. links is how many
// links of a page count (500 in the thesis on RDF at Ferdowsi University), sites how many hosts a crawl has, pages how
// many URLs of a host are taken in (6,000 and 6,000 in Azimzadeh, Yari and Aleahmad, 2009). With away=1 a link to another
// registered domain counts only if the page that holds it is of a seed's domain, as in the thesis: the target of a
// redirect stands for the link that led to it. Seeds count, and are never left out.
func newCapped(a *Args) (Policy, error) {
	if len(a.Parts) != 1 {
		return nil, errors.New("capped takes one part, as in capped(rdf-rhr),links=500,away=1")
	}
	return &capped{
		part: a.Parts[0].Policy, links: int(a.Value("links")), sites: int(a.Value("sites")), pages: int(a.Value("pages")), away: a.Value("away") != 0,
		taken: newKnown[int](a.Memory), home: newKnown[bool](a.Memory),
	}, nil
}

type capped struct {
	part                Policy
	links, sites, pages int
	away                bool
	taken               *known[int]  // URLs taken in, by host
	hosts               int          // how many hosts these have
	home                *known[bool] // domains of seeds
}

// beyond returns the bound beyond which c lies; "" if there is none.
func (x *capped) beyond(c *Candidate) string {
	if c.Link.Kind == kavosh.Seed {
		return ""
	}
	if x.links > 0 && c.Parent != nil && c.Link.Position >= x.links {
		return "too many links in its page"
	}
	if x.away && c.Parent != nil && c.Link.Kind != kavosh.Redirect {
		from := domainKey(c.Parent.Task.URL)
		if at, _ := x.home.get(from); !at && domainKey(c.Task.URL) != from {
			return "found away from the seeds' domains, and leads elsewhere"
		}
	}
	n, known := x.taken.get(hostKey(c.Task.URL))
	switch {
	case x.sites > 0 && !known && x.hosts >= x.sites:
		return "too many hosts"
	case x.pages > 0 && n >= x.pages:
		return "too many URLs of its host"
	}
	return ""
}

// Score implements Policy.
func (x *capped) Score(c *Candidate) (float64, string) {
	if why := x.beyond(c); why != "" {
		return LeftOut(), why
	}
	score, why := x.part.Score(c)
	if score == LeftOut() {
		return score, why
	}
	if c.Link.Kind == kavosh.Seed {
		x.home.set(domainKey(c.Task.URL), true)
	}
	host := hostKey(c.Task.URL)
	n, known := x.taken.get(host)
	if !known {
		x.hosts++
	}
	x.taken.set(host, n+1)
	return score, why
}

// Learn implements Learner.
func (x *capped) Learn(v *Visit) []Change {
	if l, ok := x.part.(Learner); ok {
		return l.Learn(v)
	}
	return nil
}

// Needs implements Reader.
func (x *capped) Needs() kavosh.Needs { return needs(x.part) }

type savedCapped struct {
	Taken []fact[int]  `json:"taken"`
	Hosts int          `json:"hosts"`
	Home  []fact[bool] `json:"home"`
	Part  []byte       `json:"part"`
}

// Save implements Keeper.
func (x *capped) Save() ([]byte, error) {
	part, err := savePart(x.part)
	if err != nil {
		return nil, err
	}
	return save("capped", 1, savedCapped{x.taken.save(), x.hosts, x.home.save(), part})
}

// Restore implements Keeper.
func (x *capped) Restore(data []byte) error {
	s, err := restore[savedCapped]("capped", 1, data)
	if err != nil {
		return err
	}
	x.taken.restore(s.Taken)
	x.home.restore(s.Home)
	x.hosts = s.Hosts
	return restorePart(x.part, s.Part)
}

package order

// This file is the policy swse: pay-level domains take turns, and those with little RDF get fewer turns. It keeps the
// counts of documents by domain.

import "kavosh"

// newSWSE asks pay-level domains in turn, and one whose documents are seldom RDF the more seldom (Hogan, Harth, Umbrich,
// Kinsella, Polleres and Decker, "Searching and browsing linked data with SWSE: the semantic web search engine", 2011):
// each URL asked of a domain costs it one by its share of RDF, and the domain that has spent least is next. Of a domain,
// what was found first comes first. URLs with the extension of a page, or of what is known to be neither page nor RDF, are
// left out.
//
// That crawler ignores HTML: it reads no links in pages. From a start that is a page it would find nothing, so here they
// come after all others, unless html=0 leaves them out.
func newSWSE(a *Args) (Policy, error) {
	s := &swse{html: a.Value("html") != 0, domains: newKnown[share](a.Memory)}
	s.showing = newShowing(a, func(g *domainQueue, own float64) float64 { return own - s.spent(g.key) })
	s.why = func(slot int32) string { return s.because(s.groups[s.urls[slot].group].data.key) }
	return s, nil
}

type swse struct {
	*showing[domainQueue] // the URLs of a domain are a group
	html                  bool
	domains               *known[share] // documents, and RDF documents among them
}

type domainQueue struct{ key uint64 }

// behind is how far a link of a page comes after those of RDF: no domain spends so much.
const behind = 1e9

// spent is what a domain has spent: its documents, each by the share of RDF, which is believed to be a half at first.
func (s *swse) spent(domain uint64) float64 {
	d, _ := s.domains.get(domain)
	return d.N * (d.N + 2) / (d.Hit + 1)
}

func (s *swse) because(domain uint64) string {
	d, _ := s.domains.get(domain)
	return new(reasons).count("RDF of its domain", d.Hit).count("of", d.N).String()
}

// Score implements Policy.
func (s *swse) Score(c *Candidate) (float64, string) {
	_, path, _ := split(c.Task.URL)
	own := 0.0
	if c.Parent != nil {
		inPage := c.Parent.Page.RDF.Class != kavosh.ClassRDF && c.Link.Kind != kavosh.Redirect
		switch kind := extensionOf(path); {
		case kind == plainExtension && !isDump(c.Link):
			return LeftOut(), "extension " + extension(path)
		case !inPage && kind != htmlExtension:
		case !s.html:
			return LeftOut(), "HTML is ignored"
		default:
			own = -behind
		}
	}
	domain := domainKey(c.Task.URL)
	g := s.group(domain)
	s.groups[g].data.key = domain
	_, score := s.add(c.Task.URL, g, own)
	return score, s.because(domain)
}

// Learn implements Learner.
func (s *swse) Learn(v *Visit) []Change {
	s.take(v.Task.URL)
	if judged(v) {
		domain := domainKey(v.Task.URL)
		d, _ := s.domains.get(domain)
		d.N++
		d.Hit += asNumber(v.Page.RDF.Class == kavosh.ClassRDF)
		s.domains.set(domain, d)
		if g, ok := s.named[domain]; ok {
			s.touch(g)
		}
	}
	return s.settle()
}

// Needs implements Reader.
func (s *swse) Needs() kavosh.Needs { return kavosh.Needs{RDF: true, URIs: true} }

// Save implements Keeper.
func (s *swse) Save() ([]byte, error) { return save("swse", 1, s.domains.save()) }

// Restore implements Keeper.
func (s *swse) Restore(data []byte) error { return restoreTo(s.domains, "swse", 1, data) }

package order

// This file is the ordering policy swse: pay-level domains take turns, and those with little RDF get fewer turns. It
// keeps the counts of documents by domain.

import "kavosh"

// newSWSE makes the policy in which pay-level domains (public suffix plus one label) take turns, and a domain whose
// documents are seldom RDF has fewer turns (Hogan, Harth, Umbrich, Kinsella, Polleres and Decker, "Searching and
// browsing linked data with SWSE: the semantic web search engine", 2011). Each URL fetched from a domain costs the
// domain 1 divided by its share of RDF; the domain that has spent least is next. Within a domain, URLs come in the
// order in which they were found. URLs with an extension that is known to be neither a page's nor RDF's are left out.
//
// The source ignores HTML: it follows no links in pages. Starting at a page, it would find nothing. Here such links,
// and URLs with the extension of a page, come after all others, unless html=0 leaves them out.
func newSWSE(a *Args) (Policy, error) {
	s := &swse{html: a.Value("html") != 0, domains: newKnown[share](a.Memory)}
	s.showing = newShowing(a, func(g *domainQueue, own float64) float64 { return own - s.spent(g.key) })
	s.why = func(slot int32) string { return s.because(s.groups[s.urls[slot].group].data.key) }
	return s, nil
}

type swse struct {
	*showing[domainQueue] // the waiting URLs; those of one domain are a group
	html                  bool
	domains               *known[share] // how many documents were fetched and how many of them were RDF, by domain
}

// domainQueue is the group of a domain. key is the hash of the domain.
type domainQueue struct{ key uint64 }

// behind is how much less the links of pages score than those of RDF documents. No domain spends as much.
const behind = 1e9

// spent returns what a domain has spent: the number of its documents divided by its share of RDF. That share is taken
// to be a half before the first document.
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

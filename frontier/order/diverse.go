package order

// This file is the ordering policy diverse, which looks for relevant pages on as many hosts as possible. It keeps, for
// each host, how many pages were fetched and how many of them were relevant, and how many new hosts pages led to.

import "math"

// newDiverse makes a policy of our own for the second aim of TRES (Kontogiannis, Kelesis, Pollatos, Giannakopoulos and
// Paliouras, "Tree-based focused web crawling with reinforcement learning", 2021): relevant pages of as many hosts as
// possible. With domains=1 registered domains (public suffix plus one label) take the place of hosts.
//
// What a request is worth is the sum of two:
//
//   - The chance that it gives a relevant page, as reinforce-linear learns it, times what that page is worth:
//     (1 + relevant pages of its host so far) to the power of -fall. So the first relevant page of a host counts 1.
//   - onward times the number of new hosts to which its page is likely to link, each counted by the chance that a new
//     host turns out to have a relevant page. That chance is learned from what came of new hosts to which relevant
//     pages linked, and from those to which others did. How many new hosts a page leads to is learned from pages
//     fetched before: of hosts of which as many pages had been fetched, of its host, and of URLs of its shape there. So
//     a host which was seen for the first time is expected to lead abroad, and one that leads to no new host any more
//     is not, whatever it links to.
//
// The score is the logarithm of that sum.
func newDiverse(a *Args) (Policy, error) {
	linear, err := Parse("reinforce-linear", a.Setup)
	if err != nil {
		return nil, err
	}
	d := &diverse{
		reinforceLinear: linear.(*reinforceLinear), fall: a.Value("fall"), tire: a.Value("tire"), onward: a.Value("onward"),
		places: newKnown[placeSeen](a.Memory), led: newShares(a.Memory),
	}
	d.exact = a.part
	d.place = hostKey
	if a.Value("domains") != 0 {
		d.place = domainKey
	}
	d.waiting.value = d.worthOf
	d.explain = d.because
	return d, nil
}

type diverse struct {
	*reinforceLinear
	fall, tire, onward float64
	places             *known[placeSeen] // what came of each host or domain that was met
	led                *shares           // new places to which pages led, each by its chance, for each page
	new                [2]share          // places fetched from, and those of them with a relevant page: first met on other, or on relevant pages
}

// placeSeen is what was seen of a host or domain.
type placeSeen struct {
	Pages    float64 `json:"n"`
	Relevant float64 `json:"hit"`
	Met      int     `json:"met"` // 1 if it was first met on a relevant page
}

const (
	smoothLed = 2  // pages that count for what is believed of new places, before some were seen
	mostLed   = 50 // links of one page that are looked at as leading to new places
)

// chanceOfNew returns the chance that a new place has a relevant page, if it was met so.
func (d *diverse) chanceOfNew(met int) float64 {
	all := (d.new[0].Hit + d.new[1].Hit + 0.5) / (d.new[0].N + d.new[1].N + 1)
	return (d.new[met].Hit + smoothLed*all) / (d.new[met].N + smoothLed)
}

// leads returns to how many new places, each by its chance, a page of g is likely to lead.
func (d *diverse) leads(g *besideKnown, seen float64) float64 {
	n := (d.led.all.Hit + 0.5) / (d.led.all.N + 1)
	for _, key := range ledKeys(g, seen) {
		n = d.led.of(key, n, smoothLed)
	}
	return n
}

// ledKeys are what leads goes by, the widest first: how many pages of the place were seen, the place, the shape of URL.
func ledKeys(g *besideKnown, seen float64) [3]uint64 {
	shape := uint64(0) // of seeds
	if w := &g.way; w.n > 0 {
		shape = w.keys[w.n-1]
	}
	return [3]uint64{joined('n', uint64(math.Log2(1+seen))), joined('h', g.place), joined('s', shape)}
}

// worthOf is the value of the links of a group, see newDiverse.
func (d *diverse) worthOf(g *besideKnown, own float64) float64 {
	page, onward := d.parts(g, own)
	return math.Log(page + onward + leastWorth)
}

// leastWorth is added to what a request is worth, so that there is a logarithm.
const leastWorth = 1e-9

// parts returns the two parts of what a request is worth.
func (d *diverse) parts(g *besideKnown, own float64) (page, onward float64) {
	seen, _ := d.places.get(g.place)
	page = logistic(expected(own+d.beside(g), d.answer(g))) * math.Pow(1+seen.Relevant, -d.fall) * math.Pow(1+seen.Pages, -d.tire)
	return page, d.onward * d.answer(g) * d.leads(g, seen.Pages)
}

// because explains the score of a link to people.
func (d *diverse) because(k *linkKnown, g *besideKnown) string {
	page, onward := d.parts(g, d.value(k))
	seen, _ := d.places.get(g.place)
	return new(reasons).count("relevant of its host", seen.Relevant).count("of", seen.Pages).and("page", page).and("new hosts", onward).String() + "; " + d.reinforceLinear.because(k, g)
}

// Learn implements Learner.
func (d *diverse) Learn(v *Visit) []Change {
	if judged(v) {
		d.count(v)
	}
	return d.reinforceLinear.Learn(v)
}

// count counts a page for its place, and the new places to which it links.
func (d *diverse) count(v *Visit) {
	place, met := d.place(v.Task.URL), 0
	seen, _ := d.places.get(place)
	keys := ledKeys(&besideKnown{place: place}, seen.Pages)
	if s, ok := d.at[v.Task.URL]; ok {
		keys = ledKeys(&d.groups[d.urls[s].group].data, seen.Pages)
	}
	if seen.Pages++; seen.Pages == 1 {
		d.new[seen.Met].N++
	}
	if v.Verdict.Relevant() {
		met = 1
		if seen.Relevant++; seen.Relevant == 1 {
			d.new[seen.Met].Hit++
		}
	}
	d.places.set(place, seen)
	if !answered(v) {
		return
	}
	n := 0.0
	for i := range v.Page.Links {
		to := d.place(v.Page.Links[i].URL)
		if _, ok := d.places.get(to); !ok {
			d.places.set(to, placeSeen{Met: met})
			n += d.chanceOfNew(met)
		}
	}
	d.led.learn(min(n, mostLed), keys[:]...)
}

type savedDiverse struct {
	Linear []byte            `json:"linear"`
	Places []fact[placeSeen] `json:"places"`
	Led    savedShares       `json:"led"`
	New    [2]share          `json:"new"`
}

// Save implements Keeper.
func (d *diverse) Save() ([]byte, error) {
	linear, err := d.reinforceLinear.Save()
	if err != nil {
		return nil, err
	}
	return save("diverse", 1, savedDiverse{linear, d.places.save(), d.led.save(), d.new})
}

// Restore implements Keeper.
func (d *diverse) Restore(data []byte) error {
	s, err := restore[savedDiverse]("diverse", 1, data)
	if err != nil {
		return err
	}
	d.places.restore(s.Places)
	d.led.restore(s.Led)
	d.new = s.New
	return d.reinforceLinear.Restore(s.Linear)
}

package lab

// This file compares the runs of several crawl orders, and says which is best and how certain that is.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Comparison compares orders over the units that count and on which all of them were run.
type Comparison struct {
	Mode    string  `json:"mode"`
	Units   int     `json:"units"` // combinations of web, topic and start
	Webs    int     `json:"webs"`
	Left    []Left  `json:"left_out,omitempty"`
	Orders  []Score `json:"orders"` // the best first, but upper bounds before all
	Finding Finding `json:"finding"`
	Widest  Finding `json:"finding_hosts"` // which order finds relevant hosts soonest; nobody if they were not measured
	Curves  []Curve `json:"curves"`        // means over the units
}

// Finding says which order is best. Best has one order if its intervals against all others exclude 1; otherwise all
// tied orders.
type Finding struct {
	Best     []string  `json:"best"`
	RunnerUp string    `json:"runner_up,omitempty"` // best of the other orders; the second of tied ones
	Area     *Interval `json:"area,omitempty"`      // area of the runner-up divided by the best's
}

// String returns the finding as one sentence.
func (f *Finding) String() string {
	switch {
	case len(f.Best) == 0:
		return "no unit counts"
	case f.Area == nil:
		return "nothing to compare: one order was run"
	}
	word := "tied"
	if len(f.Best) == 1 {
		word = "best"
	}
	return fmt.Sprintf("%s: %s; the area of %s is %.2f times that of %s (%.2f to %.2f)", word, strings.Join(f.Best, ", "),
		f.RunnerUp, f.Area.Mean, f.Best[0],
		f.Area.Low, f.Area.High)
}

// Left is a unit that does not count, with the reason.
type Left struct {
	Web      string `json:"web"`
	Relevant string `json:"relevant"`
	Start    string `json:"start"`
	Why      string `json:"why"`
}

// Score holds the means of an order over the units.
type Score struct {
	Order   string      `json:"order"`
	Recall  [4]Interval `json:"recall"` // after 5, 12, 25 and 50 % of the reachable pages; 95 % intervals
	Harvest [4]Interval `json:"harvest"`
	// mean recall at 12 % divided by breadth-first's, 95 % interval; nil if that was not run
	Hits   *Interval `json:"hits_12_to_breadth,omitempty"`
	Oracle *Interval `json:"recall_12_to_oracle"` // … divided by the oracle's
	// fetches to 80 % divided by the oracle's, geometric mean of the units that reached it; 0 if none did
	To80  float64 `json:"to_80_to_oracle"`
	Got80 int     `json:"units_with_80"`
	// webs where 80 % took at most 1.5 times the oracle's fetches (geometric mean of the web's units)
	Near80        int     `json:"webs_with_80_near_oracle"`
	Early         float64 `json:"early"` // mean of Measures.Early
	Area          float64 `json:"area"`
	Hosts10       float64 `json:"hosts_10"`
	Rank10        float64 `json:"rank_10"`
	In10          float64 `json:"inward_10"`
	Missing       float64 `json:"missing"` // requests without a stored response per request with one
	Asked         Asked   `json:"by_requests"`
	RelevantHosts Spread  `json:"relevant_hosts"`
	// fetches to 80 % of these hosts divided by those of one who knows the web, geometric mean of the units that reached
	// it; 0 if none did
	RelevantHosts80 float64 `json:"relevant_hosts_to_80_to_oracle,omitempty"`
	RelevantDomains Spread  `json:"relevant_domains"` // registered domains
	Hours80         float64 `json:"hours_80,omitempty"`
	// hours to 80 % divided by breadth-first's, geometric mean of the units where both reached it
	Hours80B *Interval `json:"hours_80_to_breadth,omitempty"`
	Against  *Interval `json:"against_best,omitempty"` // area divided by the best order's, paired, corrected for the number of orders
	ranking  float64   // mean logarithm of the area, by which Against is made
}

// Asked holds means of an order over the units, by requests instead of fetches: those without a stored response count,
// too. The shares are those of Score: 12 % are as many requests as 12 % of the reachable pages.
type Asked struct {
	Recall  [4]Interval `json:"recall"`
	Harvest [4]Interval `json:"harvest"` // relevant pages for each request
	// requests to 80 % divided by the oracle's, which asks for nothing that is missing; 0 if no unit reached it
	To80    float64   `json:"to_80_to_oracle"`
	Area    float64   `json:"area"`
	Against *Interval `json:"against_best,omitempty"` // area divided by that of the order that is best by fetches, as in Score
}

// Spread holds means of an order over the units for hosts, or domains, that relevant pages were found of.
type Spread struct {
	Recall    [4]Interval `json:"recall"` // share of those that can be found, after 5, 12, 25 and 50 % of the reachable pages
	Asked     [4]Interval `json:"by_requests"`
	Area      float64     `json:"area"`
	AskedArea float64     `json:"area_by_requests"`
	Against   *Interval   `json:"against_best,omitempty"` // area divided by that of the order that is best here, as in Score
	ranking   float64
}

// Curve holds means by the share of the reachable pages that was fetched, in hundredths.
type Curve struct {
	Order  string    `json:"order"`
	Share  []float64 `json:"share"`
	Recall []float64 `json:"recall"`
	Asked  []float64 `json:"requests"` // recall by requests, as a share of the reachable pages
	Hosts  []float64 `json:"hosts"`    // share of the reachable hosts
	// share of the hosts, and domains, with relevant pages of which one was found; by requests as above
	RelevantHosts        []float64 `json:"relevant_hosts"`
	RelevantHostsAsked   []float64 `json:"relevant_hosts_requests"`
	RelevantDomains      []float64 `json:"relevant_domains"`
	RelevantDomainsAsked []float64 `json:"relevant_domains_requests"`
	Timed                []float64 `json:"time,omitempty"` // recall by the share of the time that breadth-first needs for all pages
}

// counts returns why a unit does not count; "" if it does. It counts if no page links to more than a fifth of the web,
// 0.5 to 20 % of the pages are relevant, and breadth-first needs at least three times the oracle's fetches.
func counts(oracle, breadth *Result, all *Result) string {
	share := float64(all.Curve[len(all.Curve)-1].Pages) / float64(max(oracle.Reachable, 1))
	switch {
	case share < 0.005 || share > 0.20:
		return fmt.Sprintf("%.1f %% of the pages are relevant: 0.5 to 20 are wanted", 100*share)
	case oracle.Widest > oracle.Pages/5:
		return fmt.Sprintf("one page links to %d of %d pages", oracle.Widest, oracle.Pages)
	case breadth == nil:
		return "breadth was not run on it"
	case breadth.To[1] > 0 && breadth.To[1] < 3*oracle.To[1]:
		return fmt.Sprintf("breadth-first needs %d fetches to 80 %%, the oracle %d: that is too easy", breadth.To[1], oracle.To[1])
	}
	return ""
}

// Compare compares the orders in results of one mode. With everything, units that do not count are included.
func Compare(results []Result, mode string, everything bool) (*Comparison, error) {
	units := map[Run]map[string]*Result{}
	var names []Run
	var orders []string
	for i := range results {
		r := &results[i]
		if r.Mode != mode {
			continue
		}
		u := r.unit()
		if units[u] == nil {
			units[u] = map[string]*Result{}
			names = append(names, u)
		}
		units[u][r.Order] = r
		if !slices.Contains(orders, r.Order) {
			orders = append(orders, r.Order)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no runs of mode %q are kept there: make some by kavosh lab run", mode)
	}
	slices.SortFunc(names, Run.compare)
	c := &Comparison{Mode: mode}
	var counted []map[string]*Result
	webs := map[string]bool{}
	for _, n := range names {
		u := units[n]
		oracle, all := u[OracleOrder], u[AllOrder]
		why := ""
		var any *Result
		for _, o := range orders {
			if any = u[o]; any == nil {
				why = "not all orders were run on it"
				any = cmp.Or(oracle, all, u["breadth"])
				break
			}
		}
		if why == "" && !everything {
			why = counts(oracle, u["breadth"], all)
		}
		if why != "" {
			if any != nil {
				c.Left = append(c.Left, Left{any.Web, any.Relevant, any.Start, why})
			}
			continue
		}
		counted = append(counted, u)
		webs[oracle.Web] = true
	}
	c.Units, c.Webs = len(counted), len(webs)
	if len(counted) == 0 {
		return c, nil
	}
	for _, o := range orders {
		c.Orders = append(c.Orders, score(o, counted))
		c.Curves = append(c.Curves, curve(o, counted))
	}
	bound := func(o string) bool { return o == AllOrder || o == OracleOrder }
	slices.SortStableFunc(c.Orders, func(a, b Score) int {
		if bound(a.Order) != bound(b.Order) {
			if bound(a.Order) {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.ranking, a.ranking)
	})
	c.find(counted, bound)
	c.findWidest(counted, bound)
	return c, nil
}

// leastArea is added to areas before their ratio is taken.
const leastArea = 0.001

// find finds the best order: one whose intervals against all others exclude 1, corrected for the number of comparisons
// (Bonferroni).
func (c *Comparison) find(counted []map[string]*Result, bound func(string) bool) {
	first := slices.IndexFunc(c.Orders, func(s Score) bool { return !bound(s.Order) })
	if first < 0 {
		return
	}
	best, others := c.Orders[first].Order, c.Orders[first+1:]
	c.Finding.Best = []string{best}
	if len(others) == 0 {
		return
	}
	for i := range others {
		o := &others[i]
		var pairs, asked []pair
		for _, u := range counted {
			pairs = append(pairs, pair{u[best], u[o.Order].Area, u[best].Area})
			asked = append(asked, pair{u[best], u[o.Order].Requests.Area, u[best].Requests.Area})
		}
		confidence := 1 - 0.05/float64(len(others))
		o.Against = new(pairedRatio(pairs, confidence, leastArea))
		o.Asked.Against = new(pairedRatio(asked, confidence, leastArea))
		if !o.Against.Differs() {
			c.Finding.Best = append(c.Finding.Best, o.Order)
		}
	}
	c.Finding.RunnerUp, c.Finding.Area = others[0].Order, others[0].Against
}

// findWidest is find for relevant hosts and domains. Results of older versions do not tell.
func (c *Comparison) findWidest(counted []map[string]*Result, bound func(string) bool) {
	for _, u := range counted {
		if u[c.Orders[0].Order].HostsToFind == 0 {
			return
		}
	}
	for _, goal := range []struct {
		of      func(*Score) *Spread
		area    func(*Result) float64
		finding *Finding
	}{
		{func(s *Score) *Spread { return &s.RelevantHosts }, func(r *Result) float64 { return r.RelevantHosts.Area }, &c.Widest},
		{func(s *Score) *Spread { return &s.RelevantDomains }, func(r *Result) float64 { return r.RelevantDomains.Area }, &Finding{}},
	} {
		var ranked []*Score
		for i := range c.Orders {
			if s := &c.Orders[i]; !bound(s.Order) {
				ranked = append(ranked, s)
			}
		}
		if len(ranked) == 0 {
			return
		}
		slices.SortStableFunc(ranked, func(a, b *Score) int { return cmp.Compare(goal.of(b).ranking, goal.of(a).ranking) })
		best, others := ranked[0].Order, ranked[1:]
		goal.finding.Best = []string{best}
		for i, o := range others {
			var pairs []pair
			for _, u := range counted {
				pairs = append(pairs, pair{u[best], goal.area(u[o.Order]), goal.area(u[best])})
			}
			against := pairedRatio(pairs, 1-0.05/float64(len(others)), leastArea)
			goal.of(o).Against = &against
			if i == 0 {
				goal.finding.RunnerUp, goal.finding.Area = o.Order, &against
			}
			if !against.Differs() {
				goal.finding.Best = append(goal.finding.Best, o.Order)
			}
		}
	}
}

// spread returns the means of an order for relevant hosts or domains.
func spread(o string, counted []map[string]*Result, of func(*Result) *Goal) (s Spread) {
	n := float64(len(counted))
	var recall, asked [len(shares)][]pair
	for _, u := range counted {
		r := u[o]
		g := of(r)
		for i := range shares {
			recall[i] = append(recall[i], pair{r, g.Recall[i], 0})
			asked[i] = append(asked[i], pair{r, g.Requests.Recall[i], 0})
		}
		s.Area += g.Area / n
		s.AskedArea += g.Requests.Area / n
		s.ranking += math.Log(g.Area+leastArea) / n
	}
	for i := range shares {
		s.Recall[i], s.Asked[i] = mean(recall[i], 0.95), mean(asked[i], 0.95)
	}
	return s
}

// nearOracle is the ratio to the oracle's fetches up to which a result counts as near.
const nearOracle = 1.5

// score returns the means of an order.
func score(o string, counted []map[string]*Result) Score {
	s := Score{Order: o}
	n := float64(len(counted))
	var to80, asked80, hosts80, hours, hits, bound []pair
	var recall, harvest, askedRecall, askedHarvest [len(shares)][]pair
	far := map[string][]float64{} // per web, logarithms of fetches divided by the oracle's
	for _, u := range counted {
		r, oracle, breadth := u[o], u[OracleOrder], u["breadth"]
		for i := range shares {
			recall[i] = append(recall[i], pair{r, r.Recall[i], 0})
			harvest[i] = append(harvest[i], pair{r, r.Harvest[i], 0})
			askedRecall[i] = append(askedRecall[i], pair{r, r.Requests.Recall[i], 0})
			askedHarvest[i] = append(askedHarvest[i], pair{r, r.Requests.Harvest[i], 0})
		}
		bound = append(bound, pair{r, r.Recall[1], oracle.Recall[1]})
		s.Area += r.Area / n
		s.Asked.Area += r.Requests.Area / n
		s.Early += r.Early / n
		s.ranking += math.Log(r.Area+leastArea) / n
		s.Hosts10 += r.Hosts10 / n
		s.Rank10 += r.Rank10 / n
		s.In10 += r.In10 / n
		s.Missing += float64(r.Missing) / float64(max(r.Fetches, 1)) / n
		ratio := math.Inf(1)
		if r.To[1] > 0 && oracle.To[1] > 0 {
			s.Got80++
			s.Hours80 += r.ToHours[1]
			to80 = append(to80, pair{r, float64(r.To[1]), float64(oracle.To[1])})
			asked80 = append(asked80, pair{r, float64(r.Requests.To[1]), float64(oracle.To[1])})
			ratio = math.Log(float64(r.To[1]) / float64(oracle.To[1]))
		}
		far[r.Web] = append(far[r.Web], ratio)
		if got, most := r.RelevantHosts.To[1], r.Ideal.Hosts80; got > 0 && most > 0 {
			hosts80 = append(hosts80, pair{r, float64(got), float64(most)})
		}
		if breadth == nil {
			continue
		}
		hits = append(hits, pair{r, r.Recall[1], breadth.Recall[1]})
		if r.ToHours[1] > 0 && breadth.ToHours[1] > 0 {
			hours = append(hours, pair{r, r.ToHours[1], breadth.ToHours[1]})
		}
	}
	const confidence = 0.95
	for i := range shares {
		s.Recall[i], s.Harvest[i] = mean(recall[i], confidence), mean(harvest[i], confidence)
		s.Asked.Recall[i], s.Asked.Harvest[i] = mean(askedRecall[i], confidence), mean(askedHarvest[i], confidence)
	}
	s.Oracle = new(ratioOfMeans(bound, confidence))
	if len(hits) > 0 {
		s.Hits = new(ratioOfMeans(hits, confidence))
	}
	if s.Got80 > 0 {
		s.To80 = pairedRatio(to80, confidence, 0).Mean
		s.Asked.To80 = pairedRatio(asked80, confidence, 0).Mean
		s.Hours80 /= float64(s.Got80)
	}
	if len(hours) > 0 {
		s.Hours80B = new(pairedRatio(hours, confidence, 0))
	}
	if len(hosts80) > 0 {
		s.RelevantHosts80 = pairedRatio(hosts80, confidence, 0).Mean
	}
	s.RelevantHosts = spread(o, counted, func(r *Result) *Goal { return &r.RelevantHosts })
	s.RelevantDomains = spread(o, counted, func(r *Result) *Goal { return &r.RelevantDomains })
	for _, ratios := range far {
		sum := 0.0
		for _, l := range ratios {
			sum += l
		}
		if math.Exp(sum/float64(len(ratios))) <= nearOracle {
			s.Near80++
		}
	}
	return s
}

// curve returns the mean of an order's curves.
func curve(o string, counted []map[string]*Result) Curve {
	const steps = 100
	c := Curve{Order: o}
	for _, line := range []*[]float64{&c.Share, &c.Recall, &c.Asked, &c.Hosts, &c.RelevantHosts, &c.RelevantHostsAsked, &c.RelevantDomains, &c.RelevantDomainsAsked, &c.Timed} {
		*line = make([]float64, steps+1)
	}
	timed := true
	for _, u := range counted {
		r := u[o]
		whole := 0.0 // hours
		if b := u["breadth"]; b != nil {
			whole = b.Curve[len(b.Curve)-1].Hours
		}
		timed = timed && whole > 0 && r.Curve[len(r.Curve)-1].Hours > 0
		k, asked, at := 0, 0, 0
		for i := range c.Share {
			c.Share[i] = float64(i) / steps
			for n := int(c.Share[i] * float64(r.Reachable)); k+1 < len(r.Curve) && r.Curve[k+1].Fetches <= n; {
				k++
			}
			for n := int(c.Share[i] * float64(r.Reachable)); asked+1 < len(r.Curve) && r.Curve[asked+1].requests() <= n; {
				asked++
			}
			for t := c.Share[i] * whole; at+1 < len(r.Curve) && r.Curve[at+1].Hours <= t; {
				at++
			}
			c.Recall[i] += r.Curve[k].recall(r) / float64(len(counted))
			c.Asked[i] += r.Curve[asked].recall(r) / float64(len(counted))
			c.Hosts[i] += r.Curve[k].Hosts / float64(len(counted))
			hosts, domains := float64(max(r.HostsToFind, 1)*len(counted)), float64(max(r.DomainsToFind, 1)*len(counted))
			c.RelevantHosts[i] += float64(r.Curve[k].RelevantHosts) / hosts
			c.RelevantHostsAsked[i] += float64(r.Curve[asked].RelevantHosts) / hosts
			c.RelevantDomains[i] += float64(r.Curve[k].RelevantDomains) / domains
			c.RelevantDomainsAsked[i] += float64(r.Curve[asked].RelevantDomains) / domains
			c.Timed[i] += r.Curve[at].recall(r) / float64(len(counted))
		}
	}
	if !timed {
		c.Timed = nil
	}
	return c
}

func (p *Point) recall(r *Result) float64 { return float64(p.Texts) / float64(max(r.Texts, 1)) }

// requests returns how many requests were made so far.
func (p *Point) requests() int { return p.Fetches + p.Missing }

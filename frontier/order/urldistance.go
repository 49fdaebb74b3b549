package order

// This file is the ordering policy url-distance: URLs like those of relevant pages come first. The judge of the crawl
// says which pages are relevant. The file keeps the newest relevant URLs of each host.

// newURLDistance makes the policy in which URLs come first that are like those of relevant pages found so far (Hati and
// Kumar, "An approach for identifying URLs based on division score and link score in focused crawler", 2010). The
// distance of two URLs is (dHost+1)·(dPath+1)·(dQuery+1) − 1. dHost is 0 for the same host and 32 for two hosts; dQuery
// is 0 for the same query and 1 for two; dPath is twice the number of segments that differ, plus four times the
// difference in the number of segments. The score is 1 minus the distance to the nearest relevant URL. The source calls
// URLs at a distance of at most 1 relevant; they have a score of at least 0 here. Only the newest 32 relevant URLs of
// each host count.
func newURLDistance(a *Args) (Policy, error) {
	d := &urlDistance{relevant: newKnown[[]string](max(1, a.Memory/relevantURLs))}
	d.showing = newShowing(a, func(_ *struct{}, own float64) float64 { return own })
	d.why = func(s int32) string { return d.because(d.urls[s].own) }
	return d, nil
}

// Bounds, and the distance of two hosts.
const (
	relevantURLs = 32  // relevant URLs that are kept of a host
	mostNearer   = 512 // waiting URLs of a host that are scored anew when a relevant page is found there
	otherHost    = 32  // distance of URLs on two hosts
)

type urlDistance struct {
	*showing[struct{}]
	relevant *known[[]string] // URLs of relevant pages, by host
}

// urlDistanceOf returns the distance of two URLs of the same host.
func urlDistanceOf(a, b string) float64 {
	_, pathA, queryA := split(a)
	_, pathB, queryB := split(b)
	long, short := segments(pathA), segments(pathB)
	if len(long) < len(short) {
		long, short = short, long
	}
	path := 4 * (len(long) - len(short))
	for i := range short {
		if short[i] != long[i] {
			path += 2
		}
	}
	query := asNumber(queryA != queryB)
	return float64(path+1)*(query+1) - 1
}

// nearness returns 1 minus the distance to the nearest relevant URL. If its host has no relevant URL, that is 1 minus
// otherHost.
func (d *urlDistance) nearness(url string) float64 {
	host := hostKey(url)
	urls, ok := d.relevant.get(host)
	if !ok {
		return 1 - otherHost
	}
	nearest := float64(otherHost)
	for _, r := range urls {
		nearest = min(nearest, urlDistanceOf(url, r))
	}
	return 1 - nearest
}

func (d *urlDistance) because(own float64) string {
	return new(reasons).count("distance to the nearest relevant URL", 1-own).String()
}

// Score implements Policy.
func (d *urlDistance) Score(c *Candidate) (float64, string) {
	_, score := d.add(c.Task.URL, d.group(hostKey(c.Task.URL)), d.nearness(c.Task.URL))
	return score, d.because(score)
}

// Learn implements Learner.
func (d *urlDistance) Learn(v *Visit) []Change {
	d.take(v.Task.URL)
	if !judged(v) || !v.Verdict.Relevant() {
		return d.settle()
	}
	host := hostKey(v.Task.URL)
	urls, _ := d.relevant.get(host)
	if len(urls) >= relevantURLs {
		urls = urls[1:]
	}
	d.relevant.set(host, append(urls, v.Task.URL))
	if g, ok := d.named[host]; ok {
		near := d.groups[g].members.ids
		for _, s := range append([]int32(nil), near[:min(len(near), mostNearer)]...) {
			d.set(s, max(d.urls[s].own, 1-urlDistanceOf(d.urls[s].url, v.Task.URL)))
		}
	}
	return d.settle()
}

// Save implements Keeper.
func (d *urlDistance) Save() ([]byte, error) { return save("url-distance", 1, d.relevant.save()) }

// Restore implements Keeper.
func (d *urlDistance) Restore(data []byte) error {
	facts, err := restore[[]fact[[]string]]("url-distance", 1, data)
	for i := range facts {
		facts[i].Value = facts[i].Value[:min(len(facts[i].Value), relevantURLs)]
	}
	d.relevant.restore(facts)
	return err
}

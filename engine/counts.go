package engine

// This file counts what came of URLs, for the status page and the report. It reads no file but /proc/self/status.

import (
	"cmp"
	"hash/maphash"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/lib/weburl"
)

// counts are the sums of all runs of a crawl. They are stored with the marks (how far the crawl's files reach that are
// durable, commit.go), and so survive a crash. They have no lock of their own.
type counts struct {
	Fetched  int64                    `json:"fetched"`              // URLs recorded, dropped or failed, without robots.txt
	Pages    int64                    `json:"pages"`                // of these, pages as --max-pages counts them (usedBy)
	Twice    int64                    `json:"twice,omitempty"`      // of Fetched, second visits of --revisit once, which count in no limit
	Recorded int64                    `json:"recorded"`             // of these, answers that the archive keeps
	Bytes    int64                    `json:"bytes"`                // payload bytes of recorded answers
	Revisits int64                    `json:"revisits"`             // of recorded, those stored before: revisit records
	Near     int64                    `json:"near_duplicates"`      // of recorded, those with nearly the text of another
	Relevant int64                    `json:"relevant"`             // relevant pages, says the judge; also dropped ones
	Refused  int64                    `json:"refused"`              // URLs never requested
	Dropped  int64                    `json:"dropped"`              // answers that --only leaves out of the archive
	Unkept   int64                    `json:"unkept"`               // … that --keep leaves out
	Forbids  int64                    `json:"robots_forbidden"`     // URLs requested although robots.txt forbids them
	Permits  map[string]int64         `json:"permitted,omitempty"`  // of these, by the permit (archive.Line.Permit)
	Rules    map[string]int64         `json:"rules,omitempty"`      // URLs that a rule or --exclude left out, by its words
	Walls    int64                    `json:"walls"`                // answers by a bot wall instead of the site
	Walled   map[string]int64         `json:"walled,omitempty"`     // these by host
	StandIns map[string]int64         `json:"standins,omitempty"`   // recorded or dropped answers that stand in for a page, by kavosh.StandIn
	Acts     map[string]int64         `json:"behaviours,omitempty"` // acts of behaviours on pages in the browser, by their names
	Failed   map[kavosh.Failure]int64 `json:"failed"`               // URLs with a failure, also refused ones, by its kind
	Status   map[int]int64            `json:"status"`               // recorded answers by status code
	MIME     map[string]int64         `json:"mime"`                 // recorded answers by media type
	Classes  map[kavosh.Class]int64   `json:"classes"`              // recorded documents by class, in a crawl for RDF
	SeedsIn  int64                    `json:"seeds_recorded"`       // seeds recorded or dropped
	SeedsOut int64                    `json:"seeds_failed"`         // seeds that failed or were refused
	SeedsBad int64                    `json:"seeds_bad"`            // lines of input that are no seed
	BadSeeds []string                 `json:"bad_seeds,omitempty"`  // the first keptBad of these, each with the reason
	Hosts    int64                    `json:"hosts"`                // hosts asked for robots.txt, which is asked for first
	Seconds  float64                  `json:"seconds"`              // how long all runs took together
	Loads    archive.Loads            `json:"loads,omitzero"`       // with --browser auto

	Quality archive.Counted `json:"quality,omitzero"`
	Visited Visited         `json:"visited,omitzero"` // in a crawl that goes on
}

// Visited counts visits of pages that were visited before.
type Visited struct {
	Visits  int64 `json:"visits"`
	Changed int64 `json:"changed"` // of these, those that found a change
	Round   int   `json:"round"`   // the newest with a visit; of it:
	Now     int64 `json:"visits_of_round"`
	Differ  int64 `json:"changed_of_round"`
	Checked int64 `json:"checked"` // answers 304 that were checked by asking for the whole page
	Lied    int64 `json:"lied"`    // … of which the page was another
}

// maxTypes bounds the number of media types that are counted apart, because servers invent them, and of rules, because
// people change them. The rest is "other".
const maxTypes = 500

// maxWalled is how many hosts behind bot walls are counted apart; the rest is "other".
const maxWalled = 100

// newCounts returns counts of zero.
func newCounts() counts {
	return counts{
		Failed: map[kavosh.Failure]int64{}, Status: map[int]int64{}, MIME: map[string]int64{}, Classes: map[kavosh.Class]int64{},
		Permits: map[string]int64{}, Rules: map[string]int64{}, Walled: map[string]int64{}, StandIns: map[string]int64{}, Acts: map[string]int64{},
	}
}

// copy returns a copy that shares no map or slice with n.
func (n *counts) copy() counts {
	c := *n
	c.Failed, c.Status, c.MIME, c.Classes = maps.Clone(n.Failed), maps.Clone(n.Status), maps.Clone(n.MIME), maps.Clone(n.Classes)
	c.BadSeeds, c.Permits, c.Rules = slices.Clone(n.BadSeeds), maps.Clone(n.Permits), maps.Clone(n.Rules)
	c.Walled, c.StandIns, c.Acts = maps.Clone(n.Walled), maps.Clone(n.StandIns), maps.Clone(n.Acts)
	return c
}

// acts counts the acts of behaviours on a page, by their names.
func (n *counts) acts(acts map[string]int) {
	for name, times := range acts {
		if len(n.Acts) < maxTypes || n.Acts[name] > 0 {
			n.Acts[name] += int64(times)
		}
	}
}

// visit counts a visit of a page that was visited before, or a check of one.
func (n *counts) visit(round int, it *item) {
	v := &n.Visited
	if round > v.Round {
		v.Round, v.Now, v.Differ = round, 0, 0
	}
	if it.visited {
		v.Visits++
		v.Now++
	}
	if it.checked {
		v.Checked++
	}
	if it.lied {
		v.Lied++
	}
	if it.changed {
		v.Changed++
		v.Differ++
	}
}

// load counts one line of browser.log.
func (n *counts) load(l *archive.Load) {
	n.Loads.Loaded++
	n.Loads.Links += int64(l.Links)
	n.Loads.Resources += int64(l.Found)
	n.acts(l.Acts)
}

// line counts one line of crawl.log. Pages, Hosts and Seconds are not in it: the committer counts them.
func (n *counts) line(l *archive.Line) {
	seed := l.Kind == kavosh.Seed.String() || l.Kind == kavosh.Sitemap.String() && l.Via == ""
	if l.StandIn == kavosh.Wall {
		n.Walls++
		addTo(n.Walled, weburl.Host(l.URL), maxWalled)
	}
	if l.Outcome == archive.Retry {
		n.Bytes += l.Size // of a body that broke off, or of a bot wall in the browser, which are recorded
		return
	}
	if l.Rule == string(scope.Ruled) || l.Rule == string(scope.Excluded) {
		addTo(n.Rules, l.Reason, maxTypes)
	}
	switch l.Outcome {
	case archive.Refused:
		if l.Rule == badSeed {
			if n.SeedsBad++; len(n.BadSeeds) < keptBad {
				n.BadSeeds = append(n.BadSeeds, l.URL+": "+l.Reason)
			}
			return
		}
		n.Refused++
		if l.Kind == kavosh.Embed.String() {
			n.Quality.NotAsked++
		}
		if l.Failure != kavosh.NoFailure {
			n.Failed[l.Failure]++
		}
		if seed {
			n.SeedsOut++
		}
		return
	case archive.Failed:
		if seed {
			n.SeedsOut++
		}
	case archive.Recorded, archive.Dropped:
		if seed {
			n.SeedsIn++
		}
	}
	if l.Kind == kavosh.Prerequisite.String() {
		return
	}
	n.Fetched++
	countQuality(&n.Quality, l)
	if l.Programs != "" {
		n.Loads.Scripted++
	}
	if l.Forbids != "" {
		n.Forbids++
		if l.Permit != "" {
			n.Permits[l.Permit]++
		}
	}
	if l.Failure != kavosh.NoFailure {
		n.Failed[l.Failure]++
	}
	switch {
	case l.Outcome == archive.Dropped && l.Rule == archive.Unkept:
		n.Unkept++
	case l.Outcome == archive.Dropped:
		n.Dropped++
	}
	if relevant(l) {
		n.Relevant++
	}
	n.acts(l.Acts)
	if l.StandIn != kavosh.NoStandIn {
		n.StandIns[string(l.StandIn)]++
	}
	if l.Outcome != archive.Recorded {
		return
	}
	n.Recorded++
	n.Bytes += l.Size
	n.Status[l.Status]++
	if l.Revisit != "" {
		n.Revisits++
	}
	if l.Near != "" {
		n.Near++
	}
	if l.Class != kavosh.Unclassed {
		n.Classes[l.Class]++
	}
	addTo(n.MIME, cmp.Or(l.MIME, "unknown"), maxTypes)
}

// countQuality counts what was asked for.
func countQuality(q *archive.Counted, l *archive.Line) {
	failed, wrong := l.Outcome == archive.Failed, l.Status >= 400
	if l.Kind == kavosh.Embed.String() {
		q.Parts++
		if failed || wrong {
			q.Missing++
		}
		return
	}
	q.Pages++
	switch {
	case failed:
		q.Failed++
	case l.StandIn != kavosh.NoStandIn:
		q.StandIns++
	case wrong:
		q.Errors++
	}
}

// relevant reports whether l is the last word on a page that the judge finds relevant.
func relevant(l *archive.Line) bool {
	return l.Outcome != archive.Retry && l.Outcome != archive.Refused && l.Kind != kavosh.Prerequisite.String() && l.Verdict >= kavosh.RelevantFrom
}

// relevantPlaces returns from how many hosts, and from how many registered domains, the relevant pages of a crawl.log
// came. It keeps a hash of each.
func relevantPlaces(log iter.Seq2[archive.Line, error]) (inHosts, inDomains int64, err error) {
	seed := maphash.MakeSeed()
	hosts, domains := map[uint64]bool{}, map[uint64]bool{}
	for l, err := range log {
		if err != nil {
			return 0, 0, err
		}
		if relevant(&l) {
			host := weburl.Host(l.URL)
			hosts[maphash.String(seed, host)] = true
			domains[maphash.String(seed, weburl.Domain(host))] = true
		}
	}
	return int64(len(hosts)), int64(len(domains)), nil
}

// addTo counts name in counts, which has at most so many names: the others are "other".
func addTo(counts map[string]int64, name string, most int) {
	if _, known := counts[name]; !known && len(counts) >= most {
		name = "other"
	}
	counts[name]++
}

// peakRSS returns the most memory that this process has held at any time, in bytes; 0 if the system does not tell.
func peakRSS() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10
		}
	}
	return 0
}

package engine

// This file counts what came of URLs, for the status and the report.

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"kavosh"
	"kavosh/archive"
)

// counts are the sums of a report, kept with the marks so that they survive a crash.
type counts struct {
	Fetched  int64                    `json:"fetched"` // requests with an outcome, robots.txt not counted
	Pages    int64                    `json:"pages"`   // of them, by placesOf
	Recorded int64                    `json:"recorded"`
	Bytes    int64                    `json:"bytes"`
	Revisits int64                    `json:"revisits"`
	Near     int64                    `json:"near_duplicates"`
	Relevant int64                    `json:"relevant"` // pages that the judge says are what the crawl is after, recorded or dropped
	Refused  int64                    `json:"refused"`
	Dropped  int64                    `json:"dropped"`
	Forbids  int64                    `json:"robots_forbidden"`
	Permits  map[string]int64         `json:"permitted,omitempty"`
	Walls    int64                    `json:"walls"`
	Failed   map[kavosh.Failure]int64 `json:"failed"`
	Status   map[int]int64            `json:"status"`
	MIME     map[string]int64         `json:"mime"`
	Classes  map[kavosh.Class]int64   `json:"classes"`
	SeedsIn  int64                    `json:"seeds_recorded"`
	SeedsOut int64                    `json:"seeds_failed"`
	SeedsBad int64                    `json:"seeds_bad"`
	BadSeeds []string                 `json:"bad_seeds,omitempty"`
	Hosts    int64                    `json:"hosts"`   // asked for their robots.txt, and so for anything
	Seconds  float64                  `json:"seconds"` // that all runs took
}

// maxTypes bounds the media types counted apart; servers invent them.
const maxTypes = 500

func newCounts() counts {
	return counts{Failed: map[kavosh.Failure]int64{}, Status: map[int]int64{}, MIME: map[string]int64{}, Classes: map[kavosh.Class]int64{}}
}

// copy is a copy that shares nothing.
func (n *counts) copy() counts {
	c := *n
	c.Failed, c.Status, c.MIME, c.Classes = maps.Clone(n.Failed), maps.Clone(n.Status), maps.Clone(n.MIME), maps.Clone(n.Classes)
	c.BadSeeds, c.Permits = slices.Clone(n.BadSeeds), maps.Clone(n.Permits)
	return c
}

// line counts one line of the log.
func (n *counts) line(l *archive.Line) {
	seed := l.Kind == kavosh.Seed.String() || l.Kind == kavosh.Sitemap.String() && l.Via == ""
	if l.Wall != "" {
		n.Walls++
	}
	switch l.Outcome {
	case archive.Retry:
		return
	case archive.Refused:
		if l.Rule == badSeed {
			if n.SeedsBad++; len(n.BadSeeds) < keptBad {
				n.BadSeeds = append(n.BadSeeds, l.URL+": "+l.Reason)
			}
			return
		}
		n.Refused++
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
	if l.Forbids != "" {
		n.Forbids++
		if l.Permit != "" {
			if n.Permits == nil {
				n.Permits = map[string]int64{}
			}
			n.Permits[l.Permit]++
		}
	}
	if l.Failure != kavosh.NoFailure {
		n.Failed[l.Failure]++
	}
	if l.Outcome == archive.Dropped {
		n.Dropped++
	}
	if l.Verdict >= kavosh.RelevantFrom {
		n.Relevant++
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
	t := l.MIME
	if t == "" {
		t = "unknown"
	}
	if _, known := n.MIME[t]; !known && len(n.MIME) >= maxTypes {
		t = "other"
	}
	n.MIME[t]++
}

// peakRSS is the most memory this process has held, in bytes; 0 where the system does not tell.
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

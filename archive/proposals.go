package archive

// This file proposes settings of the next crawl by what the last one was answered.

import (
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/units"
	"kavosh/quality"
)

// maxProposing is how many lines of a crawl's log proposals rest on, the first.
const maxProposing = 200_000

// Propose fills in r.Proposals by the log of its crawl, by what r has besides, and beyond what the crawl was given.
func (r *Report) Propose(log iter.Seq2[Line, error], config map[string]string) error {
	var hosts quality.Hosts
	n := 0
	for l, err := range log {
		if err != nil {
			return err
		}
		if n++; n > maxProposing {
			break
		}
		l.tally(&hosts)
	}
	r.Proposals = append([]quality.Proposal{}, hosts.Proposals(given(r.Started, config))...)
	if r.Patch == nil {
		r.Proposals = append(r.Proposals, quality.Missed(r.Quality.Missing, r.Quality.Parts)...)
	}
	if c := r.Coherence; c != nil {
		r.Proposals = append(r.Proposals, quality.NotTogether(c.Incoherent, c.Coherent+c.Incoherent)...)
	}
	return nil
}

// tally counts what came of a URL.
func (l *Line) tally(hosts *quality.Hosts) {
	r := quality.Request{
		URL: l.URL, Status: l.Status, Timeout: l.Failure == kavosh.TimeoutFailure, Took: time.Duration(l.Took) * time.Millisecond, Size: l.Size,
		Page: l.Kind != kavosh.Embed.String(), StandIn: l.StandIn, From: l.Via, Seed: strings.Trim(l.Path, "R") == "",
	}
	if l.Kind == kavosh.Redirect.String() && l.Outcome != Retry && !strings.Contains(l.Path, "P") { // a robots.txt may lead anywhere
		hosts.Redirect(&r)
	}
	asked := l.Outcome != Refused && l.Kind != kavosh.Prerequisite.String()
	busy := l.Status == http.StatusTooManyRequests || l.Status == http.StatusServiceUnavailable
	if asked && (l.Outcome != Retry || busy || r.StandIn != kavosh.NoStandIn) && (l.Status != 0 || slices.Contains(unanswered, l.Failure)) {
		hosts.Add(&r)
	}
}

// given returns what a crawl was given by its settings.
func given(began time.Time, config map[string]string) *quality.Given {
	var delay units.Spans
	_ = delay.UnmarshalText([]byte(config["delay"])) // what cannot be read is no delay
	factor, _ := strconv.Atoi(config["delay-factor"])
	return &quality.Given{Began: began, Delay: time.Duration(delay.Least), DelayFactor: factor, Browser: config["browser"] == "always", Profile: config["profile"] != ""}
}

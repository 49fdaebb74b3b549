package engine

// This file makes the report of a crawl at its end.

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"kavosh/archive"
	"kavosh/frontier/order"
	"kavosh/internal/disk"
	"kavosh/record"
)

// report makes the report and leaves it in the crawl's folder.
func (c *crawl) report(ctx context.Context, failed error) (*archive.Report, error) {
	n := c.tally.counts.copy()
	now := c.clock.Now()
	r := &archive.Report{
		ID: c.id, Started: c.began.UTC(), Ended: now.UTC(), Seconds: c.seconds + now.Sub(c.run).Seconds(), Fetched: n.Fetched, Pages: n.Pages, Recorded: n.Recorded,
		Bytes: n.Bytes, Revisits: n.Revisits, Near: n.Near, Relevant: n.Relevant, HarvestRate: float64(n.Relevant) / float64(max(n.Recorded+n.Dropped+n.Unkept, 1)), Dropped: n.Dropped, Unkept: n.Unkept, Failed: n.Failed, Status: map[string]int64{}, MIME: n.MIME, Classes: n.Classes, Tallies: []order.Tally{}, PeakRSS: peakRSS(),
		Limited: orNone(c.limited), AllLimited: c.limits,
		Forbidden: n.Forbids, Walls: n.Walls, Walled: n.Walled, StandIns: n.StandIns, SeedsFailed: n.SeedsOut, SeedsKept: n.SeedsIn, SeedsBad: n.SeedsBad, BadSeeds: orNone(n.BadSeeds),
		LoggedOut: c.opt.Logins.loggedOut(), LoginsOver: orNone(c.control.loginsOver()), Echoed: c.opt.Logins.echoes(), KeepSecrets: c.opt.Fetch.KeepSecrets, Permitted: n.Permits, Rules: n.Rules, Acts: n.Acts, Loads: n.Loads,
	}
	r.Quality = n.Quality
	r.Schedule = c.revisits.told(&n, now)
	if a, ok := c.purpose.order.(order.Accountant); ok {
		r.Tallies = append(r.Tallies, a.Tallies()...)
	}
	for code, times := range n.Status {
		r.Status[strconv.Itoa(code)] = times
	}
	r.Hosts, r.Known, r.Queued = n.Hosts, c.last.Known, c.last.Queued
	c.ending.Lock() // --max-time may have come this moment
	why := c.ending.why
	c.ending.Unlock()
	var full *fullError
	switch {
	case errors.As(failed, &full):
		r.End = "disk"
	case failed != nil:
		r.End = "failed"
	case r.Queued == 0 && len(c.unloaded.all) == 0 && (c.last.Revisit.IsZero() || c.opt.Revisits == nil):
		r.End = "done"
	case why != "":
		r.End = why
	case ctx.Err() != nil:
		r.End = "interrupted"
	case r.Queued > 0 && c.last.Limited == r.Queued:
		r.End = "limits"
	default:
		r.End = "done"
	}
	if n.Relevant > 0 {
		var err error
		if r.RelevantHosts, r.RelevantDomains, err = relevantPlaces(archive.ReadLog(c.fs, c.opt.Archive, c.id)); err != nil {
			return r, err
		}
	}
	if !c.first && !c.patch.parts() && failed == nil && ctx.Err() == nil {
		switch changes, err := archive.ChangesOf(ctx, c.fs, c.opt.Archive, c.id); {
		case ctx.Err() != nil:
			c.trouble("how many pages changed is not told, since it was interrupted: kavosh change tells it")
		case err != nil:
			return r, err
		default:
			r.Changes = changes
		}
	}
	if c.revisits.second() && failed == nil && r.End != "interrupted" {
		var err error
		if r.Coherence, err = archive.CoherenceOf(c.hard, c.fs, c.opt.Archive, c.id); err != nil && !errors.Is(err, archive.ErrOneRound) {
			c.trouble("how far the pages fit together is not told: " + err.Error())
		}
	}
	r.Patch = c.patched(ctx, failed == nil)
	if err := r.Propose(archive.ReadLog(c.fs, c.opt.Archive, c.id), c.opt.Config); err != nil {
		c.trouble("nothing is proposed for the next crawl: " + err.Error())
	}
	files, err := record.Files(c.fs, c.archive.WARC)
	if err != nil {
		return r, err
	}
	for _, f := range files {
		if record.CrawlOf(f) == c.id {
			r.Files = append(r.Files, f)
		}
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return r, err
	}
	return r, disk.WriteFile(c.fs, c.fs.PathJoin(c.dir, "report.json"), append(data, '\n'))
}

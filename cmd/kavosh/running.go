package main

// This file asks a running crawl how it goes, for the pages that show it.

import (
	"strconv"

	"kavosh/engine"
	"kavosh/site"
	"kavosh/site/draw"
)

// running returns how the crawl of the archive in dir goes that runs now; false if none does, or if its socket cannot be
// reached.
func running(dir string) (site.Running, bool) {
	reply, err := engine.Tell(dir, &engine.Command{Name: "status"})
	if err != nil || reply.Now == nil || reply.State == nil {
		return site.Running{}, false
	}
	s := reply.Now
	seconds := s.Now.Sub(s.Started).Seconds()
	left, atLeast := s.Left(float64(s.Pages)/seconds, float64(s.Finished)/seconds)
	r := site.Running{
		ID: s.ID, Seconds: seconds, Fetched: s.Finished, Recorded: s.Recorded, Bytes: s.Bytes, Revisits: s.Revisits, Hosts: s.Hosts, Known: s.Known,
		Queued: s.Queued, Failed: map[string]int64{}, Status: map[string]int64{}, MIME: s.MIME,
		Running: draw.Running{
			State: "running", Pages: s.Pages, InFlight: s.InFlight, Left: left.Seconds(), AtLeast: atLeast,
			Limits: draw.Limits{Pages: s.Limits.Pages, URLs: s.Limits.URLs, Bytes: s.Limits.Bytes, Seconds: s.Limits.Time.Seconds()},
		},
	}
	switch {
	case s.Stopping != "":
		r.State, r.Left = "stopping", 0
	case s.Waiting != "": // the names are those of engine.WaitingPaused and WaitingNetwork
		r.State, r.Left = s.Waiting, 0
	}
	for kind, n := range s.Failed {
		if n > 0 {
			r.Failed[string(kind)] = n
		}
	}
	for code, n := range s.Codes {
		r.Status[strconv.Itoa(code)] = n
	}
	for _, h := range reply.State.Held {
		r.Held = append(r.Held, draw.Held{Host: h.Host, Until: h.Until})
	}
	return r, true
}

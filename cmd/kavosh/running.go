package main

// This file asks a running crawl how it goes, for the pages that show it.

import (
	"fmt"
	"strconv"
	"strings"

	"kavosh/engine"
	"kavosh/lib/units"
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
		Queued: s.Queued, Walls: s.Walls, Again: site.AgainOf(&s.Schedule), Failed: map[string]int64{}, Status: map[string]int64{}, MIME: s.MIME, StandIns: s.StandIns,
		Running: draw.Running{
			State: "running", Pages: s.Pages, InFlight: s.InFlight, Limited: s.Limited, Left: left.Seconds(), AtLeast: atLeast,
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
	for _, a := range s.Alarms {
		alarm := draw.Alarm{Kind: a.Kind, Count: a.Count, Of: a.Of, Before: a.Before}
		switch a.Kind {
		case engine.AlarmFailures:
			alarm.Failure = a.Most
		case engine.AlarmErrors:
			alarm.Status = a.Most
		case engine.AlarmTraps:
			alarm.Host = a.Most
		}
		r.Alarms = append(r.Alarms, alarm)
	}
	for _, h := range reply.State.Held { // why is the operator's own word
		r.Held = append(r.Held, draw.Held{Host: h.Host, Until: h.Until, Wall: engine.IsWall(h.Why), Login: engine.IsLogout(h.Why)})
	}
	return r, true
}

// settingsNow returns what was set of the crawl of the archive in dir that runs now; nil if none does, or if its socket
// cannot be reached.
func settingsNow(dir string) *draw.Settings {
	reply, err := engine.Tell(dir, &engine.Command{Name: "status"})
	if err != nil || reply.State == nil {
		return nil
	}
	s := reply.State
	set := &draw.Settings{Paused: s.Paused, Include: s.Include, Exclude: s.Exclude, Values: []draw.Setting{
		{Name: "workers", Value: strconv.Itoa(s.Workers)},
		{Name: "delay", Value: units.Spans{Least: units.Span(s.Delay), Most: units.Span(s.Delay + s.DelaySpread)}.String()},
		{Name: "address-delay", Value: s.AddressDelay.String()},
		{Name: "delay-factor", Value: strconv.Itoa(s.DelayFactor)},
		{Name: "host-rate", Value: rateText(s.HostRate)},
		{Name: "rate", Value: rateText(s.Rate)},
	}}
	for _, r := range s.Rules {
		set.Rules = append(set.Rules, r.String())
	}
	for _, p := range s.Permits {
		set.Permits = append(set.Permits, draw.Named{Name: p.Target, Text: p.Reason})
	}
	for _, h := range s.Held {
		held := draw.Held{Host: h.Host, Until: h.Until, Why: h.Why, Login: engine.IsLogout(h.Why)}
		if held.Login {
			held.Do = []string{loginAgain(engine.LogoutOf(h.Why)), "kavosh crawl --archive " + quoted(dir) + " --resume"}
		}
		set.Held = append(set.Held, held)
	}
	for _, l := range s.Limits { // "host-limit example.org=500", or without a name
		kind, value, _ := strings.Cut(l, "-limit ")
		at := strings.LastIndexByte(value, '=')
		set.Limits = append(set.Limits, draw.Limit{Kind: kind, Name: value[:max(at, 0)], Most: value[at+1:]})
	}
	for _, h := range s.Hours {
		set.Hours = append(set.Hours, draw.Named{Name: h.Host, Text: h.String()})
	}
	for _, p := range s.Priorities {
		one := draw.Priority{Kind: "host", Name: p.Host, Add: fmt.Sprintf("%+g", p.Add)}
		if p.Host == "" {
			one.Kind, one.Name = "match", p.Match
		}
		set.Priorities = append(set.Priorities, one)
	}
	return set
}

// rateText writes bytes a second so that kavosh control reads the same.
func rateText(bytes int64) string {
	text, _ := units.Rate(bytes).MarshalText() // it never returns an error
	return string(text)
}

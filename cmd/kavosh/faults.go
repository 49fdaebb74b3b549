package main

// This file tells during a crawl which seeds fail, so that a person who mistyped one need not wait for the end.

import (
	"fmt"
	"strings"
	"sync"

	"kavosh"
	"kavosh/archive"
	"kavosh/lib/weburl"
)

// seedFaults prints at once which seeds come to nothing, and why.
type seedFaults struct {
	say     func(format string, args ...any)
	archive string

	mu struct {
		sync.Mutex
		told  map[string]bool // the hosts and causes that were printed
		final string          // the cause of the first seed that was given up
	}
}

func newSeedFaults(say func(format string, args ...any), archive string) *seedFaults {
	f := &seedFaults{say: say, archive: archive}
	f.mu.told = map[string]bool{}
	return f
}

// faultsTold is how many failed seeds are printed one by one.
const faultsTold = 10

// line reads one line of crawl.log.
func (f *seedFaults) line(l *archive.Line) {
	seed := l.Kind == kavosh.Seed.String() || l.Kind == kavosh.Sitemap.String() && l.Via == ""
	robots := l.Kind == kavosh.Prerequisite.String() && l.Path == "P"
	if !seed && !robots || l.Outcome == "recorded" && (robots || l.Status < 400) || l.Outcome == "dropped" {
		return
	}
	url, cause := l.URL, faultOf(l)
	if robots {
		url = l.Seed
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if seed && l.Outcome != "retry" && f.mu.final == "" {
		f.mu.final = url + ": " + cause
	}
	host := url
	if u, err := weburl.Parse(url); err == nil {
		host = u.Hostname()
	}
	what := string(l.Failure)
	if l.Failure == kavosh.NoFailure {
		what = fmt.Sprint(l.Status, l.Rule, l.Sign)
	}
	if f.mu.told[host] || f.mu.told[host+" "+what] || len(f.mu.told) > faultsTold {
		return
	}
	if robots || l.Failure == kavosh.DNSFailure || l.Failure == kavosh.ConnectFailure {
		f.mu.told[host] = true // all its seeds fail for the same cause
	} else {
		f.mu.told[host+" "+what] = true
	}
	if len(f.mu.told) > faultsTold {
		f.say("more seeds failed: kavosh log %s names them all", quoted(f.archive))
		return
	}
	f.say("%s: %s", url, cause)
}

// final returns why the first seed that was given up failed, or "" if none was given up.
func (f *seedFaults) final() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mu.final
}

// faultOf returns why a seed, or the robots.txt that it needs, failed, and what may help.
func faultOf(l *archive.Line) string {
	cause, _, _ := strings.Cut(l.Reason, ", asked again")
	if cause == "" && l.Status >= 400 {
		cause = fmt.Sprintf("the server answers with status %d", l.Status)
	}
	switch l.Failure {
	case kavosh.DNSFailure:
		return cause + "; is the name spelt right?"
	case kavosh.ConnectFailure:
		return cause + "; is the server running, and the port right?"
	case kavosh.RobotsFailure:
		return fmt.Sprintf("%s; with its owner's leave, --permit %q goes on", cause, weburl.Host(l.URL)+" REASON")
	}
	return cause
}

package frontier

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"kavosh"
)

// A claim comes before what waits in the queue, after the robots.txt of its origin, and shares its host's turn and address
// with the rest of its visit alone.
func TestClaim(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second, AddressDelay: 100 * time.Millisecond})
		addSeeds(t, f, "http://a.test/")
		finish(t, f, next(t, f), 404, "")
		page := next(t, f)
		addr := netip.MustParseAddr("192.0.2.1")
		if wait := page.Address(addr); wait > 0 {
			<-time.After(wait)
		}
		page.Answered(Answer{Status: 200})
		v := page.Visit()
		pages(t, f, "http://a.test", 10)
		apply(t, f, Update{Parent: &page.Task, Links: links(kavosh.Embed, "http://a.test/part1", "http://a.test/part2")})
		start := time.Now()
		claim := func(url string) *Lease {
			t.Helper()
			l, err := v.Claim(t.Context(), url)
			if err != nil {
				t.Fatalf("%s: %v", url, err)
			}
			if wait := l.Address(addr); wait > 0 {
				t.Fatalf("%s: its address is to be left alone for %v", url, wait)
			}
			return l
		}
		one, two := claim("http://a.test/part1"), claim("http://a.test/part2")
		if d := time.Since(start); d > 100*time.Millisecond {
			t.Errorf("the page's parts had to wait for %v", d)
		}
		if one.Task.Via != "http://a.test/" || one.Task.Kind != kavosh.Embed {
			t.Errorf("claimed %+v", one.Task)
		}
		if l, wait, err := f.Poll(); l != nil || wait <= 0 || err != nil {
			t.Errorf("beside the visit %v was leased, %v", l, err)
		}
		finish(t, f, one, 200, "")
		if l, _, _ := f.Poll(); l != nil {
			t.Errorf("%s was leased while the visit has another request under way", l.Task.URL)
		}
		finish(t, f, two, 200, "")
		if _, err := v.Claim(t.Context(), "http://a.test/part1"); !errors.Is(err, ErrDone) {
			t.Errorf("claiming what is done: %v", err)
		}
		if _, err := v.Claim(t.Context(), "http://a.test/unknown"); !errors.Is(err, ErrUnfit) {
			t.Errorf("claiming what is not queued: %v", err)
		}
		ended := time.Now()
		apply(t, f, Update{Parent: &page.Task, Links: links(kavosh.Embed, "http://b.test/part")})
		robots, err := v.Claim(t.Context(), "http://b.test/part")
		if err != nil || robots.Task.Kind != kavosh.Prerequisite {
			t.Fatalf("the first lease at another host is %+v, %v", robots, err)
		}
		finish(t, f, robots, 200, "User-agent: *\nDisallow: /part\n")
		if l, err := v.Claim(t.Context(), "http://b.test/part"); err != nil || l.Refused == nil {
			t.Errorf("what robots.txt forbids was leased: %v", err)
		} else {
			apply(t, f, Update{Task: l.Task})
		}
		post, err := v.Join(t.Context(), kavosh.Task{URL: "http://a.test/api"})
		if err != nil {
			t.Fatal(err)
		}
		post.Answered(Answer{Status: 200})
		post.Drop()
		if s, err := f.State("http://a.test/api"); s != Unseen || err != nil {
			t.Errorf("the URL of a request in no queue is %s, %v", s, err)
		}
		posted := time.Now()
		if l := next(t, f); time.Since(posted) < time.Second || time.Since(ended) < time.Second {
			t.Errorf("%s was leased %v after the visit's last answer", l.Task.URL, time.Since(posted))
		} else {
			l.Later(0)
		}
		apply(t, f, Update{Task: page.Task})
	})
}

// Of two visits the second waits for the first's turn at a host to be over; a claim whose caller gives up leaves the host
// to others.
func TestVisitsTakeTurns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := open(t, Options{Delay: time.Second})
		skipRobots(t, f, "http://a.test", "http://x.test")
		addSeeds(t, f, "http://a.test/1", "http://a.test/2", "http://a.test/3")
		first, second := f.NewVisit(), f.NewVisit()
		l, err := first.Claim(t.Context(), "http://a.test/1")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := second.Claim(ctx, "http://a.test/2"); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("leased beside another visit: %v", err)
		}
		end := time.Now()
		finish(t, f, l, 200, "")
		if l, err = second.Claim(t.Context(), "http://a.test/2"); err != nil || time.Since(end) < time.Second {
			t.Errorf("leased %v after the other visit's answer, %v", time.Since(end), err)
		}
		finish(t, f, l, 200, "")
		if got := drain(t, f, ""); len(got) != 1 || got[0] != "http://a.test/3" {
			t.Errorf("what is left: %q", got)
		}
	})
}

package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/archive"
	"kavosh/fetch"
	"kavosh/frontier/scope"
)

// Parts of pages at names that do not exist get their outcome within seconds, and the crawl ends then.
func TestDeadNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		var web strings.Builder
		web.WriteString("-- a.test/robots.txt status=404 --\n-- a.test/ --\n<title>a</title>\n")
		var parts []string
		for i := range 5 {
			fmt.Fprintf(&web, "-- host dead%d.test dns=none --\n", i)
			for j := range 3 {
				parts = append(parts, fmt.Sprintf("http://dead%d.test/%d", i, j), fmt.Sprintf("https://dead%d.test/s%d", i, j))
			}
		}
		s := serve(t, web.String())
		o := options(s, fs, "http://a.test/")
		o.Browser = newFakeBrowser(func(string) script { return script{parts} })
		start := time.Now()
		r := crawlNow(t, o)
		if took := time.Since(start); r.End != "done" || took > 20*time.Second {
			t.Errorf("the crawl ended by %q after %v", r.End, took)
		}
		all := outcomes(t, fs)
		for _, url := range parts {
			if l := all[url]; l.Outcome != archive.Refused || l.Failure != kavosh.DNSFailure {
				t.Errorf("%s: %+v", url, l)
			}
		}
	})
}

// A host that answered before is not given up when its name is not found for a while.
func TestNameLostForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, bigWeb(1, 12))
		o := options(s, fs, "http://h0.test/0")
		o.Delay, o.AddressDelay = 5*time.Second, 0
		start := time.Now()
		o.Web = lostWeb{testWeb{s}, start.Add(20 * time.Second), start.Add(100 * time.Second)}
		crawlNow(t, o)
		for url, l := range outcomes(t, fs) {
			if strings.HasPrefix(url, "http://h0.test/") && l.Outcome == archive.Refused {
				t.Errorf("%s: %+v", url, l)
			}
		}
	})
}

// A host whose name servers fail for a while, before it was ever met, is not given up: nobody said that it is gone.
func TestNameServersFailForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		var web, pages strings.Builder
		for i := range 6 {
			fmt.Fprintf(&pages, "<a href=http://b.test/%d>x</a><a href=https://b.test/s%d>x</a>", i, i)
		}
		fmt.Fprintf(&web, "-- a.test/robots.txt status=404 --\n-- a.test/ --\n<title>a</title>%s\n", pages.String())
		web.WriteString("-- b.test/robots.txt status=404 --\n-- b.test/** --\n<title>b</title>\n")
		o := options(serve(t, web.String()), fs, "http://a.test/")
		o.Scope.Mode = scope.Any
		o.Web = brokenWeb{o.Web, time.Now().Add(25 * time.Second)}
		r := crawlNow(t, o)
		all := outcomes(t, fs)
		for i := range 6 {
			for _, url := range []string{fmt.Sprintf("http://b.test/%d", i), fmt.Sprintf("https://b.test/s%d", i)} {
				if l := all[url]; l.Outcome != archive.Recorded || l.Status != 200 {
					t.Errorf("%s: %+v", url, l)
				}
			}
		}
		if r.End != "done" {
			t.Errorf("the crawl ended by %q", r.End)
		}
	})
}

// While a host is waited for that refuses connections, the state of the crawl says so and until when; once it is up it counts
// no more.
func TestWaitsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &cutWeb{testWeb: testWeb{serve(t, "-- h0.test/ --\n<title>up</title>\n")}}
		web.down.Store(true)
		o := options(web.testWeb.Server, vfs.NewMem(), "http://h0.test/")
		o.Web = web
		var now func() Status
		o.Events.Progress = func(f func() Status) { now = f }
		o.Events.Finished = func(l archive.Line) {
			s := now()
			if wait := s.AgainAt.Sub(s.Now); l.Outcome == archive.Retry && (s.Again[l.Failure] != 1 || wait <= 0 || wait > 15*time.Second) {
				t.Errorf("after a failure: %v, in %v", s.Again, wait)
			}
			if l.Status == 200 && len(s.Again) > 0 {
				t.Errorf("after an answer: %v", s.Again)
			}
			if l.Outcome == archive.Retry {
				web.down.Store(false)
			}
		}
		if r := crawlNow(t, o); r.Recorded != 1 {
			t.Errorf("%+v", r)
		}
	})
}

// brokenWeb has name servers that fail to look b.test up until a time.
type brokenWeb struct {
	fetch.Web
	until time.Time
}

func (w brokenWeb) Resolve(ctx context.Context, host string) (fetch.Resolution, error) {
	if host == "b.test" && time.Now().Before(w.until) {
		return fetch.Resolution{Failure: "the resolver answered SERVFAIL"}, nil
	}
	return w.Web.Resolve(ctx, host)
}

// lostWeb finds no name between two times.
type lostWeb struct {
	testWeb
	from, to time.Time
}

func (w lostWeb) Resolve(ctx context.Context, host string) (fetch.Resolution, error) {
	if now := time.Now(); now.After(w.from) && now.Before(w.to) {
		return fetch.Resolution{Failure: "no such host", Gone: true}, nil
	}
	return w.testWeb.Resolve(ctx, host)
}

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
	"kavosh/fetch"
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
			if l := all[url]; l.Outcome != outcomeRefused || l.Failure != kavosh.DNSFailure {
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
			if strings.HasPrefix(url, "http://h0.test/") && l.Outcome == outcomeRefused {
				t.Errorf("%s: %+v", url, l)
			}
		}
	})
}

// lostWeb finds no name between two times.
type lostWeb struct {
	testWeb
	from, to time.Time
}

func (w lostWeb) Resolve(ctx context.Context, host string) (fetch.Resolution, error) {
	if now := time.Now(); now.After(w.from) && now.Before(w.to) {
		return fetch.Resolution{Failure: "no such host"}, nil
	}
	return w.testWeb.Resolve(ctx, host)
}

package engine

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/frontier/scope"
	"kavosh/internal/fakeweb"
)

// negotiating is a web whose things are described by pages and by RDF under one URL, chosen by Accept.
const negotiating = `
-- a.test/robots.txt --
User-agent: *
Disallow: /secret
-- a.test/ --
<a href=/thing>a</a> <a href=/plain>b</a> <a href=/varies>c</a> <a href=/varies.html>d</a> <a href=/only>e</a> <a href=/secret>f</a>
-- a.test/thing accept=text/turtle status=303 Location=/thing.ttl --
-- a.test/thing status=303 Location=/about --
-- a.test/thing.ttl Content-Type=text/turtle --
<> <http://www.w3.org/2000/01/rdf-schema#seeAlso> <http://a.test/more>, <http://a.test/more.html>, <http://a.test/secret> .
-- a.test/about --
the thing
-- a.test/more accept=text/turtle Content-Type=text/turtle --
<> <http://a.test/p> "more" .
-- a.test/more --
the page of more
-- a.test/more.html --
more
-- a.test/plain --
nothing to choose from
-- a.test/varies accept=text/turtle Content-Type=text/turtle Vary=accept --
<> <http://a.test/p> "varies" .
-- a.test/varies Vary=Accept-Encoding,ACCEPT --
a page
-- a.test/varies.html Vary=Accept --
a page
-- a.test/only accept=text/turtle Content-Type=text/turtle --
<> <http://a.test/p> "only" .
-- a.test/only status=406 --
`

// times is how often each path was asked for as a page, and how often as RDF.
func times(s *fakeweb.Server) map[string][2]int {
	all := map[string][2]int{}
	for _, q := range requests(s) {
		n := all[q.Path]
		if strings.Contains(q.Header.Get("Accept"), "text/turtle") {
			n[1]++
		} else {
			n[0]++
		}
		all[q.Path] = n
	}
	return all
}

var negotiated = map[string][2]int{
	"/robots.txt": {1, 0}, "/": {1, 1}, "/thing": {1, 1}, "/thing.ttl": {1, 0}, "/about": {1, 0}, "/more": {0, 1}, "/more.html": {1, 0},
	"/plain": {1, 0}, "/varies": {1, 1}, "/varies.html": {1, 0}, "/only": {1, 1}, "/p": {0, 1}, // a property, of which nothing is known
}

// RDF is asked for where there is reason to, once a URL, and never where robots.txt forbids; a request for RDF has no
// validators of the page.
func TestNegotiate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := vfs.NewMem()
		s := serve(t, negotiating)
		o := options(s, fs, "http://a.test/")
		o.Negotiate, o.Scope.Mode = true, scope.Any
		r := crawlNow(t, o)
		got := times(s)
		for path, want := range negotiated {
			if got[path] != want {
				t.Errorf("%s: asked for %v times as page and RDF, want %v", path, got[path], want)
			}
		}
		if len(got) != len(negotiated) || r.Classes["R"] != 4 {
			t.Errorf("asked for %v; classes %v", got, r.Classes)
		}
		var variants int
		for l, err := range archive.ReadLog(fs, o.Archive, "") {
			if err != nil {
				t.Fatal(err)
			}
			if l.Variant && l.Outcome == archive.Recorded {
				variants++
			}
		}
		if variants != 6 {
			t.Errorf("%d lines of crawl.log are of requests for RDF, want 6", variants)
		}
		if trouble, err := archive.Rebuild(t.Context(), fs, o.Archive, nil); err != nil || len(trouble.Trouble) > 0 {
			t.Errorf("rebuild: %v %v", trouble, err)
		}
		seen := 0
		log, err := archive.OpenLog(fs, o.Archive)
		if err != nil {
			t.Fatal(err)
		}
		for c, err := range log.Read(log.Begin()) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Variant {
				seen++
			}
		}
		if seen != 6 {
			t.Errorf("after a rebuild %d captures count as asked for as RDF, want 6", seen)
		}
	})
}

// A host that says it chooses by Accept, and has no RDF, is left alone after a while; one that has some is not.
func TestNegotiateInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var web strings.Builder
		for i := range 60 {
			fmt.Fprintf(&web, "-- a.test/%d Vary=Accept --\n<a href=/%d>on</a>\n", i, i+1)
			if i == 10 {
				web.WriteString("-- b.test/10 accept=text/turtle Content-Type=text/turtle --\n<> <http://b.test/p> 1 .\n")
			}
			fmt.Fprintf(&web, "-- b.test/%d Vary=Accept --\n<a href=/%d>on</a>\n", i, i+1)
		}
		fs := vfs.NewMem()
		s := serve(t, web.String())
		o := options(s, fs, "http://a.test/0", "http://b.test/0")
		o.Negotiate, o.Workers = true, 1
		crawlNow(t, o)
		asked := map[string]int{}
		for _, q := range requests(s) {
			if strings.Contains(q.Header.Get("Accept"), "text/turtle") {
				asked[q.Host]++
			}
		}
		if asked["a.test"] < mostInVain || asked["a.test"] > mostInVain+5 || asked["b.test"] < 60 {
			t.Errorf("asked for RDF: %v", asked)
		}
	})
}

// A crawl that loses power at any moment goes on and has page and RDF of each URL once.
func TestNegotiateCrashes(t *testing.T) {
	for moment := range 14 {
		synctest.Test(t, func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			s := serve(t, negotiating)
			o := options(s, fs, "http://a.test/")
			o.Negotiate, o.Scope.Mode = true, scope.Any
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/3+time.Duration(moment)*time.Second)
			snap := make(chan *vfs.MemFS, 1)
			context.AfterFunc(ctx, func() {
				snap <- fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, uint64(moment)))})
			})
			_, err := Run(ctx, o)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			o.FS = <-snap
			if crawls, err := archive.Crawls(o.FS, "archive"); err != nil || len(crawls) != 1 || !crawls[0].Unfinished() {
				t.Fatalf("after %d s: %v, %v", moment, crawls, err)
			}
			o.Resume, o.Seeds = true, nil
			if r := crawlNow(t, o); r.End != "done" || r.Classes["R"] != 4 || r.Fetched != 15 {
				t.Errorf("after %d s: the crawl ended %q, fetched %d, classes %v", moment, r.End, r.Fetched, r.Classes)
			}
			recordedOnce(t, o.FS)
			got := map[string][2]int{}
			for l, err := range archive.ReadLog(o.FS, "archive", "") {
				if err != nil {
					t.Fatal(err)
				}
				if path := strings.TrimPrefix(l.URL, "http://a.test"); l.Outcome == archive.Recorded {
					n := got[path]
					if l.Variant {
						n[1]++
					} else {
						n[0]++
					}
					got[path] = n
				}
			}
			if !maps.Equal(got, negotiated) {
				t.Errorf("after %d s: recorded %v", moment, got)
			}
		})
	}
}

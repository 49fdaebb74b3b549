// Package scriptlinks measures how many of the links that scripts make the extractor finds without running them.
//
// The gold set is Chromium's, not ours. Each sampled page of each of Sites is loaded twice over a loopback server,
// in an emptied profile, until the page has come to rest:
//
//	on   scripts run: every URL the page requests, and every URL in its DOM afterwards (href, src, srcset, poster,
//	     data, background, action of GET forms, cite …; open shadow roots and templates included)
//	off  the same with script execution disabled: what static HTML and CSS hold
//	gold = on − off
//
// A page that leaves for another by script is held, so that its own DOM can be read, and the page it would have left for
// is loaded too.
//
// URLs are compared as Chromium serialises them, without fragment; only http and https count, and count as the same. A
// page's own address, with another fragment or not, is no link of it. Requests of a frame count for the page in that frame,
// except the request for its document. The browser's request for /favicon.ico and URLs that carry the time of the run in
// their query are left out.
//
// The unit is one URL of one site: a script that is asked for by forty pages counts once, because a crawler fetches it
// once. For each site
//
//	read      = URLs that the extractor reads in those pages and in the files which they load or which a guess names, every
//	            file once, a script with the first page that embeds it as its referrer
//	guesses   = those of them that come from scripts, JSON and data- attributes, and what is in files that only such
//	            guesses named; without those in the off of any page that are not in gold by another
//	recall    = |gold ∩ read| ÷ |gold|
//	precision = |guesses that are right| ÷ |guesses|; right is a guess that is in gold, or that stands on the site and
//	            answers 200. A guess at another host is right only when it is in gold. The share in gold is printed beside.
//
// The figures that are judged are the means over the sites held out (Dev false), each site counting alike: otherwise a
// site whose scripts write ten thousand links would hide all others. Sums over all sites and figures by kind of link
// are printed too. Recall leaves out sites without gold, precision those without guesses.
package scriptlinks

import (
	"context"
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"kavosh/internal/scriptedsites"
)

// Loaded is what Chromium knows of one page, with scripts and without.
type Loaded struct {
	Path    string
	On, Off []Ref
}

// Gold returns the URLs of on − off over all pages, each with how it was first found: by a request before by the DOM.
func (s *Served) Gold() map[string]string {
	gold := map[string]string{}
	for _, p := range s.Loaded {
		off := map[string]bool{canonical(s.Server.URL + escape(p.Path)): true}
		for _, r := range p.Off {
			off[canonical(r.URL)] = true
		}
		for _, r := range p.On {
			u := canonical(r.URL)
			if _, ok := gold[u]; !ok && !off[u] && !timed.MatchString(u) {
				gold[u] = r.How
			}
		}
	}
	return gold
}

// canonical turns https URLs into http: Chromium uses https for hosts known to want it, whatever the page says. The
// sites are served over http.
func canonical(url string) string {
	if rest, ok := strings.CutPrefix(url, "https://"); ok {
		return "http://" + rest
	}
	return url
}

// timed matches the milliseconds that scripts put into a query to avoid caches.
var timed = regexp.MustCompile(`[?&][^&]*\b1[5-9][0-9]{11}\b`)

// Served is a site on a loopback server, with its loaded pages.
type Served struct {
	scriptedsites.Site
	Server *httptest.Server
	Loaded []Loaded
}

// Load serves site and loads its sample in three tabs of b. The caller closes the server.
func Load(ctx context.Context, b *Browser, site scriptedsites.Site) (*Served, error) {
	paths, err := site.Sample()
	if err != nil {
		return nil, err
	}
	served := &Served{Site: site, Server: httptest.NewServer(site)}
	var tabs [3]*Tab
	for i := range tabs {
		if tabs[i], err = b.NewTab(); err != nil {
			served.Server.Close()
			return nil, err
		}
		defer tabs[i].Close()
	}
	left, err := served.load(ctx, tabs[:], paths)
	if err == nil {
		_, err = served.load(ctx, tabs[:], left)
	}
	if err != nil {
		served.Server.Close()
		return nil, fmt.Errorf("site %s: %w", site.Name, err)
	}
	sort.Slice(served.Loaded, func(i, j int) bool { return served.Loaded[i].Path < served.Loaded[j].Path })
	return served, nil
}

// load loads paths that were not loaded before and returns the pages that they tried to go to.
func (s *Served) load(ctx context.Context, tabs []*Tab, paths []string) (left []string, err error) {
	paths = slices.DeleteFunc(paths, func(path string) bool {
		return slices.ContainsFunc(s.Loaded, func(l Loaded) bool { return l.Path == path })
	})
	work := make(chan string)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, tab := range tabs {
		wg.Go(func() {
			for path := range work {
				off, failure := tab.Load(s.Server.URL+escape(path), false)
				var on []Ref
				if failure == nil {
					on, failure = tab.Load(s.Server.URL+escape(path), true)
				}
				to, _, _ := strings.Cut(strings.TrimPrefix(tab.Left(), s.Server.URL), "?")
				mu.Lock()
				if failure != nil && err == nil {
					err = failure
				}
				if strings.HasPrefix(to, "/") && !slices.Contains(left, to) {
					left = append(left, to)
				}
				s.Loaded = append(s.Loaded, Loaded{path, on, off})
				mu.Unlock()
			}
		})
	}
	for _, path := range paths {
		if ctx.Err() == nil {
			work <- path
		}
	}
	close(work)
	wg.Wait()
	if err == nil {
		err = ctx.Err()
	}
	slices.Sort(left)
	return left, err
}

func escape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", " ", "%20").Replace(path)
}

package site

// This file serves the home page, and leads to the other pages of the home origin.

import (
	"bytes"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// HomeHandler serves the origin of the home pages. Their paths contain no archived URLs, so net/http may parse them.
func (s *Site) HomeHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.homePage)
	mux.HandleFunc("GET /find", s.find)
	for path, page := range map[string]func(http.ResponseWriter, *http.Request, *Collection){
		"": s.collectionPage, "/search": s.searchPage, "/pages": s.listPage, "/hosts": s.hostsPage, "/host": s.hostPage, "/rhythm": s.rhythmPage, "/quality": s.qualityPage, "/series": s.seriesPage, "/series.svg": s.seriesFile, "/tree": s.treePage, "/timeline": s.timelinePage, "/timeline.svg": s.timelineFile,
		"/crawls": s.crawlsPage, "/crawl": s.crawlPage, "/capture": s.capturePage, "/compare": s.toComparison, "/changes": s.changesFeed, "/watch": s.watchFeed, "/watches": s.watchesPage, "/links": s.linksPage, "/thumbnail": s.picturePage, "/picture": s.coverPage,
	} {
		mux.HandleFunc("GET /c/{coll}"+path, func(w http.ResponseWriter, r *http.Request) {
			c := s.named(r.PathValue("coll"))
			if c == nil {
				s.problem(w, r, http.StatusNotFound, "no-collection", "")
				return
			}
			page(w, r, c)
		})
	}
	mux.HandleFunc("GET /-/static/", s.draw.ServeStatic)
	mux.HandleFunc("GET /-/health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "ok\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if c := s.named(strings.Trim(r.URL.Path, "/")); c != nil {
			http.Redirect(w, r, "/c/"+c.Name, http.StatusFound)
			return
		}
		s.problem(w, r, http.StatusNotFound, "no-page", "")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.addresses.Replay != "" && s.replay.Serves(r.RequestURI) {
			w.Header().Set("Location", s.addresses.Replay+r.RequestURI) // this path belongs to the replay's origin
			w.WriteHeader(http.StatusFound)
			return
		}
		s.draw.Remember(w, r)
		mux.ServeHTTP(w, r)
	})
}

// homeOf returns the home page: the collections, and the latest page of some hosts. If there are several collections, the
// one with all captures is first.
func (s *Site) homeOf(r *http.Request) draw.Home {
	shown := s.collections
	if len(shown) > 1 {
		shown = append([]*Collection{s.all}, shown...)
	}
	p := draw.Home{Words: s.searchable(nil)}
	for i, c := range shown {
		n := s.counts.of(r.Context(), c)
		p.Collections = append(p.Collections, n.Summary)
		if i == 0 {
			p.Pages = s.pagesOf(r, c, n.fronts())
		}
	}
	return p
}

// fronts returns a page of each host that has one of the latest pages: the one at its root, if there is one.
func (n *counted) fronts() (list []listed) {
	for _, e := range n.newest {
		host := hostOf(e.URL)
		if slices.ContainsFunc(list, func(o listed) bool { return hostOf(o.URL) == host }) {
			continue
		}
		if root, ok := n.homes[host]; ok {
			e = root
		}
		list = append(list, e)
	}
	return list
}

func (s *Site) homePage(w http.ResponseWriter, r *http.Request) { s.draw.Home(w, r, s.homeOf(r)) }

// named returns the collection with the given name, or nil.
func (s *Site) named(name string) *Collection {
	if c := s.served.Named(name); c != nil {
		return s.of(c)
	}
	return nil
}

// find redirects from the search box to the calendar of an address, or to the search results for words.
func (s *Site) find(w http.ResponseWriter, r *http.Request) {
	typed, name := r.FormValue("q"), r.FormValue("coll")
	if typed == "" {
		typed = r.FormValue("url")
	}
	c := s.named(name)
	if c == nil {
		c = s.all
	}
	lang := s.draw.LangOf(r)
	if prefix, ok := strings.CutSuffix(typed, "*"); ok && !strings.ContainsAny(prefix, " \t") {
		http.Redirect(w, r, "/c/"+c.Name+"/pages?"+url.Values{"prefix": {prefix}, "lang": {string(lang)}}.Encode(), http.StatusFound)
		return
	}
	address, ok := replay.AddressOf(typed)
	switch {
	case ok:
		w.Header().Set("Location", s.addresses.Replay+"/"+c.Name+"/*"+string(lang)+"/"+address)
		w.WriteHeader(http.StatusFound)
	case s.searchable(c) && strings.TrimSpace(typed) != "":
		http.Redirect(w, r, "/c/"+c.Name+"/search?"+url.Values{"q": {typed}, "lang": {string(lang)}}.Encode(), http.StatusFound)
	default:
		p := s.homeOf(r)
		p.URL, p.Collection = typed, c.Name
		s.draw.Home(w, r, p)
	}
}

// collectionPage shows a collection as a whole. Old URLs of its list of addresses came here too.
func (s *Site) collectionPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if r.FormValue("prefix") != "" {
		http.Redirect(w, r, "/c/"+c.Name+"/pages?"+r.URL.RawQuery, http.StatusFound)
		return
	}
	n := s.counts.of(r.Context(), c)
	s.draw.Collection(w, r, draw.Collection{Summary: n.Summary, Newest: s.pagesOf(r, c, n.newest)})
}

// pagesOf returns captures in the form that lists show.
func (s *Site) pagesOf(r *http.Request, c *Collection, list []listed) []draw.Address {
	lang, shown := s.draw.LangOf(r), make([]draw.Address, len(list))
	var faces []faced
	for i, e := range list {
		url := replay.Canonical(e.URL)
		shown[i] = draw.Address{URL: url, Calendar: c.calendarPath(lang, url), Last: e.When(), Path: c.replayed(e.Timestamp, rewrite.Page, e.URL), MIME: e.mime, Status: e.Status}
		faces = append(faces, faced{e.Capture, e.mime, &shown[i].Face})
	}
	s.recognise(r.Context(), c, faces)
	return shown
}

func (s *Site) hostsPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	n := s.counts.of(r.Context(), c)
	n.Hosts = slices.Clone(n.Hosts) // other requests use the same summary
	var faces []faced
	for i, h := range n.Hosts {
		if e, ok := n.homes[h.Host]; ok {
			faces = append(faces, faced{e.Capture, e.mime, &n.Hosts[i].Face})
		}
	}
	s.recognise(r.Context(), c, faces)
	s.draw.Hosts(w, r, draw.Hosts{Summary: n.Summary})
}

// coverPage sends the picture of a collection.
func (s *Site) coverPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if c.Picture.Data == nil {
		s.problem(w, r, http.StatusNotFound, "no-page", "")
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Type", c.Picture.Type)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", etagOf(c.Picture.Data))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(c.Picture.Data))
}

// etagOf returns an ETag for data.
func etagOf(data []byte) string {
	f := fnv.New64a()
	f.Write(data)
	return `"` + strconv.FormatUint(f.Sum64(), 16) + `"`
}

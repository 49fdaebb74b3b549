package site

// This file serves the home page, and leads to the other pages of the home origin.

import (
	"bytes"
	"context"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/replay"
	"kavosh/site/draw"
)

// HomeHandler serves the origin of the home pages. Their paths contain no archived URLs, so net/http may parse them.
func (s *Site) HomeHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.homePage)
	mux.HandleFunc("GET /find", s.find)
	for path, page := range map[string]func(http.ResponseWriter, *http.Request, *Collection){
		"": s.collectionPage, "/search": s.searchPage, "/pages": s.listPage, "/hosts": s.hostsPage, "/host": s.hostPage,
		"/crawls": s.crawlsPage, "/crawl": s.crawlPage, "/capture": s.capturePage, "/compare": s.toComparison, "/links": s.linksPage, "/thumbnail": s.picturePage, "/picture": s.coverPage,
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

// shown returns the collections for the home page. If there are several, the one with all captures is first.
func (s *Site) shown(ctx context.Context) []draw.Summary {
	var list []draw.Summary
	if len(s.collections) > 1 {
		list = append(list, s.counts.of(ctx, s.all))
	}
	for _, c := range s.collections {
		list = append(list, s.counts.of(ctx, c))
	}
	return list
}

func (s *Site) homePage(w http.ResponseWriter, r *http.Request) {
	s.draw.Home(w, r, draw.Home{Collections: s.shown(r.Context()), Words: s.searchable(nil)})
}

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
		s.draw.Home(w, r, draw.Home{Collections: s.shown(r.Context()), URL: typed, Collection: c.Name, Words: s.searchable(nil)})
	}
}

// collectionPage shows a collection as a whole. Old URLs of its list of addresses came here too.
func (s *Site) collectionPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if r.FormValue("prefix") != "" {
		http.Redirect(w, r, "/c/"+c.Name+"/pages?"+r.URL.RawQuery, http.StatusFound)
		return
	}
	p := draw.Collection{Summary: s.counts.of(r.Context(), c), Languages: c.languages(r.Context())}
	p.Newest = slices.Clone(p.Newest) // other requests use the same summary
	for i := range p.Newest {
		p.Newest[i] = c.linked(p.Newest[i], s.draw.LangOf(r))
	}
	s.draw.Collection(w, r, p)
}

func (s *Site) hostsPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	s.draw.Hosts(w, r, draw.Hosts{Summary: s.counts.of(r.Context(), c)})
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

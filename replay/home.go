package replay

import (
	"bytes"
	"context"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/pages"
)

// homeMux serves the home pages. Their paths are our own, so net/http may split them.
func (s *Server) homeMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.homePage)
	mux.HandleFunc("GET /find", s.find)
	for path, page := range map[string]func(http.ResponseWriter, *http.Request, *Collection){
		"": s.collectionPage, "/search": s.searchPage, "/pages": s.listPage, "/hosts": s.hostsPage, "/host": s.hostPage,
		"/crawls": s.crawlsPage, "/crawl": s.crawlPage, "/capture": s.capturePage, "/compare": s.toComparison, "/links": s.linksPage, "/thumbnail": s.picturePage, "/picture": s.coverPage,
	} {
		mux.HandleFunc("GET /c/{coll}"+path, func(w http.ResponseWriter, r *http.Request) {
			c := s.collection(r.PathValue("coll"))
			if c == nil {
				s.homeProblem(w, r, http.StatusNotFound, "no-collection", "")
				return
			}
			page(w, r, c)
		})
	}
	mux.HandleFunc("GET /-/static/", s.pages.ServeStatic)
	mux.HandleFunc("GET /-/health", func(w http.ResponseWriter, r *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if c := s.collection(strings.Trim(r.URL.Path, "/")); c != nil {
			http.Redirect(w, r, "/c/"+c.Name, http.StatusFound)
			return
		}
		s.homeProblem(w, r, http.StatusNotFound, "no-page", "")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rt := s.split(r.RequestURI); rt.url != "" && !rt.loose && rt.verb != badRequest && s.base != "" {
			w.Header().Set("Location", s.base+r.RequestURI) // an address of the replay's, asked of this origin
			w.WriteHeader(http.StatusFound)
			return
		}
		s.pages.Remember(w, r)
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) homeProblem(w http.ResponseWriter, r *http.Request, status int, kind, cause string) {
	s.pages.HomeProblem(w, r, pages.Problem{Status: status, Kind: kind, Cause: cause})
}

// shown are the collections as the home page lists them: all together first, when there is more than one.
func (s *Server) shown(ctx context.Context) []pages.Summary {
	var list []pages.Summary
	if len(s.colls) > 1 {
		list = append(list, s.counted(ctx, s.all))
	}
	for _, c := range s.colls {
		list = append(list, s.counted(ctx, c))
	}
	return list
}

func (s *Server) homePage(w http.ResponseWriter, r *http.Request) {
	s.pages.Home(w, r, pages.Home{Collections: s.shown(r.Context()), Words: s.searchable(nil)})
}

// find leads from the search box to the calendar of an address, or to what was found for words.
func (s *Server) find(w http.ResponseWriter, r *http.Request) {
	typed, name := r.FormValue("q"), r.FormValue("coll")
	if typed == "" {
		typed = r.FormValue("url")
	}
	c := s.collection(name)
	if c == nil {
		c = s.all
	}
	lang := s.pages.LangOf(r)
	if prefix, ok := strings.CutSuffix(typed, "*"); ok && !strings.ContainsAny(prefix, " \t") {
		http.Redirect(w, r, "/c/"+c.Name+"/pages?"+url.Values{"prefix": {prefix}, "lang": {string(lang)}}.Encode(), http.StatusFound)
		return
	}
	address, ok := addressOf(typed)
	switch {
	case ok:
		w.Header().Set("Location", s.base+"/"+c.Name+"/*"+string(lang)+"/"+address)
		w.WriteHeader(http.StatusFound)
	case s.searchable(c) && strings.TrimSpace(typed) != "":
		http.Redirect(w, r, "/c/"+c.Name+"/search?"+url.Values{"q": {typed}, "lang": {string(lang)}}.Encode(), http.StatusFound)
	default:
		s.pages.Home(w, r, pages.Home{Collections: s.shown(r.Context()), URL: typed, Collection: c.Name, Words: s.searchable(nil)})
	}
}

// collectionPage shows a collection as a whole. Addresses of its list were once its own.
func (s *Server) collectionPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if r.FormValue("prefix") != "" {
		http.Redirect(w, r, "/c/"+c.Name+"/pages?"+r.URL.RawQuery, http.StatusFound)
		return
	}
	p := pages.Collection{Summary: s.counted(r.Context(), c), Languages: s.languages(r.Context(), c)}
	p.Newest = slices.Clone(p.Newest) // the summary is other readers', too
	for i := range p.Newest {
		p.Newest[i] = s.linked(c, p.Newest[i], s.pages.LangOf(r))
	}
	s.pages.Collection(w, r, p)
}

func (s *Server) hostsPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	s.pages.Hosts(w, r, pages.Hosts{Summary: s.counted(r.Context(), c)})
}

// coverPage answers with the picture that a person gave a collection.
func (s *Server) coverPage(w http.ResponseWriter, r *http.Request, c *Collection) {
	if c.Picture.Data == nil {
		s.homeProblem(w, r, http.StatusNotFound, "no-page", "")
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

// etagOf names bytes.
func etagOf(data []byte) string {
	f := fnv.New64a()
	f.Write(data)
	return `"` + strconv.FormatUint(f.Sum64(), 16) + `"`
}

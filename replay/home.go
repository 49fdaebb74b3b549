package replay

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kavosh/lib/cdx"
	"kavosh/replay/pages"
	"kavosh/replay/rewrite"
)

// listPage is how many addresses one page of a list has.
const listPage = 100

// homeMux serves the home pages. Their paths are our own, so net/http may split them.
func (s *Server) homeMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.homePage)
	mux.HandleFunc("GET /find", s.find)
	mux.HandleFunc("GET /c/{coll}", s.collectionPage)
	mux.HandleFunc("GET /c/{coll}/capture", s.capturePage)
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
	s.pages.Home(w, r, pages.Home{Collections: s.shown(r.Context())})
}

// find leads from the search box to the calendar of an address.
func (s *Server) find(w http.ResponseWriter, r *http.Request) {
	typed, name := r.FormValue("url"), r.FormValue("coll")
	c := s.collection(name)
	if c == nil {
		c = s.all
	}
	lang := s.pages.LangOf(r)
	if prefix, ok := strings.CutSuffix(typed, "*"); ok && c != nil {
		http.Redirect(w, r, "/c/"+c.Name+"?"+url.Values{"prefix": {prefix}, "lang": {string(lang)}}.Encode(), http.StatusFound)
		return
	}
	address, ok := addressOf(typed)
	if !ok {
		s.pages.Home(w, r, pages.Home{Collections: s.shown(r.Context()), URL: typed, Collection: c.Name})
		return
	}
	w.Header().Set("Location", s.base+"/"+c.Name+"/*"+string(lang)+"/"+address)
	w.WriteHeader(http.StatusFound)
}

// collectionPage lists the addresses of a collection that begin with a prefix.
func (s *Server) collectionPage(w http.ResponseWriter, r *http.Request) {
	c := s.collection(r.PathValue("coll"))
	if c == nil {
		s.homeProblem(w, r, http.StatusNotFound, "no-collection", "")
		return
	}
	p := pages.Collection{Summary: s.counted(r.Context(), c), Prefix: strings.TrimSpace(r.FormValue("prefix")), Page: 1}
	if n, err := strconv.Atoi(r.FormValue("page")); err == nil && n > 0 {
		p.Page = n
	}
	q := cdx.Query{URL: everything}
	if p.Prefix != "" {
		q = cdx.Query{URL: p.Prefix, MatchType: cdx.Prefix}
	}
	lang := s.pages.LangOf(r)
	n := 0
	for a, err := range s.addresses(r.Context(), c, q) {
		if err != nil {
			s.trouble("index: " + err.Error())
			s.homeProblem(w, r, http.StatusInternalServerError, "broken", err.Error())
			return
		}
		if n++; n > p.Page*listPage {
			p.More = true
			break
		}
		if n > (p.Page-1)*listPage {
			a.Calendar = s.base + "/" + c.Name + "/*" + string(lang) + "/" + a.URL
			p.URLs = append(p.URLs, a)
		}
	}
	s.pages.Collection(w, r, p)
}

// maxSpellings is how many spellings of one key are told apart in a list.
const maxSpellings = 100

// addresses are the URLs that the query finds, each once with its captures counted. The index has the captures of one key
// in order of time, whatever their spelling, so a key's spellings are gathered first.
func (s *Server) addresses(ctx context.Context, c *Collection, q cdx.Query) iter.Seq2[pages.Address, error] {
	return func(yield func(pages.Address, error) bool) {
		var key string
		var spellings []pages.Address
		flush := func() bool {
			for _, a := range spellings {
				if !yield(a, nil) {
					return false
				}
			}
			spellings = spellings[:0]
			return true
		}
		for e, err := range s.captures(ctx, c, q) {
			if err != nil {
				yield(pages.Address{}, err)
				return
			}
			if !shows(&e) {
				continue
			}
			if e.Key != key {
				if !flush() {
					return
				}
				key = e.Key
			}
			url := canonical(e.URL)
			i := slices.IndexFunc(spellings, func(a pages.Address) bool { return a.URL == url })
			if i < 0 {
				if len(spellings) == maxSpellings {
					continue
				}
				spellings = append(spellings, pages.Address{URL: url})
				i = len(spellings) - 1
			}
			a := &spellings[i]
			a.Captures++
			a.Last, a.Path = e.when(), s.base+replayPath(c, e.Timestamp, rewrite.Page, e.URL)
			if e.MIME != revisitMIME {
				a.MIME, a.Status = e.MIME, e.Status
			}
		}
		flush()
	}
}

// capturePage shows one capture in detail.
func (s *Server) capturePage(w http.ResponseWriter, r *http.Request) {
	c := s.collection(r.PathValue("coll"))
	if c == nil {
		s.homeProblem(w, r, http.StatusNotFound, "no-collection", "")
		return
	}
	var e *capture
	address, stamp := r.FormValue("url"), r.FormValue("time")
	for one, err := range s.captures(r.Context(), c, cdx.Query{URL: address, MatchType: cdx.Exact}) {
		if err != nil {
			s.homeProblem(w, r, http.StatusBadRequest, "bad-request", err.Error())
			return
		}
		if one.Timestamp == stamp && (e == nil || one.URL == address) {
			e = &one
		}
	}
	if e == nil {
		p := pages.Problem{Status: http.StatusNotFound, Kind: "no-capture", URL: address}
		if refused := s.withheld(r.Context(), c, address); refused != nil {
			p.Status, p.Kind = refusedStatus(refused), "access-"+string(refused.Access)
		}
		s.pages.HomeProblem(w, r, p)
		return
	}
	lang := s.pages.LangOf(r)
	p := pages.Capture{
		Collection: s.summary(c), URL: canonical(e.URL), Time: e.when(), Status: e.Status, MIME: e.MIME, Digest: e.Digest, Filename: e.Filename,
		Offset: e.Offset, Length: e.Length, Path: s.base + replayPath(c, e.Timestamp, rewrite.Page, e.URL),
		Raw: s.base + replayPath(c, e.Timestamp, rewrite.Raw, e.URL), Calendar: s.base + "/" + c.Name + "/*" + string(lang) + "/" + canonical(e.URL),
	}
	a, err := s.load(r.Context(), c, *e)
	if err != nil {
		p.Cause = err.Error()
	} else {
		defer a.Close()
		p.Truncated = a.truncated != ""
		p.Status = a.status
		if a.original != nil {
			p.Original = a.original.when()
		}
		for _, f := range a.fields {
			if len(p.Headers) == 200 {
				break
			}
			p.Headers = append(p.Headers, [2]string{clip(f.Name), clip(f.Value)})
		}
	}
	s.pages.Capture(w, r, p)
}

// clip is archived text at a length and in an encoding that a page can hold.
func clip(s string) string {
	if len(s) > maxOrigValue {
		s = s[:maxOrigValue] + "…"
	}
	return strings.ToValidUTF8(clean(s), "\ufffd")
}

// summarySpan is how long a collection's numbers are shown before they are counted again; longer when counting takes long.
const summarySpan = time.Minute

// summaries are the numbers of collections, counted now and then.
type summaries struct {
	mu struct {
		sync.Mutex
		of       map[*Collection]pages.Summary
		again    map[*Collection]time.Time // when they are counted again
		counting map[*Collection]bool
	}
}

// counted is a collection with its numbers. They are counted by reading its index in the background; whoever asks first
// waits a moment for them, and is answered without when that does not suffice.
func (s *Server) counted(ctx context.Context, c *Collection) pages.Summary {
	m := &s.summaries.mu
	m.Lock()
	if m.of == nil {
		m.of, m.again, m.counting = map[*Collection]pages.Summary{}, map[*Collection]time.Time{}, map[*Collection]bool{}
	}
	have, known := m.of[c]
	if known && s.now().Before(m.again[c]) || m.counting[c] {
		m.Unlock()
		if !known {
			have = s.summary(c)
		}
		return have
	}
	m.counting[c] = true
	m.Unlock()
	done := make(chan pages.Summary, 1)
	go func() {
		began := s.now()
		sum := s.count(context.WithoutCancel(ctx), c)
		ended := s.now()
		m.Lock()
		m.of[c], m.again[c], m.counting[c] = sum, ended.Add(max(summarySpan, 50*ended.Sub(began))), false
		m.Unlock()
		done <- sum
	}()
	if known {
		return have
	}
	wait := time.NewTimer(2 * time.Second)
	defer wait.Stop()
	select {
	case sum := <-done:
		return sum
	case <-wait.C:
	case <-ctx.Done():
	}
	return s.summary(c)
}

// everything is the query's URL for all captures.
const everything = "*"

// count reads the whole index of c.
func (s *Server) count(ctx context.Context, c *Collection) pages.Summary {
	sum := s.summary(c)
	first, last := "", ""
	for e, err := range s.captures(ctx, c, cdx.Query{URL: everything}) {
		if err != nil {
			s.trouble(fmt.Sprintf("count %s: %v", c.Name, err))
			return sum
		}
		if !shows(&e) {
			continue
		}
		sum.Captures++
		if first == "" || e.Timestamp < first {
			first = e.Timestamp
		}
		if e.Timestamp > last {
			last = e.Timestamp
		}
	}
	sum.Known = true
	if sum.Captures > 0 {
		sum.First, sum.Last = moment(first), moment(last)
	}
	return sum
}

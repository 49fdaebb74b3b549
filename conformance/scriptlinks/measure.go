package scriptlinks

import (
	"bytes"
	"io"
	"net/http"
	"sort"
	"strings"

	"kavosh"
	"kavosh/extract"
)

// Guess is a URL that the extractor finds in a page, or in what the page loads, but not in static HTML.
type Guess struct {
	By     string // how it was found: the link's Element and Attr
	From   string // the document that contains it
	Exists bool   // it is on the site and answers 200
}

// Figures are the counts for one or more sites.
type Figures struct {
	Site                    string
	Pages                   int
	Gold, Found             int // URLs in gold; those that were read
	Guesses, InGold, Exists int // guessed URLs; those in gold; those in gold or on the site
	GoldBy, FoundBy         map[string]int
	GuessesBy, RightBy      map[string]int
	InGoldBy                map[string]int
	Missed, Wrong           []string
}

// Recall is the share of gold that was read.
func (f *Figures) Recall() float64 { return share(f.Found, f.Gold) }

// Precision is the share of the guesses that are in gold or exist.
func (f *Figures) Precision() float64 { return share(f.Exists, f.Guesses) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Read extracts the loaded pages and what they load like a crawl: every document once, a script with the first page
// that embeds it as its referrer, and the targets of guesses without guessing further. It returns all URLs found, and
// those that are guesses.
func (s *Served) Read() (all map[string]bool, guesses map[string]*Guess, err error) {
	static := map[string]bool{}
	for _, p := range s.Loaded {
		for _, r := range p.Off {
			static[canonical(r.URL)] = true
		}
	}
	type task struct {
		url, via string
		guessed  bool
	}
	all, guesses = map[string]bool{}, map[string]*Guess{}
	gold := s.Gold()
	seen := map[string]bool{}
	var queue []task
	for _, p := range s.Loaded {
		u := s.Server.URL + escape(p.Path)
		seen[u] = true
		queue = append(queue, task{url: u})
	}
	pages := len(queue)
	for i := 0; i < len(queue); i++ {
		t := queue[i]
		doc, err := s.get(t.url)
		if err != nil {
			return nil, nil, err
		}
		if doc.Status != http.StatusOK {
			continue
		}
		doc.Via = t.via
		page := extract.Extract(doc, extract.Options{})
		isPage := page.Type == "text/html" && i >= pages // a page outside the sample is not read
		if isPage {
			continue
		}
		for _, l := range page.Links {
			script := l.Kind == kavosh.Speculative || l.Element == "script" && l.Attr != "src" || l.Element == "json" ||
				strings.HasPrefix(l.Attr, "data-") ||
				i >= pages && l.Element != "css"
			if script && t.guessed && l.Kind == kavosh.Speculative {
				continue
			}
			all[canonical(l.URL)] = true
			if u := canonical(l.URL); (script || t.guessed) && (!static[u] || gold[u] != "") && guesses[u] == nil {
				guesses[u] = &Guess{By: l.Element + " " + l.Attr, From: t.url}
			}
			if (l.Kind == kavosh.Embed || l.Kind == kavosh.Speculative) && !seen[l.URL] && strings.HasPrefix(l.URL, s.Server.URL+"/") {
				seen[l.URL] = true
				queue = append(queue, task{l.URL, t.url, t.guessed || l.Kind == kavosh.Speculative})
			}
		}
	}
	for u, g := range guesses {
		if strings.HasPrefix(u, s.Server.URL+"/") {
			doc, err := s.get(u)
			if err != nil {
				return nil, nil, err
			}
			g.Exists = doc.Status == http.StatusOK
		}
	}
	return all, guesses, nil
}

// get requests url from the site's handler directly.
func (s *Served) get(url string) (extract.Document, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return extract.Document{}, err
	}
	w := recorder{header: http.Header{}, status: http.StatusOK}
	s.Site.ServeHTTP(&w, req)
	doc := extract.Document{URL: url, Status: w.status, Payload: w.body.Bytes()}
	if t := w.header.Get("Content-Type"); t != "" {
		doc.Header = kavosh.Header{{Name: "Content-Type", Value: t}}
	}
	return doc, nil
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header                 { return w.header }
func (w *recorder) WriteHeader(status int)              { w.status = status }
func (w *recorder) Write(b []byte) (int, error)         { return w.body.Write(b) }
func (w *recorder) ReadFrom(r io.Reader) (int64, error) { return w.body.ReadFrom(r) }

// Measure compares the guesses with gold.
func (s *Served) Measure() (*Figures, error) {
	all, guesses, err := s.Read()
	if err != nil {
		return nil, err
	}
	gold := s.Gold()
	f := &Figures{Site: s.Name, Pages: len(s.Loaded), Gold: len(gold), Guesses: len(guesses), GoldBy: map[string]int{},
		FoundBy:   map[string]int{},
		GuessesBy: map[string]int{}, RightBy: map[string]int{}, InGoldBy: map[string]int{}}
	for u, how := range gold {
		f.GoldBy[how]++
		if all[u] {
			f.Found++
			f.FoundBy[how]++
		} else {
			f.Missed = append(f.Missed, how+" "+strings.TrimPrefix(u, s.Server.URL))
		}
	}
	for u, g := range guesses {
		f.GuessesBy[g.By]++
		_, in := gold[u]
		if in {
			f.InGold++
			f.InGoldBy[g.By]++
		}
		if in || g.Exists {
			f.Exists++
			f.RightBy[g.By]++
		} else {
			f.Wrong = append(f.Wrong, g.By+" "+strings.TrimPrefix(u, s.Server.URL)+"  in "+strings.TrimPrefix(g.From, s.Server.URL))
		}
	}
	sort.Strings(f.Missed)
	sort.Strings(f.Wrong)
	return f, nil
}

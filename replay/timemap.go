package replay

// This file answers Memento's timemaps: lists of all captures of a URL.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// timemapPage is how many mementos one page of a timemap lists.
const timemapPage = 5000

// listed is one page of a timemap, with the spans of all pages.
type listed struct {
	mementos    []Capture
	first, last Capture
	count       int
	pages       []span
}

// span has the times of the first and the last memento of a page.
type span struct{ from, until time.Time }

// list reads the captures of a URL and keeps those of one page; pages count from 1. Captures of the same second are one
// memento, because they have the same replay URL.
func (s *mementos) list(r *http.Request, rt route) (listed, error) {
	var l listed
	for e, err := range rt.coll.Of(r.Context(), rt.url) {
		if err != nil {
			return l, err
		}
		if l.count > 0 && e.Timestamp == l.last.Timestamp {
			continue
		}
		if l.count == 0 {
			l.first = e
		}
		if l.count%timemapPage == 0 {
			l.pages = append(l.pages, span{from: e.When()})
		}
		l.pages[len(l.pages)-1].until = e.When()
		if l.count/timemapPage == rt.page-1 {
			l.mementos = append(l.mementos, e)
		}
		l.last = e
		l.count++
	}
	return l, nil
}

// timemap sends the list of a URL's mementos. A long list has several pages. Each page links to all others, with their
// times.
func (s *mementos) timemap(w http.ResponseWriter, r *http.Request, rt route) {
	l, err := s.list(r, rt)
	switch {
	case err != nil:
		s.problems.broken(w, r, rt, err)
		return
	case l.count == 0 || rt.page > len(l.pages):
		s.problems.answer(w, r, rt, http.StatusNotFound, "no-capture")
		return
	}
	out := bufio.NewWriter(w)
	defer out.Flush()
	switch rt.format {
	case "link":
		w.Header().Set("Content-Type", "application/link-format; charset=utf-8")
		s.timemapLink(out, r, rt, l)
	case "json":
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		s.timemapJSON(out, r, rt, l)
	case "cdxj":
		w.Header().Set("Content-Type", "application/cdxj+ors; charset=utf-8")
		s.timemapCDXJ(out, r, rt, l)
	}
}

// timemapURI returns the URI of one page of the timemap in a format.
func (s *mementos) timemapURI(r *http.Request, rt route, format string, page int) string {
	number := ""
	if page > 1 {
		number = fmt.Sprintf("%d/", page)
	}
	return fmt.Sprintf("%s/%s/timemap/%s/%s%s", s.addresses.self(r), rt.coll.Name, format, number, rt.url)
}

func (s *mementos) timegateURI(r *http.Request, rt route) string {
	return fmt.Sprintf("%s/%s/timegate/%s", s.addresses.self(r), rt.coll.Name, rt.url)
}

// rel returns the relation type of a memento: whether it is the first or last of the whole timemap.
func (l *listed) rel(c *Capture) string {
	rel := "memento"
	if c.Timestamp == l.last.Timestamp {
		rel = "last " + rel
	}
	if c.Timestamp == l.first.Timestamp {
		rel = "first " + rel
	}
	return rel
}

func (s *mementos) timemapLink(out *bufio.Writer, r *http.Request, rt route, l listed) {
	const linkFormat = "application/link-format"
	fmt.Fprintf(out, "<%s>; rel=\"original\",\n", rt.url)
	for i, p := range l.pages {
		rel := "timemap"
		if i == rt.page-1 {
			rel = "self"
		}
		fmt.Fprintf(out, "<%s>; rel=\"%s\"; type=\"%s\"; from=\"%s\"; until=\"%s\",\n", s.timemapURI(r, rt, "link", i+1), rel, linkFormat,
			p.from.Format(http.TimeFormat), p.until.Format(http.TimeFormat))
	}
	fmt.Fprintf(out, "<%s>; rel=\"timegate\"", s.timegateURI(r, rt))
	for i := range l.mementos {
		c := &l.mementos[i]
		fmt.Fprintf(out, ",\n<%s%s>; rel=\"%s\"; datetime=\"%s\"", s.addresses.self(r), rt.coll.Path(c.Timestamp, "", c.URL), l.rel(c), c.When().Format(http.TimeFormat))
	}
	out.WriteString("\n")
}

// timemapJSON writes the JSON format that MemGator introduced.
func (s *mementos) timemapJSON(out *bufio.Writer, r *http.Request, rt route, l listed) {
	type entry struct {
		Datetime time.Time `json:"datetime"`
		URI      string    `json:"uri"`
	}
	of := func(c *Capture) entry {
		return entry{c.When(), s.addresses.self(r) + rt.coll.Path(c.Timestamp, "", c.URL)}
	}
	type page struct {
		URI   string    `json:"uri"`
		From  time.Time `json:"from"`
		Until time.Time `json:"until"`
	}
	var doc struct {
		Original string            `json:"original_uri"`
		Self     string            `json:"self"`
		Timemap  map[string]string `json:"timemap_uri"`
		Timegate string            `json:"timegate_uri"`
		Pages    []page            `json:"pages,omitempty"`
		Mementos struct {
			First entry   `json:"first"`
			Last  entry   `json:"last"`
			List  []entry `json:"list"`
		} `json:"mementos"`
	}
	doc.Original, doc.Self, doc.Timegate = rt.url, s.timemapURI(r, rt, "json", rt.page), s.timegateURI(r, rt)
	doc.Timemap = map[string]string{}
	for _, format := range []string{"link", "json", "cdxj"} {
		doc.Timemap[format+"_format"] = s.timemapURI(r, rt, format, rt.page)
	}
	if len(l.pages) > 1 {
		for i, p := range l.pages {
			doc.Pages = append(doc.Pages, page{s.timemapURI(r, rt, "json", i+1), p.from, p.until})
		}
	}
	doc.Mementos.First, doc.Mementos.Last = of(&l.first), of(&l.last)
	for i := range l.mementos {
		doc.Mementos.List = append(doc.Mementos.List, of(&l.mementos[i]))
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	enc.Encode(doc)
}

// timemapCDXJ writes the format of MemGator and ipwb: lines of metadata that begin with "!", then one line for each
// memento.
func (s *mementos) timemapCDXJ(out *bufio.Writer, r *http.Request, rt route, l listed) {
	line := func(key string, value any) {
		out.WriteString(key)
		out.WriteByte(' ')
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.Encode(value)
	}
	line("!context", []string{"http://tools.ietf.org/html/rfc7089"})
	line("!id", map[string]string{"uri": s.timemapURI(r, rt, "cdxj", rt.page)})
	line("!keys", []string{"memento_datetime_YYYYMMDDhhmmss"})
	line("!meta", map[string]string{"original_uri": rt.url})
	line("!meta", map[string]string{"timegate_uri": s.timegateURI(r, rt)})
	for i := range l.pages {
		if i != rt.page-1 {
			line("!meta", map[string]string{"timemap_uri": s.timemapURI(r, rt, "cdxj", i+1)})
		}
	}
	for i := range l.mementos {
		c := &l.mementos[i]
		line(c.Timestamp, struct {
			URI      string `json:"uri"`
			Rel      string `json:"rel"`
			Datetime string `json:"datetime"`
		}{s.addresses.self(r) + rt.coll.Path(c.Timestamp, "", c.URL), l.rel(c), c.When().Format(http.TimeFormat)})
	}
}

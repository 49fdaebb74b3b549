// Package stored holds stored webs, for the lab to crawl again: their pages, the links and texts of these, and labels
// that say what they really are.
//
// A Web holds responses by URL. They are read once, and what extraction finds in each stays in memory, so that a run
// reads nothing. A Web comes from WARC files (warc.go), a folder with mirrored sites (folder.go), a file of pages with
// links and labels (graph.go), or a generator (synthetic.go); Open (open.go) tells which. serve.go answers requests
// from it like a server, without a socket.
package stored

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"

	"kavosh"
	"kavosh/extract"
	"kavosh/lib/httpwire"
)

// Page is one response of a stored web, already read.
type Page struct {
	URL    string // a seen-key
	Status int
	Page   *kavosh.Page // links, title and text; never nil
	Labels []string     // what it really is, such as "course"
	Text   uint64       // hash of its text: the same for pages with the same text; 0 if it has none
}

// Answer is what a server sent for a page.
type Answer struct {
	Status int
	Header kavosh.Header
	Body   []byte // after transfer decoding
}

// Web is a stored web. It does not change after it was opened, so many goroutines may use it at once.
type Web struct {
	Name  string
	Pages []Page // in the order of the source
	Left  *Left  // what could not be read of an archive; nil for other sources

	byURL  map[string]int32
	answer func(i int) (Answer, error) // reads the response of page i
}

// Left counts what could not be read of an archive, and is therefore in no page.
type Left struct {
	Revisits int `json:"revisits"` // revisits whose original is not in these files
	Broken   int `json:"broken"`   // responses that break off
	Again    int `json:"again"`    // responses that ask to come again, such as 429 and 503
}

// String says it in one line; "" if everything was read.
func (l *Left) String() string {
	if l == nil || *l == (Left{}) {
		return ""
	}
	return fmt.Sprintf("left out: %d revisits whose originals are not in these files, %d answers that break off, %d that say to come again (429, 503 …)",
		l.Revisits, l.Broken, l.Again)
}

// Find returns the index of the page with a URL (a seen-key); -1 if the web does not have it.
func (w *Web) Find(url string) int {
	if i, ok := w.byURL[url]; ok {
		return int(i)
	}
	return -1
}

// Answer returns what the server sent for page i. An error means that the file cannot be read any more.
func (w *Web) Answer(i int) (Answer, error) { return w.answer(i) }

// Moved returns the web at other addresses: to maps each URL of a page or link and must never map two to the same. The
// copies share the pages' content.
func (w *Web) Moved(name string, to func(url string) string) *Web {
	moved := &Web{Name: name, Pages: slices.Clone(w.Pages), Left: w.Left, byURL: make(map[string]int32, len(w.Pages)), answer: w.answer}
	for i := range moved.Pages {
		p := &moved.Pages[i]
		p.URL = to(p.URL)
		moved.byURL[p.URL] = int32(i)
		page := *p.Page
		page.URL, page.Links = p.URL, slices.Clone(page.Links)
		for k := range page.Links {
			page.Links[k].URL = to(page.Links[k].URL)
		}
		p.Page = &page
	}
	return moved
}

// HasLabel reports whether page i has the label.
func (w *Web) HasLabel(i int, label string) bool { return slices.Contains(w.Pages[i].Labels, label) }

// Labels returns all labels of the web, sorted, and the number of pages with each.
func (w *Web) Labels() (names []string, pages []int) {
	counts := map[string]int{}
	for i := range w.Pages {
		for _, l := range w.Pages[i].Labels {
			counts[l]++
		}
	}
	for l := range counts {
		names = append(names, l)
	}
	slices.Sort(names)
	for _, l := range names {
		pages = append(pages, counts[l])
	}
	return names, pages
}

// maxBody is how many bytes of a response are read, after content decoding; maxRatio bounds decompression. Both are as
// in a crawl.
const (
	maxBody  = 16 << 20
	maxRatio = 1000
)

// builder collects the pages of a web.
type builder struct {
	web      *Web
	followed map[string][]followed // by page; nil if there is no log
	decoder  httpwire.Decoder
	buffers  extract.Buffers
}

func newBuilder(name string) *builder {
	return &builder{web: &Web{Name: name, byURL: map[string]int32{}}}
}

// add adds a response as a page of the web. Only the first response of a URL counts; for a later one, added is false.
func (b *builder) add(url string, a *Answer, labels []string) (added bool) {
	if _, twice := b.web.byURL[url]; twice {
		return false
	}
	if asksForRetry(a.Status) {
		if b.web.Left != nil {
			b.web.Left.Again++
		}
		return false
	}
	doc := extract.Document{URL: url, Status: a.Status, Header: a.Header}
	if a.Status >= 200 && a.Status <= 299 { // extracted like in a crawl
		doc.Payload = a.Body
		if codings := a.Header.List("Content-Encoding"); len(codings) > 0 {
			doc.Payload, _ = b.decoder.All(bytes.NewReader(a.Body), codings, maxBody, maxRatio) // as far as it can be decoded
		}
	}
	page := extract.Extract(doc, extract.Options{MaxBytes: maxBody, Buffers: &b.buffers,
		Needs: kavosh.Needs{Text: true, RDF: true, Embedded: true}})
	follow(page, b.followed[url])
	b.web.byURL[url] = int32(len(b.web.Pages))
	b.web.Pages = append(b.web.Pages, Page{URL: url, Status: a.Status, Page: page, Labels: labels, Text: textOf(page)})
	return true
}

// asksForRetry reports whether a status asks to come again, so that the response is no page.
func asksForRetry(status int) bool {
	switch status {
	case 0, 408, 425, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// textOf returns a hash of what a page says.
func textOf(p *kavosh.Page) uint64 {
	if p.Title == "" && p.Text == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(p.Title))
	h.Write([]byte{'\n'})
	h.Write([]byte(p.Text))
	return max(h.Sum64(), 1)
}

// done returns the web, or an error if it has no page.
func (b *builder) done() (*Web, error) {
	if len(b.web.Pages) == 0 {
		return nil, fmt.Errorf("%s: no page in it that could be read", b.web.Name)
	}
	return b.web, nil
}

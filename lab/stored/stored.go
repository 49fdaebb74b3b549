// Package stored holds webs that were kept, to be crawled again in the lab: their pages, what these say, and labels that
// tell the truth about them.
//
// A Web is answers by URL, read once: what extraction makes of each is kept in memory, so that a run over it costs no
// reading. It comes from WARC files (warc.go), a folder that mirrors sites (folder.go), a file of pages with their links
// and labels (graph.go), or numbers (synthetic.go); Open (open.go) tells them apart. serve.go answers from it as a server
// would, without a socket.
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

// Page is one answer of a stored web, read.
type Page struct {
	URL    string // a seen-key
	Status int
	Page   *kavosh.Page // links, title and text; never nil
	Labels []string     // what is known to be true of it, such as "course"
	Text   uint64       // of its text: pages that say the same have the same; 0 for no text
}

// Answer is what a server sent for a page.
type Answer struct {
	Status int
	Header kavosh.Header
	Body   []byte // after transfer decoding
}

// Web is a stored web. It does not change once it is read, so that many may use it at once.
type Web struct {
	Name  string
	Pages []Page // in the order of the source
	Left  *Left  // what could not be read of an archive; nil for another source

	byURL  map[string]int32
	answer func(i int) (Answer, error) // of page i
}

// Left counts what could not be read of an archive, and so is in no page.
type Left struct {
	Revisits int `json:"revisits"` // of captures that are not in these files
	Broken   int `json:"broken"`   // answers that break off
	Again    int `json:"again"`    // answers that say to come again, such as 429 and 503
}

// String says it in one line; "" when all was read.
func (l *Left) String() string {
	if l == nil || *l == (Left{}) {
		return ""
	}
	return fmt.Sprintf("left out: %d revisits whose originals are not in these files, %d answers that break off, %d that say to come again (429, 503 …)",
		l.Revisits, l.Broken, l.Again)
}

// Find is the index of the page of a URL, a seen-key; -1 when the web lacks it.
func (w *Web) Find(url string) int {
	if i, ok := w.byURL[url]; ok {
		return int(i)
	}
	return -1
}

// Answer is what the server sent for page i. An error is ours: a file that cannot be read any more.
func (w *Web) Answer(i int) (Answer, error) { return w.answer(i) }

// Moved is the web as it would be at other addresses: to says what becomes of a URL, of a page or of a link, and must make
// no two the same. What pages say is shared.
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

// HasLabel reports whether page i bears the label.
func (w *Web) HasLabel(i int, label string) bool { return slices.Contains(w.Pages[i].Labels, label) }

// Labels are all labels of the web, sorted, with how many pages bear each.
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

// maxBody is how much of an answer is read, in bytes after content decoding, and maxRatio bounds decompression: as in a
// crawl.
const (
	maxBody  = 16 << 20
	maxRatio = 1000
)

// builder gathers the pages of a web.
type builder struct {
	web      *Web
	followed map[string][]followed // by page; nil where no log tells
	decoder  httpwire.Decoder
	buffers  extract.Buffers
}

func newBuilder(name string) *builder {
	return &builder{web: &Web{Name: name, byURL: map[string]int32{}}}
}

// add reads an answer as a page of the web. The first answer of a URL counts; added is false for a later one.
func (b *builder) add(url string, a *Answer, labels []string) (added bool) {
	if _, twice := b.web.byURL[url]; twice {
		return false
	}
	if again(a.Status) {
		if b.web.Left != nil {
			b.web.Left.Again++
		}
		return false
	}
	doc := extract.Document{URL: url, Status: a.Status, Header: a.Header}
	if a.Status >= 200 && a.Status <= 299 { // as a crawl reads it
		doc.Payload = a.Body
		if codings := a.Header.List("Content-Encoding"); len(codings) > 0 {
			doc.Payload, _ = b.decoder.All(bytes.NewReader(a.Body), codings, maxBody, maxRatio) // as far as it decodes
		}
	}
	page := extract.Extract(doc, extract.Options{MaxBytes: maxBody, Buffers: &b.buffers, Needs: kavosh.Needs{Text: true, RDF: true, Embedded: true}})
	follow(page, b.followed[url])
	b.web.byURL[url] = int32(len(b.web.Pages))
	b.web.Pages = append(b.web.Pages, Page{URL: url, Status: a.Status, Page: page, Labels: labels, Text: textOf(page)})
	return true
}

// again reports whether a status says to come again: that is no answer to keep.
func again(status int) bool {
	switch status {
	case 0, 408, 425, 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// textOf is a hash of what a page says.
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

// done is the web, or an error when it has no page.
func (b *builder) done() (*Web, error) {
	if len(b.web.Pages) == 0 {
		return nil, fmt.Errorf("%s: no page in it that could be read", b.web.Name)
	}
	return b.web, nil
}

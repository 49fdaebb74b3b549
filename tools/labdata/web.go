package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/extract"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// page is a page of a stored web.
type page struct {
	url    string // a seen-key
	status int    // 200, or 301 with a Location in the header
	header string // lines ending with CRLF
	body   []byte
	labels []string
}

// web is a stored web being built.
type web struct {
	name  string
	pages []page
	at    map[string]int // by URL
}

func newWeb(name string) *web { return &web{name: name, at: map[string]int{}} }

// add adds a page. Only the first page of a URL counts; an invalid URL is ignored.
func (w *web) add(url, header string, body []byte, labels ...string) {
	w.answer(page{url: url, status: http.StatusOK, header: header, body: body, labels: labels})
}

// redirect adds a redirect from one URL to another.
func (w *web) redirect(from, to string) {
	w.answer(page{url: from, status: http.StatusMovedPermanently, header: "Location: " + to + "\r\n"})
}

func (w *web) answer(p page) {
	key, err := weburl.Key(p.url)
	if err != nil || w.has(key) {
		return
	}
	p.url = key
	w.at[key] = len(w.pages)
	w.pages = append(w.pages, p)
}

func (w *web) has(url string) bool {
	key, err := weburl.Key(url)
	_, ok := w.at[key]
	return ok && err == nil
}

// html adds an HTML page in UTF-8, or in the charset that it declares.
func (w *web) html(url string, body []byte, labels ...string) {
	w.add(url, "Content-Type: text/html\r\n", body, labels...)
}

// keep removes the pages for which wanted returns false.
func (w *web) keep(wanted func(p *page) bool) {
	w.pages = slices.DeleteFunc(w.pages, func(p page) bool { return !wanted(&p) })
	clear(w.at)
	for i := range w.pages {
		w.at[w.pages[i].url] = i
	}
}

func (w *web) links() [][]int {
	out := make([][]int, len(w.pages))
	w.eachLink(func(i int, l *kavosh.Link) {
		if to, ok := w.at[l.URL]; ok && to != i && l.Kind == kavosh.Navigation {
			out[i] = append(out[i], to)
		}
	})
	for i := range out {
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

// eachLink calls each for every link of every page (by index).
func (w *web) eachLink(each func(i int, l *kavosh.Link)) {
	var buffers extract.Buffers
	for i := range w.pages {
		p := &w.pages[i]
		var header kavosh.Header
		for line := range strings.SplitSeq(p.header, "\r\n") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				header = append(header, kavosh.Field{Name: name, Value: value})
			}
		}
		read := extract.Extract(extract.Document{URL: p.url, Status: p.status, Header: header, Payload: p.body},
			extract.Options{MaxBytes: len(p.body), Buffers: &buffers})
		for k := range read.Links {
			each(i, &read.Links[k])
		}
	}
}

// withoutIndexes removes pages that link to more than a fifth of the web, until there are none: from such lists of
// everything, any order knows the whole web at once. It returns the number of links between the remaining pages.
func (w *web) withoutIndexes() (inside int) {
	out := w.links()
	left := make([]bool, len(w.pages))
	for pages, wide := len(w.pages), true; wide; {
		wide = false
		for i := range out {
			out[i] = slices.DeleteFunc(out[i], func(to int) bool { return left[to] })
		}
		most := pages / 5
		for i := range out {
			if !left[i] && len(out[i]) > most {
				left[i], wide = true, true
				pages--
			}
		}
	}
	urls := map[string]bool{}
	for i, l := range left {
		if l {
			urls[w.pages[i].url] = true
			continue
		}
		inside += len(out[i])
	}
	w.keep(func(p *page) bool { return !urls[p.url] })
	return inside
}

// made reports whether a web exists already.
func made(out, name string) (bool, error) {
	_, err := os.Stat(filepath.Join(out, name+".tsv"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// save writes the web, without pages that link to everything.
func (w *web) save(out string) error {
	return w.write(out, w.withoutIndexes())
}

// write writes NAME.warc.gz and then NAME.tsv, and prints the number of links inside.
func (w *web) write(out string, inside int) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	path := filepath.Join(out, w.name)
	f, err := os.Create(path + ".warc.gz")
	if err != nil {
		return err
	}
	defer f.Close()
	writer := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	var labels bytes.Buffer
	for i := range w.pages {
		p := &w.pages[i]
		h, block := p.record(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
		if _, err := writer.WriteRecord(h, bytes.NewReader(block)); err != nil {
			return err
		}
		for _, l := range p.labels {
			fmt.Fprintf(&labels, "%s\t%s\n", p.url, l)
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %d pages, %d links inside, %d labels\n", w.name, len(w.pages), inside,
		bytes.Count(labels.Bytes(), []byte("\n")))
	return os.WriteFile(path+".tsv", labels.Bytes(), 0o644)
}

// record returns the record of an answer of a time.
func (p *page) record(at time.Time) (warc.Header, []byte) {
	block := slices.Concat(fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%s\r\n", p.status, http.StatusText(p.status), p.header), p.body)
	return warc.Header{
		{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()},
		{Name: "WARC-Date", Value: warc.FormatDate(at)},
		{Name: "WARC-Target-URI", Value: p.url}, {Name: "Content-Type", Value: "application/http;msgtype=response"},
		{Name: "Content-Length", Value: strconv.Itoa(len(block))},
	}, block
}

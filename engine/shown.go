package engine

// This file judges pages that a browser has loaded by what they showed then. The HTML of an application may be the same for ever,
// an empty shell, while its scripts make another page of it each day.

import (
	"context"
	"html"
	"strings"
	"time"

	"kavosh"
	"kavosh/frontier"
	"kavosh/frontier/scope"
	"kavosh/lib/cdx"
	"kavosh/lib/words"
)

// shows brings f, what a visit found, up to what the page showed in a browser. document is what its scripts made of it; none if no
// browser has loaded it.
func (v *revisits) shows(f *finding, x *kavosh.Exchange, document []byte) {
	if f == nil || len(document) == 0 {
		return
	}
	if f.print = scope.Print(document, x.Task.URL); f.print == 0 {
		return // it says too little
	}
	f.weight = 1
	if d, ok := v.showsOther(x, document); ok {
		if f.weight = d.Importance; !d.Matters {
			f.weight = 0
		}
	}
}

// showsOther compares a document with the newest that the archive keeps of its page (--render dom); it is not ok if there is none.
func (c *crawl) showsOther(x *kavosh.Exchange, document []byte) (d Difference, ok bool) {
	if c.opt.Compare == nil || len(document) > maxKeepRead {
		return d, false
	}
	e, err := c.renderedLast(x.Task.URL)
	if err != nil || e == nil {
		return d, false
	}
	stored, err := c.stored(c.hard, e, maxKeepRead+1)
	if err != nil || stored.Payload.Size() > maxKeepRead {
		return d, false
	}
	was := &reading{crawl: c, x: stored, body: stored}
	defer was.close()
	old, _, _ := was.decoded()
	as := kavosh.RenderedDOM.Type()
	c.comparing.Lock()
	defer c.comparing.Unlock()
	d, err = c.opt.Compare.Compare(x.Task.URL, Document{as, old}, Document{as, document})
	return d, err == nil
}

// renderedLast returns the newest document of a page that the archive keeps; nil if there is none.
func (c *crawl) renderedLast(url string) (*cdx.Entry, error) {
	for e, err := range c.archive.Records.Index.Query(c.hard, cdx.Query{URL: kavosh.RenderedDOM.URL(url), MatchType: cdx.Exact, Reverse: true, Limit: 1}) {
		return &e, err
	}
	return nil, nil
}

// What was found last has the last bit of its number set if it is what a browser showed. Of two numbers of which one is, bytes decide.
const inBrowser = 1

// alike reports whether two numbers of what was found can be compared.
func alike(a, b uint64) bool { return (a^b)&inBrowser == 0 }

// shownLate is what a page showed that was loaded when its visit had been judged by its HTML (--browser auto).
type shownLate struct {
	url   string
	print uint64 // scope.Print; 0 if it says too little
}

// showsLate notes what a page showed in place of its HTML, if it is scheduled: the next visit is judged by that.
func (v *revisits) showsLate(it *item) error {
	id, known, err := v.numberOf(it.late.url)
	if err != nil || !known || it.late.print == 0 {
		return err
	}
	p, err := v.page(id)
	if err != nil {
		return err
	}
	p.state, p.digest = v.mu.schedule.AppendPage(nil, id), it.late.print|inBrowser
	it.update.Values = append(it.update.Values, frontier.Value{Name: pageName(id), Value: p.append(nil)})
	return nil
}

// Scripts make much of what a page shows if at least madeLeast of its words, and one in madeShare, are nowhere in its HTML, its scripts
// included. A notice about cookies has fewer on most pages.
const (
	madeLeast = 8
	madeShare = 4
)

// makes reports whether scripts made much of what the page shows.
func (v *visit) makes() bool {
	if v.text == "" {
		return false
	}
	was := &reading{crawl: v.c, x: v.doc, body: v.doc}
	defer was.close()
	source, _, _ := was.decoded()
	written := map[string]bool{}
	for w := range words.All(html.UnescapeString(string(source[:min(len(source), maxKeepRead)]))) {
		written[string(w)] = true
	}
	shown, made := 0, 0
	for w := range words.All(v.text) {
		if shown++; !written[string(w)] {
			made++
		}
	}
	return made >= madeLeast && made*madeShare >= shown
}

// What scripts make a page of may change while the page and its scripts do not. So when a page is loaded once more, the data that it
// asks for is asked for again.

// dataLasts is how long data is taken for new, since several pages may ask for it. In a second round, all of it is new.
const dataLasts = time.Minute

// isData reports whether an answer of a media type may be what scripts make pages of, or a frame.
func isData(mime string) bool {
	switch mime {
	case "application/json", "application/xml", "text/xml", "text/plain", "text/html", "application/xhtml+xml", "application/x-ndjson":
		return true
	}
	return strings.HasSuffix(mime, "+json") || strings.HasSuffix(mime, "+xml") && mime != "image/svg+xml"
}

// recallData queues key once more if it is data that a page asks for which is loaded again.
func (v *visit) recallData(ctx context.Context, key string) error {
	if v.c.revisits == nil || !v.page.Again {
		return nil
	}
	since := v.c.clock.Now().Add(-dataLasts)
	if v.c.revisits.second() {
		since = time.Unix(0, v.c.revisits.begun.Load())
	}
	e, err := v.newest(ctx, key)
	if err != nil || e.Filename == "" || !isData(e.Type()) || !e.Time().Before(since) {
		return err
	}
	_, err = v.c.frontier.Recall([]string{key}, nil)
	return err
}

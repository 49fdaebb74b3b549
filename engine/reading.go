package engine

// This file reads answers: what they say, and what they stand in for.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"kavosh"
	"kavosh/extract"
	"kavosh/frontier/scope"
	"kavosh/internal/spool"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/weburl"
	"kavosh/standin"
)

// maxRead is how much of a payload is read for links, in bytes after content decoding; maxRatio bounds decompression.
const (
	maxRead  = 16 << 20
	maxRatio = 1000
)

// reading is an answer being read. Its payload is decoded once for all who look at it.
type reading struct {
	*crawl
	x       *kavosh.Exchange
	body    *kavosh.Exchange  // that has the payload: x, or what the archive has where it was not sent or not kept
	lost    error             // why the archive does not give it
	d       *httpwire.Decoder // nil while nobody has asked for the payload
	payload []byte            // it may be d's
	cut     bool
	notes   []string
	met     bool // somebody has asked what it stands in for
	seen    standin.Verdict

	compared   bool // it was compared with the capture that the archive has (keep.go)
	comparable bool // … and that told what differs
	difference Difference
}

// reading returns x to be read. Where its body was not sent or not kept, stored says where the archive has it. The
// caller must close it.
func (c *crawl) reading(x *kavosh.Exchange, stored *kavosh.Prior) *reading {
	o := &reading{crawl: c, x: x, body: x}
	if stored == nil {
		return o
	}
	original, err := c.stored(context.Background(), &cdx.Entry{Filename: stored.File, Offset: stored.Offset}, 2*maxRead)
	if o.lost = err; err == nil {
		original.Task, o.body = x.Task, original
	}
	return o
}

// decoded returns the payload after content decoding, at most maxRead bytes of it; whether that is not all of it; and
// what was wrong with its codings. It is valid until close.
func (o *reading) decoded() (payload []byte, cut bool, notes []string) {
	if o.d == nil {
		o.d = o.decoders.Get()
		o.payload, o.cut, o.notes = decoded(o.d, o.body)
	}
	return o.payload, o.cut, o.notes
}

// standIn tells what the answer stands in for.
func (o *reading) standIn() standin.Verdict {
	if !o.met {
		o.met = true
		part := o.x.Task.Partial != nil && o.x.Status == http.StatusPartialContent // of a body: it tells nothing by itself
		if o.x.Answered() && o.x.Task.Kind != kavosh.Prerequisite && o.lost == nil && !part {
			var payload []byte
			if standin.Reads(o.body) {
				payload, _, _ = o.decoded()
			}
			o.seen = o.standIns.Meet(o.body, payload, standin.Of(o.body, payload))
		}
	}
	return o.seen
}

// shown tells what the answer stands in for by its head, and by what a browser shows of it in the end, unless that is
// nothing. What the browser shows of a redirect is of another URL. That a page is the same as under other URLs is no more than
// a suspicion where the browser could not show it: a machine with too much to do must not hold hosts.
func (o *reading) shown(html []byte) standin.Verdict {
	before := o.standIn()
	if len(html) == 0 && before.Sign == standin.Repeated {
		return standin.Verdict{Print: before.Print}
	}
	if len(html) == 0 || o.body.Status >= 300 && o.body.Status < 400 {
		return before
	}
	header := kavosh.Header{{Name: "Content-Type", Value: "text/html; charset=utf-8"}}
	for _, f := range o.body.Header {
		if !strings.EqualFold(f.Name, "Content-Type") {
			header = append(header, f)
		}
	}
	seen := standin.Of(&kavosh.Exchange{Task: o.x.Task, Status: o.body.Status, Header: header}, html)
	if seen.Kind == kavosh.NoStandIn && seen.Print != 0 { // it may be a wall, and other answers told
		return before
	}
	return seen
}

// close ends the use of the payload. It may be called twice.
func (o *reading) close() {
	if o.d != nil {
		o.decoders.Put(o.d)
		o.d, o.payload = nil, nil
	}
}

// read extracts from an answer what the crawl goes on with. Only a 2xx answer's body is read for links (an error
// page's are those of its site's frame); headers count for every answer.
func (c *crawl) read(o *reading) *kavosh.Page {
	x := o.x
	page := &kavosh.Page{URL: x.Task.URL}
	if !x.Answered() {
		return page
	}
	if x.Task.Kind == kavosh.Prerequisite {
		if x.Status >= 200 && x.Status <= 299 {
			body, _, _ := o.decoded()
			page.Links = sitemaps(body)
		}
		if c.opt.Datasets {
			page.Links = append(page.Links, void(x.Task.URL)...)
		}
		return page
	}
	doc := extract.Document{URL: x.Task.URL, Status: x.Status, Header: x.Header, Truncated: x.Truncated != kavosh.Whole}
	if x.Task.Kind == kavosh.Embed {
		doc.Via = x.Task.Via
	}
	if o.lost != nil {
		page.Notes = append(page.Notes, "the stored page that it confirms cannot be read: "+o.lost.Error())
		return page
	}
	doc.Header, doc.Status = o.body.Header, o.body.Status
	if doc.Status >= 200 && doc.Status <= 299 {
		var notes []string
		doc.Payload, doc.Truncated, notes = o.decoded()
		doc.Truncated = doc.Truncated || x.Truncated != kavosh.Whole
		defer func() { page.Notes = append(page.Notes, notes...) }()
	}
	page = extract.Extract(doc, extract.Options{Agent: c.agent, MaxBytes: maxRead, Buffers: &c.buffers, Simhash: c.scope.Wants(x.Task), Needs: c.purpose.needs})
	seen := o.standIn()
	page.StandIn, page.Sign = seen.Kind, seen.Sign
	if isHTML(page) && len(doc.Payload) > 0 && c.scope.WantsPrint(x.Task) {
		page.Print = scope.Print(doc.Payload, x.Task.URL)
	}
	if c.searches[x.Task.URL] {
		results(page)
	}
	asRDF(x, page)
	if c.opt.Datasets {
		endpoints(x, page, doc.Payload)
	}
	if c.purpose.some {
		c.uris.choose(x, page)
	}
	if c.opt.Negotiate {
		c.negotiate(x, page)
	}
	return page
}

// stored is what a capture holds, at most limit bytes of it, as an exchange to go on with.
func (c *crawl) stored(ctx context.Context, e *cdx.Entry, limit int64) (*kavosh.Exchange, error) {
	held, err := c.archive.Records.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer held.Close()
	payload, err := io.ReadAll(io.LimitReader(held.Body, limit))
	if err != nil {
		return nil, err
	}
	body := spool.Memory(payload)
	if c.opt.Logins.of(weburl.Host(held.Target)) != nil { // the fetcher knows them better, and the record has none
		held.Header = slices.DeleteFunc(held.Header, func(f kavosh.Field) bool { return strings.EqualFold(f.Name, "Set-Cookie") })
	}
	return &kavosh.Exchange{Task: &kavosh.Task{URL: held.Target}, Status: held.Status, Header: held.Header, Wire: body, Payload: body, Truncated: kavosh.Truncation(held.Truncated)}, nil
}

// isHTML says that a page is one of HTML.
func isHTML(p *kavosh.Page) bool { return p.Type == "text/html" || p.Type == "application/xhtml+xml" }

// decoded is the payload of an answer after content decoding, at most maxRead bytes of it; whether that is not all of
// it; and what was wrong with its codings. It may be d's, until d is put back.
func decoded(d *httpwire.Decoder, x *kavosh.Exchange) (payload []byte, cut bool, notes []string) {
	codings := x.Header.List("Content-Encoding")
	if len(codings) == 0 {
		if b := x.Payload.Bytes(); b != nil {
			return b, false, nil
		}
	}
	payload, err := d.All(io.NewSectionReader(x.Payload, 0, x.Payload.Size()), codings, maxRead, maxRatio)
	if real := d.Codings(); len(real) < len(codings) {
		notes = append(notes, fmt.Sprintf("Content-Encoding is %q, and the body has %q: read as it is",
			strings.Join(codings, ", "), cmp.Or(strings.Join(real, ", "), "identity")))
	}
	if err != nil {
		notes = append(notes, "read for links as far as it decodes: "+err.Error())
	}
	return payload, err != nil, notes
}

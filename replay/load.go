package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// RevisitMIME is what an index says in the place of a media type of a revisit record.
const RevisitMIME = "warc/revisit"

const maxHead = 1 << 20 // longest archived head that is read

// errNoOriginal is the cause when a revisit's original is in no index.
var errNoOriginal = errors.New("the record says the content did not change since an earlier capture, and that capture is not in this archive")

// Answer is an archived answer, read from its record or, for a revisit, from two.
type Answer struct {
	Capture
	Status    int // as archived; 200 for what is no HTTP answer
	Fields    []httpwire.Field
	Truncated string      // WARC-Truncated, of the record that the body is from
	Original  *Capture    // of a revisit: where the body is from; nil when no list may show that capture
	Own       warc.Header // of the capture's own record
	from      Capture     // that record is of: of a revisit its original

	record  *warc.Record
	chunked bool
	bodyLen int64 // bytes of the body as it lies in the record
	Body    io.Reader
	close   func()
}

// Close gives back the files.
func (a *Answer) Close() {
	if a != nil && a.close != nil {
		a.close()
	}
}

// reopen reads the payload of a once more.
func (a *Answer) reopen(ctx context.Context) (io.Reader, error) {
	again, err := a.from.open(a.within(ctx))
	if err != nil {
		return nil, err
	}
	done := a.close
	a.close = func() { again.Close(); done() }
	return again.Body, nil
}

// Get is the last value of a header field, as browsers take it.
func (a *Answer) Get(name string) string {
	h := httpwire.Head{Fields: a.Fields}
	if vs := h.Values(name); len(vs) > 0 {
		return vs[len(vs)-1]
	}
	return ""
}

// Codings are the content codings of the body, in the order in which they were applied.
func (a *Answer) Codings() []string {
	h := httpwire.Head{Fields: a.Fields}
	return h.ContentCodings()
}

// recoded are the fields with these content codings and no others.
func recoded(fields []httpwire.Field, codings []string) []httpwire.Field {
	fields = dropField(fields, "Content-Encoding")
	if len(codings) > 0 {
		fields = append(fields, httpwire.Field{Name: "Content-Encoding", Value: strings.Join(codings, ", ")})
	}
	return fields
}

// Location is where an archived redirect leads, absolute; "" when the answer is none.
func (a *Answer) Location() string {
	if a.Status < 300 || a.Status > 399 {
		return ""
	}
	base, err := weburl.Parse(a.URL)
	if err != nil {
		return ""
	}
	u, err := base.Resolve(a.Get("Location"))
	if err != nil || a.Get("Location") == "" || !u.Fetchable() {
		return ""
	}
	return u.String()
}

// Load reads the record of a capture of view. The caller closes the answer. An error says what is wrong with the archive.
func (view *Collection) Load(ctx context.Context, c Capture) (*Answer, error) {
	a, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	if a.record.Type() != "revisit" {
		if a.Status == http.StatusNotModified { // a crawler's conditional request, kept as if it were the page
			a.Close()
			return nil, errNoOriginal
		}
		return a, nil
	}
	defer a.Close()
	within := a.within(ctx)
	orig, err := view.original(within, a)
	if err != nil {
		return nil, err
	}
	closed, err := orig.Refused(ctx)
	if err != nil {
		return nil, err
	}
	o, err := orig.open(within)
	if err != nil {
		return nil, fmt.Errorf("original of a revisit: %w", err)
	}
	if o.record.Type() == "revisit" {
		o.Close()
		return nil, errNoOriginal
	}
	o.Capture, o.Own = c, a.Own.Clone()
	if closed == nil || closed.Access != kavosh.Takedown {
		o.Original = &orig
	} else { // lists have none of it
		for _, name := range []string{"WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"} {
			o.Own.Del(name)
		}
	}
	switch {
	case !strings.HasSuffix(a.Own.Get("WARC-Profile"), "server-not-modified") && a.Status != http.StatusNotModified && len(a.Fields) > 0:
		// The head is the revisit's own; what describes the bytes of the body is the original's.
		o.Status, o.Fields = a.Status, recoded(a.Fields, o.Codings())
	case closed != nil: // of its head what describes the bytes is shown, and nothing else
		o.Status = http.StatusOK
		o.Fields = slices.DeleteFunc(o.Fields, func(f httpwire.Field) bool {
			return !strings.EqualFold(f.Name, "Content-Type") && !strings.EqualFold(f.Name, "Content-Encoding")
		})
	}
	return o, nil
}

// within is a context in which what a revisit stands for is read.
func (a *Answer) within(ctx context.Context) context.Context {
	if gate := a.Coll.Gate; gate != nil {
		return gate.Revisiting(ctx, &a.Entry)
	}
	return ctx
}

// Refused is why this reader does not get a capture by itself; nil when he does.
func (c *Capture) Refused(ctx context.Context) (*kavosh.Refused, error) {
	if c.Coll.Gate == nil {
		return nil, nil
	}
	return c.Coll.Gate.Refused(ctx, &c.Entry)
}

// open reads the one record of c, up to its body.
func (c Capture) open(ctx context.Context) (*Answer, error) {
	f, size, done, err := c.Coll.Store.Open(ctx, &c.Entry)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.Filename, err)
	}
	a, err := c.readRecord(f, size)
	if err != nil {
		done()
		return nil, fmt.Errorf("%s at %d: %w", c.Filename, c.Offset, err)
	}
	a.close = func() {
		c.Coll.records.GiveBack(a.record)
		done()
	}
	return a, nil
}

// readRecord reads a record up to its body and holds it against the index: one that is about another URL is not what was
// asked for.
func (c Capture) readRecord(f io.ReaderAt, size int64) (*Answer, error) {
	rec, err := c.Coll.records.ReadAt(f, size, c.Offset)
	if err != nil {
		return nil, err
	}
	if uri := rec.TargetURI(); weburl.SURT(uri) != c.Key && !sameURL(uri, c.URL) {
		return nil, fmt.Errorf("the index says %s, the record %.200q: run `kavosh rebuild`", c.URL, uri)
	}
	a := &Answer{Capture: c, from: c, Own: rec.Header, record: rec, Truncated: strings.ToLower(rec.Header.Get("WARC-Truncated")), Body: rec.Block, bodyLen: rec.Size}
	switch typ := rec.Type(); {
	case typ == "resource", typ == "conversion", typ == "response" && !isHTTP(c.URL), typ == "metadata" && !isWeb(c.URL):
		a.Status = 200
		a.Fields = []httpwire.Field{{Name: "Content-Type", Value: rec.Header.Get("Content-Type")}}
	case typ == "response", typ == "revisit":
		head, raw, body, err := httpwire.Split(rec.Block, maxHead)
		if err != nil && typ == "response" {
			return nil, fmt.Errorf("read archived head: %w", err)
		}
		a.Status, a.Fields, a.Body, a.bodyLen, a.chunked = head.Status, head.Fields, body, rec.Size-int64(len(raw)), head.Chunked()
		if a.chunked {
			in := &noting{r: body}
			a.Body = &dechunked{httpwire.Payload(head, in), in}
		}
		if a.Status == 0 {
			a.Status = 200
		}
	default:
		return nil, fmt.Errorf("a record of type %q has no answer to show", typ)
	}
	return a, nil
}

// dechunked is a body without its chunks. Where they are broken or cut, the body ends, as it does in a browser; that the record
// cannot be read is an error.
type dechunked struct {
	r  io.Reader
	in *noting
}

func (d *dechunked) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && d.in.err == nil {
		err = io.EOF
	}
	return n, err
}

// noting remembers why its reader failed.
type noting struct {
	r   io.Reader
	err error
}

func (t *noting) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err != nil && err != io.EOF {
		t.err = err
	}
	return n, err
}

// isHTTP reports whether a response for the URL is an HTTP answer; other protocols' are the bytes alone.
func isHTTP(url string) bool {
	scheme, _, _ := strings.Cut(url, ":")
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// isWeb reports whether the URL is that of a page or file, not of a look-up or note.
func isWeb(url string) bool {
	scheme, _, ok := strings.Cut(url, "://")
	return ok && (isHTTP(url) || strings.EqualFold(scheme, "ftp"))
}

func sameURL(a, b string) bool {
	u, err := weburl.Key(a)
	if err != nil {
		return a == b
	}
	v, err := weburl.Key(b)
	return err == nil && u == v
}

// original finds what a revisit record is a revisit of: the capture that it names by URL and date, else the nearest
// earlier one of that URL, else of its own, that has the same digest, else the first later one.
func (view *Collection) original(ctx context.Context, a *Answer) (Capture, error) {
	h := a.record.Header
	refers := strings.Trim(h.Get("WARC-Refers-To-Target-URI"), "<>")
	same := func(e *Capture) bool { return e.Digest != "" && warc.SameDigest(e.Digest, a.Digest) }
	if date, err := warc.ParseDate(h.Get("WARC-Refers-To-Date")); err == nil && refers != "" {
		at := Timestamp(date)
		c, err := view.whole(ctx, cdx.Query{URL: refers, From: at, To: at}, func(e *Capture) bool { return sameURL(e.URL, refers) })
		if !errors.Is(err, errNoOriginal) {
			return c, err
		}
	}
	for _, url := range []string{refers, a.URL} {
		if url == "" {
			continue
		}
		for _, q := range []cdx.Query{{URL: url, To: a.Timestamp, Reverse: true}, {URL: url, From: a.Timestamp}} {
			c, err := view.whole(ctx, q, same)
			if !errors.Is(err, errNoOriginal) {
				return c, err
			}
		}
	}
	return Capture{}, errNoOriginal
}

// whole is the first of the captures of one URL that is no revisit and that is is true of.
func (view *Collection) whole(ctx context.Context, q cdx.Query, is func(*Capture) bool) (Capture, error) {
	q.MatchType = cdx.Exact
	for e, err := range view.Captures(ctx, q) {
		if err != nil {
			return Capture{}, err
		}
		if e.MIME != RevisitMIME && is(&e) {
			return e, nil
		}
	}
	return Capture{}, errNoOriginal
}

func dropField(fields []httpwire.Field, name string) []httpwire.Field {
	var kept []httpwire.Field
	for _, f := range fields {
		if !strings.EqualFold(f.Name, name) {
			kept = append(kept, f)
		}
	}
	return kept
}

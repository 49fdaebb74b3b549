// Package records opens what captures hold. It is the one way to read a capture's payload and to find the original of a
// revisit. Its Gate alone decides who may have it. Package archive makes the Records of archives and of loose files,
// and stages get them from their callers.
package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/ascii"
	"kavosh/lib/cdx"
	"kavosh/lib/header"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Index answers queries about captures, in the order of index lines unless the query asks for another order.
type Index interface {
	Query(ctx context.Context, q cdx.Query) iter.Seq2[cdx.Entry, error]
}

// Files opens WARC and ARC files by the names that captures have for them.
type Files interface {
	Open(filename string) (f io.ReaderAt, size int64, close func(), err error)
}

// Gate says what a reader may have. The context knows the reader.
type Gate interface {
	// Refused returns why the reader may not have what a capture holds, or nil if the reader may.
	Refused(ctx context.Context, e *cdx.Entry) (*kavosh.Refused, error)
	// Revisiting returns a context for reading the original of a revisit that the reader may see, even if a rule closes
	// the URL where the original was captured.
	Revisiting(ctx context.Context, revisit *cdx.Entry) context.Context
	// Withheld returns why captures of a URL are hidden from lists, or nil if none is hidden.
	Withheld(ctx context.Context, url string) (*kavosh.Refused, error)
	// Edition changes with every decision. What was made of captures under an earlier edition may show more than is
	// allowed now.
	Edition() string
}

// Records gives access to the captures of an archive, or of loose files. Any number of goroutines may use it.
type Records struct {
	Index Index // finds the originals of revisits and the pieces of bodies; if nil, none is found
	Files Files
	Gate  Gate // if nil, everybody may have everything

	pool warc.Pool
}

// Payload is what a capture holds. The caller of Open must close it.
type Payload struct {
	Record    header.Header // of the capture's own record
	Target    string        // URL of the record that Body comes from, or begins with
	Type      string        // WARC-Type of that record
	Status    int           // HTTP status as archived; 200 if the record has no HTTP head
	Header    header.Header // fields of the HTTP response
	Body      io.Reader     // body with its transfer coding removed as far as possible; its content codings stay
	Size      int64         // bytes of the body in the record; if it is chunked, with the framing
	Chunked   bool
	Truncated string     // WARC-Truncated of the record that Body comes from; "" for a body that was continued to its end
	Original  *cdx.Entry // for a revisit, the capture that Body comes from; nil if lists may not show that one

	in      *Records   // the Records that Body is read from
	entry   *cdx.Entry // the entry by which Body is read
	revisit *cdx.Entry // the revisit for which in allows this; or nil
	gate    Gate       // the gate of the revisit
	opened  *warc.Record
	done    func()
	again   *Payload // what Again has opened
}

// ErrNoOriginal is returned if the original of a revisit is in no index.
var ErrNoOriginal = errors.New("the record says the content did not change since an earlier capture, and that capture is not in this archive")

const revisitMIME = "warc/revisit" // the media type that an index has for revisits

// referring lists the fields by which a revisit names its original.
var referring = []string{"WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"}

// Open opens what a capture of r holds. If that is a piece of a body, it opens the whole body, as far as r has it. It looks
// for the original of a revisit in all of among, or in r alone if among is empty. The error is a *kavosh.Refused if the reader may not have it, and ErrNoOriginal if there is only a revisit.
// Any other error means that the archive is damaged.
func (r *Records) Open(ctx context.Context, e *cdx.Entry, among ...*Records) (*Payload, error) {
	p, err := r.whole(ctx, e)
	if err != nil {
		return nil, err
	}
	if p.Type != "revisit" {
		if p.Status == http.StatusNotModified { // the answer to a crawler's conditional request, archived as if it were the page
			p.Close()
			return nil, ErrNoOriginal
		}
		return p, nil
	}
	defer p.Close()
	if len(among) == 0 {
		among = []*Records{r}
	}
	within := ctx
	if r.Gate != nil {
		within = r.Gate.Revisiting(ctx, e)
	}
	in, original, err := find(within, among, e, p.Record)
	if err != nil {
		return nil, err
	}
	var closed *kavosh.Refused
	if in.Gate != nil {
		if closed, err = in.Gate.Refused(ctx, original); err != nil {
			return nil, err
		}
	}
	o, err := in.whole(within, original)
	if err != nil {
		return nil, fmt.Errorf("original of a revisit: %w", err)
	}
	if o.Type == "revisit" {
		o.Close()
		return nil, ErrNoOriginal
	}
	o.revisit, o.gate = e, r.Gate
	return o.revisited(p, original, closed), nil
}

// revisited gives o, the original, the form of the revisit p. closed is why the reader may not have the original by
// itself.
func (o *Payload) revisited(p *Payload, original *cdx.Entry, closed *kavosh.Refused) *Payload {
	o.Record, o.Type = p.Record, p.Type
	if closed == nil || closed.Access != kavosh.Takedown {
		o.Original = original
	} else { // lists do not show the original
		for _, name := range referring {
			o.Record.Del(name)
		}
	}
	switch {
	case !strings.HasSuffix(p.Record.Get("WARC-Profile"), "server-not-modified") && p.Status != http.StatusNotModified && len(p.Header) > 0:
		// The head is the revisit's own, except for the fields that describe the body: they are the original's.
		codings := o.Codings()
		o.Status, o.Header = p.Status, p.Header
		o.Recode(codings)
	case closed != nil: // of the original's head, only the fields that describe the body may be shown
		o.Status = http.StatusOK
		o.Header = slices.DeleteFunc(o.Header, func(f header.Field) bool {
			return !ascii.EqualFold(f.Name, "Content-Type") && !ascii.EqualFold(f.Name, "Content-Encoding")
		})
	}
	return o
}

// Original returns the capture in r that a revisit record refers to, or ErrNoOriginal if there is none.
func (r *Records) Original(ctx context.Context, e *cdx.Entry, record header.Header) (*cdx.Entry, error) {
	_, original, err := find(ctx, []*Records{r}, e, record)
	return original, err
}

// find finds the original of a revisit record: the capture that the record names by URL and date. If there is none, it
// looks at the named URL, and then at the record's own, for captures with the same digest: the nearest earlier one, or
// else the first later one.
func find(ctx context.Context, among []*Records, e *cdx.Entry, record header.Header) (*Records, *cdx.Entry, error) {
	digest := cmp.Or(e.Digest, record.Get("WARC-Payload-Digest"))
	same := func(o *cdx.Entry) bool { return o.Digest != "" && warc.SameDigest(o.Digest, digest) }
	refers := strings.Trim(record.Get("WARC-Refers-To-Target-URI"), "<>")
	if date, err := warc.ParseDate(record.Get("WARC-Refers-To-Date")); err == nil && refers != "" {
		at := date.UTC().Format("20060102150405")
		named := func(o *cdx.Entry) bool { return weburl.Same(o.URL, refers) }
		for _, is := range []func(*cdx.Entry) bool{func(o *cdx.Entry) bool { return named(o) && same(o) }, named} {
			if in, o, err := first(ctx, among, cdx.Query{URL: refers, From: at, To: at}, is); o != nil || err != nil {
				return in, o, err
			}
		}
	}
	for _, url := range []string{refers, cmp.Or(e.URL, strings.Trim(record.Get("WARC-Target-URI"), "<>"))} {
		if url == "" {
			continue
		}
		for _, q := range []cdx.Query{{URL: url, To: e.Timestamp, Reverse: true}, {URL: url, From: e.Timestamp}} {
			if in, o, err := first(ctx, among, q, same); o != nil || err != nil {
				return in, o, err
			}
		}
	}
	return nil, nil, ErrNoOriginal
}

// first returns the first capture of one URL that is no revisit and for which is returns true, or nil.
func first(ctx context.Context, among []*Records, q cdx.Query, is func(*cdx.Entry) bool) (*Records, *cdx.Entry, error) {
	q.MatchType = cdx.Exact
	for _, r := range among {
		if r.Index == nil {
			continue
		}
		for e, err := range r.Index.Query(ctx, q) {
			if err != nil {
				return nil, nil, err
			}
			if e.MIME != revisitMIME && is(&e) {
				return r, &e, nil
			}
		}
	}
	return nil, nil, nil
}

// Alone opens a capture's own record. For a revisit, that is the revisit record itself, usually without a body.
func (r *Records) Alone(ctx context.Context, e *cdx.Entry) (*Payload, error) {
	f, size, done, err := r.file(ctx, e)
	if err != nil {
		return nil, err
	}
	rec, err := r.pool.ReadAt(f, size, e.Offset)
	var p *Payload
	if err == nil {
		p, err = read(rec, e)
	}
	if err != nil {
		done()
		return nil, fmt.Errorf("%s at byte %d: %w", e.Filename, e.Offset, err)
	}
	p.in, p.entry, p.opened, p.done = r, e, rec, done
	return p, nil
}

// From reads the records of a file in order, from the capture's own record on. The next ones are those that were
// written with it.
func (r *Records) From(ctx context.Context, e *cdx.Entry) (in *warc.Reader, done func(), err error) {
	f, size, done, err := r.file(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	if in, err = warc.NewReader(io.NewSectionReader(f, e.Offset, size-e.Offset)); err != nil {
		done()
	}
	return in, done, err
}

// May returns why the reader may not have a capture: a *kavosh.Refused, or what keeps that from being known. It is nil if the reader may.
func (r *Records) May(ctx context.Context, e *cdx.Entry) error {
	if r.Gate == nil {
		return nil
	}
	refused, err := r.Gate.Refused(ctx, e)
	if err == nil && refused != nil {
		return refused
	}
	return err
}

// file opens the file of a capture, if the reader may have the capture.
func (r *Records) file(ctx context.Context, e *cdx.Entry) (f io.ReaderAt, size int64, done func(), err error) {
	if err := r.May(ctx, e); err != nil {
		return nil, 0, nil, err
	}
	if f, size, done, err = r.Files.Open(e.Filename); err != nil {
		err = fmt.Errorf("open %s: %w", e.Filename, err)
	}
	return f, size, done, err
}

// read reads a record up to its body and compares it with the index entry. A record about another URL is an error. An
// entry without URL accepts any record.
func read(rec *warc.Record, e *cdx.Entry) (*Payload, error) {
	uri := rec.TargetURI()
	if e.URL != "" && uri != e.URL && weburl.SURT(uri) != e.Key && !weburl.Same(uri, e.URL) {
		return nil, fmt.Errorf("the index says %s, the record %.200q: run `kavosh rebuild`", e.URL, uri)
	}
	p := &Payload{Record: rec.Header, Target: uri, Type: rec.Type(), Body: rec.Block, Size: rec.Size, Truncated: strings.ToLower(rec.Header.Get("WARC-Truncated"))}
	switch {
	case p.Type == "resource", p.Type == "conversion", p.Type == "response" && !hasScheme(uri, "http", "https"),
		p.Type == "metadata" && !hasScheme(uri, "http", "https", "ftp"):
		p.Status, p.Header = 200, header.Header{{Name: "Content-Type", Value: rec.Header.Get("Content-Type")}}
	case p.Type == "response", p.Type == "revisit":
		in := &warc.Noting{R: rec.Block}
		rec.Block = in
		head, body, err := rec.Payload()
		if err != nil && p.Type == "response" {
			return nil, fmt.Errorf("read archived head: %w", err)
		}
		p.Status, p.Header, p.Chunked, p.Size = head.Status, head.Fields, head.Chunked(), rec.Size-int64(head.Len)
		switch {
		case p.Chunked:
			p.Body = &dechunked{body, in}
		case body != nil:
			p.Body = body
		}
		if p.Status == 0 {
			p.Status = 200
		}
	default:
		return nil, fmt.Errorf("a record of type %q has no answer to show", p.Type)
	}
	return p, nil
}

// hasScheme reports whether a URI has one of the given schemes.
func hasScheme(uri string, schemes ...string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	return slices.ContainsFunc(schemes, func(s string) bool { return ascii.EqualFold(scheme, s) })
}

// Close closes the file.
func (p *Payload) Close() {
	if p == nil || p.done == nil {
		return
	}
	p.again.Close()
	if p.opened != nil { // else it is joined of pieces, and done closes those
		p.in.pool.GiveBack(p.opened)
	}
	p.done()
	p.done = nil
}

// Again returns the body once more, from its beginning.
func (p *Payload) Again(ctx context.Context) (body io.Reader, err error) {
	if p.gate != nil {
		ctx = p.gate.Revisiting(ctx, p.revisit)
	}
	p.again.Close()
	if p.again, err = p.in.whole(ctx, p.entry); err != nil {
		return nil, err
	}
	return p.again.Body, nil
}

// Codings returns the content codings of the body, in the order in which they were applied.
func (p *Payload) Codings() []string {
	h := httpwire.Head{Fields: p.Header}
	return h.ContentCodings()
}

// Recode replaces the content codings in the head.
func (p *Payload) Recode(codings []string) {
	p.Header = slices.DeleteFunc(p.Header, func(f header.Field) bool { return ascii.EqualFold(f.Name, "Content-Encoding") })
	if len(codings) > 0 {
		p.Header.Add("Content-Encoding", strings.Join(codings, ", "))
	}
}

// dechunked is a body without chunked framing. If the framing is broken or cut, the body ends there, as in a browser. A
// record that cannot be read is an error.
type dechunked struct {
	r  io.Reader
	in *warc.Noting
}

func (d *dechunked) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && d.in.Err == nil {
		err = io.EOF
	}
	return n, err
}

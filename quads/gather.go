package quads

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"kavosh"
	"kavosh/internal/journal"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/iri"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/jsonld"
	"kavosh/lib/warc"
)

// Gatherer puts the statements of captures into a store.
type Gatherer struct {
	Store   *Store
	Records *records.Records
	Trouble func(url string, err error) // told of each capture whose record cannot be read

	contexts contextCache
}

// Name is the folder of the statements below an archive's derived/.
const Name = "rdf@2"

// Name is that of the store.
func (g *Gatherer) Name() string { return Name }

// Cursor is where in the capture log the next Add must go on.
func (g *Gatherer) Cursor() journal.Cursor { return g.Store.Cursor() }

// Reset empties the store.
func (g *Gatherer) Reset(generation int) error { return g.Store.Reset(generation) }

// Commit notes that the capture log is read up to a place.
func (g *Gatherer) Commit(cursor journal.Cursor) error { return g.Store.Commit(cursor) }

const (
	maxDocument = 4 << 30 // bytes of a document after content decoding
	maxRatio    = 1000    // of them to a byte that was sent
)

// Add puts what a capture says. Captures that are no document (failures, errors of servers, redirects) leave what is
// known of their URL as it is. A capture of 2xx replaces it, unless it is older. An error is of the store. After the
// last call Settle it.
func (g *Gatherer) Add(_ context.Context, c *kavosh.Capture, _ int64) (full bool, err error) {
	return false, g.add(c)
}

func (g *Gatherer) add(c *kavosh.Capture) error {
	if c.Failure == kavosh.NoFailure && c.Status >= 300 && c.Status <= 399 && c.Location != "" && records.IsDocument(c.URL) {
		return g.Store.redirect(c)
	}
	if c.Failure != kavosh.NoFailure || c.Type != "resource" && (c.Status < 200 || c.Status > 299) || !records.IsDocument(c.URL) {
		return nil
	}
	d := Document{URL: c.URL, Time: c.Time, Record: c.Record, Digest: c.Digest, File: c.File, Offset: c.Offset, Crawl: c.Crawl, MIME: c.MIME, Variant: c.Variant}
	switch c.Type {
	case "response", "resource":
		if isMedia(c.MIME) {
			d.Class = kavosh.ClassOther
			return g.Store.Put(&d, func(func(rdf.Quad) error) error { return nil })
		}
	case "revisit":
		// An earlier capture with the same payload had the same statements, also at another URL. If it had none, this
		// one has none.
		old, known, err := g.Store.Document(c.URL)
		if err != nil || known && warc.SameDigest(old.Digest, c.Digest) {
			return err
		}
		twin, ok, err := g.Store.Twin(c.Digest)
		if err != nil || !ok {
			return err
		}
		d.File, d.Offset, d.MIME = twin.File, twin.Offset, twin.MIME
	default:
		return nil
	}
	return g.put(&d)
}

// put reads a document's payload and puts what it says.
func (g *Gatherer) put(d *Document) error {
	payload, done, err := g.open(d)
	if err != nil {
		g.Trouble(d.URL, err)
		return nil
	}
	defer done()
	return g.Store.Put(d, func(yield func(rdf.Quad) error) (err error) {
		var missing []string
		payload.Contexts = func(url string) ([]byte, bool) {
			document, ok := g.context(url)
			if !ok && len(missing) < maxMissing && !slices.Contains(missing, url) {
				missing = append(missing, url)
			}
			return document, ok
		}
		d.Reading, err = Read(payload, yield)
		d.Missing = missing
		return err
	})
}

// open opens a document's payload, without its content codings.
func (g *Gatherer) open(d *Document) (p Payload, done func(), err error) {
	held, err := g.Records.Open(context.Background(), &cdx.Entry{Filename: d.File, Offset: d.Offset}) // of a revisit its twin's record
	if err != nil {
		return p, nil, err
	}
	p = Payload{URL: d.URL, ContentType: cmp.Or(held.Header.Get("Content-Type"), d.MIME), MaxBytes: maxDocument, MaxRatio: maxRatio}
	p.Context = linkedContext(held.Header, d.URL)
	p.Body = httpwire.Decode(held.Body, held.Codings(), maxDocument, maxRatio)
	return p, held.Close, nil
}

// linkedContext returns the JSON-LD context that a Link field gives to plain JSON at url, or "".
func linkedContext(head kavosh.Header, url string) string {
	for _, value := range head.Values("Link") {
		for target, parameters := range httpwire.Links(value) {
			for _, p := range parameters {
				if p.Name == "rel" && slices.Contains(strings.Fields(p.Value), jsonld.Relation) {
					context, _ := iri.NewBase(url).Resolve(target)
					return context
				}
			}
		}
	}
	return ""
}

// isMedia reports whether a media type is one that nobody writes statements in, so that its payload need not be read.
func isMedia(mime string) bool {
	kind, _, _ := strings.Cut(mime, "/")
	return kind == "image" && mime != "image/svg+xml" || kind == "audio" || kind == "video" || kind == "font"
}

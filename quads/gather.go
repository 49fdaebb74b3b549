package quads

// This file makes the statements of an archive a follower of its capture log. It reads archived payloads and writes
// only the Store.

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

// Gatherer adds the statements of captures to a store.
type Gatherer struct {
	Store   *Store
	Records *records.Records
	Trouble func(url string, err error) // is called for each capture whose record cannot be read

	contexts contextCache
}

// Name is the folder of the statements, below an archive's folder derived.
const Name = "rdf@2"

// Name returns the name of the derived thing.
func (g *Gatherer) Name() string { return Name }

// Cursor returns the place in the capture log from which Add must go on.
func (g *Gatherer) Cursor() journal.Cursor { return g.Store.Cursor() }

// Reset empties the store. The caller then adds all captures of the given generation of the log.
func (g *Gatherer) Reset(generation int) error { return g.Store.Reset(generation) }

// Commit records that the capture log is read up to cursor.
func (g *Gatherer) Commit(cursor journal.Cursor) error { return g.Store.Commit(cursor) }

const (
	maxDocument = 4 << 30 // bytes of a document, after its content coding is removed
	maxRatio    = 1000    // decoded bytes to one byte that was sent
)

// Add adds the statements of a capture. A capture without a document (a failure, a server error, a redirect) changes
// nothing. A capture with a 2xx status replaces what is known of its URL, unless it is older. An error is about the
// store. Call Settle after the last Add.
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

// put reads the payload of a document and stores its statements.
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

// open opens the payload of a document, with its content codings removed.
func (g *Gatherer) open(d *Document) (p Payload, done func(), err error) {
	held, err := g.Records.Open(context.Background(), &cdx.Entry{Filename: d.File, Offset: d.Offset}) // for a revisit this is the record of its original
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

// isMedia reports whether documents of a media type never have statements, so that their payload need not be read.
func isMedia(mime string) bool {
	kind, _, _ := strings.Cut(mime, "/")
	return kind == "image" && mime != "image/svg+xml" || kind == "audio" || kind == "video" || kind == "font"
}

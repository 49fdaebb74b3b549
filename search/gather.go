package search

// This file turns captures into documents of the search index. It reads archived payloads and the stored texts, never
// the network.

import (
	"context"
	"strings"

	"kavosh"
	"kavosh/internal/journal"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/words"
)

// Texts keeps the texts of payloads. Package texts implements it.
type Texts interface {
	// Begin is called before captures are added from the beginning of a generation of the capture log on.
	Begin(generation int) error
	// Join is called before captures are added from a place in the log on. It reports whether all that is made together
	// with the texts reaches that far.
	Join(at journal.Cursor) (ok bool)
	Add(ctx context.Context, c *kavosh.Capture, at int64) (full bool, err error)
	// Text returns the text of a capture that was added, or nil if it has none.
	Text(ctx context.Context, c *kavosh.Capture) (*kavosh.Text, error)
	Language(declared, charset, text string) (code string, certain float64)
	Commit(journal.Cursor) error
}

// Gatherer adds captures to the index.
type Gatherer struct {
	Writer  *Writer
	Texts   Texts
	Records *records.Records            // opens the payloads of pictures and PDF documents
	PDF     *PDF                        // reads PDF documents; if nil, they have no text
	Trouble func(url string, err error) // is called for each picture and PDF document that cannot be read
	decoder httpwire.Decoder
}

const (
	maxPayload = 16 << 20 // bytes of a payload that are read, after its content coding is removed
	maxRatio   = 1000     // decoded bytes to one byte that was sent
	maxWords   = 512      // bytes of the words around a picture
)

// Add adds a capture. Captures that nobody looks for by words (redirects, failures, styles, scripts) are left out. at
// is not used. full means that so much was added since the last Commit that the caller should call it now. An error is
// about the index, never about a payload.
func (g *Gatherer) Add(ctx context.Context, c *kavosh.Capture, at int64) (full bool, err error) {
	if full, err = g.Texts.Add(ctx, c, at); err == nil {
		err = g.add(ctx, c)
	}
	return full || g.Writer.full(), err
}

func (g *Gatherer) add(ctx context.Context, c *kavosh.Capture) error {
	if !records.Searchable(c) {
		return nil
	}
	hash, told := uint64(0), uint64(0)
	if c.Digest != "" {
		hash, told = payloadHash(c.Digest), toldHash(c.Digest, c.URL)
	}
	for _, hash := range [...]uint64{hash, told} {
		if doc, ok := g.Writer.find(hash); ok && hash != 0 {
			g.capture(c, doc)
			return nil
		}
	}
	if c.Type == "revisit" {
		return nil // of what was no document when it was captured as a whole, or is not here
	}
	if strings.HasPrefix(c.MIME, "image/") && c.MIME != "image/svg+xml" {
		body, err := g.open(ctx, c)
		if err != nil {
			g.Trouble(c.URL, err)
			return nil
		}
		g.capture(c, g.Writer.b.document(pictureKind, &Document{Likeness: likeness(body)}, c.URL, "", c.Digest, hash))
		return nil
	}
	t, err := g.Texts.Text(ctx, c)
	if err != nil || t == nil || t.Outcome == kavosh.TextBroken {
		return err
	}
	if !t.Told {
		g.document(ctx, c, t, hash)
	} else { // of other URLs with this payload something else may be told
		g.Writer.b.ruled(toldHash(c.Digest, ""), g.document(ctx, c, t, told))
	}
	return nil
}

// capture adds the capture of a document at a URL.
func (g *Gatherer) capture(c *kavosh.Capture, doc uint32) {
	g.Writer.b.capture(c.URL, capture{time: seconds(c.Time), doc: doc, status: uint16(c.Status), kind: uint16(g.Writer.b.types.get(c.MIME))})
}

// document adds what a payload says, under a hash, and returns the document. The index may have had it already.
func (g *Gatherer) document(ctx context.Context, c *kavosh.Capture, t *kavosh.Text, hash uint64) (doc uint32) {
	b := g.Writer.b
	d := Document{Title: t.Title, Text: t.Text, Lang: t.Lang}
	if t.Type == pdfType && g.PDF != nil {
		d.Text, d.Lang = g.pdf(ctx, c)
	}
	if d.Text == "" && d.Title == "" {
		doc = b.document(emptyKind, &d, c.URL, "", c.Digest, hash)
		g.capture(c, doc)
		return doc
	}
	text := textHash(d.Title, d.Text)
	doc, known := g.Writer.find(text)
	if !known {
		doc = b.document(pageKind, &d, c.URL, "", c.Digest, hash, text)
	} else if hash != 0 {
		b.alias(hash, doc)
	}
	g.capture(c, doc)
	g.mentions(c, t)
	return doc
}

// pdf returns the text of a PDF document and its language.
func (g *Gatherer) pdf(ctx context.Context, c *kavosh.Capture) (text, language string) {
	body, err := g.open(ctx, c)
	if err != nil {
		g.Trouble(c.URL, err)
		return "", ""
	}
	text = g.PDF.Text(ctx, body)
	language, _ = g.Texts.Language("", "", text)
	return text, language
}

// mentions adds the pictures that a page mentions, with the words around them. The same picture with the same words is
// added once.
func (g *Gatherer) mentions(c *kavosh.Capture, t *kavosh.Text) {
	for _, p := range t.Pictures {
		hash := hashOf("mention", p.URL, p.Title)
		if _, known := g.Writer.find(hash); known {
			continue
		}
		d := Document{Title: p.Title, Text: words.Clip(strings.TrimSpace(p.Around+" "+t.Title), maxWords), Lang: t.Lang}
		doc := g.Writer.b.document(mentionKind, &d, p.URL, c.URL, "", hash)
		g.Writer.b.capture(p.URL, capture{time: seconds(c.Time), doc: doc, kind: uint16(g.Writer.b.types.get("")), mention: true})
	}
}

// open reads a capture's payload. The result is valid until the next call.
func (g *Gatherer) open(ctx context.Context, c *kavosh.Capture) ([]byte, error) {
	held, err := g.Records.Open(ctx, &cdx.Entry{URL: c.URL, Filename: c.File, Offset: c.Offset})
	if err != nil {
		return nil, err
	}
	defer held.Close()
	// A body that cannot be decoded to its end is read as far as possible, as in a crawl.
	body, _ := g.decoder.All(held.Body, held.Codings(), maxPayload, maxRatio)
	return body, nil
}

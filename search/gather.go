package search

import (
	"cmp"
	"context"
	"strings"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/lang"
)

// Payload is what a capture holds, without its content codings.
type Payload struct {
	URL    string
	File   string // of the archive that it lies in
	Status int
	Header kavosh.Header
	Body   []byte
}

// Gatherer puts what captures say into an index.
type Gatherer struct {
	Writer  *Writer
	Records *records.Records
	Extract func(Payload) *kavosh.Page  // reads a payload: its text, title, links; kavosh/extract does
	PDF     *PDF                        // nil leaves PDF documents without text
	Trouble func(url string, err error) // told of each capture whose record cannot be read
	Links   Links                       // keeps who links where; nil for nobody
	decoder httpwire.Decoder
	id      *lang.Identifier
}

const (
	maxPayload  = 16 << 20 // bytes of a payload that are read, after content decoding
	maxRatio    = 1000     // of them to a byte that was sent
	maxPictures = 200      // mentions that are taken from a page
	maxWords    = 512      // bytes of the words around a picture
	maxURL      = 2 << 10  // bytes: what has a longer URL is left out
)

// Add puts what a capture says. Captures that nobody would look for by words (redirects, failures, styles, scripts) are left out.
// An error is of the index. full says that so much was added since the last Commit that it is time for one.
func (g *Gatherer) Add(ctx context.Context, c *kavosh.Capture, _ int64) (full bool, err error) {
	err = g.add(ctx, c)
	return g.Writer.full(), err
}

func (g *Gatherer) add(ctx context.Context, c *kavosh.Capture) error {
	if c.Location != "" && c.Failure == kavosh.NoFailure && g.Links != nil {
		if err := g.Links.Add(c, nil); err != nil {
			return err
		}
	}
	if !searchable(c) {
		return nil
	}
	hash := uint64(0)
	if c.Digest != "" {
		hash = payloadHash(c.Digest)
	}
	if doc, ok := g.Writer.find(hash); ok && hash != 0 {
		g.capture(c, doc)
		return nil
	}
	if c.Type == "revisit" {
		return nil // of what was no document when it was captured as a whole, or is not here
	}
	p, err := g.open(ctx, c)
	if err != nil {
		g.Trouble(c.URL, err)
		return nil
	}
	return g.read(ctx, c, p, hash)
}

// capture notes that a URL held a document.
func (g *Gatherer) capture(c *kavosh.Capture, doc uint32) {
	g.Writer.b.capture(c.URL, capture{time: seconds(c.Time), doc: doc, status: uint16(c.Status), kind: uint16(g.Writer.b.types.get(c.MIME))})
}

// read adds what a payload says.
func (g *Gatherer) read(ctx context.Context, c *kavosh.Capture, p Payload, hash uint64) error {
	b := g.Writer.b
	if strings.HasPrefix(c.MIME, "image/") && c.MIME != "image/svg+xml" {
		g.capture(c, b.document(pictureKind, &Document{Likeness: likeness(p.Body)}, c.URL, "", c.Digest, hash))
		return nil
	}
	page := g.Extract(p)
	if g.Links != nil {
		if err := g.Links.Add(c, page); err != nil {
			return err
		}
	}
	d := Document{Title: page.Title, Text: page.Text}
	if page.Type == pdfType && g.PDF != nil {
		d.Text = g.PDF.Text(ctx, p.Body)
	}
	if d.Text == "" && d.Title == "" {
		g.capture(c, b.document(emptyKind, &d, c.URL, "", c.Digest, hash))
		return nil
	}
	text := textHash(d.Title, d.Text)
	doc, known := g.Writer.find(text)
	if !known {
		d.Lang = g.language(page, d.Text)
		doc = b.document(pageKind, &d, c.URL, "", c.Digest, hash, text)
	} else if hash != 0 {
		b.alias(hash, doc)
	}
	g.capture(c, doc)
	g.mentions(c, page, d.Lang)
	return nil
}

// language is the language of a page; "" when it cannot be told.
func (g *Gatherer) language(page *kavosh.Page, text string) string {
	if g.id == nil {
		g.id = lang.Load().New()
	}
	v := g.id.Page(lang.Page{Text: clip(text, 32<<10), Tags: []string{page.Lang}, Charset: page.Charset})
	if len(v.Languages) == 0 || v.Languages[0].Code == lang.Undetermined {
		return ""
	}
	return v.Languages[0].Code
}

// mentions adds the pictures of a page with the words around them, each picture with the same words but once.
func (g *Gatherer) mentions(c *kavosh.Capture, page *kavosh.Page, language string) {
	n := 0
	for i := range page.Links {
		l := &page.Links[i]
		if l.Kind != kavosh.Embed || l.Element != "img" && l.Element != "source" || len(l.URL) > maxURL || !strings.HasPrefix(l.URL, "http") {
			continue
		}
		if n++; n > maxPictures {
			return
		}
		hash := hashOf("mention", l.URL, l.Anchor)
		if _, known := g.Writer.find(hash); known {
			continue
		}
		d := Document{Title: cmp.Or(l.Anchor, l.Title), Text: clip(strings.TrimSpace(l.Around+" "+page.Title), maxWords), Lang: language}
		doc := g.Writer.b.document(mentionKind, &d, l.URL, c.URL, "", hash)
		g.Writer.b.capture(l.URL, capture{time: seconds(c.Time), doc: doc, kind: uint16(g.Writer.b.types.get("")), mention: true})
	}
}

// open reads a capture's payload.
func (g *Gatherer) open(ctx context.Context, c *kavosh.Capture) (p Payload, err error) {
	held, err := g.Records.Open(ctx, &cdx.Entry{URL: c.URL, Filename: c.File, Offset: c.Offset})
	if err != nil {
		return p, err
	}
	defer held.Close()
	p = Payload{URL: c.URL, File: c.File, Status: c.Status, Header: held.Header}
	// What does not decode to its end is read as far as it goes, as a crawl does.
	p.Body, _ = g.decoder.All(held.Body, held.Codings(), maxPayload, maxRatio)
	return p, nil
}

// searchable reports whether somebody may look for a capture by words.
func searchable(c *kavosh.Capture) bool {
	if c.Failure != kavosh.NoFailure || len(c.URL) > maxURL || c.Type != "response" && c.Type != "revisit" && c.Type != "resource" {
		return false
	}
	if c.Type == "response" && (c.Status < 200 || c.Status >= 300 && c.Status < 400) {
		return false
	}
	scheme, rest, _ := strings.Cut(c.URL, "://")
	if host, robots := strings.CutSuffix(rest, "/robots.txt"); scheme != "http" && scheme != "https" && scheme != "ftp" && scheme != "file" ||
		robots && !strings.Contains(host, "/") {
		return false
	}
	switch kind, sub, _ := strings.Cut(c.MIME, "/"); kind {
	case "audio", "video", "font":
		return false
	case "image":
		return true
	case "text":
		return sub != "css" && sub != "javascript"
	case "application":
		switch sub {
		case "javascript", "x-javascript", "ecmascript", "json", "wasm", "octet-stream", "font-woff", "font-woff2", "x-font-ttf", "zip", "gzip",
			"x-gzip", "x-tar", "java-archive", "x-shockwave-flash", "vnd.ms-fontobject", "ocsp-response", "dash+xml", "vnd.apple.mpegurl":
			return false
		}
	}
	return true
}

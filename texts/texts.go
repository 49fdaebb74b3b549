// Package texts keeps what a reader sees of the pages of an archive: titles, texts block by block, their languages and fingerprints, the
// pictures that they show. Each distinct payload is read once for all who read texts: search, export and what comes. [Gatherer] follows
// the capture log and reads the payloads; [Store] keeps the texts, and [Reader] finds them.
package texts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"kavosh"
	"kavosh/internal/journal"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/lang"
	"kavosh/lib/simhash"
	"kavosh/lib/warc"
)

// Name is the folder of the texts below an archive's derived/.
const Name = "text@1"

// Payload is what a capture holds, without its content codings.
type Payload struct {
	URL    string
	File   string // of the archive that it lies in
	Status int
	Header kavosh.Header
	Body   []byte
	Cut    bool // it is not all of it
}

// Links keeps who links where, of the pages that a Gatherer reads.
type Links interface {
	Cursor() journal.Cursor
	Reset(generation int) error
	Add(c *kavosh.Capture, page *kavosh.Page) error // page is nil for a redirect
	Commit(journal.Cursor) error
}

// Gatherer follows the capture log and keeps the text of each distinct payload.
type Gatherer struct {
	Store   *Store
	Records *records.Records
	// Extract reads a payload: text, blocks, title, links; kavosh/extract does. told says that the text is not of the payload alone, but was
	// told of its address: others with the payload do not have it.
	Extract func(Payload) (page *kavosh.Page, told bool)
	Trouble func(url string, err error) // told of each capture whose record cannot be read
	Links   Links                       // nil for nobody

	apart   bool // what is added does not join what is there
	decoder httpwire.Decoder
	id      *lang.Identifier
}

const (
	maxPayload = 16 << 20 // bytes of a payload that are read, after content decoding
	maxRatio   = 1000     // of them to a byte that was sent
	maxText    = 1 << 20  // bytes of its text, which are never more
	maxWords   = 512      // bytes of the words around a picture
	maxJudged  = 32 << 10 // bytes of a text by which its language is told
)

// Name is the folder's.
func (g *Gatherer) Name() string { return Name }

// Cursor is how far the capture log is read: not at all when the links lack what the texts have.
func (g *Gatherer) Cursor() journal.Cursor {
	at := g.Store.Cursor()
	if g.Links != nil && !g.Links.Cursor().Covers(at) {
		return journal.Cursor{}
	}
	return at
}

// Reset forgets all texts, and all links.
func (g *Gatherer) Reset(generation int) error {
	g.apart = false
	var err error
	if g.Links != nil {
		err = g.Links.Reset(generation)
	}
	return errors.Join(err, g.Store.Reset(generation))
}

// Begin is called by who reads texts as it follows the capture log itself, before it adds captures from the beginning of a generation on.
// Texts that are there already stay.
func (g *Gatherer) Begin(generation int) error {
	if g.Cursor().Covers(journal.At(generation, 0)) {
		g.apart = false
		return nil
	}
	return g.Reset(generation)
}

// Join is called by who reads texts as it follows the capture log itself, and has read it up to a place. The texts may lack what is before:
// they are made when somebody lets the Gatherer itself follow. It reports whether the links have all.
func (g *Gatherer) Join(at journal.Cursor) (ok bool) {
	g.apart = !g.Cursor().Covers(at)
	return g.Links == nil || g.Links.Cursor().Covers(at)
}

// Add keeps the text of a capture, unless it is there.
func (g *Gatherer) Add(ctx context.Context, c *kavosh.Capture, _ int64) (full bool, err error) {
	if c.Location != "" && c.Failure == kavosh.NoFailure && g.Links != nil {
		if err := g.Links.Add(c, nil); err != nil {
			return false, err
		}
	}
	if !Has(c) || c.Type == "revisit" || g.Store.Known(key(c)) || g.Store.Known(placeKey(c)) {
		return false, nil
	}
	t, told, err := g.read(ctx, c)
	if err != nil {
		return false, err
	}
	if told || t.Outcome == kavosh.TextBroken { // another record may hold the payload, too
		return g.Store.Put(placeKey(c), t)
	}
	return g.Store.Put(key(c), t)
}

// Commit makes what was added durable. The links go first: what a crash leaves beyond the texts is added again, and a link that comes twice
// counts once.
func (g *Gatherer) Commit(cursor journal.Cursor) error {
	if g.Links != nil {
		if err := g.Links.Commit(cursor); err != nil {
			return err
		}
	}
	if g.apart {
		cursor = g.Store.Cursor()
	}
	return g.Store.Commit(cursor)
}

// Text is the text of a capture that was added, or of another with its payload; nil for none. Where what is stored is damaged, it is read
// from the record.
func (g *Gatherer) Text(ctx context.Context, c *kavosh.Capture) (*kavosh.Text, error) {
	t, err := Of(g.Store, c)
	if !errors.Is(err, ErrDamaged) || c.Type == "revisit" {
		return t, err
	}
	t, told, err := g.read(ctx, c)
	if t != nil {
		t.Told = told
	}
	return t, err
}

// Of is the text of a capture; nil for none.
func Of(from interface {
	Text(key string) (*kavosh.Text, error)
}, c *kavosh.Capture) (*kavosh.Text, error) {
	t, err := from.Text(placeKey(c))
	if t != nil {
		t.Told = c.Digest != ""
	} else if err == nil {
		t, err = from.Text(key(c))
	}
	return t, err
}

// key is what the text of a capture is found by: its payload's digest, however that is written.
func key(c *kavosh.Capture) string {
	if c.Digest == "" {
		return placeKey(c)
	}
	return warc.DigestKey(c.Digest)
}

// placeKey is where the record lies.
func placeKey(c *kavosh.Capture) string { return fmt.Sprintf("%d %s", c.Offset, c.File) }

// Has reports whether a capture may have a text.
func Has(c *kavosh.Capture) bool {
	return records.Searchable(c) && (!strings.HasPrefix(c.MIME, "image/") || c.MIME == "image/svg+xml")
}

// read reads a capture's text. An error is of the links.
func (g *Gatherer) read(ctx context.Context, c *kavosh.Capture) (t *kavosh.Text, told bool, err error) {
	p, err := g.open(ctx, c)
	if err != nil {
		g.Trouble(c.URL, err)
		return &kavosh.Text{Outcome: kavosh.TextBroken}, false, nil
	}
	page, told := g.Extract(p)
	if g.Links != nil {
		if err := g.Links.Add(c, page); err != nil {
			return nil, false, err
		}
	}
	t = &kavosh.Text{Type: page.Type, Title: clip(page.Title, maxTitle), Text: page.Text, Blocks: page.Blocks, Pictures: pictures(page)}
	switch {
	case t.Text == "" && !worded(t.Type):
		t.Outcome = kavosh.TextNone
	case p.Cut || len(t.Text) > maxText-utf8.UTFMax:
		t.Outcome = kavosh.TextCut
	case t.Text == "":
		t.Outcome = kavosh.TextEmpty
	}
	if t.Text != "" || t.Title != "" {
		t.Lang, t.Certain = g.Language(page.Lang, page.Charset, t.Text)
	}
	t.Simhash = fingerprint(t.Text)
	return t, told, nil
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
	p.Body, err = g.decoder.All(held.Body, held.Codings(), maxPayload, maxRatio)
	p.Cut = err != nil || held.Truncated != ""
	return p, nil
}

// Language is the language of a text, of a page that declares one and a charset, and how certain it is; "" when it cannot be told.
func (g *Gatherer) Language(declared, charset, text string) (code string, certain float64) {
	if g.id == nil {
		g.id = lang.Load().New()
	}
	v := g.id.Page(lang.Page{Text: clip(text, maxJudged), Tags: []string{declared}, Charset: charset})
	if len(v.Languages) == 0 || v.Languages[0].Code == lang.Undetermined {
		return "", 0
	}
	return v.Languages[0].Code, min(1, v.Languages[0].Probability)
}

// worded reports whether documents of a media type have a text.
func worded(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || mediaType == "application/xhtml+xml"
}

// fingerprint is that of a text, block by block.
func fingerprint(text string) uint64 {
	var h simhash.Hasher
	for line := range strings.SplitSeq(text, "\n") {
		h.Add([]byte(line))
	}
	return h.Sum()
}

// pictures are those that a page shows, with their words.
func pictures(page *kavosh.Page) (list []kavosh.Picture) {
	for i := range page.Links {
		l := &page.Links[i]
		if l.Kind != kavosh.Embed || l.Element != "img" && l.Element != "source" || len(l.URL) > maxURL || !strings.HasPrefix(l.URL, "http") {
			continue
		}
		if len(list) == maxPictures {
			break
		}
		list = append(list, kavosh.Picture{URL: l.URL, Title: cmp.Or(l.Anchor, l.Title), Around: clip(strings.TrimSpace(l.Around), maxWords)})
	}
	return list
}

// clip is the beginning of a text, of at most n bytes, cut between letters.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

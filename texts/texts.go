// Package texts keeps what a reader sees of an archive's pages: titles, texts block by block, languages, fingerprints,
// and pictures. Each distinct payload is read only once for all that use texts, such as search and export. [Gatherer]
// follows the capture log and reads payloads, [Store] keeps the texts, and [Reader] finds them. The package reads
// archived records, and writes only below the folder text@1.
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
	"kavosh/lib/words"
)

// Name is the folder of the texts, below an archive's folder derived.
const Name = "text@1"

// Payload is what a capture holds, with its content codings removed.
type Payload struct {
	URL    string
	File   string // the WARC file that it was read from
	Status int
	Header kavosh.Header
	Body   []byte
	Cut    bool // Body is not complete
}

// Links keeps which pages link where, of all pages that a Gatherer reads.
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
	// Extract reads a payload: text, blocks, title, links. Package extract does this. told means that the text does not
	// come from the payload alone but depends on its URL, so other captures of the same payload do not share it.
	Extract func(Payload) (page *kavosh.Page, told bool)
	Trouble func(url string, err error) // is called for each capture whose record cannot be read
	Links   Links                       // may be nil

	apart   bool // captures between the stored texts and what is added now are missing
	decoder httpwire.Decoder
	id      *lang.Identifier
}

const (
	maxPayload = 16 << 20 // bytes of a payload that are read, after its content coding is removed
	maxRatio   = 1000     // decoded bytes to one byte that was sent
	maxText    = 1 << 20  // bytes of a text
	maxWords   = 512      // bytes of the words around a picture
	maxJudged  = 32 << 10 // bytes of a text from which its language is detected
)

// Name returns the name of the texts' folder.
func (g *Gatherer) Name() string { return Name }

// Cursor returns how far the capture log is read. It is the beginning if the links lack what the texts have.
func (g *Gatherer) Cursor() journal.Cursor {
	at := g.Store.Cursor()
	if g.Links != nil && !g.Links.Cursor().Covers(at) {
		return journal.Cursor{}
	}
	return at
}

// Reset removes all texts and all links. The caller then adds the given generation of the log from its beginning.
func (g *Gatherer) Reset(generation int) error {
	g.apart = false
	var err error
	if g.Links != nil {
		err = g.Links.Reset(generation)
	}
	return errors.Join(err, g.Store.Reset(generation))
}

// Begin must be called by a follower that uses a Gatherer itself, before it adds captures from the beginning of a
// generation. Texts that are already there stay.
func (g *Gatherer) Begin(generation int) error {
	if g.Cursor().Covers(journal.At(generation, 0)) {
		g.apart = false
		return nil
	}
	return g.Reset(generation)
}

// Join must be called by a follower that uses a Gatherer itself and has read the log up to at. The texts may lack
// captures before that place. They are made when the Gatherer itself follows the log. Join reports whether the links
// have all captures before at.
func (g *Gatherer) Join(at journal.Cursor) (ok bool) {
	g.apart = !g.Cursor().Covers(at)
	return g.Links == nil || g.Links.Cursor().Covers(at)
}

// Add keeps the text of a capture, unless it is there already. The last parameter is not used. full means that it is
// time for a Commit.
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
	if told || t.Outcome == kavosh.TextBroken { // another record with the same payload may have more
		return g.Store.Put(placeKey(c), t)
	}
	return g.Store.Put(key(c), t)
}

// Commit makes what was added durable. The links become durable first: if a crash leaves more links than texts, they
// are added again, and a link that comes twice counts once.
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

// Text returns the text of a capture that was added, or of another capture with the same payload, or nil if there is
// none. If the stored text is damaged, it is read from the record again.
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

// Of returns the text of a capture from from, or nil if there is none.
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

// key returns the key of a capture's text: the digest of its payload, the same for all spellings of the digest.
func key(c *kavosh.Capture) string {
	if c.Digest == "" {
		return placeKey(c)
	}
	return warc.DigestKey(c.Digest)
}

// placeKey returns a key made of the place of a capture's record.
func placeKey(c *kavosh.Capture) string { return fmt.Sprintf("%d %s", c.Offset, c.File) }

// Has reports whether a capture can have a text.
func Has(c *kavosh.Capture) bool {
	return records.Searchable(c) && (!strings.HasPrefix(c.MIME, "image/") || c.MIME == "image/svg+xml")
}

// read reads a capture's text. An error is about the links.
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
	t = &kavosh.Text{Type: page.Type, Title: words.Clip(page.Title, maxTitle), Text: page.Text, Blocks: page.Blocks, Pictures: pictures(page)}
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
	// A body that cannot be decoded to its end is read as far as possible, as in a crawl.
	p.Body, err = g.decoder.All(held.Body, held.Codings(), maxPayload, maxRatio)
	p.Cut = err != nil || held.Truncated != ""
	return p, nil
}

// Language detects the language of a page's text. declared and charset are what the page says of itself. It returns a
// BCP 47 tag, or "" if it cannot tell, and a probability from 0 to 1.
func (g *Gatherer) Language(declared, charset, text string) (code string, certain float64) {
	if g.id == nil {
		g.id = lang.Load().New()
	}
	v := g.id.Page(lang.Page{Text: words.Clip(text, maxJudged), Tags: []string{declared}, Charset: charset})
	if len(v.Languages) == 0 || v.Languages[0].Code == lang.Undetermined {
		return "", 0
	}
	return v.Languages[0].Code, min(1, v.Languages[0].Probability)
}

// worded reports whether documents of a media type can have a text.
func worded(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || mediaType == "application/xhtml+xml"
}

// fingerprint returns the fingerprint of a text, which depends on its blocks.
func fingerprint(text string) uint64 {
	var h simhash.Hasher
	for line := range strings.SplitSeq(text, "\n") {
		h.Add([]byte(line))
	}
	return h.Sum()
}

// pictures returns the pictures that a page shows, with the words around each.
func pictures(page *kavosh.Page) (list []kavosh.Picture) {
	for i := range page.Links {
		l := &page.Links[i]
		if l.Kind != kavosh.Embed || l.Element != "img" && l.Element != "source" || len(l.URL) > maxURL || !strings.HasPrefix(l.URL, "http") {
			continue
		}
		if len(list) == maxPictures {
			break
		}
		list = append(list, kavosh.Picture{URL: l.URL, Title: cmp.Or(l.Anchor, l.Title), Around: words.Clip(strings.TrimSpace(l.Around), maxWords)})
	}
	return list
}

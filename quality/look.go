package quality

// This file looks at pages as they are replayed, and beside how they looked when they were captured.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
	"kavosh/lib/ssim"
)

// Looker looks at captures of pages as they are replayed. Reader and Render are required.
type Looker struct {
	Reader *Reader
	// Render renders a capture in a window of a size in CSS pixels; that of the zero Point is chosen for it.
	Render func(ctx context.Context, e *cdx.Entry, window image.Point, kinds ...kavosh.RenderingKind) ([]kavosh.Rendering, error)
	// StandsIn returns what a capture stands in for, as the log of its crawl says. nil: nobody knows.
	StandsIn func(*cdx.Entry) kavosh.StandIn
	// Keep keeps what was rendered of a capture: a picture, a text, what it asked for. nil: it is dropped.
	Keep func(e *cdx.Entry, made []kavosh.Rendering) error
}

// Look is what is told of a capture of a page as it is replayed.
type Look struct {
	URL      string         `json:"url"`
	Time     time.Time      `json:"time"`
	Parts    int            `json:"parts"`              // that it asked for
	Damage   float64        `json:"damage"`             // how much of it is lost by parts that are missing, from 0 to 1; 1 if nothing is seen
	Lacks    []Part         `json:"lacks,omitempty"`    // parts that it asked for in vain, those that cost most first; at most MaxOfLook
	More     int            `json:"more,omitempty"`     // how many Lacks has not
	Scripted int            `json:"scripted,omitempty"` // of both, how many no link of the page names and no crawl asked for: a script does
	Leaks    []string       `json:"leaks,omitempty"`    // what it asked for outside of the archive, in vain
	Cut      []string       `json:"cut,omitempty"`      // parts whose record ends before the answer did, such as a film
	Blank    bool           `json:"blank,omitempty"`    // its window shows one colour alone
	Errors   int            `json:"errors,omitempty"`   // of its scripts
	StandIn  kavosh.StandIn `json:"standin,omitempty"`  // what it stands in for in place of the page, as its crawl found
	Failed   string         `json:"failed,omitempty"`   // why it could not be rendered; "" if it was
	Beside   *Likeness      `json:"beside,omitempty"`   // how it is beside what was recorded when it was captured

	Random  bool      `json:"random,omitempty"` // it was picked at random, and so speaks for others
	Capture cdx.Entry `json:"-"`
}

// Likeness says how far a page as it is replayed is as it was when it was captured. Its names are those of browsertrix-crawler.
type Likeness struct {
	Picture   *float64  `json:"screenshotMatch,omitempty"` // SSIM of what the window shows, from -1 to 1; nil if no picture was recorded
	Text      *float64  `json:"textMatch,omitempty"`       // share of the words that both have, from 0 to 1; nil if no text was recorded
	Resources *Compared `json:"resourceCounts,omitempty"`  // nil if what the page asked for was not recorded
}

// Compared counts answers that were good and bad, when the page was captured and as it is replayed.
type Compared struct {
	CrawlGood  int `json:"crawlGood"`
	CrawlBad   int `json:"crawlBad"`
	ReplayGood int `json:"replayGood"`
	ReplayBad  int `json:"replayBad"`
}

// Bounds of what is told of a page, and of what makes it look as it did.
const (
	MaxOfLook = 20   // missing parts that are listed with a page, leaks, and parts that are cut
	alike     = 0.9  // of pictures and texts
	lostLeast = 0.01 // of the page, from which on a loss is seen
)

// Faithful reports whether nothing was found that the page would be another by.
func (l *Look) Faithful() bool {
	b := l.Beside
	return l.Failed == "" && !l.Blank && l.StandIn == kavosh.NoStandIn && l.Damage < lostLeast && len(l.Leaks)+len(l.Cut) == 0 &&
		(b == nil || (b.Picture == nil || *b.Picture >= alike) && (b.Text == nil || *b.Text >= alike))
}

// Bounds of what was recorded with a page.
const (
	maxRecorded = 10 << 20 // bytes
	leastWindow = 200      // CSS pixels
	mostWindow  = 4000
	shrunk      = 4 // times that pictures are made smaller before they are compared: letters may be drawn a pixel off
)

// Look looks at a capture. The error is a *kavosh.Refused if a rule closes it.
func (l *Looker) Look(ctx context.Context, e *cdx.Entry) (*Look, error) {
	if refused, err := mayHave(ctx, l.Reader.Records, e); refused != nil {
		return nil, refused
	} else if err != nil {
		return nil, err
	}
	k := &Look{URL: e.URL, Time: e.Time(), Capture: *e}
	if l.StandsIn != nil {
		k.StandIn = l.StandsIn(e)
	}
	then := l.recorded(ctx, e, kavosh.ViewPicture)
	window := sizeOf(then)
	made, err := l.Render(ctx, e, window, kavosh.ViewPicture, kavosh.RenderedText, kavosh.PageInfo, kavosh.ShownParts)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		k.Failed, k.Damage = err.Error(), 1
		return k, nil
	}
	var asked kavosh.Asked
	var shown kavosh.Shown
	if err := errors.Join(json.Unmarshal(made[2].Data, &asked), json.Unmarshal(made[3].Data, &shown)); err != nil {
		return nil, err
	}
	k.Parts, k.Leaks, k.Errors = max(0, len(asked.URLs)-1), asked.Leaks, asked.Counts.Errors
	if err := l.parts(ctx, k, &asked); err != nil {
		return nil, err
	}
	k.Damage = loss(k.Lacks, &shown)
	picture, err := png.Decode(bytes.NewReader(made[0].Data))
	if err != nil {
		return nil, fmt.Errorf("the picture of %s: %w", e.URL, err)
	}
	if k.Blank = plain(picture); k.Blank {
		k.Damage = 1
	}
	slices.SortStableFunc(k.Lacks, func(a, b Part) int { return compareShares(&a, &b) })
	if k.More = max(0, len(k.Lacks)-MaxOfLook); k.More > 0 {
		k.Lacks = slices.Clone(k.Lacks[:MaxOfLook])
	}
	k.Leaks, k.Cut = k.Leaks[:min(len(k.Leaks), MaxOfLook)], k.Cut[:min(len(k.Cut), MaxOfLook)]
	k.Beside = l.beside(ctx, e, then, picture, string(made[1].Data), &asked)
	if l.Keep == nil {
		return k, nil
	}
	info, err := json.Marshal(struct {
		kavosh.Asked
		Comparison *Likeness `json:"comparison,omitempty"`
	}{asked, k.Beside})
	if err != nil {
		return nil, err
	}
	made[2].Data = info
	return k, l.Keep(e, made[:3])
}

func compareShares(a, b *Part) int {
	switch {
	case a.Share > b.Share:
		return -1
	case a.Share < b.Share:
		return 1
	}
	return strings.Compare(a.URL, b.URL)
}

// parts notes which parts a page asked for in vain, and which are not whole.
func (l *Looker) parts(ctx context.Context, k *Look, asked *kavosh.Asked) error {
	for _, url := range slices.Sorted(maps.Keys(asked.URLs)) {
		a := asked.URLs[url]
		if url == k.URL || a.Type == "websocket" || a.Type == "ping" {
			continue
		}
		if a.Good() {
			if cut, err := l.Reader.cut(ctx, url, k.Capture.Timestamp); err != nil {
				return err
			} else if cut {
				k.Cut = append(k.Cut, url)
			}
			continue
		}
		if a.Status == 0 { // the browser needed it no more
			continue
		}
		part, err := l.Reader.Look(ctx, url, k.Time)
		if err != nil {
			return err
		}
		if part.As = useOf(a.Type); part.State == Held {
			part.State, part.Code = Failed, a.Status
		}
		k.Lacks = append(k.Lacks, part)
	}
	return l.scripted(ctx, k)
}

// scripted counts the missing parts that only scripts ask for.
func (l *Looker) scripted(ctx context.Context, k *Look) error {
	if !slices.ContainsFunc(k.Lacks, unasked) {
		return nil
	}
	page, err := l.Reader.Page(ctx, &k.Capture)
	if err != nil || page.More {
		return err
	}
	for i := range k.Lacks {
		named := func(p Part) bool { return p.URL == k.Lacks[i].URL }
		if unasked(k.Lacks[i]) && !slices.ContainsFunc(page.Lacks, named) {
			k.Scripted++
		}
	}
	return nil
}

// unasked reports whether a part was never asked for, or no answer came.
func unasked(p Part) bool { return p.State == Absent }

// cut reports whether the record of a part that is shown at a time ends before the answer did.
func (r *Reader) cut(ctx context.Context, url, stamp string) (bool, error) {
	h, err := r.find(ctx, &Part{}, url, stamp, 0)
	if err != nil || h == nil {
		return false, err
	}
	defer h.payload.Close()
	return h.payload.Truncated != "", nil
}

// recorded returns what was recorded of a page when it was captured; nil if nothing was.
func (l *Looker) recorded(ctx context.Context, page *cdx.Entry, kind kavosh.RenderingKind) []byte {
	url := kind.URL(page.URL)
	for e, err := range l.Reader.Records.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, From: page.Timestamp, To: page.Timestamp}) {
		if err != nil || e.URL != url {
			continue
		}
		p, err := l.Reader.Records.Open(ctx, &e)
		if err != nil {
			continue
		}
		var decoder httpwire.Decoder
		data, err := decoder.All(io.LimitReader(p.Body, maxRecorded), p.Codings(), maxRecorded, maxRatio)
		p.Close()
		if err == nil {
			return data
		}
	}
	return nil
}

// sizeOf returns the size of a picture of a window; the zero Point if it is none.
func sizeOf(picture []byte) image.Point {
	c, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil || min(c.Width, c.Height) < leastWindow || max(c.Width, c.Height) > mostWindow {
		return image.Point{}
	}
	return image.Pt(c.Width, c.Height)
}

// beside compares a page with what was recorded when it was captured; nil if nothing was. then is its picture of then.
func (l *Looker) beside(ctx context.Context, e *cdx.Entry, then []byte, picture image.Image, text string, asked *kavosh.Asked) *Likeness {
	b := &Likeness{}
	if sizeOf(then) != (image.Point{}) {
		if was, err := png.Decode(bytes.NewReader(then)); err == nil {
			like := LookAlike(was, picture)
			b.Picture = &like
		}
	}
	if was := l.recorded(ctx, e, kavosh.RenderedText); was != nil {
		like := sameWords(string(was), text)
		b.Text = &like
	}
	var was kavosh.Asked
	if data := l.recorded(ctx, e, kavosh.PageInfo); data != nil && json.Unmarshal(data, &was) == nil {
		b.Resources = &Compared{}
		b.Resources.CrawlGood, b.Resources.CrawlBad = goodAndBad(&was)
		b.Resources.ReplayGood, b.Resources.ReplayBad = goodAndBad(asked)
	}
	if *b == (Likeness{}) {
		return nil
	}
	return b
}

func goodAndBad(a *kavosh.Asked) (good, bad int) {
	for _, answer := range a.URLs {
		if answer.Good() {
			good++
		} else {
			bad++
		}
	}
	return good, bad
}

// LookAlike returns how alike two pictures of pages look: their SSIM at a quarter of their size, in grey, from -1 to 1. What one is
// larger by counts as white in the other.
func LookAlike(a, b image.Image) float64 {
	size := image.Pt(max(a.Bounds().Dx(), b.Bounds().Dx()), max(a.Bounds().Dy(), b.Bounds().Dy()))
	s, err := ssim.Compare(ssim.Shrink(ssim.Fit(a, size), shrunk), ssim.Shrink(ssim.Fit(b, size), shrunk))
	if err != nil {
		return 0
	}
	return s.All
}

// plain reports whether a picture has one colour alone.
func plain(m image.Image) bool {
	at := m.Bounds()
	first := m.At(at.Min.X, at.Min.Y)
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			if m.At(x, y) != first {
				return false
			}
		}
	}
	return true
}

// sameWords returns twice the number of words that both texts have, by that of all words of both (Dice's coefficient); 1 for two without
// words.
func sameWords(a, b string) float64 {
	count, all, same := map[string]int{}, 0, 0
	for w := range strings.FieldsSeq(a) {
		count[w]++
		all++
	}
	for w := range strings.FieldsSeq(b) {
		if all++; count[w] > 0 {
			count[w]--
			same++
		}
	}
	if all == 0 {
		return 1
	}
	return 2 * float64(same) / float64(all)
}

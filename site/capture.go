package site

// This file shows the page of one capture.

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/change"
	"kavosh/extract"
	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay"
	"kavosh/replay/rewrite"
	"kavosh/site/draw"
)

// Bounds on what the page of a capture shows.
const (
	maxFields = 200      // fields of a head or a record
	maxLinks  = 500      // links of the captured page
	maxNote   = 64 << 10 // bytes of a record that belongs to the capture
	groupSize = 6        // records after the capture's own that may belong to it
	maxRead   = 4 << 20  // bytes of a payload that are read for text and links
	nearRows  = 3        // captures shown before it, and after it
	maxShown  = 4 << 10  // bytes of a name, a value or a line
)

// capturePage shows one capture in detail.
func (s *Site) capturePage(w http.ResponseWriter, r *http.Request, c *Collection) {
	ctx, lang := r.Context(), s.draw.LangOf(r)
	address, stamp := r.FormValue("url"), r.FormValue("time")
	e, err := c.exactly(ctx, address, stamp)
	if err != nil {
		s.problem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return
	}
	if e == nil {
		p := draw.Problem{Status: http.StatusNotFound, Kind: "no-capture", URL: address}
		if refused := s.withheld(ctx, c, address); refused != nil {
			p.Status, p.Kind = replay.OfRefused(refused)
		} else if found, ok := replay.AddressOf(address); ok {
			s.missing(ctx, c, found, lang, &p)
		}
		s.draw.HomeProblem(w, r, p)
		return
	}
	p := draw.Capture{
		Collection: c.summary(), URL: replay.Canonical(e.URL), Time: e.When(), Status: e.Status, MIME: e.Type(), Digest: e.Digest, Filename: e.Filename,
		Offset: e.Offset, Length: e.Length, Path: c.replayed(e.Timestamp, rewrite.Page, e.URL),
		Raw: c.replayed(e.Timestamp, rewrite.Raw, e.URL), Calendar: c.calendarPath(lang, replay.Canonical(e.URL)),
	}
	d := captureDetails{Site: s, c: c, e: e, lang: lang, page: &p}
	d.around(ctx)
	a, err := c.Load(ctx, *e)
	if refused, ok := errors.AsType[*kavosh.Refused](err); ok {
		_, p.Closed = replay.OfRefused(refused)
		p.Until = refused.Until
	} else if err != nil {
		p.Cause = err.Error()
	} else {
		defer a.Close()
		d.describe(a)
		if change.IsPage(&e.Entry) {
			p.Parts = s.addresses.Replay + partsPath(c, e.Timestamp, string(lang), e.URL)
			p.Framed = s.addresses.Replay + framedPath(c, e.Timestamp, string(lang), e.URL)
		}
		if view := c.madeThen(ctx, e, kavosh.ViewPicture); view != nil {
			p.View = c.replayed(view.Timestamp, rewrite.Raw, view.URL)
		}
	}
	d.beside(ctx)
	q := cdx.Query{URL: p.URL, MatchType: cdx.Exact, Reverse: true, Limit: maxLinksRead + 1}
	if p.LinksIn, p.MoreLinksIn, err = s.linking(ctx, c, q, fewLinks); err != nil {
		s.trouble("links: " + err.Error())
	} else if p.MoreLinksIn != "" {
		p.MoreLinksIn = c.linksPath(p.URL, "") // the whole list
	}
	s.draw.Capture(w, r, p)
}

// exactly returns the capture of a URL at a time that a person wrote, or nil. A day means its last capture. If there
// are several, it prefers the one of exactly this URL.
func (c *Collection) exactly(ctx context.Context, url, when string) (*replay.Capture, error) {
	span, err := dates.Parse(when, time.UTC)
	if err != nil {
		return nil, err
	}
	first, last := replay.Timestamp(span.First), replay.Timestamp(span.Last)
	var found *replay.Capture
	for e, err := range c.Captures(ctx, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return nil, err
		}
		if first <= e.Timestamp && e.Timestamp <= last && (found == nil || e.URL == url || found.URL != url) {
			found = &e
		}
	}
	return found, nil
}

// detailsPath returns the URL of a capture's page.
func (c *Collection) detailsPath(address, stamp string) string {
	return c.capturePath("capture", address, stamp)
}

// capturePath returns the URL of the given page about one capture.
func (c *Collection) capturePath(page, address, stamp string) string {
	return c.page(page) + "?" + url.Values{"url": {address}, "time": {stamp}}.Encode()
}

// comparePath returns the URL of the comparison of two captures.
func comparePath(c *Collection, old, new, url string) string {
	return "/" + c.Name + "/" + old + "-" + new + "/" + replay.Canonical(url)
}

// captureDetails fills in the page of one capture.
type captureDetails struct {
	*Site
	c    *Collection
	e    *replay.Capture
	lang pages.Lang
	page *draw.Capture
}

// around fills in captures of the same URL near this one.
func (d *captureDetails) around(ctx context.Context) {
	c, e, p := d.c, d.e, d.page
	h, err := c.History(ctx, e.URL, e.When())
	if err != nil {
		return
	}
	at := -1
	for i := range h.Around {
		if h.Around[i].Offset == e.Offset && h.Around[i].Filename == e.Filename {
			at = i
		}
	}
	digest := ""
	for i := range h.Around {
		o := &h.Around[i]
		if i >= at-nearRows && i <= at+nearRows {
			row := draw.Row{Time: o.When(), Same: o.MIME == replay.RevisitMIME || warc.SameDigest(o.Digest, digest) && digest != ""}
			if i != at {
				row.Details = c.detailsPath(o.URL, o.Timestamp)
			}
			p.Near = append(p.Near, row)
		}
		digest = o.Digest
	}
	if at > 0 && h.Around[at-1].Timestamp != e.Timestamp {
		p.Compare = d.addresses.Replay + comparePath(c, h.Around[at-1].Timestamp, e.Timestamp, e.URL)
	}
}

// describe fills in the page from the capture's own record.
func (d *captureDetails) describe(a *replay.Answer) {
	c, p := d.c, d.page
	p.Truncated, p.Status = a.Truncated, a.Status
	if typ := replay.MediaType(a.Get("Content-Type")); typ != "" && p.MIME == "" {
		p.MIME = typ
	}
	if a.Status == http.StatusOK && draw.KindOf(p.MIME) == "page" && openToAll(d.e) {
		p.Thumbnail = c.picturePath(a.URL, a.Timestamp)
	}
	if a.Original != nil {
		p.Original, p.OriginalPath = a.Original.When(), c.detailsPath(a.Original.URL, a.Original.Timestamp)
	}
	if to := a.Location(); to != "" {
		p.Location, p.LocationPath = to, c.calendarPath(d.lang, to)
	} else if a.Status/100 == 3 {
		p.Location = clip(a.Get("Location"))
	}
	p.Robots = clip(a.Get("X-Robots-Tag"))
	for _, f := range a.Header {
		if len(p.Headers) < maxFields {
			p.Headers = append(p.Headers, [2]string{clip(f.Name), clip(f.Value)})
		}
	}
	for _, f := range a.Record {
		if len(p.Record) < maxFields {
			p.Record = append(p.Record, [2]string{clip(f.Name), clip(f.Value)})
		}
	}
	page := d.pageOf(a)
	if page == nil {
		return
	}
	p.Title = clip(page.Title)
	if p.Robots == "" && page.NoArchive {
		p.Robots = "noarchive"
	}
	for _, l := range page.Links {
		if l.Kind == kavosh.Speculative {
			continue
		}
		if len(p.Links) == maxLinks {
			p.MoreLinks++
			continue
		}
		p.Links = append(p.Links, draw.LinkOut{URL: l.URL, Path: c.replayed(a.Timestamp, rewrite.Page, l.URL), Anchor: l.Anchor, Kind: l.Kind.String()})
	}
}

// readPage extracts title, text and links from a page.
func readPage(url string, status int, header kavosh.Header, payload []byte) *kavosh.Page {
	return extract.Extract(extract.Document{URL: url, Status: status, Header: header, Payload: payload},
		extract.Options{MaxLinks: 2000, MaxBytes: 4 << 20, Needs: kavosh.Needs{Text: true}})
}

// pageOf extracts title, text and links from a page or text; nil for all other types.
func (s *Site) pageOf(a *replay.Answer) *kavosh.Page {
	kind := draw.KindOf(replay.MediaType(a.Get("Content-Type")))
	if a.Status/100 == 3 || kind != "page" && kind != "text" {
		return nil
	}
	payload, _ := io.ReadAll(io.LimitReader(httpwire.Decode(a.Body, a.Codings(), maxRead, 0), maxRead))
	return s.read(a.URL, a.Status, a.Header, payload)
}

// beside fills in the page from the records after the capture's own: the request, and how the crawl found the URL.
func (d *captureDetails) beside(ctx context.Context) {
	e, p := d.e, d.page
	in, done, err := e.Coll.From(ctx, &e.Entry)
	if err != nil {
		return
	}
	defer done()
	first, err := in.Next()
	if err != nil {
		return
	}
	id := first.Header.Get("WARC-Record-ID")
	for range groupSize {
		rec, err := in.Next()
		if err != nil {
			return
		}
		if rec.Header.Get("WARC-Concurrent-To") != id && rec.Header.Get("WARC-Refers-To") != id {
			if rec.TargetURI() != e.URL {
				return
			}
			continue
		}
		switch text, _ := io.ReadAll(io.LimitReader(rec.Block, maxNote)); {
		case rec.Type() == "request" && p.Request == "":
			p.Withheld = rec.Header.Get(withheldField)
			silent := weburl.Silence(string(text), "…", func(url string) bool { return unlisted(ctx, e, url) })
			p.Request, p.Secret = withoutSecrets(strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(silent)))
		case rec.Type() == "metadata":
			d.came(ctx, string(text))
		}
	}
}

// withheldField is a field that package record adds to a request. It names the secret fields that were removed.
const withheldField = "Kavosh-Withheld"

// withoutSecrets removes the values of fields that give access to something, such as cookies. It also returns their
// names.
func withoutSecrets(request string) (shown, secret string) {
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(head, "\n")
	var names []string
	hidden := false // this line continues a hidden value
	for i, line := range lines {
		lines[i] = clip(line)
		name, value, found := strings.Cut(line, ":")
		switch {
		case i > 0 && hidden && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")):
			lines[i] = " …"
		case i > 0 && found && httpwire.IsSecret(name, strings.TrimSpace(value)):
			lines[i], hidden = clip(name)+": …", true
			names = append(names, strings.ToLower(name))
		default:
			hidden = false
		}
	}
	shown = strings.Join(lines, "\n")
	if body != "" {
		shown += "\n\n" + clip(body)
	}
	return shown, strings.Join(names, ", ")
}

// came reads how the crawl found the URL from the fields of a metadata record (WARC 1.1, section 6.6, and Heritrix's
// names).
func (d *captureDetails) came(ctx context.Context, text string) {
	p := d.page
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		if (name == "via" || name == "seed") && unlisted(ctx, d.e, value) {
			continue
		}
		switch value = clip(value); name {
		case "via":
			p.Came.Via = value
			if u, err := weburl.Parse(value); err == nil && u.Fetchable() {
				p.Came.ViaPath = d.c.calendarPath(d.lang, u.String())
			}
		case "seed":
			p.Came.Seed = value
		case "hopsFromSeed", "pathFromSeed":
			p.Came.Hops = value
		case "fetchTimeMs":
			p.Came.Duration, _ = strconv.ParseInt(value, 10, 64)
		}
	}
}

// unlisted reports whether a URL in a capture's records was taken down, or all its captures were. Then no page may name
// it.
func unlisted(ctx context.Context, e *replay.Capture, url string) bool {
	page := replay.Capture{Entry: cdx.Entry{URL: url, Timestamp: e.Timestamp}, Coll: e.Coll}
	refused, err := page.Refused(ctx)
	if err != nil || refused != nil && refused.Access == kavosh.Takedown {
		return true
	}
	if e.Coll.Gate == nil {
		return false
	}
	if refused, err = e.Coll.Gate.Withheld(ctx, url); err != nil || refused == nil {
		return err != nil
	}
	for _, err := range e.Coll.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, Limit: 1}) {
		return err != nil
	}
	return true
}

// clip makes archived text short and valid UTF-8, so that a page can show it.
func clip(s string) string {
	if len(s) > maxShown {
		s = s[:maxShown] + "…"
	}
	return strings.Map(withoutDirection, strings.ToValidUTF8(replay.Clean(s), "\ufffd"))
}

// withoutDirection removes characters that change the direction of writing: with them, a file gpj.exe may look like
// exe.jpg.
func withoutDirection(r rune) rune {
	if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
		return -1
	}
	return r
}

package replay

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/lib/dates"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
	"kavosh/pages"
	"kavosh/replay/rewrite"
)

// Bounds on what the page of a capture holds.
const (
	maxFields = 200      // of a head, or of a record
	maxLinks  = 500      // of the page
	maxNote   = 64 << 10 // bytes of a record that stands beside the capture's
	groupSize = 6        // records after the capture's that may belong to it
	maxRead   = 4 << 20  // bytes of a payload that are read for its text and links
	nearRows  = 3        // captures before and after it
)

// capturePage shows one capture in detail.
func (s *Server) capturePage(w http.ResponseWriter, r *http.Request, c *Collection) {
	ctx, lang := r.Context(), s.pages.LangOf(r)
	address, stamp := r.FormValue("url"), r.FormValue("time")
	e, err := s.exactly(ctx, c, address, stamp)
	if err != nil {
		s.homeProblem(w, r, http.StatusBadRequest, "bad-request", err.Error())
		return
	}
	if e == nil {
		p := pages.Problem{Status: http.StatusNotFound, Kind: "no-capture", URL: address}
		if refused := s.withheld(ctx, c, address); refused != nil {
			p.Status, p.Kind = refusedStatus(refused), "access-"+string(refused.Access)
		} else if found, ok := addressOf(address); ok {
			s.missing(ctx, c, found, lang, &p)
		}
		s.pages.HomeProblem(w, r, p)
		return
	}
	p := pages.Capture{
		Collection: s.summary(c), URL: canonical(e.URL), Time: e.when(), Status: e.Status, MIME: e.MIME, Digest: e.Digest, Filename: e.Filename,
		Offset: e.Offset, Length: e.Length, Path: s.base + replayPath(c, e.Timestamp, rewrite.Page, e.URL),
		Raw: s.base + replayPath(c, e.Timestamp, rewrite.Raw, e.URL), Calendar: s.calendarPath(c, lang, canonical(e.URL)),
	}
	if pages.KindOf(e.MIME) == "page" {
		p.Thumbnail = s.picturePath(c, e.URL, e.Timestamp)
	}
	s.around(ctx, c, e, &p)
	a, err := s.load(ctx, c, *e)
	if err != nil {
		p.Cause = err.Error()
	} else {
		defer a.Close()
		s.describe(c, a, lang, &p)
	}
	s.beside(ctx, c, e, lang, &p)
	s.linkedFrom(ctx, c, &p)
	s.pages.Capture(w, r, p)
}

// exactly is the capture of a URL at a time as a person may write it, nil for none; of several, that of the very spelling.
// A day means the last capture of it.
func (s *Server) exactly(ctx context.Context, c *Collection, url, when string) (*capture, error) {
	span, err := dates.Parse(when, time.UTC)
	if err != nil {
		return nil, err
	}
	first, last := timestamp(span.First), timestamp(span.Last)
	var found *capture
	for e, err := range s.captures(ctx, c, cdx.Query{URL: url, MatchType: cdx.Exact}) {
		if err != nil {
			return nil, err
		}
		if first <= e.Timestamp && e.Timestamp <= last && (found == nil || e.URL == url || found.URL != url) {
			found = &e
		}
	}
	return found, nil
}

// detailsPath is the address of a capture's page.
func (s *Server) detailsPath(c *Collection, address, stamp string) string {
	return s.capturePath(c, "capture", address, stamp)
}

// capturePath is the address of one of the home pages that are about one capture.
func (s *Server) capturePath(c *Collection, page, address, stamp string) string {
	return s.home + "/c/" + c.Name + "/" + page + "?" + url.Values{"url": {address}, "time": {stamp}}.Encode()
}

// comparePath is the address of the comparison of two captures.
func comparePath(c *Collection, old, new, url string) string {
	return "/" + c.Name + "/" + old + "-" + new + "/" + canonical(url)
}

// around fills in the captures of the same URL near it.
func (s *Server) around(ctx context.Context, c *Collection, e *capture, p *pages.Capture) {
	h, err := s.history(ctx, c, e.URL, e.when())
	if err != nil {
		return
	}
	at := -1
	for i := range h.around {
		if h.around[i].Offset == e.Offset && h.around[i].Filename == e.Filename {
			at = i
		}
	}
	digest := ""
	for i := range h.around {
		o := &h.around[i]
		if i >= at-nearRows && i <= at+nearRows {
			row := pages.Row{Time: o.when(), Same: o.MIME == revisitMIME || warc.SameDigest(o.Digest, digest) && digest != ""}
			if i != at {
				row.Details = s.detailsPath(c, o.URL, o.Timestamp)
			}
			p.Near = append(p.Near, row)
		}
		digest = o.Digest
	}
	if at > 0 && h.around[at-1].Timestamp != e.Timestamp {
		p.Compare = s.base + comparePath(c, h.around[at-1].Timestamp, e.Timestamp, e.URL)
	}
}

// describe fills in what the capture's own record says.
func (s *Server) describe(c *Collection, a *answer, lang pages.Lang, p *pages.Capture) {
	p.Truncated, p.Status = a.truncated, a.status
	if a.original != nil {
		p.Original, p.OriginalPath = a.original.when(), s.detailsPath(c, a.original.URL, a.original.Timestamp)
	}
	if to := a.location(); to != "" {
		p.Location, p.LocationPath = to, s.calendarPath(c, lang, to)
	} else if a.status/100 == 3 {
		p.Location = clip(a.get("Location"))
	}
	p.Robots = clip(a.get("X-Robots-Tag"))
	for _, f := range a.fields {
		if len(p.Headers) < maxFields {
			p.Headers = append(p.Headers, [2]string{clip(f.Name), clip(f.Value)})
		}
	}
	for _, f := range a.own {
		if len(p.Record) < maxFields {
			p.Record = append(p.Record, [2]string{clip(f.Name), clip(f.Value)})
		}
	}
	page := s.readPage(a)
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
		p.Links = append(p.Links, pages.LinkOut{URL: l.URL, Path: s.base + replayPath(c, a.Timestamp, rewrite.Page, l.URL), Anchor: l.Anchor, Kind: l.Kind.String()})
	}
}

// readPage reads what a page or text says; nil for all else, and where nobody can read.
func (s *Server) readPage(a *answer) *kavosh.Page {
	kind := pages.KindOf(mediaType(a.get("Content-Type")))
	if s.read == nil || a.status/100 == 3 || kind != "page" && kind != "text" {
		return nil
	}
	payload, _ := io.ReadAll(io.LimitReader(httpwire.Decode(a.body, a.codings(), maxRead, 0), maxRead))
	var header kavosh.Header
	for _, f := range a.fields {
		header = append(header, kavosh.Field{Name: f.Name, Value: f.Value})
	}
	return s.read(a.URL, a.status, header, payload)
}

// beside fills in what the records after the capture's say of it: the request, and how the crawl came to it.
func (s *Server) beside(ctx context.Context, c *Collection, e *capture, lang pages.Lang, p *pages.Capture) {
	f, size, done, err := e.coll.Store.Open(ctx, &e.Entry)
	if err != nil {
		return
	}
	defer done()
	first, err := warc.ReadAt(f, size, e.Offset)
	if err != nil {
		return
	}
	id := first.Header.Get("WARC-Record-ID")
	in, err := warc.NewReader(io.NewSectionReader(f, e.Offset, size-e.Offset))
	if err != nil {
		return
	}
	for range groupSize + 1 {
		rec, err := in.Next()
		if err != nil {
			return
		}
		if rec.Header.Get("WARC-Record-ID") == id {
			continue
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
			silent := weburl.Silence(string(text), "…", func(url string) bool { return s.unlisted(ctx, e, url) })
			p.Request, p.Secret = withoutSecrets(strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(silent)))
		case rec.Type() == "metadata":
			s.came(ctx, c, e, string(text), lang, p)
		}
	}
}

// withheldField names the fields of a request that its record lacks, since they are secret: package record writes it.
const withheldField = "Kavosh-Withheld"

// withoutSecrets is a request without the values of fields that give access to something, and the names of these.
func withoutSecrets(request string) (shown, secret string) {
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(head, "\n")
	var names []string
	hidden := false // the line goes on with a value that is not shown
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

// came reads a metadata record's fields (WARC 1.1, 6.6 and the names that Heritrix gave them).
func (s *Server) came(ctx context.Context, c *Collection, e *capture, text string, lang pages.Lang, p *pages.Capture) {
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimSpace(value)
		if (name == "via" || name == "seed") && s.unlisted(ctx, e, value) {
			continue
		}
		switch value = clip(value); name {
		case "via":
			p.Came.Via = value
			if u, err := weburl.Parse(value); err == nil && u.Fetchable() {
				p.Came.ViaPath = s.calendarPath(c, lang, u.String())
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

// unlisted reports whether a URL that a capture's records name was taken down, or all that was captured of it: nothing may name it.
func (s *Server) unlisted(ctx context.Context, e *capture, url string) bool {
	page := capture{cdx.Entry{URL: url, Timestamp: e.Timestamp}, e.coll}
	refused, err := s.refused(ctx, &page)
	if err != nil || refused != nil && refused.Access == kavosh.Takedown {
		return true
	}
	if e.coll.Gate == nil {
		return false
	}
	if refused, err = e.coll.Gate.Withheld(ctx, url); err != nil || refused == nil {
		return err != nil
	}
	for _, err := range e.coll.Index.Query(ctx, cdx.Query{URL: url, MatchType: cdx.Exact, Limit: 1}) {
		return err != nil
	}
	return true
}

// clip is archived text at a length and in an encoding that a page can hold.
func clip(s string) string {
	if len(s) > maxOrigValue {
		s = s[:maxOrigValue] + "…"
	}
	return strings.Map(withoutDirection, strings.ToValidUTF8(clean(s), "\ufffd"))
}

// withoutDirection drops letters that turn round how others are shown: "exe.jpg" may be gpj.exe.
func withoutDirection(r rune) rune {
	if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
		return -1
	}
	return r
}

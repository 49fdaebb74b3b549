package quality

// This file finds the parts of a page, and weighs those that are missing.

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"kavosh"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/httpwire"
)

// Bounds of one page.
const (
	maxParts = 2000
	maxDepth = 3        // styles that import styles, frames in frames
	maxBody  = 16 << 20 // bytes of a page or style that are read
	maxRatio = 1000     // of its content coding
)

// Use is what a part is to its page.
type Use string

// The uses of parts.
const (
	Style  Use = "style"
	Script Use = "script"
	Frame  Use = "frame"
	Image  Use = "image"
	Media  Use = "media" // sound and film
	Font   Use = "font"
	Decor  Use = "decor" // a picture that a style asks for
	unused Use = ""
)

// weight is how much a missing part costs beside others. The numbers are chosen by hand: without its style a page is hardly the
// page; a font that is missing is seen by few.
func (u Use) weight() float64 {
	switch u {
	case Style:
		return 4
	case Frame, Media:
		return 3
	case Script:
		return 2
	case Image:
		return 1
	case Decor:
		return 0.5
	}
	return 0.25
}

// wanted is a part that a document asks for. Others may do in its place.
type wanted struct {
	Part
	or []string // other sizes of a picture
}

// Page tells what a capture of a page lacks. The error is a *kavosh.Refused if a rule closes it.
func (r *Reader) Page(ctx context.Context, e *cdx.Entry) (*Page, error) {
	page := &Page{URL: e.URL, Time: e.Time(), Capture: *e}
	payload, err := r.Records.Open(ctx, e)
	if isRefused(err) || ctx.Err() != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	if err != nil {
		page.Unread, page.Damage = err.Error(), 1
		return page, nil
	}
	w := walk{r: r, page: page, of: e, met: map[string]bool{}}
	w.document(ctx, e.URL, payload, "", 0)
	payload.Close()
	if w.err == nil && w.all > 0 {
		page.Damage = w.missing / w.all
	}
	return page, w.err
}

// walk goes through the parts of a page.
type walk struct {
	r            *Reader
	page         *Page
	of           *cdx.Entry
	met          map[string]bool
	all, missing float64 // weights
	err          error
}

// document looks at the parts that a document asks for. via is "" for the page itself.
func (w *walk) document(ctx context.Context, url string, p *records.Payload, via string, depth int) {
	var decoder httpwire.Decoder
	body, err := decoder.All(p.Body, p.Codings(), maxBody, maxRatio)
	if err != nil && len(body) == 0 {
		if via == "" {
			w.page.Unread, w.page.Damage = err.Error(), 1
		}
		return
	}
	for _, part := range parts(w.r.Links(Document{url, p.Header, body})) {
		if w.met[part.URL] || w.err != nil {
			continue
		}
		if w.page.Parts == maxParts {
			w.page.More = true
			return
		}
		w.met[part.URL] = true
		w.page.Parts++
		part.Via = via
		w.part(ctx, &part, depth)
	}
}

// part looks for one part, and for what it asks for in turn.
func (w *walk) part(ctx context.Context, part *wanted, depth int) {
	w.all += part.As.weight()
	h, err := w.r.look(ctx, part, w.of.Timestamp)
	if err != nil {
		w.err = err
		return
	}
	if h == nil {
		w.missing += part.As.weight()
		w.page.Lacks = append(w.page.Lacks, part.Part)
		return
	}
	defer h.payload.Close()
	switch part.Fit = w.r.fit(ctx, h, w.of); part.Fit {
	case Violates:
		w.page.Unfit = append(w.page.Unfit, part.Part)
	case Unsure:
		w.page.Unsure++
	}
	if (part.As == Style || part.As == Frame) && depth < maxDepth {
		w.document(ctx, part.URL, h.payload, part.URL, depth+1)
	}
}

// Look tells whether the archive has a URL, as replay would show it at a time.
func (r *Reader) Look(ctx context.Context, url string, at time.Time) (Part, error) {
	part := Part{URL: url}
	h, err := r.find(ctx, &part, url, at.UTC().Format(stampLayout), 0)
	if h != nil {
		h.payload.Close()
	}
	return part, err
}

// Lacks reports whether the capture of a document that is shown at a time embeds a URL that the archive does not have, which a crawl
// may bring. It reads the index anew.
func (r *Reader) Lacks(ctx context.Context, document, url string, at time.Time) (bool, error) {
	r.Forget()
	part, err := r.Look(ctx, url, at)
	if err != nil || part.State == Held || !part.Open() {
		return false, err
	}
	h, err := r.find(ctx, &Part{}, document, at.UTC().Format(stampLayout), 0)
	if err != nil || h == nil {
		return false, err
	}
	defer h.payload.Close()
	var decoder httpwire.Decoder
	body, err := decoder.All(h.payload.Body, h.payload.Codings(), maxBody, maxRatio)
	if err != nil && len(body) == 0 {
		return false, nil
	}
	return slices.ContainsFunc(r.Links(Document{document, h.payload.Header, body}), func(l kavosh.Link) bool {
		return l.Kind == kavosh.Embed && l.URL == url
	}), nil
}

// Lacking returns the parts that the archive does not have of what a browser loads for a document with these links, as replay would
// show it at a time.
func (r *Reader) Lacking(ctx context.Context, links []kavosh.Link, at time.Time) (lacks []Part, err error) {
	for _, part := range parts(links) {
		h, err := r.look(ctx, &part, at.UTC().Format(stampLayout))
		if err != nil {
			return nil, err
		}
		if h == nil {
			lacks = append(lacks, part.Part)
			continue
		}
		h.payload.Close()
	}
	return lacks, nil
}

// parts returns what a browser loads of links. Of a picture in several sizes, and of a font, film or sound in several
// formats, it loads one.
func parts(links []kavosh.Link) (all []wanted) {
	open, listed := false, false // the last part is a picture whose sizes may follow; they came first
	for i := range links {
		l := &links[i]
		as := use(l)
		sizes := strings.HasSuffix(l.Attr, "srcset")
		switch {
		case as == unused:
			open = false
			continue
		case open && as == Image && (sizes && (l.Element != "source" || links[i-1].Element == "source") || listed && l.Attr == "src"), len(all) > 0 && otherFormat(&all[len(all)-1], as, l.URL):
			last := &all[len(all)-1]
			last.or = append(last.or, l.URL)
			open = open && sizes
			continue
		}
		all = append(all, wanted{Part: Part{URL: l.URL, As: as}})
		open, listed = as == Image && (sizes || l.Attr == "src"), sizes
	}
	return all
}

// otherFormat reports whether a URL differs from the font, film or sound of part in its format alone. A font may be a picture: SVG.
func otherFormat(part *wanted, as Use, url string) bool {
	was, _, _ := strings.Cut(part.URL, "?")
	is, _, _ := strings.Cut(url, "?")
	if strings.TrimSuffix(was, path.Ext(was)) != strings.TrimSuffix(is, path.Ext(is)) {
		return false
	}
	return part.As == Font && (as == Font || as == Decor) || part.As == Media && as == Media && was != is
}

// use tells what a link is to its page: unused for what a browser does not load by itself to show it.
func use(l *kavosh.Link) Use {
	if l.Kind != kavosh.Embed {
		return unused
	}
	switch l.Element {
	case "img":
		if l.Attr != "lowsrc" && l.Attr != "dynsrc" {
			return Image
		}
	case "image", "input", "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "use", "feimage":
		return Image
	case "source":
		if l.Attr == "srcset" {
			return Image
		}
		return Media
	case "video":
		if l.Attr == "poster" {
			return Image
		}
		return Media
	case "audio", "embed", "object", "bgsound":
		return Media
	case "iframe", "frame":
		return Frame
	case "script":
		if l.Attr == "src" {
			return Script
		}
	case "link", "?xml-stylesheet":
		if rel := strings.Fields(l.Rel); slices.Contains(rel, "stylesheet") && !slices.Contains(rel, "alternate") {
			return Style
		}
	case "css":
		switch name, _, _ := strings.Cut(l.URL, "?"); strings.ToLower(path.Ext(name)) {
		case ".woff", ".woff2", ".ttf", ".otf", ".eot":
			return Font
		case ".css":
			return Style
		}
		if l.Attr == "@import" {
			return Style
		}
		return Decor
	}
	return unused
}

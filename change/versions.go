package change

// This file reads versions of pages from captures, and compares them.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/charset"
	"kavosh/lib/htmltree"
	"kavosh/lib/httpwire"
	"kavosh/lib/segment"
	"kavosh/lib/warc"
)

// Reader reads captures of pages. The error of its methods is a *kavosh.Refused if whoever Records reads for may not
// have a capture.
type Reader struct {
	Records *records.Records
	Kept    *Kept // of pages that are laid out by their HTML; nil: everything is read and compared anew
	// Layout returns how a browser lays out a capture, of the maker Rendered. If it is nil, pages are laid out by
	// their HTML alone.
	Layout func(context.Context, *cdx.Entry) (*segment.Layout, error)
	// Folds are hosts whose addresses are one whatever the case of their letters, as Folding finds them; nil for none.
	Folds map[string]bool
}

// Bounds of a page that is compared.
const (
	maxCompared      = 16 << 20 // bytes
	maxComparedRatio = 1000     // of its content coding
)

// stampLayout is the form of times in an index.
const stampLayout = "20060102150405"

// key names what is kept of captures; "" if it is not kept. What a browser shows is not: it has also parts of a page, such
// as frames, that others take the place of or that are closed later.
func (r *Reader) key(of ...*cdx.Entry) string {
	if r.Kept == nil || r.Layout != nil {
		return ""
	}
	parts := []string{segment.Flow}
	for _, e := range of {
		if e.Digest == "" {
			return ""
		}
		parts = append(parts, warc.DigestKey(e.Digest))
	}
	return strings.Join(append(parts, of[len(of)-1].URL), "\x00")
}

// Page returns a capture of a page, cut into blocks.
func (r *Reader) Page(ctx context.Context, e *cdx.Entry) (*segment.Page, error) {
	if err := r.Records.May(ctx, e); err != nil {
		return nil, err
	}
	key := r.key(e)
	if key != "" {
		if p := r.Kept.page(key); p != nil {
			return p, nil
		}
	}
	var p *segment.Page
	if r.Layout != nil {
		l, err := r.Layout(ctx, e)
		if err != nil {
			return nil, err
		}
		p = segment.Cut(l)
	} else {
		source, err := r.source(ctx, e)
		if err != nil {
			return nil, err
		}
		p = source.Cut(e.URL)
	}
	if key == "" {
		return p, nil
	}
	return p, put(r.Kept.blocks, key, p)
}

// source reads the HTML of a capture.
func (r *Reader) source(ctx context.Context, e *cdx.Entry) (s Source, err error) {
	p, err := r.Records.Open(ctx, e)
	if errors.Is(err, records.ErrNoOriginal) {
		return s, fmt.Errorf("the capture of %s is a revisit, and the archive does not have what it repeats", e.Time().Format(time.DateTime))
	}
	if err != nil {
		return s, err
	}
	defer p.Close()
	var decoder httpwire.Decoder
	body, err := decoder.All(p.Body, p.Codings(), maxCompared, maxComparedRatio)
	if err != nil {
		return s, fmt.Errorf("the capture of %s: %w", e.Time().Format(time.DateTime), err)
	}
	return Source{p.Header.Get("Content-Type"), body}, nil
}

// Source is the HTML of a page, with the Content-Type that came with it.
type Source struct {
	Type string
	Body []byte // without content coding
}

// Cut cuts the page at a URL into blocks by its HTML alone.
func (s Source) Cut(url string) *segment.Page { return segment.Cut(segment.FlowOf(s.tree(url))) }

func (s Source) tree(url string) *htmltree.Page {
	text, _, _ := charset.Decode(s.Body, s.Type)
	return htmltree.Parse(string(text), strings.Contains(s.Type, "xhtml"), url)
}

// Compare returns what differs between two captures of a page.
func (r *Reader) Compare(ctx context.Context, old, new *cdx.Entry) (*Report, error) {
	report, _, _, err := r.compare(ctx, old, new)
	return report, err
}

// compare is Compare, and returns the versions, too, if it has read them.
func (r *Reader) compare(ctx context.Context, old, new *cdx.Entry) (report *Report, was, is *segment.Page, err error) {
	for _, e := range [...]*cdx.Entry{old, new} {
		if err := r.Records.May(ctx, e); err != nil {
			return nil, nil, nil, err
		}
	}
	key := r.key(old, new)
	if key != "" {
		if report := r.Kept.delta(key); report != nil {
			report.From, report.To = old.Time(), new.Time()
			return report, nil, nil, nil
		}
	}
	if was, err = r.Page(ctx, old); err != nil {
		return nil, nil, nil, err
	}
	if is, err = r.Page(ctx, new); err != nil {
		return nil, nil, nil, err
	}
	report, err = Compare(new.URL, was, is)
	if err == nil && key != "" {
		err = put(r.Kept.deltas, key, report)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	report.From, report.To = old.Time(), new.Time()
	return report, was, is, nil
}

// Calm is like Compare, and knows the difference by earlier captures of the page, too, the oldest first: what of it is noise
// (History.Mark), and how much the rest matters. Those that cannot be read are passed over.
func (r *Reader) Calm(ctx context.Context, earlier []cdx.Entry, old, new *cdx.Entry) (*Report, error) {
	report, err := r.Compare(ctx, old, new)
	if err != nil || len(report.Operations) == 0 {
		return report, err
	}
	var h History
	var last *segment.Page
	var at time.Time // of last
	next := func(p *segment.Page, e *cdx.Entry) (d *Delta, after time.Duration, err error) {
		before := last
		after = e.Time().Sub(at)
		if last, at = p, e.Time(); before == nil {
			return nil, 0, nil
		}
		d, err = Between(before, p)
		return d, after, err
	}
	for _, e := range earlier {
		p, err := r.Page(ctx, &e)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		if d, after, err := next(p, &e); err != nil {
			return nil, err
		} else if d != nil {
			h.Next(d, after)
		}
	}
	for _, e := range [...]*cdx.Entry{old, new} {
		p, err := r.Page(ctx, e)
		if err != nil {
			return nil, err
		}
		d, after, err := next(p, e)
		switch {
		case err != nil:
			return nil, err
		case d == nil:
		case e == new:
			h.Mark(d)
			report.Operations = d.Operations
			report.Importance = d.Importance(ByPlace())
			report.Importance.Calm = d.Importance(h.Weigh(d, ByPlace())).Weighed
		default:
			h.Next(d, after)
		}
	}
	return report, nil
}

// IsPage reports whether a capture is of a page that can be compared with others.
func IsPage(e *cdx.Entry) bool {
	if e.MIME == cdx.Revisit {
		return e.Type() == "" || strings.Contains(e.Type(), "html")
	}
	return strings.Contains(e.MIME, "html") && (e.Status/100 == 2 || e.Status == 0)
}

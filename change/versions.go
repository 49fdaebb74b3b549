package change

// This file reads versions of pages from captures.

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
)

// Version is a page as one capture has it, cut into blocks.
type Version struct {
	Time time.Time // of the capture, in UTC
	Page *segment.Page
}

// Bounds of a page that is compared.
const (
	maxCompared      = 16 << 20 // bytes
	maxComparedRatio = 1000     // of its content coding
)

// stampLayout is the form of times in an index.
const stampLayout = "20060102150405"

// Read reads a capture of a page and cuts it by its HTML. The error is a *kavosh.Refused if whoever r reads for may not
// have it.
func Read(ctx context.Context, r *records.Records, e *cdx.Entry) (v Version, err error) {
	p, err := r.Open(ctx, e)
	if errors.Is(err, records.ErrNoOriginal) {
		return v, fmt.Errorf("the capture of %s is a revisit, and the archive does not have what it repeats", moment(e))
	}
	if err != nil {
		return v, err
	}
	defer p.Close()
	var decoder httpwire.Decoder
	body, err := decoder.All(p.Body, p.Codings(), maxCompared, maxComparedRatio)
	if err != nil {
		return v, fmt.Errorf("the capture of %s: %w", moment(e), err)
	}
	kind := p.Header.Get("Content-Type")
	text, _, _ := charset.Decode(body, kind)
	if v.Time, err = time.Parse(time.RFC3339Nano, p.Record.Get("WARC-Date")); err != nil {
		v.Time, _ = time.Parse(stampLayout, e.Timestamp) // of an ARC file
	}
	v.Page = segment.Cut(segment.FlowOf(htmltree.Parse(string(text), strings.Contains(kind, "xhtml"), e.URL)))
	return v, nil
}

func moment(e *cdx.Entry) string {
	t, err := time.Parse(stampLayout, e.Timestamp)
	if err != nil {
		return e.Timestamp
	}
	return t.Format(time.DateTime)
}

// IsPage reports whether a capture is of a page that can be compared with others.
func IsPage(e *cdx.Entry) bool {
	if e.MIME == cdx.Revisit {
		return e.Type() == "" || strings.Contains(e.Type(), "html")
	}
	return strings.Contains(e.MIME, "html") && (e.Status/100 == 2 || e.Status == 0)
}

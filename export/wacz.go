package export

// This file packs an archive's WARC files as one WACZ file, without the records that readers may not see. export reads
// the archive and never changes it.

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"iter"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/wacz"
	"kavosh/lib/warc"
)

// WACZ packs WARC files, their index and lists of their pages into one file. Records are copied unchanged. Records that
// may not be shown are left out, with their requests and notes; each takes 16 bytes of memory.
type WACZ struct {
	FS    vfs.FS
	Dir   string   // folder of the files
	Files []string // complete .warc or .warc.gz files; their order is kept
	// Index yields all captures in the order of an index. Captures in other files are skipped.
	Index func() iter.Seq2[cdx.Entry, error]
	// reports whether a capture may be shown; nil if all may, and no revisit has its original in a file that is not packed
	Shows func(*cdx.Entry) bool
	// Records opens what captures hold, shown or not. It finds the originals of revisits. It is needed if Shows is set.
	Records *records.Records
	Seeds   map[string]bool // URLs whose pages come first; if none has a page, all pages come first
	// TitleOf returns the title of a page, or ""; nil means no titles.
	TitleOf func(*cdx.Entry) string

	Title, About, Software string // About is a description in sentences, or ""
	Created                time.Time
	Key                    *ecdsa.PrivateKey
	Counts                 WACZCounts

	gone   map[string][]hole // by file: what is left out or replaced there
	packed map[string]bool   // the files that are packed
}

// WACZCounts says what was packed.
type WACZCounts struct {
	Files    int   `json:"files"`
	Captures int64 `json:"captures"`
	Pages    int64 `json:"pages"`
	LeftOut  int64 `json:"left_out"` // records left out
	Whole    int64 `json:"whole"`    // revisits that became full responses
	Secrets  int   `json:"secrets"`  // files whose requests contain credentials and cookies
}

// KeepsSecrets reports whether the requests in a WARC file contain credentials and cookies, as its first record says.
func KeepsSecrets(f io.Reader) bool {
	records, err := warc.NewReader(f)
	if err != nil {
		return false
	}
	rec, err := records.Next()
	if err != nil || rec.Type() != "warcinfo" {
		return false
	}
	info, _ := io.ReadAll(io.LimitReader(rec.Block, maxNote)) // as far as it can be read
	return bytes.Contains(info, []byte("\nsecrets: kept\r"))
}

// hole is a place in a file where records were left out or replaced.
type hole struct {
	begin, end int64
	before     int64  // how many bytes fewer the output has up to end; known when written
	put        *whole // the replacement; nil if none
	length     int64  // bytes of put, known when it is written
}

// Write writes the package to w. It stops with the error of ctx when that ends.
func (p *WACZ) Write(ctx context.Context, w io.Writer) error {
	out := wacz.NewWriter(w, p.Title, p.About, p.Software, p.Created)
	p.gone, p.packed = map[string][]hole{}, map[string]bool{}
	for _, name := range p.Files {
		p.packed[name] = true
	}
	for _, name := range p.Files {
		written, err := p.file(ctx, out, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if written {
			p.Counts.Files++
		}
	}
	if err := out.Index(p.captures(ctx)); err != nil {
		return err
	}
	seeds := p.hasSeedPages(ctx)
	for _, extra := range []bool{false, true} {
		if err := out.Pages(extra, p.pages(ctx, func(url string) bool { return (!seeds || p.Seeds[url]) != extra })); err != nil {
			return err
		}
	}
	return out.Close(p.Key)
}

// file copies a WARC file, with its holes. A file of which nothing is left is not written: readers take an empty one for damage.
func (p *WACZ) file(ctx context.Context, out *wacz.Writer, name string) (written bool, err error) {
	f, err := p.FS.Open(p.FS.PathJoin(p.Dir, name))
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() == 0 {
		return false, nil
	}
	holes := []hole{}
	if p.Shows != nil {
		if holes, err = p.holes(ctx, f); err != nil {
			return false, err
		}
	}
	p.gone[name] = holes
	if len(holes) > 0 && holes[0].put == nil && holes[0].end-holes[0].begin == info.Size() {
		return false, nil
	}
	if KeepsSecrets(io.NewSectionReader(f, 0, info.Size())) {
		p.Counts.Secrets++
	}
	w, err := out.WARC(name)
	if err != nil {
		return false, err
	}
	at, before := int64(0), int64(0)
	for i := range holes {
		h := &holes[i]
		if _, err := io.Copy(w, warc.Until(ctx, io.NewSectionReader(f, at, h.begin-at))); err != nil {
			return false, err
		}
		if h.put != nil {
			if h.length, err = p.writeWhole(ctx, w, name, h.put); err != nil {
				return false, err
			}
		}
		before += h.end - h.begin - h.length
		at, h.before = h.end, before
	}
	_, err = io.Copy(w, warc.Until(ctx, io.NewSectionReader(f, at, info.Size()-at)))
	return true, err
}

// part is what is remembered of a record: where it is, and which other records belong to it.
type part struct {
	offset, length int64
	id, of, event  string // event: URL and time
	closed         bool
	silent         bool   // only this record is left out
	whole          *whole // its replacement; nil if it stays
}

// holes reads a file and finds the records to leave out: those that may not be shown, and those written with them.
func (p *WACZ) holes(ctx context.Context, f io.Reader) ([]hole, error) {
	records, err := warc.NewReader(f)
	if err != nil {
		return nil, err
	}
	var parts []part
	closed := map[string]bool{} // by id and by event
	for {
		rec, err := records.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		h := rec.Header
		one := part{offset: rec.Offset, id: h.Get("WARC-Record-ID"), of: h.Get("WARC-Concurrent-To"),
			event: rec.TargetURI() + " " + h.Get("WARC-Date")}
		if rec.TargetURI() != "" {
			one.closed = !p.Shows(cdx.EntryOf(rec))
		}
		switch typ := rec.Type(); {
		case one.closed:
		case typ == "revisit":
			one.whole, one.silent, err = p.wholeOf(ctx, rec)
		case typ == "metadata", typ == "request", typ == "resource" && strings.HasPrefix(rec.TargetURI(), "urn:") && notes(rec):
			one.whole, one.silent, err = p.silentOf(ctx, rec)
		}
		if err != nil {
			return nil, err
		}
		if err := records.Finish(); err != nil {
			return nil, err
		}
		if rec.Shared {
			return nil, errors.New("it is compressed as a whole, so that nothing can be left out of it: make a copy with kavosh repair")
		}
		one.length = rec.Length
		if one.closed {
			closed[one.id], closed[one.of], closed[one.event] = true, true, true
		}
		parts = append(parts, one)
	}
	delete(closed, "")
	var holes []hole
	for _, one := range parts {
		end := one.offset + one.length
		switch n := len(holes); {
		case !one.closed && !one.silent && !closed[one.id] && !closed[one.of] && !closed[one.event]:
			if one.whole != nil {
				if one.whole.status != 0 {
					p.Counts.Whole++
				}
				holes = append(holes, hole{begin: one.offset, end: end, put: one.whole})
			}
			continue
		case n > 0 && holes[n-1].end == one.offset && holes[n-1].put == nil:
			holes[n-1].end = end
		default:
			holes = append(holes, hole{begin: one.offset, end: end})
		}
		p.Counts.LeftOut++
	}
	return holes, nil
}

// notes reports whether what a crawler recorded under a name of its own is its own words, in which it may name what is
// left out. A picture or a document of a page is not.
func notes(rec *warc.Record) bool {
	return !strings.HasPrefix(rec.ContentType(), "image/") && !strings.HasPrefix(rec.ContentType(), "text/html")
}

// captures yields the captures in the packed files, with their new offsets.
func (p *WACZ) captures(ctx context.Context) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range p.shown(ctx) {
			p.Counts.Captures++
			if h := lastHoleBefore(p.gone[e.Filename], e.Offset); h != nil && h.begin < e.Offset {
				e.Offset -= h.before
			} else if h != nil { // it became a full response
				e.Offset -= h.before - (h.end - h.begin - h.length)
				e.Length = h.length
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// shown yields the captures that are packed, with their old offsets.
func (p *WACZ) shown(ctx context.Context) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for e, err := range p.Index() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(e, err)
				return
			}
			holes, packed := p.gone[e.Filename]
			if !packed || p.Shows != nil && !p.Shows(&e) {
				continue
			}
			if h := lastHoleBefore(holes, e.Offset); h != nil && e.Offset < h.end {
				if h.put == nil {
					continue // left out with another record
				}
				if h.put.status != 0 {
					e.Status, e.MIME = h.put.status, h.put.mime
				}
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// lastHoleBefore returns the last hole that begins at or before an offset; nil if none.
func lastHoleBefore(holes []hole, offset int64) *hole {
	i := sort.Search(len(holes), func(i int) bool { return holes[i].begin > offset })
	if i == 0 {
		return nil
	}
	return &holes[i-1]
}

// isPage reports whether a capture is a page that a reader would open.
func isPage(e *cdx.Entry) bool {
	return e.Status == 200 && (strings.HasPrefix(e.MIME, "text/html") || strings.HasPrefix(e.MIME, "application/xhtml"))
}

func (p *WACZ) hasSeedPages(ctx context.Context) bool {
	for e, err := range p.shown(ctx) {
		if err == nil && isPage(&e) && p.Seeds[e.URL] {
			return true
		}
	}
	return false
}

// pages yields the first captures of pages whose URL is wanted.
func (p *WACZ) pages(ctx context.Context, wanted func(url string) bool) iter.Seq2[wacz.PageLine, error] {
	return func(yield func(wacz.PageLine, error) bool) {
		before := ""
		for e, err := range p.shown(ctx) {
			if err == nil && (!isPage(&e) || e.URL == before || !wanted(e.URL)) {
				continue
			}
			before = e.URL
			p.Counts.Pages++
			at, bad := time.Parse("20060102150405", e.Timestamp)
			if err == nil {
				err = bad
			}
			line := wacz.PageLine{ID: strconv.FormatInt(p.Counts.Pages, 10), URL: e.URL, Time: at}
			if err == nil && p.TitleOf != nil {
				titled := &e
				if h := lastHoleBefore(p.gone[e.Filename], e.Offset); h != nil && h.begin == e.Offset { // it became a full response
					titled = &h.put.original
				}
				line.Title = p.TitleOf(titled)
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

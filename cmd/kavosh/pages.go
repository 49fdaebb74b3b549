package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kavosh"
	"kavosh/archive"
	"kavosh/extract"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/charset"
	"kavosh/lib/httpwire"
	"kavosh/lib/wacz"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// pageReader reads the answers in files, folders and archives.
type pageReader struct {
	buffers extract.Buffers
	decoder httpwire.Decoder
	yield   func(*readPage) error
	needs   kavosh.Needs // what is wanted of pages beside their text

	originals *warc.Originals // by which revisits are read; nil leaves them out
	wait      bool            // revisits whose originals are not met yet are kept for the end: lateOnes gives them
	late      []lateRevisit
	skipped   int // what was no document: without text, an error page, unreadable
}

// readPage is one answer. Only those with a 2xx status are read.
type readPage struct {
	*kavosh.Page
	name   string // its address, or the path of its file
	time   string // of the capture, RFC 3339; "" where none is known
	group  string // what it resembles by more than its content: its host, or the first folder below the one that was named
	status int
	header kavosh.Header
	bytes  int64  // of the payload, with its content coding
	coded  string // the encoding of characters that it declares
}

// texts lets only pages with text through, and RDF documents where these are asked for, and counts the others.
func (r *pageReader) texts(yield func(*readPage) error) {
	r.yield = func(p *readPage) error {
		if p.status < 200 || p.status > 299 || p.Text == "" && p.RDF.Class != kavosh.ClassRDF {
			r.skipped++
			return nil
		}
		return yield(p)
	}
}

// lateRevisit is a revisit whose original may lie in a later file.
type lateRevisit struct {
	*readPage
	digest string
}

// maxPage is how much of a page is read, in bytes after content decoding.
const maxPage = 16 << 20

// read gives the pages of an archive, of a WARC, ARC or WACZ file, of a single page's file, or of all such in a folder.
func (r *pageReader) read(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return r.file(ctx, path, filepath.Base(path))
	}
	if path, err = recordsIn(path); err != nil {
		return err
	}
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(path, file)
		if err != nil {
			return err
		}
		group, _, _ := strings.Cut(filepath.ToSlash(below), "/")
		return r.file(ctx, file, group)
	})
}

// recordsIn is where the records lie of what path names: in an archive its warc folder.
func recordsIn(path string) (string, error) {
	if is, err := isArchive(path); err != nil || !is {
		return path, err
	}
	return filepath.Join(path, "warc"), nil
}

// recordFiles are the WARC, ARC and WACZ files that path names, or that are in it, those that are being written among
// them.
func recordFiles(path string) ([]string, error) {
	path, err := recordsIn(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return []string{path}, nil
	}
	return archive.FilesBelow(path, archive.IsWebFile)
}

// file gives the pages of one file. What holds no text is left out and counted.
func (r *pageReader) file(ctx context.Context, path, group string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if archive.IsWebFile(path) {
		return r.archived(ctx, f, path)
	}
	payload, err := io.ReadAll(io.LimitReader(f, maxPage))
	if err != nil {
		return err
	}
	doc := extract.Document{URL: "file:///" + strings.TrimPrefix(filepath.ToSlash(path), "/"), Status: 200, Payload: payload}
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".html" || ext == ".htm" {
		doc.Header = kavosh.Header{{Name: "Content-Type", Value: "text/html"}}
	}
	return r.page(doc, &readPage{name: path, group: group, bytes: int64(len(payload))})
}

// page extracts a document and gives it.
func (r *pageReader) page(doc extract.Document, p *readPage) error {
	p.Page = extract.Extract(doc, extract.Options{Buffers: &r.buffers, MaxBytes: maxPage, Needs: r.needs.Or(kavosh.Needs{Text: true})})
	p.status, p.header, p.coded = doc.Status, doc.Header, charset.Declared(doc.Payload, doc.Header.Get("Content-Type"))
	return r.yield(p)
}

// archived gives the pages in a WARC, ARC or WACZ file.
func (r *pageReader) archived(ctx context.Context, f *os.File, path string) error {
	first := make([]byte, 4)
	n, _ := f.ReadAt(first, 0)
	if !wacz.IsZip(first[:n]) {
		return r.records(ctx, f, path)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	zip, err := wacz.Open(f, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, one := range zip.Packages() {
		for _, member := range one.WARCs() {
			section, err := one.At(member)
			if err == nil {
				err = r.records(ctx, section, path+":"+member)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// records gives the answers of a row of records.
func (r *pageReader) records(ctx context.Context, f io.Reader, path string) error {
	_, isFile := f.(*os.File)
	records, err := warc.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for {
		rec, err := records.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if rec.Type() != "response" && (rec.Type() != "revisit" || r.originals == nil) {
			continue
		}
		url, err := weburl.Parse(rec.TargetURI())
		if err != nil {
			r.skipped++
			continue
		}
		head, body, err := rec.Payload()
		if err != nil {
			r.skipped++
			continue
		}
		p := &readPage{name: url.Key(), time: rec.Date().UTC().Format(time.RFC3339), group: url.Host(), status: head.Status, bytes: rec.Size - int64(head.Len)}
		switch {
		case head.Status < 200 || head.Status > 299:
			p.Page = &kavosh.Page{URL: p.name}
			err = r.yield(p)
		case rec.Type() == "revisit":
			err = r.revisit(p, rec.Header.Get("WARC-Payload-Digest"))
		default:
			if isFile {
				r.originals.Note(rec, path)
			}
			err = r.answer(p, head.Fields, body)
		}
		if err != nil {
			return err
		}
	}
}

// answer gives a whole answer.
func (r *pageReader) answer(p *readPage, head kavosh.Header, body io.Reader) error {
	doc := extract.Document{URL: p.name, Status: p.status, Header: head}
	// What does not decode to its end is read as far as it goes, as a crawl does.
	doc.Payload, _ = r.decoder.All(body, head.List("Content-Encoding"), maxPage, 1000)
	return r.page(doc, p)
}

// lateOnes gives the revisits that waited, when all files are read.
func (r *pageReader) lateOnes() error {
	r.wait = false
	for _, one := range r.late {
		if err := r.revisit(one.readPage, one.digest); err != nil {
			return err
		}
	}
	return nil
}

// revisit gives what a revisit record stands for, if its original was met.
func (r *pageReader) revisit(p *readPage, digest string) error {
	path, offset, ok := r.originals.Find(digest)
	if !ok && r.wait {
		r.late = append(r.late, lateRevisit{p, digest})
		return nil
	}
	if !ok {
		r.skipped++
		return nil
	}
	stored := records.Records{Files: archive.Paths{}}
	held, err := stored.Alone(context.Background(), &cdx.Entry{Filename: path, Offset: offset})
	if err != nil || !warc.SameDigest(held.Record.Get("WARC-Payload-Digest"), digest) {
		held.Close()
		r.skipped++
		return nil
	}
	defer held.Close()
	p.bytes = held.Size
	return r.answer(p, held.Header, held.Body)
}

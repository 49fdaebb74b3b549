package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kavosh"
	"kavosh/extract"
	"kavosh/lib/httpwire"
	"kavosh/lib/wacz"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// pageReader reads the texts of pages in files, folders and archives.
type pageReader struct {
	buffers extract.Buffers
	decoder httpwire.Decoder
	yield   func(readPage) error
	skipped int // documents without text: pictures, styles, error pages
}

// readPage is one page.
type readPage struct {
	*kavosh.Page
	name  string // its address, or the path of its file
	group string // what it resembles by more than its content: its host, or the first folder below the one that was named
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
	case isArchive(path):
		path = filepath.Join(path, "warc")
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
	low := strings.ToLower(path)
	if slices.ContainsFunc(looseEnds, func(end string) bool { return strings.HasSuffix(low, end) }) {
		return r.archived(ctx, f, path)
	}
	payload, err := io.ReadAll(io.LimitReader(f, maxPage))
	if err != nil {
		return err
	}
	doc := extract.Document{URL: "file:///" + strings.TrimPrefix(filepath.ToSlash(path), "/"), Status: 200, Payload: payload}
	if ext := filepath.Ext(low); ext == ".html" || ext == ".htm" {
		doc.Header = kavosh.Header{{Name: "Content-Type", Value: "text/html"}}
	}
	return r.page(doc, path, group)
}

// page extracts a document and gives it when there is text in it.
func (r *pageReader) page(doc extract.Document, name, group string) error {
	p := extract.Extract(doc, extract.Options{Buffers: &r.buffers, MaxBytes: maxPage, Needs: kavosh.Needs{Text: true}})
	if p.Text == "" {
		r.skipped++
		return nil
	}
	return r.yield(readPage{p, name, group})
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
	for _, member := range zip.WARCs() {
		section, err := zip.At(member)
		if err == nil {
			err = r.records(ctx, section, path+":"+member)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// records gives the pages of a row of records: those of whole 2xx answers.
func (r *pageReader) records(ctx context.Context, f io.Reader, path string) error {
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
		if rec.Type() != "response" {
			continue
		}
		url, err := weburl.Parse(rec.TargetURI())
		if err != nil {
			r.skipped++
			continue
		}
		head, body, err := rec.Payload()
		if err != nil || head.Status < 200 || head.Status > 299 {
			r.skipped++
			continue
		}
		doc := extract.Document{URL: url.Key(), Status: head.Status}
		for _, field := range head.Fields {
			doc.Header = append(doc.Header, kavosh.Field{Name: field.Name, Value: field.Value})
		}
		// What does not decode to its end is read as far as it goes, as a crawl does.
		doc.Payload, _ = r.decoder.All(body, head.ContentCodings(), maxPage, 1000)
		if err := r.page(doc, doc.URL, url.Host()); err != nil {
			return err
		}
	}
}

package archive

// This file reads the archived answers of servers as pages, for commands that read all pages once: characterise, judge,
// lab.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/extract"
	"kavosh/internal/about"
	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/charset"
	"kavosh/lib/httpwire"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Answers reads the answers of servers in files, folders and archives, one after another.
type Answers struct {
	Needs    kavosh.Needs // what the caller needs of pages besides their text
	Revisits bool         // also yields revisits, with the payload of their originals
	Bare     bool         // Texts also yields web pages without text, such as frames
	Skipped  int          // number of answers left out: without text, error pages, not readable

	buffers   extract.Buffers
	decoder   httpwire.Decoder
	store     LooseFiles
	originals *warc.Originals
	late      []lateRevisit
}

// Answer is one answer. Its page is read only if its status is 2xx.
type Answer struct {
	*kavosh.Page
	Name   string // its URL, or the path of its file
	Group  string // its host, or the first folder below the named one; answers of one group are alike
	Status int
	Header kavosh.Header
	Bytes  int64  // bytes of the payload, with its content coding
	Coded  string // the character encoding that it declares
}

// lateRevisit is a revisit whose original may be in a later file.
type lateRevisit struct {
	*Answer
	digest string
}

// maxAnswer is how many bytes of a decoded answer are read.
const maxAnswer = 16 << 20

// WARCs returns the WARC, ARC and WACZ files at or below path, also those that are being written. For an archive, these
// are the files of its folder warc.
func WARCs(path string) ([]string, error) {
	path, err := recordsIn(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return []string{path}, nil
	}
	return FilesBelow(path, IsWebFile)
}

// recordsIn returns the folder of the records below path: for an archive its folder warc, otherwise path itself.
func recordsIn(path string) (string, error) {
	if is, err := about.Is(vfs.Default, path); err != nil || !is {
		return path, err
	}
	return filepath.Join(path, "warc"), nil
}

// Texts yields the pages with text (and RDF documents, if these are needed) of an archive, of a WARC, ARC or WACZ file,
// of the file of a single page, or of all such files in a folder. It counts in Skipped what it leaves out.
func (r *Answers) Texts(ctx context.Context, path string, yield func(*Answer) error) error {
	texts := func(a *Answer) error {
		bare := a.Text == "" && a.RDF.Class != kavosh.ClassRDF
		if a.Status < 200 || a.Status > 299 || bare && !(r.Bare && (a.Type == "text/html" || a.Type == "application/xhtml+xml")) {
			r.Skipped++
			return nil
		}
		return yield(a)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return r.file(ctx, path, filepath.Base(path), texts)
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
		return r.file(ctx, file, group, texts)
	})
}

// All yields all answers in files. Revisits whose originals come after them are yielded last.
func (r *Answers) All(ctx context.Context, files []string, yield func(*Answer) error) error {
	r.originals = warc.NewOriginals()
	for _, file := range files {
		if err := r.file(ctx, file, "", yield); err != nil {
			return err
		}
	}
	for _, one := range r.late {
		if found, err := r.revisit(ctx, one.Answer, one.digest, yield); err != nil {
			return err
		} else if !found {
			r.Skipped++
		}
	}
	return nil
}

// file yields the answers of one file.
func (r *Answers) file(ctx context.Context, path, group string, yield func(*Answer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if IsWebFile(path) {
		return r.web(ctx, path, yield)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	payload, err := io.ReadAll(io.LimitReader(f, maxAnswer))
	if err != nil {
		return err
	}
	doc := extract.Document{URL: "file:///" + strings.TrimPrefix(filepath.ToSlash(path), "/"), Status: 200, Payload: payload}
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".html" || ext == ".htm" {
		doc.Header = kavosh.Header{{Name: "Content-Type", Value: "text/html"}}
	}
	return r.page(doc, &Answer{Name: path, Group: group, Bytes: int64(len(payload))}, yield)
}

// page extracts a document and yields it.
func (r *Answers) page(doc extract.Document, a *Answer, yield func(*Answer) error) error {
	needs := r.Needs.Or(kavosh.Needs{Text: true})
	a.Page = extract.Extract(doc, extract.Options{Buffers: &r.buffers, MaxBytes: maxAnswer, Needs: needs})
	a.Status, a.Header, a.Coded = doc.Status, doc.Header, charset.Declared(doc.Payload, doc.Header.Get("Content-Type"))
	return yield(a)
}

// web yields the answers in a WARC, ARC or WACZ file.
func (r *Answers) web(ctx context.Context, path string, yield func(*Answer) error) error {
	if r.store == nil {
		r.store = LooseFiles{}
	}
	for f, err := range EachWARC(path, r.store) {
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		in, err := warc.NewReader(f)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for {
			rec, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := r.record(ctx, rec, f.Name, yield); err != nil {
				return err
			}
		}
	}
	return nil
}

// record yields the answer in a record, if it has one.
func (r *Answers) record(ctx context.Context, rec *warc.Record, file string, yield func(*Answer) error) error {
	if rec.Type() != "response" && (rec.Type() != "revisit" || !r.Revisits) {
		return nil
	}
	url, err := weburl.Parse(rec.TargetURI())
	if err != nil {
		r.Skipped++
		return nil
	}
	head, body, err := rec.Payload()
	if err != nil {
		r.Skipped++
		return nil
	}
	a := &Answer{Name: url.Key(), Group: url.Host(), Status: head.Status, Bytes: rec.Size - int64(head.Len)}
	switch {
	case head.Status < 200 || head.Status > 299:
		a.Page = &kavosh.Page{URL: a.Name}
		return yield(a)
	case rec.Type() == "revisit":
		digest := rec.Header.Get("WARC-Payload-Digest")
		found, err := r.revisit(ctx, a, digest, yield)
		if !found && err == nil {
			r.late = append(r.late, lateRevisit{a, digest})
		}
		return err
	}
	r.originals.Note(rec, file)
	return r.answer(a, head.Fields, body, yield)
}

// answer yields a complete answer.
func (r *Answers) answer(a *Answer, head kavosh.Header, body io.Reader, yield func(*Answer) error) error {
	doc := extract.Document{URL: a.Name, Status: a.Status, Header: head}
	// A body that cannot be decoded to its end is read as far as possible, as in a crawl.
	doc.Payload, _ = r.decoder.All(body, head.List("Content-Encoding"), maxAnswer, 1000)
	return r.page(doc, a, yield)
}

// revisit yields the answer that a revisit record refers to, if its original was read before.
func (r *Answers) revisit(ctx context.Context, a *Answer, digest string, yield func(*Answer) error) (found bool, err error) {
	file, offset, ok := r.originals.Find(digest)
	if !ok {
		return false, nil
	}
	stored := records.Records{Files: r.store}
	held, err := stored.Alone(ctx, &cdx.Entry{Filename: file, Offset: offset})
	if err != nil || !warc.SameDigest(held.Record.Get("WARC-Payload-Digest"), digest) {
		held.Close()
		return false, nil
	}
	defer held.Close()
	a.Bytes = held.Size
	return true, r.answer(a, held.Header, held.Body, yield)
}

package quads

// This file reads statements from RDF and HTML files on disk, outside any archive.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kavosh"
	"kavosh/lib/packed"
	"kavosh/lib/rdf"
	"kavosh/lib/rdf/format"
	"kavosh/lib/rdf/jsonld"
)

// Files are RDF and HTML files on disk from which statements are read.
type Files struct {
	Paths []string  // paths; "-" means Stdin
	Stdin io.Reader // standard input
	Base  string    // the URL against which relative IRIs are resolved; "" means each file's own
}

// IsFile reports whether a file is RDF or HTML, by its name.
func IsFile(path string) bool { return format.Said("", packed.Inside(path)) != format.None }

// Read yields the statements of the files, each with the URL of its file. After each file it calls done with the result
// of reading it. A file that cannot be opened has a Fault.
func (f *Files) Read(ctx context.Context, yield func(url string, q rdf.Quad) error, done func(path string, d *Document)) error {
	for i, path := range f.Paths {
		label := ""
		if len(f.Paths) > 1 {
			label = fmt.Sprintf("f%dx", i+1)
		}
		d, err := f.read(ctx, path, label, yield)
		if err != nil {
			return err
		}
		done(path, &d)
	}
	return nil
}

// read yields the statements of one file. Labels of blank nodes begin with label.
func (f *Files) read(ctx context.Context, path, label string, yield func(url string, q rdf.Quad) error) (d Document, err error) {
	file := f.Stdin
	if path == "-" {
		path = "/dev/stdin"
	} else if opened, err := os.Open(path); err != nil {
		var at *fs.PathError
		if d.Fault = err.Error(); errors.As(err, &at) {
			d.Fault = at.Err.Error()
		}
	} else {
		defer opened.Close()
		file = opened
	}
	if d.URL = f.Base; d.URL == "" {
		if d.URL, err = fileURL(path); err != nil {
			return d, err
		}
	}
	if d.Fault != "" {
		return d, nil
	}
	var contexts jsonld.Contexts // there are no files beside standard input
	if path != "/dev/stdin" {
		contexts = f.contexts(path, d.URL)
	}
	in := until(ctx, file)
	defer in.Close()
	body := bufio.NewReader(in)
	_, empty := body.Peek(1)
	d.Reading, err = Read(Payload{URL: d.URL, Name: path, Body: body, Contexts: contexts}, func(q rdf.Quad) error {
		return yield(d.URL, Apart(q, label))
	})
	if err == nil {
		err = ctx.Err()
	}
	if d.Class == kavosh.ClassOther && d.Fault == "" && empty == nil {
		d.Fault = "neither RDF nor HTML"
	}
	return d, err
}

// until returns a reader that ends when ctx does, even while a pipe sends nothing.
func until(ctx context.Context, in io.Reader) io.ReadCloser {
	out, pipe := io.Pipe()
	stop := context.AfterFunc(ctx, func() { pipe.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(pipe, in)
		stop()
		pipe.CloseWithError(err)
	}()
	return out
}

// contexts finds the JSON-LD contexts for the file at path with the URL own: among the other files by their URLs, and
// in the file's folder and below, where a context's URL has the same place below the folder of own. Nothing else is
// opened, so that a document cannot choose which of its reader's files are read.
func (f *Files) contexts(path, own string) jsonld.Contexts {
	return func(context string) (document []byte, ok bool) {
		context, _, _ = strings.Cut(context, "#")
		var file *os.File
		var err error
		if named := f.named(context); named != "" {
			file, err = os.Open(named)
		} else {
			below, ok := strings.CutPrefix(context, own[:strings.LastIndexByte(own, '/')+1])
			name, bad := url.PathUnescape(below)
			if !ok || bad != nil {
				return nil, false
			}
			file, err = os.OpenInRoot(filepath.Dir(path), filepath.FromSlash(name))
		}
		if err != nil {
			return nil, false
		}
		defer file.Close()
		if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
			return nil, false
		}
		document, err = io.ReadAll(io.LimitReader(file, maxContext+1)) // one more than jsonld takes
		return document, err == nil
	}
}

// named returns the path of the file with a URL, or "" if none has it.
func (f *Files) named(url string) string {
	if f.Base != "" || !strings.HasPrefix(url, "file:") {
		return ""
	}
	for _, path := range f.Paths {
		if own, err := fileURL(path); err == nil && own == url {
			return path
		}
	}
	return ""
}

// Twice reports whether the statements can be read again. From a pipe they cannot.
func (f *Files) Twice() bool {
	return !slices.ContainsFunc(f.Paths, func(path string) bool {
		info, err := os.Stat(path)
		return path == "-" || err == nil && !info.Mode().IsRegular()
	})
}

// fileURL returns the URL of a file on disk.
func fileURL(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(abs), "/")}).String(), nil
}

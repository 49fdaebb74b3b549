package stored

// This file opens stored webs of any kind.

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"kavosh/internal/about"
	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

// Options say how to open a stored web. The zero value is fine.
type Options struct {
	Base   string // for a folder with one site: the URL of the folder; "" if its sub-folders are hosts
	Labels string // a file of further labels, "URL <tab> label" in each line; "" for none
}

// Open opens the stored web at path:
//
//	a Kavosh archive, or a folder of WARC files, or one WARC or ARC file
//	a file *.jsonl, *.jsonl.gz or *.jsonl.zst: one page per line (graph.go)
//	synthetic:pages=N,…: generated (synthetic.go)
//	any other folder: mirrored sites, one folder per host, as wget --mirror makes them
//
// Errors name the file and the wrong line or offset.
func Open(path string, o Options) (*Web, error) {
	w, err := open(path, o)
	if err != nil {
		return nil, err
	}
	if o.Labels != "" {
		if err := w.readLabels(o.Labels); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func open(path string, o Options) (*Web, error) {
	if spec, ok := strings.CutPrefix(path, "synthetic:"); ok {
		s, err := ParseSynthetic(spec)
		if err != nil {
			return nil, err
		}
		return s.Web(), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("stored web: %w", err)
	}
	if !info.IsDir() {
		if isGraph(path) {
			return openGraph(path)
		}
		return openWARC(path, []string{path}, nil)
	}
	files, err := warcFiles(path)
	if err != nil {
		return nil, err
	}
	if len(files) > 0 {
		var links map[string][]followed
		if is, err := about.Is(vfs.Default, path); err != nil {
			return nil, err
		} else if is {
			if links, err = followedLinks(path); err != nil {
				return nil, err
			}
		}
		return openWARC(path, files, links)
	}
	return openFolder(path, o.Base)
}

// warcFiles returns the WARC and ARC files in a folder, or in the folder warc of an archive, sorted.
func warcFiles(dir string) ([]string, error) {
	if inner := filepath.Join(dir, "warc"); isFolder(inner) {
		dir = inner
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if warc.IsName(strings.TrimSuffix(e.Name(), ".open")) && !e.IsDir() {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// readLabels adds the labels from a file: a URL, a tab and a label in each line.
func (w *Web) readLabels(path string) error {
	lines, err := openLines(path)
	if err != nil {
		return err
	}
	defer lines.Close()
	for lines.next() {
		url, label, ok := strings.Cut(strings.TrimSpace(lines.text()), "\t")
		if url == "" || strings.HasPrefix(url, "#") {
			continue
		}
		if !ok || label == "" {
			return lines.errorf("no label: write the URL, a tab, the label")
		}
		key, err := weburl.Key(url)
		if err != nil {
			return lines.errorf("%q is no URL: %v", url, err)
		}
		if i := w.Find(key); i >= 0 && !w.HasLabel(i, label) {
			w.Pages[i].Labels = append(w.Pages[i].Labels, label)
		}
	}
	return lines.err()
}

// maxLine is the longest line read, in bytes.
const maxLine = 64 << 20

// lines reads a text file line by line, compressed or not, and knows the line number for errors.
type lines struct {
	path    string
	n       int
	scanner *bufio.Scanner
	close   []func() error
}

func openLines(path string) (*lines, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	l := &lines{path: path, close: []func() error{f.Close}}
	var r io.Reader = f
	switch filepath.Ext(path) {
	case ".gz":
		z, err := gzip.NewReader(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r = z
	case ".zst":
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		r = z
		l.close = append(l.close, func() error { z.Close(); return nil })
	}
	l.scanner = bufio.NewScanner(r)
	l.scanner.Buffer(make([]byte, 64<<10), maxLine)
	return l, nil
}

func (l *lines) next() bool {
	l.n++
	return l.scanner.Scan()
}

func (l *lines) text() string  { return l.scanner.Text() }
func (l *lines) bytes() []byte { return l.scanner.Bytes() }

// err returns the error that ended the reading; nil at the end of the file.
func (l *lines) err() error {
	if err := l.scanner.Err(); err != nil {
		return l.errorf("%v", err)
	}
	return nil
}

// errorf makes an error about the last line read.
func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", l.path, l.n, fmt.Sprintf(format, args...))
}

func (l *lines) Close() {
	for _, c := range l.close {
		_ = c() // ignored: the file was only read
	}
}

package stored

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
	"kavosh/lib/weburl"
)

// Options say how a stored web is read. The zero value works.
type Options struct {
	Base   string // of a folder that holds one site: the URL of the folder itself; "" when its sub-folders are hosts
	Labels string // a file of "URL <tab> label" lines that adds labels; "" for none
}

// Open reads the stored web at path:
//
//	a Kavosh archive, or a folder of WARC files, or one WARC or ARC file
//	a file *.jsonl, *.jsonl.gz or *.jsonl.zst: a page a line (graph.go)
//	synthetic:pages=N,…: made up (synthetic.go)
//	any other folder: mirrored sites, a folder a host, as wget --mirror leaves them
//
// Errors name the file, and the line or offset, that is wrong.
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

// warcFiles are the WARC and ARC files in a folder, or in the folder warc of an archive, sorted.
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
		name := strings.TrimSuffix(e.Name(), ".open")
		for _, suffix := range []string{".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"} {
			if strings.HasSuffix(name, suffix) && !e.IsDir() {
				files = append(files, filepath.Join(dir, e.Name()))
				break
			}
		}
	}
	return files, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// readLabels adds the labels of a file: a URL, a tab and a label a line.
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

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

// lines reads a text file, packed or not, line by line, and knows where it is.
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

// err is what ended the reading, if it was not the end.
func (l *lines) err() error {
	if err := l.scanner.Err(); err != nil {
		return l.errorf("%v", err)
	}
	return nil
}

// errorf is an error about the line that was read last.
func (l *lines) errorf(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", l.path, l.n, fmt.Sprintf(format, args...))
}

func (l *lines) Close() {
	for _, c := range l.close {
		_ = c() // it was only read
	}
}

// Command labdata makes stored webs with labels out of data that others published, for kavosh lab.
//
//	go run ./tools/labdata webkb webkb-three-universities.tar.gz OUT
//
// webkb reads WebKB's pages of universities (CMU, 1997): a file a page, in a folder for its class and its university, its
// name being the URL. OUT gets a WARC file and a file of labels for each university; the pages of "misc", which are of
// many others, serve to train judges.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"kavosh/lib/warc"
	"kavosh/lib/weburl"
)

func main() {
	if len(os.Args) != 4 || os.Args[1] != "webkb" {
		fmt.Fprintln(os.Stderr, "usage: labdata webkb FILE.tar.gz OUT")
		os.Exit(2)
	}
	if err := webkb(os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "labdata:", err)
		os.Exit(1)
	}
}

// web is a stored web being written.
type web struct {
	file   *os.File
	warc   *warc.Writer
	labels *os.File
	seen   map[string]bool
}

func webkb(path, out string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	webs := map[string]*web{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		parts := strings.Split(h.Name, "/")
		if h.Typeflag != tar.TypeReg || len(parts) != 4 {
			continue
		}
		class, university, name := parts[1], parts[2], parts[3]
		w := webs[university]
		if w == nil {
			if w, err = create(out, university); err != nil {
				return err
			}
			webs[university] = w
		}
		page, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := w.add(name, class, page); err != nil {
			return err
		}
	}
	for _, w := range webs {
		if err := errors.Join(w.file.Close(), w.labels.Close()); err != nil {
			return err
		}
	}
	return nil
}

func create(out, name string) (*web, error) {
	f, err := os.Create(filepath.Join(out, name+".warc.gz"))
	if err != nil {
		return nil, err
	}
	labels, err := os.Create(filepath.Join(out, name+".tsv"))
	if err != nil {
		return nil, err
	}
	return &web{f, warc.NewWriter(f, warc.Compression{Format: warc.Gzip}), labels, map[string]bool{}}, nil
}

// port is a host with a port, as file names have it.
var port = regexp.MustCompile(`^(https?://[^/]*)_(\d+)(/|$)`)

// add writes a page and its class. Of a URL that comes twice the first counts.
func (w *web) add(name, class string, page []byte) error {
	url := strings.Replace(strings.ReplaceAll(name, "^", "/"), "http_//", "http://", 1)
	key, err := weburl.Key(port.ReplaceAllString(url, "$1:$2$3"))
	if err != nil || w.seen[key] {
		return nil
	}
	w.seen[key] = true
	head, body, ok := bytes.Cut(page, []byte("\n\n"))
	if !ok {
		head, body = nil, page
	}
	block := []byte("HTTP/1.0 200 OK\r\n")
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); bytes.Contains(line, []byte(": ")) && !bytes.HasPrefix(bytes.ToLower(line), []byte("content-length:")) {
			block = append(append(block, line...), "\r\n"...)
		}
	}
	block = append(append(block, "\r\n"...), body...)
	h := warc.Header{
		{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: "1997-01-01T00:00:00Z"},
		{Name: "WARC-Target-URI", Value: key}, {Name: "Content-Type", Value: "application/http;msgtype=response"}, {Name: "Content-Length", Value: strconv.Itoa(len(block))},
	}
	if _, err := w.warc.WriteRecord(h, bytes.NewReader(block)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.labels, "%s\t%s\n", key, class)
	return err
}

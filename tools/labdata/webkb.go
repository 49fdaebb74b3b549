package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

const (
	others          = "misc"         // folder of pages of other universities, for training judges
	allUniversities = "universities" // the web of all universities
)

// webkb reads WebKB's pages of universities (CMU, 1997): one file per page, in a folder for its class and university;
// the file name is the URL. Each university is a web, and classes are labels. From the folder misc, pages on a
// university's hosts are left out, so that a judge trained on it has seen none of them.
func webkb(path, out string) error {
	if there, err := made(out, allUniversities); there || err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
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
		if webs[university] == nil {
			webs[university] = newWeb(university)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		header, body := splitWebKB(content)
		webs[university].add(urlOfWebKB(name), header, body, class)
	}
	hosts := map[string]bool{}
	for name, w := range webs {
		for i := range w.pages {
			if name != others {
				hosts[hostOf(w.pages[i].url)] = true
			}
		}
	}
	rest := webs[others]
	if rest == nil {
		return fmt.Errorf("%s: no folder %q in it: that is not WebKB", path, others)
	}
	all := newWeb(allUniversities)
	for _, name := range slices.Sorted(maps.Keys(webs)) {
		for _, p := range webs[name].pages {
			all.add(p.url, p.header, p.body, p.labels...)
		}
	}
	rest.keep(func(p *page) bool { return !hosts[hostOf(p.url)] })
	for _, w := range webs {
		if err := w.save(out); err != nil {
			return err
		}
	}
	return all.save(out) // last, so that if it exists, the others do too
}

// port matches a host with a port, as in file names.
var port = regexp.MustCompile(`^(https?://[^/]*)_(\d+)(/|$)`)

// urlOfWebKB returns the URL that a file name means.
func urlOfWebKB(name string) string {
	u := strings.Replace(strings.ReplaceAll(name, "^", "/"), "http_//", "http://", 1)
	return port.ReplaceAllString(u, "$1:$2$3")
}

// splitWebKB splits a file into the header as it was sent and the page.
func splitWebKB(content []byte) (header string, body []byte) {
	head, body, ok := bytes.Cut(content, []byte("\n\n"))
	if !ok {
		return "", content
	}
	var b strings.Builder
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); bytes.Contains(line, []byte(": ")) && !bytes.HasPrefix(bytes.ToLower(line), []byte("content-length:")) {
			b.Write(line)
			b.WriteString("\r\n")
		}
	}
	return b.String(), body
}

// hostOf returns the host and port of a seen-key.
func hostOf(key string) string {
	u, err := url.Parse(key)
	if err != nil {
		return ""
	}
	return u.Host
}

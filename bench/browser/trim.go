package main

// This file chooses the pages that a site has in a measurement.

import (
	"bytes"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"kavosh"
	"kavosh/extract"
)

// trim returns n HTML pages of a site: the first in breadth from its start page by the links in the pages' markup, then,
// if these do not lead to so many, the others in the order of their names.
func (s *site) trim(root string, n int) (pages map[string]bool, err error) {
	all, err := htmlFiles(root)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, name := range all {
		there[name] = !fragment(root, name) && path.Base(name) != "404.html"
	}
	pages = map[string]bool{}
	whole := &server{site: s, root: root, pages: there}
	start, _ := whole.file(s.start)
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		links, err := s.links(root, queue[0])
		if err != nil {
			return nil, err
		}
		for _, name := range append([]string{queue[0]}, links...) {
			if file, slash := whole.file(name); slash {
				name += "/"
			} else if file != "" {
				name = file
			}
			if file, _ := whole.file(name); there[file] && !pages[file] && len(pages) < n {
				pages[file] = true
				if file != start {
					queue = append(queue, file)
				}
			}
		}
	}
	for _, name := range all {
		if there[name] && len(pages) < n {
			pages[name] = true
		}
	}
	return pages, nil
}

// links returns the paths, relative to the folder, that a page's markup links to on its own site.
func (s *site) links(root, name string) (names []string, err error) {
	body, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	base := url.URL{Scheme: "http", Host: s.host(), Path: s.at + name}
	page := extract.Extract(extract.Document{URL: base.String(), Status: 200, Payload: body,
		Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}, extract.Options{})
	for _, l := range page.Links {
		u, err := url.Parse(l.URL)
		if err != nil || u.Host != s.host() || l.Kind == kavosh.Speculative {
			continue
		}
		if name, ok := strings.CutPrefix(u.Path, s.at); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// isPage reports whether a file is HTML by its name.
func isPage(name string) bool {
	return strings.HasSuffix(name, ".html") || strings.HasSuffix(name, ".htm")
}

// fragment reports whether an HTML file is a piece that scripts put into pages.
func fragment(root, name string) bool {
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2<<10)
	n, _ := f.Read(head)
	head = bytes.ToLower(head[:n])
	return !bytes.Contains(head, []byte("<html")) && !bytes.Contains(head, []byte("<!doctype"))
}

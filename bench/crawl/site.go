package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"mime"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// hosts is how many hosts a generated site has: 127.0.1.1 to 127.0.1.64, which crawlers reach without name resolution.
const hosts = 64

// hostAddress is the address of host h, from 0.
func hostAddress(h int) string { return fmt.Sprintf("127.0.1.%d", h+1) }

// pageBytes is about the size of a made-up page.
const pageBytes = 20_000

// linksAPage is how many links a made-up page has.
const linksAPage = 50

// children is how many pages are guaranteed a link from a generated page, so that all can be reached from page 0.
const children = 8

// page is one prepared response.
type page struct {
	host   int
	path   string
	answer []byte // head and body
	head   int    // length of the head
}

// site is what the server serves.
type site struct {
	hosts  int
	origin func(host int) string // such as "http://127.0.1.1:8080"
	pages  []page                // page 0 is the seed
}

// newPage makes a response with a head for body.
func newPage(host int, path, kind string, body []byte) page {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Mon, 05 Jan 2026 12:00:00 GMT\r\nContent-Type: %s\r\n"+
		"Last-Modified: Sun, 04 Jan 2026 12:00:00 GMT\r\nContent-Length: %d\r\n\r\n", kind, len(body))
	return page{host, path, append([]byte(head), body...), len(head)}
}

// synthetic generates n pages. The same seed and origins give the same pages.
func synthetic(n int, easy bool, seed uint64, origin func(host int) string) *site {
	s := &site{hosts: min(hosts, n), origin: origin, pages: make([]page, n)}
	p := newProse(seed, easy)
	paths := make([]string, n)
	for i := range paths {
		paths[i] = p.path(i, seed)
	}
	var body []byte
	for i := range s.pages {
		body = p.page(body[:0], i, s, paths, rand.New(rand.NewPCG(seed, uint64(i)+2)))
		s.pages[i] = newPage(i%s.hosts, paths[i], "text/html; charset=utf-8", body)
	}
	return s
}

// path is the path of page i: page 0 is the root of host 0.
func (p *prose) path(i int, seed uint64) string {
	if i == 0 {
		return "/"
	}
	rng := rand.New(rand.NewPCG(seed^0x9e3779b97f4a7c15, uint64(i)))
	section := p.words[500+rng.IntN(20)]
	return fmt.Sprintf("/%s/%s-%s-%d.html", section, p.words[rng.IntN(len(p.words))], p.words[rng.IntN(len(p.words))], i)
}

// page appends page i: navigation, a heading, paragraphs with links between words, and a footer.
func (p *prose) page(b []byte, i int, s *site, paths []string, rng *rand.Rand) []byte {
	about := p.subject(rng)
	var targets []int
	for c := range children {
		if to := i*children + c + 1; to < len(paths) {
			targets = append(targets, to)
		}
	}
	for len(targets) < linksAPage {
		to := rng.IntN(len(paths))
		if rng.IntN(2) == 0 { // half of all links stay on the host
			to += i%s.hosts - to%s.hosts
			if to >= len(paths) {
				continue
			}
		}
		targets = append(targets, to)
	}
	rng.Shuffle(len(targets), func(x, y int) { targets[x], targets[y] = targets[y], targets[x] })
	link := func(b []byte, class string) []byte {
		to := targets[0]
		targets = targets[1:]
		b = append(b, `<a class="`...)
		b = append(b, class...)
		b = append(b, `" href="`...)
		if to%s.hosts != i%s.hosts {
			b = append(b, s.origin(to%s.hosts)...)
		}
		b = append(b, paths[to]...)
		b = append(b, `">`...)
		b = p.phrase(b, rng, about, 1+rng.IntN(3))
		return append(b, "</a>"...)
	}
	b = append(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"...)
	b = p.phrase(b, rng, about, 5)
	b = append(b, "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"description\" content=\""...)
	b = p.sentence(b, rng, about)
	b = append(b, "\">\n</head>\n<body class=\"article\">\n<nav class=\"menu\"><ul>\n"...)
	for range 10 {
		b = append(b, `<li class="menu-item">`...)
		b = link(b, "menu-link")
		b = append(b, "</li>\n"...)
	}
	b = append(b, "</ul></nav>\n<main id=\"content\">\n<h1>"...)
	b = p.phrase(b, rng, about, 5)
	b = append(b, "</h1>\n"...)
	for paragraph := 0; len(b) < pageBytes-900; paragraph++ {
		if paragraph%5 == 4 {
			b = append(b, `<h2 class="section-title">`...)
			b = p.phrase(b, rng, about, 4)
			b = append(b, "</h2>\n"...)
		}
		b = append(b, "<p>"...)
		for range 3 + rng.IntN(4) {
			b = p.sentence(b, rng, about)
			if len(targets) > 10 && rng.IntN(3) > 0 {
				b = append(link(b, "inline"), ' ')
			}
		}
		b = append(b, "</p>\n"...)
	}
	b = append(b, "</main>\n<footer class=\"page-footer\">\n"...)
	for len(targets) > 0 {
		b = append(link(b, "footer-link"), '\n')
	}
	return append(b, "</footer>\n</body>\n</html>\n"...)
}

// mirror makes a site from the files below folder, on as many hosts as n files need (at most hosts). Each page ends
// with a comment that names its host, so that no two have the same digest. The seed links to all hosts.
func mirror(folder string, n int, origin func(host int) string) (*site, error) {
	type file struct {
		name string
		data []byte
	}
	var files []file
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil // skip dangling symbolic links
		}
		rel, err := filepath.Rel(folder, name)
		files = append(files, file{"/" + filepath.ToSlash(rel), data})
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no files", folder)
	}
	s := &site{hosts: min(hosts, (n+len(files)-1)/len(files)), origin: origin}
	var seed strings.Builder
	seed.WriteString("<!DOCTYPE html>\n<title>Mirrors</title>\n")
	for h := range s.hosts {
		fmt.Fprintf(&seed, "<p><a href=\"%s/index.html\">%s</a></p>\n", origin(h), hostAddress(h))
	}
	s.pages = append(s.pages, newPage(0, "/", "text/html; charset=utf-8", []byte(seed.String())))
	for h := range s.hosts {
		for _, f := range files {
			kind := mime.TypeByExtension(path.Ext(f.name))
			if kind == "" {
				kind = "application/octet-stream"
			}
			body := f.data
			if strings.HasPrefix(kind, "text/html") {
				kind = "text/html" // the page declares its charset, if any
				body = fmt.Appendf(append([]byte(nil), body...), "<!-- %s -->\n", hostAddress(h))
			}
			s.pages = append(s.pages, newPage(h, f.name, kind, body))
		}
	}
	return s, nil
}

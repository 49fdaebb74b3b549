package main

// This file is the server of the sites: it answers as static hosts do, and notes when.

import (
	"cmp"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// served is a request with the time of its coming, and that when its answer was ready. The client has all of it a moment
// later, perhaps before the server knows.
type served struct {
	host     string
	from, to time.Time
}

// server serves one site. Other hosts have nothing.
type server struct {
	site  *site
	root  string
	pages map[string]bool // files in root that are its HTML pages; others of its pages are not there

	mu  sync.Mutex
	log []served
}

// listen serves at a free local port.
func listen(by http.Handler) (address string, stop func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	h := &http.Server{Handler: by}
	go h.Serve(l)
	return l.Addr().String(), h.Close, nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := time.Now()
	status, head, body := s.answer(r)
	s.mu.Lock()
	s.log = append(s.log, served{r.Host, from, time.Now()})
	s.mu.Unlock()
	maps.Copy(w.Header(), head)
	w.WriteHeader(status)
	w.Write(body)
}

func (s *server) answer(r *http.Request) (status int, head http.Header, body []byte) {
	nothing := http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	name, ok := strings.CutPrefix(r.URL.Path, s.site.at)
	if r.Host != s.site.host() || !ok {
		return http.StatusNotFound, nothing, nil
	}
	file, slash := s.file(name)
	if slash {
		return http.StatusMovedPermanently, http.Header{"Location": {r.URL.EscapedPath() + "/"}}, nil
	}
	status = http.StatusOK
	if file == "" {
		file, status = "404.html", http.StatusNotFound
	}
	body, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
	if err != nil {
		return http.StatusNotFound, nothing, nil
	}
	return status, http.Header{"Content-Type": {typeOf(file, body)}}, body
}

// file returns the file that a path names: itself, the page of a folder, or the one with .html behind it; "" if there is
// none. slash is true for a folder that is named without its slash.
func (s *server) file(name string) (file string, slash bool) {
	clean := strings.TrimPrefix(path.Clean("/"+name), "/")
	if name == "" || strings.HasSuffix(name, "/") {
		return s.there(path.Join(clean, "index.html")), false
	}
	if file := s.there(clean); file != "" {
		return file, false
	}
	if s.there(path.Join(clean, "index.html")) != "" {
		return "", true
	}
	return s.there(clean + ".html"), false
}

// there returns the name of a file that is served, otherwise "".
func (s *server) there(name string) string {
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil || !info.Mode().IsRegular() || isPage(name) && !s.pages[name] && !fragment(s.root, name) {
		return ""
	}
	return name
}

// typeOf returns the media type of a file: by its name, for the kinds that sites are made of, otherwise by its content.
func typeOf(name string, body []byte) string {
	types := map[string]string{
		".css": "text/css", ".htm": "text/html; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript",
		".json": "application/json", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm", ".webp": "image/webp",
		".woff": "font/woff", ".woff2": "font/woff2", ".xml": "application/xml", ".ico": "image/x-icon", ".map": "application/json",
	}
	return cmp.Or(types[path.Ext(name)], http.DetectContentType(body))
}

// rest returns the most requests that a host got in one turn, and the shortest time from a turn to the next of its host,
// for each request of the turn. A turn are requests less than half the delay apart: kavosh asks for what a page in the
// browser shows in turns of at most six, and then rests as often. least is 0 if no host had two turns.
func rest(log []served, delay time.Duration) (most int, least time.Duration) {
	slices.SortFunc(log, func(a, b served) int { return a.from.Compare(b.from) })
	type turn struct {
		requests int
		ended    time.Time
	}
	turns := map[string]*turn{}
	for _, r := range log {
		last := turns[r.host]
		if last == nil {
			last = new(turn)
			turns[r.host] = last
		}
		if gap := r.from.Sub(last.ended); last.requests > 0 && gap >= delay/2 {
			if each := gap / time.Duration(last.requests); least == 0 || each < least {
				least = each
			}
			last.requests = 0
		}
		last.requests++
		most = max(most, last.requests)
		if r.to.After(last.ended) {
			last.ended = r.to
		}
	}
	return most, least
}

// htmlFiles returns the HTML pages of a folder, sorted.
func htmlFiles(root string) (names []string, err error) {
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !isPage(name) {
			return err
		}
		relative, err := filepath.Rel(root, name)
		names = append(names, filepath.ToSlash(relative))
		return err
	})
	return names, err
}

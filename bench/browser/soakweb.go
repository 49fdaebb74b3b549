package main

// This file is the web of the soak: pages that are alike and need their scripts, and hostile ones among them.

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"kavosh/internal/hostilepages"
)

// soakHost is where the pages are.
const soakHost = "soak.test"

// soakWeb is a tree of pages: page n links to pages 2n+1 and 2n+2. It counts which were asked for.
type soakWeb struct {
	pages int
	bad   []hostilepages.Page

	mu struct {
		sync.Mutex
		asked map[int]bool
		begun int // different pages
	}
}

func newSoakWeb(pages int) *soakWeb {
	w := &soakWeb{pages: pages, bad: hostilepages.All()}
	w.mu.asked = map[int]bool{}
	return w
}

// hostile returns the hostile page that page n is; ok is false if it is none. One in ten is.
func (w *soakWeb) hostile(n int) (p hostilepages.Page, ok bool) {
	if n%10 != 9 {
		return p, false
	}
	return w.bad[n/10%len(w.bad)], true
}

func (w *soakWeb) url(kind string, n int) string {
	return fmt.Sprintf("http://%s/%s/%d", soakHost, kind, n)
}

// begun returns how many pages were asked for.
func (w *soakWeb) begun() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mu.begun
}

func (w *soakWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, err := strconv.Atoi(rest)
	switch {
	case kind == "part" && rest == "":
		fmt.Fprintf(rw, "part %s", r.URL.RawQuery)
	case err != nil || n < 0 || n >= w.pages:
		http.NotFound(rw, r)
	case kind == "data":
		rw.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(rw, `"/found/%d"`, n)
	case kind == "found":
		rw.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(rw, "what the script of page %d links to", n)
	case kind == "page":
		w.mu.Lock()
		if !w.mu.asked[n] {
			w.mu.asked[n] = true
			w.mu.begun++
		}
		w.mu.Unlock()
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, w.page(n))
	default:
		http.NotFound(rw, r)
	}
}

func (w *soakWeb) page(n int) string {
	var b strings.Builder
	b.WriteString("<!doctype html><p>")
	for _, to := range []int{2*n + 1, 2*n + 2} {
		if to < w.pages {
			fmt.Fprintf(&b, "<a href=/page/%d>page %d</a> ", to, to)
		}
	}
	if p, ok := w.hostile(n); ok {
		return b.String() + p.HTML
	}
	fmt.Fprintf(&b, `<title>page %[1]d</title><p id=out>The page of number %[1]d says what no other does: %[2]d.<script>
		fetch('/da' + 'ta/' + %[1]d).then(r => r.json()).then(to => { const a = document.createElement('a'); a.href = to; a.append('found'); out.append(a) })
	</script>`, n, n*n)
	return b.String()
}

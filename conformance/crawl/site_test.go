//go:build conformance

package crawl

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// site is a web of hosts made from numbers: page i of a host links to pages near and far and embeds a picture now and
// then, so that every page can be reached from page 0 and everything about it is known beforehand.
type site struct {
	hosts, pages int           // pages a host
	latency      time.Duration // of an answer, at most

	served   atomic.Int64
	inFlight atomic.Int64
	log      struct {
		sync.Mutex
		visits []visit
	}
	refuse func(host, path string, n int) (status int, retryAfter string) // nil, or how to answer the n-th request of a URL
	times  sync.Map                                                       // URL → *atomic.Int64
}

// visit is one request as the server saw it.
type visit struct {
	host, path, local string
	begin, end        time.Time
	status            int
}

func (s *site) body(host, path string) (contentType, body string, ok bool) {
	switch {
	case path == "/robots.txt":
		return "text/plain", "User-agent: *\nDisallow: /private/\n", true
	case strings.HasPrefix(path, "/img/"):
		rng := rand.New(rand.NewPCG(uint64(len(path)), uint64(sum(host+path))))
		b := make([]byte, 600+rng.IntN(4000))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return "image/png", "\x89PNG\r\n\x1a\n" + string(b), true
	}
	n := 0
	if path != "/" {
		if _, err := fmt.Sscanf(path, "/page/%d.html", &n); err != nil {
			return "", "", false
		}
	}
	if n < 0 || n >= s.pages {
		return "", "", false
	}
	rng := rand.New(rand.NewPCG(uint64(n), uint64(sum(host))))
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s %d</title><h1>Page %d of %s</h1>\n", host, n, n, host)
	for _, m := range []int{2*n + 1, 2*n + 2, rng.IntN(s.pages), rng.IntN(s.pages)} {
		if m < s.pages {
			fmt.Fprintf(&b, "<p><a href=\"/page/%d.html\">to page %d</a></p>\n", m, m)
		}
	}
	if n == 0 {
		fmt.Fprintf(&b, "<a href=/private/secret.html>not for crawlers</a>\n")
	}
	if n%10 == 0 {
		fmt.Fprintf(&b, "<img src=\"/img/%d.png\" alt=\"picture\">\n", n)
	}
	for range 20 + rng.IntN(60) {
		fmt.Fprintf(&b, "<p>%x %x</p>\n", rng.Uint64(), rng.Uint64())
	}
	return "text/html; charset=utf-8", b.String(), true
}

func sum(s string) (n uint32) {
	for i := range len(s) {
		n = n*31 + uint32(s[i])
	}
	return n
}

func (s *site) host(i int) string { return fmt.Sprintf("h%02d.test", i) }

// urls is every URL that a complete crawl from the first pages records, with the digest of its payload.
func (s *site) urls(port string) map[string]string {
	all := map[string]string{}
	for h := range s.hosts {
		host := s.host(h)
		paths := []string{"/", "/robots.txt"}
		for n := range s.pages {
			if n > 0 {
				paths = append(paths, fmt.Sprintf("/page/%d.html", n))
			}
			if n%10 == 0 {
				paths = append(paths, fmt.Sprintf("/img/%d.png", n))
			}
		}
		// Page 0 is also linked to by its number when a page draws it.
		paths = append(paths, "/page/0.html")
		for _, p := range paths {
			_, body, _ := s.body(host, p)
			digest := sha256.Sum256([]byte(body))
			all["http://"+host+port+p] = fmt.Sprintf("sha256:%x", digest)
		}
	}
	return all
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	local := ""
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		local, _, _ = net.SplitHostPort(a.String())
	}
	counter, _ := s.times.LoadOrStore(r.Host+r.URL.Path, new(atomic.Int64))
	n := int(counter.(*atomic.Int64).Add(1))
	status := http.StatusOK
	if s.latency > 0 {
		<-time.After(time.Duration(sum(r.URL.Path)) % s.latency)
	}
	var retryAfter string
	if s.refuse != nil {
		if st, after := s.refuse(host, r.URL.Path, n); st != 0 {
			status, retryAfter = st, after
		}
	}
	contentType, body, ok := s.body(host, r.URL.Path)
	if !ok && status == http.StatusOK {
		status = http.StatusNotFound
	}
	if retryAfter != "" {
		w.Header().Set("Retry-After", retryAfter)
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	fmt.Fprint(w, body)
	s.served.Add(1)
	s.log.Lock()
	s.log.visits = append(s.log.visits, visit{host, r.URL.Path, local, begin, time.Now(), status})
	s.log.Unlock()
}

// serve listens on addr and gives the port.
func (s *site) serve(t *testing.T, addr string) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: s}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

func (s *site) visits() []visit {
	s.log.Lock()
	defer s.log.Unlock()
	all := append([]visit(nil), s.log.visits...)
	sort.Slice(all, func(i, j int) bool { return all[i].begin.Before(all[j].begin) })
	return all
}

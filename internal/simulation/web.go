package simulation

// This file makes the pages of a simulated world from one number.

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// web is the generated web. It has no state: the seed decides what is at a URL.
type web struct {
	seed  uint64
	calm  bool
	large bool
	hosts []site
	names map[string]int // host name to index
}

// site is one host.
type site struct {
	name   string
	addrs  []netip.Addr
	pages  int
	robots string        // "none", "rules", "forbidden", "broken", "flaky", "moved", "slow"
	delay  time.Duration // Crawl-delay; 0 if none
	fate   string        // "" or why nobody answers: "dns", "refused", "silent", "half" (the first of two addresses is dead)
	tls    bool          // it answers only on port 443, and badly
	rough  int           // percentage of responses with a fault
	paced  time.Duration // least time to the first byte
}

func newWeb(seed uint64, calm, large bool) *web {
	v := &web{seed: seed, calm: calm, large: large, names: map[string]int{}}
	rng := (&World{seed: seed}).dice("web", "", 0)
	n := 2 + rng.IntN(12)
	machines := 1 + rng.IntN(n)
	size := 4 + rng.IntN(40)
	for i := range n {
		s := site{name: fmt.Sprintf("h%d.test", i), pages: 1 + rng.IntN(size), robots: "none"}
		s.addrs = []netip.Addr{address(rng.IntN(machines))}
		switch rng.IntN(8) {
		case 0, 1, 2:
			s.robots = "rules"
		case 3:
			s.robots = "flaky"
		case 4:
			s.robots = []string{"broken", "forbidden", "moved", "slow"}[rng.IntN(4)]
		}
		if rng.IntN(4) == 0 && s.robots != "none" {
			s.delay = time.Duration(1+rng.IntN(12)) * time.Second
		}
		s.paced = time.Duration(1+rng.IntN(100)) * time.Millisecond
		if !calm && i > 0 {
			if rng.IntN(3) == 0 {
				s.rough = []int{2, 10, 40}[rng.IntN(3)]
			}
			switch rng.IntN(12) {
			case 0:
				s.fate = []string{"dns", "refused", "silent"}[rng.IntN(3)]
			case 1:
				s.tls = true
				s.addrs = []netip.Addr{address(100 + i)}
			case 2:
				s.fate = "half"
				s.addrs = []netip.Addr{address(150 + i), s.addrs[0]}
			}
		}
		if large {
			s.rough = 50
		}
		v.names[s.name] = i
		v.hosts = append(v.hosts, s)
	}
	return v
}

// address returns the address of machine i, in the range reserved for benchmarks.
func address(i int) netip.Addr { return netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)}) }

// Seeds returns URLs from which every page of the web can be reached.
func (w *World) Seeds() []string {
	var urls []string
	for i := range w.web.hosts {
		if i == 0 || i%3 == 0 {
			urls = append(urls, w.web.root(i))
		}
	}
	return urls
}

func (v *web) root(i int) string {
	scheme := "http"
	if v.hosts[i].tls {
		scheme = "https"
	}
	return scheme + "://" + v.hosts[i].name + "/"
}

// page is what is at a URL.
type page struct {
	status   int
	mime     string
	location string
	body     string
	links    []string
	busy     int    // how many times the server is busy first
	tag      string // ETag; "" if there is none
	whole    string // if body is the rest of one that the crawler has the beginning of: all of it
}

// at returns what is at path of the host.
func (v *web) at(host, path string) page {
	i, ok := v.names[host]
	if !ok {
		return page{status: 404, mime: "text/plain", body: "no such host\n"}
	}
	s := &v.hosts[i]
	kind, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	j, _ := strconv.Atoi(strings.TrimSuffix(rest, ".png"))
	switch kind {
	case "robots.txt", "rules":
		return v.rules(s, kind)
	case "":
		return v.html(i, 0, path)
	case "p", "busy":
		if j >= s.pages {
			break
		}
		p := v.html(i, j, path)
		if kind == "busy" {
			p.busy = 1 + j%3
		}
		return p
	case "private":
		return page{status: 200, mime: "text/html", body: "<p>not for you\n"}
	case "r":
		return page{status: 302, location: fmt.Sprintf("/p/%d", j%s.pages), mime: "text/html", body: "moved\n",
			links: []string{fmt.Sprintf("http://%s/p/%d", host, j%s.pages)}}
	case "far":
		to := v.root((i + j + 1) % len(v.hosts))
		return page{status: 301, location: to, mime: "text/html", links: []string{to}}
	case "dup":
		return page{status: 200, mime: "text/plain", body: strings.Repeat(fmt.Sprintf("the same text %d everywhere. ", j%3), 20)}
	case "i":
		p := page{status: 200, mime: "image/png", body: "\x89PNG\r\n\x1a\n" + strings.Repeat(string(rune('a'+j%20)), 100+j)}
		if v.large {
			var b strings.Builder
			for b.Len() < 60_000+j*7919%60_000 {
				fmt.Fprintf(&b, "%d of %s; ", b.Len(), path)
			}
			p.body, p.tag = b.String(), `"1"`
		}
		return p
	}
	return page{status: 404, mime: "text/html", body: "<p>nothing here\n"}
}

func (v *web) rules(s *site, kind string) page {
	text := "User-agent: *\nDisallow: /private\n"
	if s.delay > 0 {
		text += fmt.Sprintf("Crawl-delay: %d\n", int(s.delay/time.Second))
	}
	p := page{status: 200, mime: "text/plain", body: text}
	switch {
	case kind == "rules":
	case s.robots == "none":
		p = page{status: 404, mime: "text/plain", body: "none\n"}
	case s.robots == "forbidden":
		p = page{status: 403, mime: "text/plain", body: "no\n"}
	case s.robots == "broken":
		p = page{status: 500, mime: "text/plain", body: "oops\n"}
	case s.robots == "moved":
		p = page{status: 301, mime: "text/plain", location: "/rules/1"}
	case s.robots == "flaky":
		p.busy = 1
	}
	return p
}

// html returns page j of host i. Its children are 2j+1 and 2j+2, so that all pages are connected; the other links are
// random.
func (v *web) html(i, j int, path string) page {
	s := &v.hosts[i]
	rng := (&World{seed: v.seed}).dice("page", s.name+path, j)
	var links []string
	add := func(format string, args ...any) { links = append(links, fmt.Sprintf(format, args...)) }
	for _, child := range []int{2*j + 1, 2*j + 2} {
		if child < s.pages {
			add("http://%s/p/%d", s.name, child)
		}
	}
	if j == 0 {
		links = append(links, v.root((i+1)%len(v.hosts)))
	}
	for range rng.IntN(6) {
		to := &v.hosts[rng.IntN(len(v.hosts))]
		k := rng.IntN(to.pages)
		if v.large {
			add("http://%s/i/%d.png", to.name, k)
		}
		switch rng.IntN(12) {
		case 0:
			add("http://%s/private/%d", to.name, k%3)
		case 1:
			add("http://%s/r/%d", to.name, k)
		case 2:
			add("http://%s/far/%d", to.name, k%4)
		case 3:
			add("http://%s/dup/%d", to.name, k)
		case 4:
			add("http://%s/i/%d.png", to.name, k)
		case 5:
			add("http://%s/busy/%d", to.name, k)
		case 6:
			add("http://%s/missing/%d", to.name, k)
		case 7:
			add("http://elsewhere.example/%d", rng.IntN(50))
		default:
			add("http://%s/p/%d", to.name, k)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%d of %s</title>\n", j, s.name)
	for _, l := range links {
		if strings.HasSuffix(l, ".png") {
			fmt.Fprintf(&b, "<img src=\"%s\">\n", l)
		} else {
			fmt.Fprintf(&b, "<p>word %d <a href=\"%s\">to it</a>\n", rng.IntN(1000), l)
		}
	}
	for range rng.IntN(30) {
		fmt.Fprintf(&b, "text number %d of this page. ", rng.IntN(100))
	}
	return page{status: 200, mime: "text/html; charset=utf-8", body: b.String(), links: links}
}

// Links returns the URLs that a complete response with that status for url links to.
func (w *World) Links(url string, status int) []string {
	_, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	p := w.web.at(host, "/"+path)
	if p.status != status {
		return nil
	}
	return p.links
}

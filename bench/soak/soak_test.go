package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestWeb asks the web for what it links to: the same page each time, and only links that are there.
func TestWeb(t *testing.T) {
	w := web{Hosts: 1000, Seed: 3, port: 8080}
	w.makeWords()
	statuses := map[string]int{}
	for host := range w.Hosts {
		for page := range min(3, w.pages(host)) {
			b, r := w.answer(nil, host, w.path(nil, host, page))
			if again, _ := w.answer(nil, host, w.path(nil, host, page)); !bytes.Equal(b, again) {
				t.Fatalf("page %d of host %d is another at the second time", page, host)
			}
			line, _, _ := bytes.Cut(b, []byte("\r\n"))
			if r.cut == 0 {
				line = []byte("closed")
			} else if r.cut > 0 {
				line = []byte("cut")
			}
			statuses[string(line)]++
			if string(line) == "HTTP/1.1 200 OK" {
				if n := bytes.Count(b, []byte("<a href=")); n < 20 || n > 50 {
					t.Errorf("page %d of host %d has %d links", page, host, n)
				}
			}
		}
	}
	for _, want := range []string{"HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.1 301 Moved Permanently", "HTTP/1.1 500 Internal Server Error",
		"HTTP/1.1 503 Service Unavailable", "closed", "cut"} {
		if statuses[want] == 0 {
			t.Errorf("nothing answers %q: %v", want, statuses)
		}
	}
	if good := statuses["HTTP/1.1 200 OK"]; good < 2000 {
		t.Errorf("%d pages are well: %v", good, statuses)
	}
	host, page := uint64(4), uint64(2)
	link := string(w.link(nil, host, page, 5))
	if !strings.HasPrefix(link, "http://h") || !strings.Contains(link, suffix+":8080/") {
		t.Errorf("a link is %s", link)
	}
}

// TestTrends tells a leak and a decay from what is flat.
func TestTrends(t *testing.T) {
	var samples []sample
	for m := range 60 {
		samples = append(samples, sample{Minutes: float64(m + 1), Rate: 1000 + float64(m%3), CPURate: 1000 - 15*float64(m), RSS: int64(200e6 + 20e6*float64(m)),
			Goroutines: int64(100 + m%2), Files: int64(50 + m)})
	}
	want := map[string]bool{"pages a second": true, "pages a CPU-second": false, "resident memory, MB": false, "goroutines": true, "open files": false}
	for _, q := range trends(samples) {
		if q.Flat != want[q.What] {
			t.Errorf("%s: %+v", q.What, q)
		}
	}
	for _, q := range trends(samples[:2]) {
		if q.Flat {
			t.Errorf("%s is flat after two minutes", q.What)
		}
	}
}

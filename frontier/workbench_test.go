package frontier

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
)

// TestWorkbench crawls a thousand hosts with room for thirty: memory keeps to it, nobody is asked too soon although
// hosts leave memory and come back, and every page is done once.
func TestWorkbench(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const hosts, each, workers, bench = 1000, 3, 10, 30
		s := newServer(t, 20*time.Second, 0)
		f := open(t, Options{Delay: s.delay, Workbench: bench})
		s.answers = func(host string, n int) Answer {
			if n == 2 && host[1] == '5' {
				return Answer{Status: 503, RetryAfter: "400"}
			}
			f.mu.Lock()
			m := len(f.mu.bench.hosts)
			f.mu.Unlock()
			if m > bench+2*workers+50 { // and those of a group that is not applied
				t.Errorf("%d hosts are in memory", m)
			}
			return Answer{Status: 200}
		}
		for i := range hosts {
			s.addrs[fmt.Sprintf("h%d.example", i)] = []netip.Addr{netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})}
			pages(t, f, fmt.Sprintf("http://h%d.example", i), each)
		}
		if n := f.Stats().Hosts; n != hosts {
			t.Errorf("%d hosts are counted, want %d", n, hosts)
		}
		finished := s.crawl(f, workers, nil)
		n := 0
		for url, times := range finished {
			if times > 1 {
				t.Errorf("%s was finished %d times", url, times)
			}
			n += times
		}
		if n != hosts*each {
			t.Errorf("%d pages were finished, want %d", n, hosts*each)
		}
		if left := f.Stats(); left.Hosts != 0 || left.Queued != 0 {
			t.Errorf("left over: %+v", left)
		}
	})
}

// TestOpenTakesNobody opens a frontier with many hosts and has only a few in memory when the first is asked: the best.
func TestOpenTakesNobody(t *testing.T) {
	o := Options{FS: vfs.NewMem()}
	f := open(t, o)
	var urls []string
	for i := range 3 * turnHosts {
		urls = append(urls, fmt.Sprintf("http://h%d.test/robots.txt", i))
	}
	apply(t, f, Update{Links: links(kavosh.Seed, urls...)})
	f.Close()
	f = open(t, o)
	if n := len(f.mu.bench.hosts); n != 0 {
		t.Errorf("%d hosts are in memory", n)
	}
	if l := next(t, f); l.host.name != "h0.test" || len(f.mu.bench.hosts) > turnHosts {
		t.Errorf("%s comes first, %d hosts are in memory", l.Task.URL, len(f.mu.bench.hosts))
	}
	if s := f.Stats(); s.Hosts != 3*turnHosts {
		t.Errorf("%d hosts are counted, want %d", s.Hosts, 3*turnHosts)
	}
}

// TestLostPlaces takes every host's place in line away, and every URL comes all the same.
func TestLostPlaces(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Options{FS: vfs.NewMem()}
		f := open(t, o)
		for i := range 20 {
			pages(t, f, fmt.Sprintf("http://h%d.test", i), 2)
		}
		l := next(t, f)
		l.Answered(Answer{Status: 200})
		apply(t, f, Update{Task: l.Task, Robots: &Robots{Origin: l.Origin, Status: 404}})
		l = next(t, f)
		l.Answered(Answer{Status: 503})
		apply(t, f, Update{Task: l.Task, Retry: time.Now().Add(time.Hour)})
		f.Close()
		db, err := openDatabase(o.FS, "frontier", 1<<20, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range []byte{tagReady, tagWaiting} {
			if err := db.DeleteRange([]byte{tag}, []byte{tag + 1}, pebble.Sync); err != nil {
				t.Fatal(err)
			}
		}
		db.Close()
		f = open(t, o)
		if got := drain(t, f, ""); len(got) != 40 {
			t.Errorf("%d URLs came, want 40", len(got))
		}
	})
}

// TestSameAgain makes the same calls twice, with hosts that come and go, and is handed out the same in the same order.
func TestSameAgain(t *testing.T) {
	crawl := func() (got []string) {
		bubble(t, func(t *testing.T) {
			f := open(t, Options{Delay: time.Second, Workbench: 7, seenTable: 50})
			for i := range 40 {
				pages(t, f, fmt.Sprintf("http://h%d.test", i*i%41), 1+i%5)
			}
			got = drain(t, f, "User-agent: *\nDisallow: /1")
		})
		return got
	}
	if a, b := crawl(), crawl(); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("first %v,\nthen %v", a, b)
	}
}

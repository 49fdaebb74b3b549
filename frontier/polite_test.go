package frontier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"time"

	"kavosh"
)

// server is the far side of a simulated crawl: it answers for many hosts at fewer addresses, and holds it against us
// when we come too soon or too often.
type server struct {
	t            testing.TB
	delay        time.Duration
	addressDelay time.Duration
	slow         map[string]time.Duration        // Crawl-delay by host
	addrs        map[string][]netip.Addr         // by host
	answers      func(host string, n int) Answer // nth request to the host, from 0

	mu struct {
		sync.Mutex
		hosts    map[string]*guest
		byAddr   map[netip.Addr]*guest
		requests int
	}
}

// guest is what a host, or an address, saw of us.
type guest struct {
	requests int
	busy     int
	rest     time.Time // not to be asked before
}

func newServer(t testing.TB, delay, addressDelay time.Duration) *server {
	s := &server{t: t, delay: delay, addressDelay: addressDelay, slow: map[string]time.Duration{}, addrs: map[string][]netip.Addr{}}
	s.mu.hosts, s.mu.byAddr = map[string]*guest{}, map[netip.Addr]*guest{}
	return s
}

func guestOf[K comparable](m map[K]*guest, k K) *guest {
	if m[k] == nil {
		m[k] = &guest{}
	}
	return m[k]
}

// request is one exchange as the server sees it.
func (s *server) request(host string, addr netip.Addr, took time.Duration) Answer {
	s.mu.Lock()
	h, a := guestOf(s.mu.hosts, host), guestOf(s.mu.byAddr, addr)
	now := time.Now()
	if now.Before(h.rest) {
		s.t.Errorf("%s is asked %v too soon", host, h.rest.Sub(now))
	}
	if now.Before(a.rest) {
		s.t.Errorf("%s is asked %v too soon (for %s)", addr, a.rest.Sub(now), host)
	}
	h.busy++
	a.busy++
	if s.delay > 0 && h.busy > 1 {
		s.t.Errorf("%s is asked %d times at once", host, h.busy)
	}
	if s.addressDelay > 0 && a.busy > 1 {
		s.t.Errorf("%s is asked %d times at once", addr, a.busy)
	}
	n := h.requests
	h.requests++
	s.mu.requests++
	s.mu.Unlock()

	<-time.After(took)
	answer := Answer{Status: 200}
	if s.answers != nil {
		answer = s.answers(host, n)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	answer.End = time.Now()
	h.busy--
	a.busy--
	gap := max(s.delay, s.slow[host])
	if wait, ok := parseRetryAfter(answer.RetryAfter, answer.End); ok {
		gap = max(gap, wait)
	}
	h.rest = answer.End.Add(gap)
	a.rest = answer.End.Add(s.addressDelay)
	return answer
}

func (s *server) robots(host string) string {
	if d := s.slow[host]; d > 0 {
		return fmt.Sprintf("User-agent: *\nCrawl-delay: %d\n", int(d.Seconds()))
	}
	return ""
}

// crawl works through the frontier with n workers and a committer, as the engine does, until nothing is left. found
// tells the links of a page; it may be nil. It returns how often each URL got its final answer.
func (s *server) crawl(f *Frontier, n int, found func(*kavosh.Task) []kavosh.Link) map[string]int {
	updates := make(chan Update, n)
	finished := make(map[string]int)
	var committer, workers sync.WaitGroup
	committer.Go(func() {
		var group []Update
		for u := range updates {
			group = append(group, u)
			if !u.Retry.IsZero() || u.Task.Kind == kavosh.Prerequisite {
				finished[u.Task.URL] += 0
			} else {
				finished[u.Task.URL]++
			}
			if len(group) < 50 && !f.Hungry() {
				continue
			}
			if _, err := f.Apply(group, nil); err != nil {
				s.t.Error(err)
			}
			group = group[:0]
		}
	})
	for id := range n {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(id)))
			for {
				l, err := f.Next(context.Background())
				if errors.Is(err, io.EOF) {
					return
				}
				if err != nil {
					s.t.Error(err)
					return
				}
				if u, done := s.exchange(f, l, rng); done {
					if found != nil && u.Retry.IsZero() {
						u.Links = found(&u.Task)
					}
					updates <- u
				}
			}
		})
	}
	workers.Wait()
	close(updates)
	committer.Wait()
	return finished
}

func (s *server) exchange(f *Frontier, l *Lease, rng *rand.Rand) (u Update, done bool) {
	u.Task = l.Task
	if l.Refused != nil {
		return u, true
	}
	p := l.host.name
	<-time.After(time.Duration(rng.IntN(5)) * time.Millisecond) // the name is resolved
	addrs := s.addrs[p]
	addr := addrs[rng.IntN(len(addrs))]
	if wait := l.Address(addr); wait > 0 {
		l.Later(wait)
		return u, false
	}
	a := s.request(p, addr, time.Duration(rng.IntN(80))*time.Millisecond)
	l.Answered(a)
	if l.Origin != "" {
		u.Robots = &Robots{Origin: l.Origin, Status: a.Status, Failure: a.Failure, Retry: a.RetryAfter, Body: []byte(s.robots(p))}
	} else if at, again := f.Retry(&l.Task, a); again {
		u.Retry = at
	}
	return u, true
}

// TestPoliteness crawls three thousand hosts at two hundred addresses, which answer in all the ways that ask for
// patience, and looks at it from the servers' side.
func TestPoliteness(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const hosts, addresses, pages, workers = 3000, 200, 4, 100
		s := newServer(t, time.Second, 100*time.Millisecond)
		f := open(t, Options{Delay: s.delay, AddressDelay: s.addressDelay})
		var seeds []string
		for i := range hosts {
			host := fmt.Sprintf("h%d.example", i)
			n := 1 + i%2*(i%3) // some hosts have several addresses
			for j := range n {
				s.addrs[host] = append(s.addrs[host], netip.AddrFrom4([4]byte{10, 0, 0, byte((i*7 + j*13) % addresses)}))
			}
			if i%50 == 0 {
				s.slow[host] = 5 * time.Second
			}
			seeds = append(seeds, "http://"+host+"/")
		}
		s.answers = func(host string, n int) Answer {
			switch {
			case n == 0: // robots.txt
			case host[1] == '3' && n == 1:
				return Answer{Status: 503, RetryAfter: "20"}
			case host[1] == '4' && n == 2:
				return Answer{Status: 429, RetryAfter: time.Now().Add(30 * time.Second).UTC().Format(time.RFC1123[:len(time.RFC1123)-3] + "GMT")}
			case host[1] == '5' && n == 2:
				return Answer{Failure: kavosh.TimeoutFailure}
			}
			return Answer{Status: 200}
		}
		addSeeds(t, f, seeds...)
		start := time.Now()
		finished := s.crawl(f, workers, func(task *kavosh.Task) []kavosh.Link {
			if task.Kind != kavosh.Seed {
				return nil
			}
			var ls []kavosh.Link
			for i := range pages - 1 {
				ls = append(ls, kavosh.Link{Kind: kavosh.Navigation, URL: fmt.Sprintf("%sp%d", task.URL, i)})
			}
			return ls
		})
		took := time.Since(start)
		n := 0
		for url, times := range finished {
			if times > 1 {
				t.Errorf("%s was finished %d times", url, times)
			}
			n += times
		}
		if n != hosts*pages {
			t.Errorf("%d URLs were finished, want %d", n, hosts*pages)
		}
		// The busiest address has 15 hosts, each with pages and a robots.txt, half of them shared with others: so the
		// addresses alone need about 15 × 5 × 140 ms. Much more than that and the time of the hosts that asked for
		// patience means that turns are wasted.
		if limit := 75 * time.Second; took > limit {
			t.Errorf("the crawl took %v, want at most %v", took, limit)
		}
		t.Logf("%d requests to %d hosts at %d addresses in %v of simulated time", s.mu.requests, hosts, addresses, took)
	})
}

// TestAnswerEndsInItsLease lets a host rest from the end of its answer on, which lies between the lease and now whatever
// the caller names.
func TestAnswerEndsInItsLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, test := range []struct{ end, rests time.Duration }{
			{-time.Hour, 7 * time.Second}, {time.Hour, 10 * time.Second}, {-time.Second, 9 * time.Second},
		} {
			f := open(t, Options{Delay: 10 * time.Second})
			skipRobots(t, f, "http://a.test")
			pages(t, f, "http://a.test", 2)
			l := next(t, f)
			<-time.After(3 * time.Second)
			l.Answered(Answer{Status: 200, End: time.Now().Add(test.end)})
			apply(t, f, Update{Task: l.Task})
			if _, wait, err := f.Poll(); err != nil || wait != test.rests {
				t.Errorf("an answer that ended %v from now: the host rests for %v, want %v", test.end, wait, test.rests)
			}
			f.Close()
		}
	})
}

//go:build conformance

package crawl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// TestPoliteness reads from the servers' own log what they were put to: 16 hosts on 4 addresses, 16 workers, some URLs
// answering 429 or 503 with Retry-After in both forms, the crawl killed and resumed five times on the way.
func TestPoliteness(t *testing.T) {
	const delay, addressDelay = 150 * time.Millisecond, 60 * time.Millisecond
	s := &site{hosts: 16, pages: 25, latency: 8 * time.Millisecond}
	asked := map[string]time.Duration{} // "/page/…" → how long its first answer asks us to wait
	s.refuse = func(host, path string, n int) (int, string) {
		if n > 1 {
			return 0, ""
		}
		switch path {
		case "/page/3.html":
			return http.StatusTooManyRequests, "2"
		case "/page/4.html":
			return http.StatusServiceUnavailable, time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat)
		}
		return 0, ""
	}
	asked["/page/3.html"], asked["/page/4.html"] = 2*time.Second, 2*time.Second // an HTTP date has whole seconds
	port := s.serve(t, "127.0.0.2:0")
	for _, a := range []string{"127.0.0.3", "127.0.0.4", "127.0.0.5"} {
		s.serve(t, a+":"+port)
	}
	resolver := nameserver(t, func(name string) net.IP {
		var h int
		if _, err := fmt.Sscanf(name, "h%02d.test.", &h); err != nil || h >= s.hosts {
			return nil
		}
		return net.IPv4(127, 0, 0, byte(2+h%4))
	})
	archive := filepath.Join(t.TempDir(), "archive")
	args := []string{"crawl", "--archive", archive, "--workers", "16", "--delay", delay.String(), "--address-delay", addressDelay.String(),
		"--dns", resolver, "--allow-private", "127.0.0.0/8"}
	first := append([]string{}, args...)
	for h := range s.hosts {
		first = append(first, "http://"+s.host(h)+":"+port+"/")
	}
	var out bytes.Buffer
	cmd := start(t, &out, first...)
	rng := rand.New(rand.NewPCG(1, 1))
	want := int64(s.hosts * (s.pages + s.pages/10 + 3))
	for k := range int64(5) {
		at := want*(k+1)/7 + rng.Int64N(20)
		if !waitFor(3*time.Minute, func() bool { return s.served.Load() >= at }) {
			t.Fatalf("%d of about %d requests after three minutes\n%s", s.served.Load(), want, tail(out.String()))
		}
		<-time.After(time.Duration(rng.IntN(150)) * time.Millisecond) // not just after an answer
		kill(cmd)
		out.Reset()
		cmd = start(t, &out, append(args, "--resume")...)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the last run: %v\n%s", err, tail(out.String()))
	}

	lastOfHost, lastOfAddress, until := map[string]time.Time{}, map[string]time.Time{}, map[string]time.Time{}
	least, leastAddress, early := time.Hour, time.Hour, time.Hour
	visits := s.visits()
	for _, v := range visits {
		if strings.HasPrefix(v.path, "/private/") {
			t.Errorf("%s%s was requested although robots.txt forbids it", v.host, v.path)
		}
		if end, ok := lastOfHost[v.host]; ok {
			least = min(least, v.begin.Sub(end))
		}
		if end, ok := lastOfAddress[v.local]; ok {
			leastAddress = min(leastAddress, v.begin.Sub(end))
		}
		if u, ok := until[v.host]; ok {
			early = min(early, v.begin.Sub(u))
			if v.begin.Before(u) {
				t.Errorf("%s was asked for %s %v before its Retry-After had passed", v.host, v.path, u.Sub(v.begin))
			}
		}
		lastOfHost[v.host], lastOfAddress[v.local] = later(lastOfHost[v.host], v.end), later(lastOfAddress[v.local], v.end)
		if v.status == http.StatusTooManyRequests || v.status == http.StatusServiceUnavailable {
			until[v.host] = later(until[v.host], v.end.Add(asked[v.path]))
		}
	}
	t.Logf("%d requests: least gap of a host %v (delay %v), of an address %v (delay %v); soonest request %v after a Retry-After ended",
		len(visits), least, delay, leastAddress, addressDelay, early)
	if least < delay {
		t.Errorf("a host was asked again after %v, less than the delay of %v", least, delay)
	}
	if leastAddress < addressDelay {
		t.Errorf("an address was asked again after %v, less than the delay of %v", leastAddress, addressDelay)
	}
	got := responses(t, archive)
	for url := range s.urls(":" + port) {
		if len(got[url]) == 0 && !strings.HasSuffix(url, "/page/0.html") {
			t.Errorf("%s is not in the archive", url)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// nameserver answers A questions on a loopback UDP port, which it returns with its address.
func nameserver(t *testing.T, find func(name string) net.IP) string {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &dns.Server{PacketConn: pc, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg)
		m.SetReply(q)
		name := q.Question[0].Name
		switch ip := find(name); {
		case ip == nil:
			m.Rcode = dns.RcodeNameError
		case q.Question[0].Qtype == dns.TypeA:
			m.Answer = append(m.Answer, &dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 3600}, A: ip})
		}
		w.WriteMsg(m)
	})}
	go srv.ActivateAndServe()
	t.Cleanup(func() { srv.Shutdown() })
	return pc.LocalAddr().String()
}

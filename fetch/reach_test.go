package fetch

import (
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
)

// A line whose name server is gone is down, whatever is remembered; and what failed meanwhile is not remembered for ever.
func TestReach(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var down atomic.Bool
	up := zone(t, "a.test. 300 IN A 127.0.0.1\nb.test. 300 IN A 127.0.0.1", nil)
	server := nameServer(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if down.Load() {
			w.WriteMsg(new(dns.Msg).SetRcode(q, dns.RcodeServerFailure))
			return
		}
		up(w, q)
	})
	h := newHTTP(t, Options{Resolver: []string{server}})
	reach := func(host string, want bool) {
		t.Helper()
		if got, err := h.Reach(t.Context(), fmt.Sprintf("http://%s:%d/", host, l.Addr().(*net.TCPAddr).Port)); got != want || err != nil {
			t.Errorf("%s can be reached: %v (%v), want %v", host, got, err, want)
		}
	}
	found := func(host string, want int) {
		t.Helper()
		if r, err := h.web.Resolve(t.Context(), host); len(r.Addrs) != want || err != nil {
			t.Errorf("%s has %d addresses (%v), want %d", host, len(r.Addrs), err, want)
		}
	}
	found("a.test", 1)
	reach("a.test", true)
	down.Store(true)
	found("a.test", 1)
	reach("a.test", false)
	found("b.test", 0)
	down.Store(false)
	found("b.test", 0)
	h.ForgetFailures()
	found("b.test", 1)
	reach("b.test", true)
	l.Close()
	reach("a.test", false)
}

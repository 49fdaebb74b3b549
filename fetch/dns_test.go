package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"kavosh"
)

// nameServer answers by UDP and TCP on one loopback port.
func nameServer(t testing.TB, answer func(w dns.ResponseWriter, q *dns.Msg)) string {
	t.Helper()
	var pc net.PacketConn
	var l net.Listener
	for try := 0; l == nil; try++ { // a port that is free for UDP may be taken for TCP
		var err error
		if pc, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		if l, err = net.Listen("tcp", pc.LocalAddr().String()); err != nil {
			pc.Close()
			if try == 20 {
				t.Fatal(err)
			}
		}
	}
	for _, s := range []*dns.Server{{PacketConn: pc}, {Listener: l}} {
		s.Handler = dns.HandlerFunc(answer)
		ready := make(chan struct{})
		s.NotifyStartedFunc = func() { close(ready) }
		go s.ActivateAndServe()
		<-ready
		t.Cleanup(func() { s.Shutdown() })
	}
	return pc.LocalAddr().String()
}

// silentDNS answers that nothing exists.
func silentDNS(t testing.TB) string {
	return nameServer(t, func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg)
		w.WriteMsg(m.SetRcode(q, dns.RcodeNameError))
	})
}

// zone answers from lines of a zone file; "name NXDOMAIN", "name SERVFAIL" and "name TC" do that.
func zone(t testing.TB, lines string, asked *atomic.Int64) func(w dns.ResponseWriter, q *dns.Msg) {
	return func(w dns.ResponseWriter, q *dns.Msg) {
		if asked != nil {
			asked.Add(1)
		}
		m := new(dns.Msg)
		m.SetReply(q)
		name := q.Question[0].Name
		for line := range strings.Lines(lines) {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			if len(words) == 2 {
				if words[0] == name {
					switch words[1] {
					case "NXDOMAIN":
						m.Rcode = dns.RcodeNameError
						m.Ns = append(m.Ns, &dns.SOA{Hdr: dns.RR_Header{Name: "test.", Rrtype: dns.TypeSOA, Class: 1, Ttl: 900}, Ns: "a.", Mbox: "b.", Minttl: 120})
					case "SERVFAIL":
						m.Rcode = dns.RcodeServerFailure
					case "TC":
						if _, udp := w.RemoteAddr().(*net.UDPAddr); udp {
							w.WriteMsg(&dns.Msg{MsgHdr: dns.MsgHdr{Id: q.Id, Response: true, Truncated: true}, Question: q.Question})
							return
						}
					}
				}
				continue
			}
			rr, err := dns.NewRR(line)
			if err != nil {
				panic(err)
			}
			if rr.Header().Name == name && (rr.Header().Rrtype == q.Question[0].Qtype || rr.Header().Rrtype == dns.TypeCNAME) {
				m.Answer = append(m.Answer, rr)
				if c, alias := rr.(*dns.CNAME); alias && !strings.HasPrefix(c.Target, "far") {
					name = c.Target // the chain goes on in the same answer
				}
			}
		}
		w.WriteMsg(m)
	}
}

func newWeb(t testing.TB, o WebOptions) *RealWeb {
	t.Helper()
	if o.Hosts == "" {
		o.Hosts = filepath.Join(t.TempDir(), "none")
	}
	w, err := NewWeb(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

const testZone = `
a.test. 300 IN A 192.0.2.1
a.test. 200 IN AAAA 2001:db8::1
a.test. 300 IN A 192.0.2.2
four.test. 300 IN A 192.0.2.4
six.test. 300 IN AAAA 2001:db8::6
alias.test. 300 IN CNAME middle.test.
middle.test. 300 IN CNAME four.test.
far.test. 300 IN CNAME farther.test.
farther.test. 300 IN A 192.0.2.9
loop.test. 300 IN CNAME loop.test.
farloop.test. 300 IN CNAME farloop2.test.
farloop2.test. 300 IN CNAME farloop.test.
gone.test. NXDOMAIN
sick.test. SERVFAIL
long.test. TC
long.test. 300 IN A 192.0.2.3
empty.test. 300 IN TXT "x"
xn--mgbaam7a8h.test. 300 IN A 192.0.2.5
`

func TestResolve(t *testing.T) {
	web := newWeb(t, WebOptions{Resolver: []string{nameServer(t, zone(t, testZone, nil))}})
	for _, tt := range []struct {
		name, addrs, failure, text string
	}{
		{"a.test", "192.0.2.1 192.0.2.2 2001:db8::1", "", "a.test.\t300\tIN\tA\t192.0.2.1\na.test.\t300\tIN\tA\t192.0.2.2\na.test.\t200\tIN\tAAAA\t2001:db8::1\n"},
		{"A.Test.", "192.0.2.1 192.0.2.2 2001:db8::1", "", ""}, // the same name, remembered
		{"six.test", "2001:db8::6", "", "six.test.\t300\tIN\tAAAA\t2001:db8::6\n"},
		{"alias.test", "192.0.2.4", "", "alias.test.\t300\tIN\tCNAME\tmiddle.test.\nmiddle.test.\t300\tIN\tCNAME\tfour.test.\nfour.test.\t300\tIN\tA\t192.0.2.4\n"},
		{"far.test", "192.0.2.9", "", "far.test.\t300\tIN\tCNAME\tfarther.test.\nfarther.test.\t300\tIN\tA\t192.0.2.9\n"},
		{"long.test", "192.0.2.3", "", "long.test.\t300\tIN\tA\t192.0.2.3\n"},
		{"xn--mgbaam7a8h.test", "192.0.2.5", "", "xn--mgbaam7a8h.test.\t300\tIN\tA\t192.0.2.5\n"},
		{"gone.test", "", "no such name (NXDOMAIN)", "; gone.test. NXDOMAIN\n"},
		{"sick.test", "", "SERVFAIL", "; sick.test. SERVFAIL\n"},
		{"empty.test", "", "no address", ""},
		{"farloop.test", "", "more than 8 aliases", "farloop.test.\t300\tIN\tCNAME\tfarloop2.test.\nfarloop2.test.\t300\tIN\tCNAME\tfarloop.test.\n"},
		{"loop.test", "", "no address", "loop.test.\t300\tIN\tCNAME\tloop.test.\n"},
		{"localhost", "127.0.0.1 ::1", "", "localhost.\t0\tIN\tA\t127.0.0.1\nlocalhost.\t0\tIN\tAAAA\t::1\n"},
		{"x.LOCALHOST", "127.0.0.1 ::1", "", "x.localhost.\t0\tIN\tA\t127.0.0.1\nx.localhost.\t0\tIN\tAAAA\t::1\n"},
		{"192.0.2.77", "192.0.2.77", "", ""},
		{"2001:db8::7", "2001:db8::7", "", ""},
		{strings.Repeat("x", 64) + ".test", "", "not a name", ""},
		{strings.Repeat("xxx.", 70) + "test", "", "not a name", ""},
		{"a..test", "", "not a name", ""},
	} {
		res, err := web.Resolve(t.Context(), tt.name)
		if err != nil {
			t.Fatal(err)
		}
		var addrs []string
		for _, a := range res.Addrs {
			addrs = append(addrs, a.String())
		}
		if got := strings.Join(addrs, " "); got != tt.addrs || !strings.Contains(res.Failure, tt.failure) || (res.Failure == "") != (tt.failure == "") {
			t.Errorf("%s: %q %q, want %q %q", tt.name, got, res.Failure, tt.addrs, tt.failure)
		}
		if failed := strings.Contains(res.Failure, "SERVFAIL") || strings.Contains(res.Failure, "aliases"); res.Gone != (tt.failure != "" && !failed) {
			t.Errorf("%s: %q, gone for certain: %v", tt.name, res.Failure, res.Gone)
		}
		record := ""
		if res.Record != nil {
			record = res.Record.Text
		}
		if diff := cmp.Diff(tt.text, record); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestHostsFileComesFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hosts")
	os.WriteFile(path, []byte("# comment\n2001:db8::2 a.test\n192.0.2.50  A.TEST b.test # more\nnonsense c.test\n192.0.2.51\n"), 0o666)
	web := newWeb(t, WebOptions{Resolver: []string{silentDNS(t)}, Hosts: path})
	res, err := web.Resolve(t.Context(), "a.test")
	if err != nil || fmt.Sprint(res.Addrs) != "[192.0.2.50 2001:db8::2]" || res.Record == nil || res.Record.Server != "hosts" {
		t.Errorf("%+v, %v", res, err)
	}
	if res, _ := web.Resolve(t.Context(), "c.test"); len(res.Addrs) != 0 {
		t.Errorf("%+v", res)
	}
}

func TestLiesAreNotBelieved(t *testing.T) {
	server := nameServer(t, func(w dns.ResponseWriter, q *dns.Msg) {
		wrong := func(change func(m *dns.Msg)) {
			m := new(dns.Msg)
			m.SetReply(q)
			rr, _ := dns.NewRR(q.Question[0].Name + " 300 IN A 6.6.6.6")
			m.Answer = append(m.Answer, rr)
			change(m)
			w.WriteMsg(m)
		}
		wrong(func(m *dns.Msg) { m.Id++ })
		wrong(func(m *dns.Msg) { m.Response = false })
		wrong(func(m *dns.Msg) { m.Question[0].Name = "other.test." })
		wrong(func(m *dns.Msg) { m.Question[0].Qtype = dns.TypeMX })
		w.Write([]byte("this is no message at all"))
		m := new(dns.Msg)
		m.SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			good, _ := dns.NewRR("a.test. 300 IN A 192.0.2.1")
			other, _ := dns.NewRR("bank.test. 300 IN A 6.6.6.6") // of a name that nobody asked for
			m.Answer = []dns.RR{other, good}
		}
		w.WriteMsg(m)
	})
	web := newWeb(t, WebOptions{Resolver: []string{server}})
	res, err := web.Resolve(t.Context(), "a.test")
	if err != nil || fmt.Sprint(res.Addrs) != "[192.0.2.1]" || strings.Contains(res.Record.Text, "6.6.6.6") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestSickServerIsPassedOver(t *testing.T) {
	sick := nameServer(t, func(w dns.ResponseWriter, q *dns.Msg) {
		w.WriteMsg(new(dns.Msg).SetRcode(q, dns.RcodeRefused))
	})
	good := nameServer(t, zone(t, testZone, nil))
	web := newWeb(t, WebOptions{Resolver: []string{sick, good}})
	res, err := web.Resolve(t.Context(), "four.test")
	if err != nil || fmt.Sprint(res.Addrs) != "[192.0.2.4]" || res.Record.Server != good {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestManyAskOnce(t *testing.T) {
	var asked atomic.Int64
	begin := make(chan struct{})
	answer := zone(t, testZone, &asked)
	web := newWeb(t, WebOptions{Resolver: []string{nameServer(t, func(w dns.ResponseWriter, q *dns.Msg) {
		<-begin
		answer(w, q)
	})}})
	var wg sync.WaitGroup
	var records atomic.Int64
	for range 20 {
		wg.Go(func() {
			res, err := web.Resolve(t.Context(), "a.test")
			if err != nil || len(res.Addrs) != 3 {
				t.Errorf("%+v, %v", res, err)
			}
			if res.Record != nil {
				records.Add(1)
			}
		})
	}
	close(begin)
	wg.Wait()
	if asked.Load() != 2 || records.Load() != 1 {
		t.Errorf("%d questions, %d records; want A and AAAA, and one record", asked.Load(), records.Load())
	}
}

func TestLeavingDoesNotSpoilTheLookUp(t *testing.T) {
	begin := make(chan struct{})
	answer := zone(t, testZone, nil)
	web := newWeb(t, WebOptions{Resolver: []string{nameServer(t, func(w dns.ResponseWriter, q *dns.Msg) {
		<-begin
		answer(w, q)
	})}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := web.Resolve(ctx, "a.test"); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	close(begin)
	if res, err := web.Resolve(t.Context(), "a.test"); err != nil || len(res.Addrs) != 3 {
		t.Errorf("%+v, %v", res, err)
	}
}

// setClock is a clock that only moves when told.
type setClock struct{ now atomic.Int64 }

func (c *setClock) Now() time.Time                                   { return time.Unix(0, c.now.Load()) }
func (c *setClock) Sleep(ctx context.Context, d time.Duration) error { return ctx.Err() }

func TestTimesToLive(t *testing.T) {
	for _, tt := range []struct {
		name, zone string
		ttl        time.Duration // held just before, asked again after
	}{
		{"a.test", "a.test. 300 IN A 192.0.2.1", 300 * time.Second},
		{"a.test", "a.test. 0 IN A 192.0.2.1", minTTL},
		{"a.test", "a.test. 4000000 IN A 192.0.2.1", maxTTL},
		{"a.test", "a.test. 5 IN CNAME b.test.\nb.test. 3000 IN A 192.0.2.1", minTTL},
		{"gone.test", "gone.test. NXDOMAIN", 2 * time.Minute}, // as its SOA says
		{"sick.test", "sick.test. SERVFAIL", minNegTTL},
		{"none.test", "", minNegTTL},
	} {
		t.Run(tt.name+" "+tt.zone, func(t *testing.T) {
			var asked atomic.Int64
			clock := new(setClock)
			web := newWeb(t, WebOptions{Resolver: []string{nameServer(t, zone(t, tt.zone, &asked))}, Clock: clock})
			questions := func() int64 {
				before := asked.Load()
				if _, err := web.Resolve(t.Context(), tt.name); err != nil {
					t.Fatal(err)
				}
				return asked.Load() - before
			}
			if questions() == 0 {
				t.Fatal("not asked at first")
			}
			clock.now.Add(int64(tt.ttl) - 1)
			if n := questions(); n != 0 {
				t.Errorf("%d questions before the time", n)
			}
			clock.now.Add(1)
			if questions() == 0 {
				t.Error("not asked after the time")
			}
		})
	}
}

func TestRememberedNamesAreBounded(t *testing.T) {
	web := newWeb(t, WebOptions{Resolver: []string{silentDNS(t)}, MaxNames: 10})
	for i := range 50 {
		if _, err := web.Resolve(t.Context(), fmt.Sprintf("h%d.localhost", i)); err != nil {
			t.Fatal(err)
		}
		web.Resolve(t.Context(), "h0.localhost") // kept by its use
	}
	if len(web.mu.names) != 10 || web.mu.names["h0.localhost"] == nil || web.mu.names["h49.localhost"] == nil {
		t.Errorf("%d names remembered", len(web.mu.names))
	}
}

func TestNoServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(t, WebOptions{Resolver: []string{"127.0.0.1:1"}})
		res, err := web.Resolve(t.Context(), "a.test")
		if err != nil || !strings.Contains(res.Failure, "no resolver answered: 127.0.0.1:1") || res.Record != nil {
			t.Errorf("%+v, %v", res, err)
		}
		web.Close()
	})
}

func TestResolverOption(t *testing.T) {
	got, err := parseServers([]string{"9.9.9.9", "9.9.9.9:5353", "::1", "[::1]", "[::1]:54"})
	if want := "[9.9.9.9:53 9.9.9.9:5353 [::1]:53 [::1]:53 [::1]:54]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := parseServers([]string{"dns.example"}); err == nil || !strings.HasPrefix(err.Error(), "--dns: ") {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(t.TempDir(), "resolv.conf")
	os.WriteFile(path, []byte("# x\nsearch example.org\nnameserver 192.0.2.1\nnameserver nonsense\nnameserver 2001:db8::1\n"), 0o666)
	if got := systemServers(path); fmt.Sprint(got) != "[192.0.2.1:53 [2001:db8::1]:53]" {
		t.Errorf("%v", got)
	}
	if got := systemServers(path + "none"); fmt.Sprint(got) != "[127.0.0.1:53]" {
		t.Errorf("%v", got)
	}
}

func TestAddressAndRecord(t *testing.T) {
	h := newHTTP(t, Options{Resolver: []string{nameServer(t, zone(t, "a.test. 300 IN A 127.0.0.1", nil))}})
	first, err := h.Address(t.Context(), &kavosh.Task{URL: "http://a.test/"})
	if err != nil || first.Addr != netip.MustParseAddr("127.0.0.1") || first.DNS == nil || first.DNS.Name != "a.test" {
		t.Errorf("%+v, %v", first, err)
	}
	again, err := h.Address(t.Context(), &kavosh.Task{URL: "http://a.test/x"})
	if err != nil || again.Addr != first.Addr || again.DNS != nil {
		t.Errorf("%+v, %v", again, err)
	}
	gone, err := h.Address(t.Context(), &kavosh.Task{URL: "http://gone.test/"})
	if err != nil || gone.Failure != kavosh.DNSFailure || gone.Detail == "" || !gone.Gone {
		t.Errorf("%+v, %v", gone, err)
	}
	h.policy.allow = nil
	closed, err := h.Address(t.Context(), &kavosh.Task{URL: "http://a.test/"})
	if err != nil || closed.Failure != kavosh.BlockedAddress {
		t.Errorf("%+v, %v", closed, err)
	}
}

func FuzzHosts(f *testing.F) {
	f.Add("127.0.0.1 localhost\n::1 a b # c\n")
	f.Fuzz(func(t *testing.T, s string) {
		for name, addrs := range parseHosts(strings.NewReader(s)) {
			if len(addrs) == 0 || len(addrs) > maxAddrs || name != strings.ToLower(name) {
				t.Fatalf("%q: %v", name, addrs)
			}
		}
	})
}

func FuzzDNSAnswer(f *testing.F) {
	m := new(dns.Msg)
	m.SetQuestion("a.test.", dns.TypeA)
	rr, _ := dns.NewRR("a.test. 300 IN CNAME b.test.")
	r2, _ := dns.NewRR("b.test. 300 IN A 192.0.2.1")
	m.Answer = []dns.RR{rr, r2}
	b, _ := m.Pack()
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var msg dns.Msg
		if msg.Unpack(b) != nil {
			return
		}
		found := familyResult{ttl: maxTTL}
		found.read(&msg, "a.test.", dns.TypeA)
		for _, rr := range found.rrs {
			if rr.Header().Class != dns.ClassINET {
				t.Fatal(rr)
			}
		}
		if text := recordText("a.test", found); len(text) > maxText+100 {
			t.Fatal(len(text))
		}
	})
}

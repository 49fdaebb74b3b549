package hostile

// This file is the name server of the hostile Internet.

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/miekg/dns"
)

// serveNames starts the name server, over UDP and TCP on the same port.
func (s *Server) serveNames() error {
	var last error
	for range 16 { // UDP's port may be taken over TCP
		pc, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", pc.LocalAddr().String())
		if err != nil {
			pc.Close()
			last = err
			continue
		}
		s.names = &dns.Server{PacketConn: pc, Handler: dns.HandlerFunc(s.resolve)}
		s.plain = &dns.Server{Listener: l, Handler: dns.HandlerFunc(s.resolve)}
		for _, srv := range []*dns.Server{s.names, s.plain} {
			started := make(chan struct{})
			srv.NotifyStartedFunc = func() { close(started) }
			s.wg.Go(func() { _ = srv.ActivateAndServe() }) // it ends with Close
			<-started
			s.stops = append(s.stops, func() { _ = srv.Shutdown() })
		}
		return nil
	}
	return last
}

// resolve answers one question.
func (s *Server) resolve(w dns.ResponseWriter, q *dns.Msg) {
	_, tcp := w.RemoteAddr().(*net.TCPAddr)
	name := strings.ToLower(strings.TrimSuffix(q.Question[0].Name, "."))
	m := new(dns.Msg)
	m.SetReply(q)
	name, ours := strings.CutSuffix(name, Domain)
	h := s.hosts[name[strings.LastIndexByte(name, '.')+1:]]
	switch {
	case !ours || h == nil:
		m.Rcode = dns.RcodeNameError
	case h.Raw != nil:
		h.ask()
		for _, b := range h.Raw(q, tcp) {
			_, _ = w.Write(b) // the client may be gone
		}
		return
	case h.DNS != nil:
		h.DNS(q.Question[0], h.ask(), m)
	case q.Question[0].Qtype == dns.TypeA:
		h.ask()
		m.Answer = addressRecords(q.Question[0].Name, 60, h.addr.String())
	}
	if !tcp && m.Len() > 1232 {
		m.Answer, m.Truncated = nil, true
	}
	_ = w.WriteMsg(m)
}

func addressRecords(name string, ttl uint32, addrs ...string) []dns.RR {
	var rrs []dns.RR
	for _, text := range addrs {
		a := netip.MustParseAddr(text)
		hdr := dns.RR_Header{Name: name, Class: dns.ClassINET, Ttl: ttl}
		if a.Is4() {
			hdr.Rrtype = dns.TypeA
			rrs = append(rrs, &dns.A{Hdr: hdr, A: a.AsSlice()})
		} else {
			hdr.Rrtype = dns.TypeAAAA
			rrs = append(rrs, &dns.AAAA{Hdr: hdr, AAAA: net.IP(a.AsSlice())})
		}
	}
	return rrs
}

func alias(name, to string) dns.RR {
	return &dns.CNAME{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeCNAME, Class: dns.ClassINET, Ttl: 60}, Target: to}
}

// at answers for every name with the same addresses.
func at(addrs ...string) func(dns.Question, int, *dns.Msg) {
	return func(q dns.Question, _ int, m *dns.Msg) {
		for _, rr := range addressRecords(q.Name, 60, addrs...) {
			if rr.Header().Rrtype == q.Qtype {
				m.Answer = append(m.Answer, rr)
			}
		}
	}
}

func rcode(code int) func(dns.Question, int, *dns.Msg) {
	return func(_ dns.Question, _ int, m *dns.Msg) { m.Rcode = code }
}

// packed returns m in wire format; our messages always pack.
func packed(m *dns.Msg) []byte {
	b, err := m.Pack()
	if err != nil {
		panic(err)
	}
	return b
}

// resolution returns misbehaviours of name servers.
func resolution() []Behaviour {
	return []Behaviour{
		{Name: "hub", Page: hub},
		{Name: "dns-private", DNS: at("10.1.2.3")},
		{Name: "dns-loopback", DNS: at("127.0.0.1")},
		{Name: "dns-unspecified", DNS: at("0.0.0.0")},
		{Name: "dns-link-local", DNS: at("169.254.169.254")},
		{Name: "dns-mapped", DNS: at("::ffff:10.1.2.3")},
		{Name: "dns-nat64", DNS: at("64:ff9b::a01:203")},
		{Name: "dns-6to4-private", DNS: at("2002:a01:203::1")},
		{Name: "dns-half-private", DNS: func(q dns.Question, _ int, m *dns.Msg) {
			if q.Qtype == dns.TypeA { // the client must refuse the first; the second answers
				m.Answer = addressRecords(q.Name, 60, "192.168.7.7", publicOf("dns-half-private"))
			}
		}},
		{Name: "dns-rebinding", Page: linked("/1", "/2", "/3"), DNS: func(q dns.Question, n int, m *dns.Msg) {
			if q.Qtype != dns.TypeA {
				return
			}
			if n < 2 { // one question for each kind of address
				m.Answer = addressRecords(q.Name, 0, publicOf("dns-rebinding"))
			} else {
				m.Answer = addressRecords(q.Name, 0, "127.0.0.1")
			}
		}},
		{Name: "dns-alias-to-itself", DNS: func(q dns.Question, _ int, m *dns.Msg) { m.Answer = []dns.RR{alias(q.Name, q.Name)} }},
		{Name: "dns-alias-ring", DNS: func(q dns.Question, _ int, m *dns.Msg) {
			m.Answer = []dns.RR{alias(q.Name, "b.test."), alias("b.test.", "c.test."), alias("c.test.", q.Name)}
		}},
		{Name: "dns-alias-to-nowhere", DNS: func(q dns.Question, _ int, m *dns.Msg) {
			m.Answer = []dns.RR{alias(q.Name, "nobody"+Domain+".")}
		}},
		{Name: "dns-alias-chain", DNS: func(q dns.Question, _ int, m *dns.Msg) { m.Answer = []dns.RR{alias(q.Name, further(q.Name))} }},
		{Name: "dns-alias-to-localhost", DNS: func(q dns.Question, _ int, m *dns.Msg) {
			m.Answer = []dns.RR{alias(q.Name, "localhost.")}
			if q.Qtype == dns.TypeA {
				m.Answer = append(m.Answer, addressRecords("localhost.", 60, "127.0.0.1")...)
			}
		}},
		{Name: "dns-thousands", DNS: func(q dns.Question, _ int, m *dns.Msg) {
			if q.Qtype == dns.TypeA {
				m.Compress = true
				for i := range 2000 { // nobody is there
					m.Answer = append(m.Answer, addressRecords(q.Name, 60, fmt.Sprintf("45.81.%d.%d", i>>8, i&255))...)
				}
			}
		}},
		{Name: "dns-foreign-records", DNS: func(_ dns.Question, _ int, m *dns.Msg) {
			m.Answer = addressRecords("somebody.else.test.", 60, publicOf("dns-foreign-records"))
		}},
		{Name: "dns-empty", DNS: func(dns.Question, int, *dns.Msg) {}},
		{Name: "dns-no-such-name", DNS: rcode(dns.RcodeNameError)},
		{Name: "dns-broken-server", DNS: rcode(dns.RcodeServerFailure)},
		{Name: "dns-refused", DNS: rcode(dns.RcodeRefused)},
		{Name: "dns-silent", Raw: func(*dns.Msg, bool) [][]byte { return nil }},
		{Name: "dns-garbage", Raw: func(*dns.Msg, bool) [][]byte { return [][]byte{[]byte("\xff\xfe?")} }},
		{Name: "dns-wrong-identifier", Raw: func(q *dns.Msg, _ bool) [][]byte {
			m := new(dns.Msg)
			m.SetReply(q)
			m.Id++
			m.Answer = addressRecords(q.Question[0].Name, 60, "127.0.0.1")
			var flood [][]byte
			for range 200 {
				flood = append(flood, packed(m))
			}
			return flood
		}},
		{Name: "dns-wrong-question", Raw: func(q *dns.Msg, _ bool) [][]byte {
			m := new(dns.Msg)
			m.SetReply(q)
			m.Question[0].Name = "else.test."
			m.Answer = addressRecords(q.Question[0].Name, 60, "127.0.0.1")
			return [][]byte{packed(m)}
		}},
		{Name: "dns-always-truncated", Raw: func(q *dns.Msg, _ bool) [][]byte {
			m := new(dns.Msg)
			m.SetReply(q)
			m.Truncated = true
			return [][]byte{packed(m)}
		}},
		{Name: "dns-cut-over-tcp", Raw: func(q *dns.Msg, tcp bool) [][]byte {
			m := new(dns.Msg)
			m.SetReply(q)
			if !tcp {
				m.Truncated = true
				return [][]byte{packed(m)}
			}
			m.Answer = addressRecords(q.Question[0].Name, 60, publicOf("dns-cut-over-tcp"))
			b := packed(m)
			return [][]byte{b[:len(b)-3]}
		}},
	}
}

// further returns the next name of an endless chain of aliases: x, 1.x, 2.x …
func further(name string) string {
	first, rest, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return "1." + name
	}
	return strconv.Itoa(n+1) + "." + rest
}

// publicOf returns the address of the named behaviour's host.
func publicOf(name string) string {
	for i, b := range Behaviours() {
		if b.Name == name {
			return netip.AddrFrom4([4]byte{45, 80, byte(i >> 8), byte(i)}).String()
		}
	}
	panic("no behaviour " + name)
}

// hub links to every host whose name server misbehaves: an operator's address is trusted, one in a link is not.
func hub(v *Visit) {
	var b strings.Builder
	for _, h := range Behaviours() {
		if h.DNS != nil || h.Raw != nil {
			fmt.Fprintf(&b, "<a href=%q>x</a>\n", h.URL())
		}
	}
	v.Page(b.String())
}

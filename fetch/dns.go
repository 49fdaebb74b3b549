package fetch

// This file asks name servers for the addresses of a name.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/miekg/dns"

	"kavosh"
)

const (
	queryTimeout  = 3 * time.Second  // for one response of one server
	lookupTimeout = 15 * time.Second // for one name, all attempts together
	rounds        = 2                // how often all servers are asked
	maxChain      = 8                // further questions for a chain of aliases
	maxAddrs      = 16               // addresses kept per name
	maxPackets    = 32               // datagrams examined for one response: others may send to our port
	maxText       = 64 << 10         // bytes of kavosh.DNS.Text
	udpSize       = 1232             // bytes of a datagram that no path needs to fragment

	minTTL    = time.Minute
	maxTTL    = 24 * time.Hour
	minNegTTL = 30 * time.Second
	maxNegTTL = 5 * time.Minute
)

// dnsClient asks recursive resolvers. It accepts a response only if identifier, question and server match.
type dnsClient struct {
	servers []string // "address:port"
	dialer  net.Dialer
	now     func() time.Time
}

// parseServers parses the addresses of name servers.
func parseServers(texts []string) ([]string, error) {
	var servers []string
	for _, t := range texts {
		if a, err := netip.ParseAddr(trimBrackets(t)); err == nil {
			servers = append(servers, netip.AddrPortFrom(a, 53).String())
		} else if ap, err := netip.ParseAddrPort(t); err == nil && ap.Port() > 0 {
			servers = append(servers, ap.String())
		} else {
			return nil, badOption("dns",
				"%q is no address; write an IP address with or without a port from 1 to 65535, such as 9.9.9.9 or [::1]:5353", t)
		}
	}
	return servers, nil
}

// systemServers returns the name servers of a resolv.conf; 127.0.0.1 if it names none.
func systemServers(path string) []string {
	var texts []string
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			if words := strings.Fields(sc.Text()); len(words) >= 2 && words[0] == "nameserver" && len(texts) < 3 {
				if servers, err := parseServers(words[1:2]); err == nil {
					texts = append(texts, servers...)
				}
			}
		}
	}
	if texts == nil {
		texts = []string{"127.0.0.1:53"}
	}
	return texts
}

// lookupResult is the result of a look-up, with how long it is valid.
type lookupResult struct {
	Resolution
	ttl time.Duration
	err error // an error of ours: then nothing is known
}

// lookup asks for IPv4 and IPv6 addresses at the same time.
func (d *dnsClient) lookup(ctx context.Context, name string) lookupResult {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	rec := &kavosh.DNS{Name: name, Time: d.now()}
	if !validName(name) {
		return lookupResult{Resolution: Resolution{Failure: "not a name that DNS can hold", Gone: true}, ttl: maxNegTTL}
	}
	six := make(chan familyResult, 1)
	go func() { six <- d.chase(ctx, name, dns.TypeAAAA) }()
	v4 := d.chase(ctx, name, dns.TypeA)
	v6 := <-six
	rec.Server = v4.server
	if rec.Server == "" {
		rec.Server = v6.server
	}
	rec.Text = recordText(name, v4, v6)
	out := lookupResult{Resolution: Resolution{Addrs: order(append(v4.addrs, v6.addrs...)), Record: rec}, ttl: maxTTL}
	if rec.Text == "" {
		out.Record = nil // no server answered
	}
	if len(out.Addrs) == 0 {
		if err := errors.Join(v4.err, v6.err); err != nil {
			return lookupResult{err: err}
		}
		out.Failure, out.Gone = v4.failure, v4.gone && v6.gone
		if v4.failure == noAddress {
			out.Failure = v6.failure
		}
		out.ttl = min(max(min(v4.ttl, v6.ttl), minNegTTL), maxNegTTL)
		return out
	}
	for _, f := range []familyResult{v4, v6} {
		if len(f.addrs) > 0 {
			out.ttl = min(out.ttl, f.ttl)
		}
	}
	out.ttl = max(out.ttl, minTTL)
	return out
}

// validName refuses names that no query can carry.
func validName(name string) bool {
	if _, ok := dns.IsDomainName(name); !ok || name == "" || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
	}
	return true
}

const noAddress = "the name has no address"

// familyResult is the result for one kind of address.
type familyResult struct {
	addrs   []netip.Addr
	rrs     []dns.RR
	ttl     time.Duration
	server  string
	failure string // "" if addrs is not empty
	gone    bool   // the resolver knows that there is none; it did not merely fail
	rcode   int
	err     error // ours
}

// chase asks for name and follows its aliases. Most resolvers send the whole chain; otherwise it asks for the rest.
func (d *dnsClient) chase(ctx context.Context, name string, kind uint16) familyResult {
	f := familyResult{ttl: maxTTL}
	owner := dns.Fqdn(name)
	for range maxChain {
		msg, server, err := d.ask(ctx, owner, kind)
		if errors.Is(err, errSockets) {
			return familyResult{err: err}
		}
		if err != nil {
			return familyResult{rrs: f.rrs, server: f.server, ttl: minNegTTL, failure: "no resolver answered: " + err.Error()}
		}
		f.server, f.rcode = server, msg.Rcode
		before := owner
		owner = f.read(msg, owner, kind)
		switch {
		case len(f.addrs) > 0:
			return f
		case msg.Rcode == dns.RcodeNameError:
			f.failure, f.gone = "no such name (NXDOMAIN)", true
		case msg.Rcode != dns.RcodeSuccess:
			f.failure = fmt.Sprintf("the resolver %s answered %s", server, dns.RcodeToString[msg.Rcode])
			f.ttl = minNegTTL
			return f
		case owner != before:
			continue // the response had no record for the alias's target
		default:
			f.failure, f.gone = noAddress, true
		}
		f.ttl = min(f.ttl, negativeTTL(msg))
		return f
	}
	f.failure, f.ttl = fmt.Sprintf("more than %d aliases", maxChain), maxNegTTL
	return f
}

// read adds the addresses in a response, following aliases from owner, and returns the last name. It ignores records of
// other names.
func (f *familyResult) read(msg *dns.Msg, owner string, kind uint16) string {
	for range len(msg.Answer) + 1 {
		next := ""
		for _, rr := range msg.Answer {
			if !strings.EqualFold(rr.Header().Name, owner) || rr.Header().Class != dns.ClassINET {
				continue
			}
			switch rr := rr.(type) {
			case *dns.A:
				if kind == dns.TypeA {
					f.add(rr, rr.A)
				}
			case *dns.AAAA:
				if kind == dns.TypeAAAA {
					f.add(rr, rr.AAAA)
				}
			case *dns.CNAME:
				if next == "" {
					next = rr.Target
					f.add(rr, nil)
				}
			}
		}
		if next == "" || len(f.addrs) > 0 {
			break
		}
		owner = next
	}
	return owner
}

func (f *familyResult) add(rr dns.RR, ip net.IP) {
	f.rrs = append(f.rrs, rr)
	f.ttl = min(f.ttl, time.Duration(rr.Header().Ttl)*time.Second)
	if a, ok := netip.AddrFromSlice(ip); ok {
		f.addrs = append(f.addrs, a.Unmap())
	}
}

// negativeTTL returns how long a missing name or address may be remembered (RFC 2308).
func negativeTTL(msg *dns.Msg) time.Duration {
	for _, rr := range msg.Ns {
		if soa, ok := rr.(*dns.SOA); ok {
			return time.Duration(min(soa.Hdr.Ttl, soa.Minttl)) * time.Second
		}
	}
	return minNegTTL
}

// recordText returns the answers in zone-file form, with a comment for what was not found.
func recordText(name string, answers ...familyResult) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, f := range answers {
		for _, rr := range f.rrs {
			if line := rr.String() + "\n"; !seen[line] && b.Len()+len(line) <= maxText {
				seen[line] = true
				b.WriteString(line)
			}
		}
		if f.rcode != dns.RcodeSuccess && f.server != "" {
			if line := fmt.Sprintf("; %s %s\n", dns.Fqdn(name), dns.RcodeToString[f.rcode]); !seen[line] {
				seen[line] = true
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

// ask asks the servers in turn until one of them knows.
func (d *dnsClient) ask(ctx context.Context, owner string, kind uint16) (*dns.Msg, string, error) {
	last := errors.New("no server")
	var unhelpful *dns.Msg
	var from string
	for range rounds {
		for _, server := range d.servers {
			msg, err := d.exchange(ctx, server, owner, kind, "udp")
			if err == nil && msg.Truncated {
				msg, err = d.exchange(ctx, server, owner, kind, "tcp")
			}
			switch {
			case ctx.Err() != nil:
				return nil, "", ctx.Err()
			case errors.Is(err, errSockets):
				return nil, "", err
			case err != nil:
				last = err
			case msg.Rcode == dns.RcodeSuccess || msg.Rcode == dns.RcodeNameError:
				return msg, server, nil
			default:
				unhelpful, from = msg, server
			}
		}
		if unhelpful != nil {
			return unhelpful, from, nil
		}
	}
	return nil, "", last
}

// exchange asks one server once. Every query has its own socket, hence a random port, and a random identifier.
func (d *dnsClient) exchange(ctx context.Context, server, owner string, kind uint16, network string) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	nc, err := d.dialer.DialContext(ctx, network, server)
	if isOurs(err) {
		return nil, errSockets
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", server, cause(err))
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { nc.Close() })()
	query := new(dns.Msg)
	query.SetQuestion(owner, kind)
	query.SetEdns0(udpSize, false)
	co := &dns.Conn{Conn: nc, UDPSize: udpSize}
	if err := co.WriteMsg(query); err != nil {
		return nil, fmt.Errorf("%s: %s", server, cause(err))
	}
	for range maxPackets {
		msg, err := co.ReadMsg()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: no answer within %v", server, queryTimeout)
		}
		if err != nil && (msg == nil || network == "tcp") {
			return nil, fmt.Errorf("%s: %s", server, cause(err))
		}
		if err == nil && answers(msg, query) {
			return msg, nil
		}
	}
	return nil, fmt.Errorf("%s: only answers to other questions", server)
}

func answers(msg, query *dns.Msg) bool {
	return msg.Response && msg.Id == query.Id && len(msg.Question) == 1 &&
		msg.Question[0].Qtype == query.Question[0].Qtype && msg.Question[0].Qclass == dns.ClassINET &&
		strings.EqualFold(msg.Question[0].Name, query.Question[0].Name)
}

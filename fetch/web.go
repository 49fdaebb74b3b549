package fetch

// This file is the real web: it looks names up and opens connections.

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"kavosh"
	"kavosh/internal/clock"
)

// WebOptions are the settings of the real web.
type WebOptions struct {
	Resolver []string    // DNS servers, "address" or "address:port"; nil = those of /etc/resolv.conf
	Hosts    string      // hosts file; "" = /etc/hosts
	MaxNames int         // names kept in the cache; 0 = 65,536
	Clock    clock.Clock // nil means the machine's
}

// RealWeb is the web that this machine's sockets reach. It looks names up in the hosts file, then by DNS. It remembers
// addresses for their time to live, at least a minute and at most a day, and failures for at most five minutes. Callers
// that ask for the same name at once share one look-up. It applies no search domains: a host in a URL is complete.
type RealWeb struct {
	dns    dnsClient
	hosts  map[string][]netip.Addr // never changed
	clock  clock.Clock
	max    int
	dialer net.Dialer
	ctx    context.Context // for look-ups, which outlive the caller that asked first
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu struct {
		sync.Mutex
		names map[string]*cachedName
		root  cachedName // a ring; root.next is the least recently used
	}
}

// cachedName is a remembered name, or one that is being looked up while done is open.
type cachedName struct {
	name       string
	done       chan struct{}
	found      Resolution // without its Record; set before done is closed
	err        error      // ours, if nothing was found out
	expires    time.Time
	prev, next *cachedName
}

var _ Web = (*RealWeb)(nil)

// NewWeb returns the real web, or an *OptionError for a resolver that is not an address.
func NewWeb(o WebOptions) (*RealWeb, error) {
	servers, err := parseServers(o.Resolver)
	if err != nil {
		return nil, err
	}
	if len(servers) == 0 {
		servers = systemServers("/etc/resolv.conf")
	}
	setDefault(&o.Hosts, "/etc/hosts")
	setDefault(&o.MaxNames, 1<<16)
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	w := &RealWeb{
		dns: dnsClient{servers: servers, now: o.Clock.Now}, hosts: readHosts(o.Hosts), clock: o.Clock, max: o.MaxNames,
		dialer: net.Dialer{KeepAlive: -1}, // no exchange lasts long enough for TCP's probes
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.mu.names = map[string]*cachedName{}
	w.mu.root.prev, w.mu.root.next = &w.mu.root, &w.mu.root
	return w, nil
}

// Close ends look-ups in progress.
func (w *RealWeb) Close() error {
	w.cancel()
	w.wg.Wait()
	return nil
}

// Dial opens a TCP connection.
func (w *RealWeb) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	return w.dialer.DialContext(ctx, "tcp", addr.String())
}

// Resolve finds the addresses of a host.
func (w *RealWeb) Resolve(ctx context.Context, host string) (Resolution, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return Resolution{Addrs: []netip.Addr{a}}, nil
	}
	key := canonicalName(host)
	n, mine := w.name(key)
	if mine {
		rec, err := w.fill(ctx, n, key)
		if err != nil {
			return Resolution{}, err
		}
		res := n.found
		res.Record = rec
		return res, n.err
	}
	select {
	case <-n.done:
		return n.found, n.err
	case <-ctx.Done():
		return Resolution{}, ctx.Err()
	}
}

// name returns the entry for key. If mine is true, the entry is new and the caller must fill it.
func (w *RealWeb) name(key string) (n *cachedName, mine bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.mu.names[key]; n != nil {
		select {
		case <-n.done:
			if w.clock.Now().Before(n.expires) {
				w.unlink(n)
				w.link(n)
				return n, false
			}
			w.unlink(n)
		default:
			return n, false
		}
	}
	n = &cachedName{name: key, done: make(chan struct{})}
	w.mu.names[key] = n
	w.link(n)
	if len(w.mu.names) > w.max {
		oldest := w.mu.root.next
		w.unlink(oldest)
		delete(w.mu.names, oldest.name)
	}
	return n, true
}

// ResolveAnew is Resolve without the cache: it neither reads nor fills it.
func (w *RealWeb) ResolveAnew(ctx context.Context, host string) (Resolution, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return Resolution{Addrs: []netip.Addr{a}}, nil
	}
	key := canonicalName(host)
	if addrs := w.local(key); addrs != nil {
		return Resolution{Addrs: addrs}, nil
	}
	found := w.dns.lookup(ctx, key)
	return found.Resolution, found.err
}

// ForgetFailures removes failed look-ups from the cache.
func (w *RealWeb) ForgetFailures() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := w.mu.root.next; n != &w.mu.root; {
		next := n.next
		select {
		case <-n.done:
			if len(n.found.Addrs) == 0 {
				w.unlink(n)
				delete(w.mu.names, n.name)
			}
		default: // being looked up
		}
		n = next
	}
}

// link puts n at the most recently used end of the ring. The caller holds w.mu.
func (w *RealWeb) link(n *cachedName) {
	n.prev, n.next = w.mu.root.prev, &w.mu.root
	n.prev.next, n.next.prev = n, n
}

// unlink takes n out of the ring. The caller holds w.mu.
func (w *RealWeb) unlink(n *cachedName) { n.prev.next, n.next.prev = n.next, n.prev }

// fill looks key up and wakes the waiting callers. If the caller leaves, the look-up goes on for the others.
func (w *RealWeb) fill(ctx context.Context, n *cachedName, key string) (*kavosh.DNS, error) {
	if addrs := w.local(key); addrs != nil {
		rec := &kavosh.DNS{Name: key, Time: w.clock.Now(), Server: "hosts", Text: localText(key, addrs)}
		w.settle(n, lookupResult{Resolution: Resolution{Addrs: addrs}, ttl: maxTTL})
		return rec, nil
	}
	var rec *kavosh.DNS
	w.wg.Go(func() {
		found := w.dns.lookup(w.ctx, key)
		rec, found.Record = found.Record, nil
		w.settle(n, found)
	})
	select {
	case <-n.done:
		return rec, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *RealWeb) settle(n *cachedName, found lookupResult) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n.found, n.err = found.Resolution, found.err
	n.expires = w.clock.Now().Add(found.ttl)
	close(n.done)
}

// local returns the addresses of a name for which no server is asked; nil if there are none.
func (w *RealWeb) local(key string) []netip.Addr {
	if addrs := w.hosts[key]; addrs != nil {
		return addrs
	}
	if isLocalhost(key) {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	}
	return nil
}

// localText returns addrs as a server's answer would be written.
func localText(key string, addrs []netip.Addr) string {
	var b []byte
	for _, a := range addrs {
		kind := "A"
		if a.Is6() {
			kind = "AAAA"
		}
		b = append(b, key+".\t0\tIN\t"+kind+"\t"+a.String()+"\n"...)
	}
	return string(b)
}

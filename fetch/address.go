package fetch

// This file decides which addresses may be connected to: public ones, and those that a seed or --allow-private names.

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"

	"kavosh/internal/nameset"
)

// reserved returns the address ranges that must not be dialled: those that IANA's special-purpose registries (IPv4 and
// IPv6, 2025) do not call globally reachable, multicast, and deprecated site-local space. reachable are the exceptions
// inside them.
func reserved() (blocks, reachable []netip.Prefix) {
	return prefixes(
			"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
			"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
			"224.0.0.0/4", "240.0.0.0/4",
			"::/3", "2001::/23", "2001:db8::/32", "3fff::/20", "4000::/2", "8000::/1"), // only 2000::/3 is global
		prefixes(
			"192.0.0.9/32", "192.0.0.10/32",
			"2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48", "2001:20::/28", "2001:30::/28")
}

func prefixes(texts ...string) []netip.Prefix {
	ps := make([]netip.Prefix, len(texts))
	for i, t := range texts {
		ps[i] = netip.MustParsePrefix(t)
	}
	return ps
}

// embedded returns the IPv4 address inside an IPv6 address that carries one: mapped, NAT64, 6to4, Teredo (its client
// part). Packets to such an address may end at that IPv4 address.
func embedded(a netip.Addr) (netip.Addr, bool) {
	b := a.As16()
	v4 := func(i int) (netip.Addr, bool) { return netip.AddrFrom4([4]byte(b[i : i+4])), true }
	switch head := binary.BigEndian.Uint32(b[:4]); {
	case a.Is4():
	case a.Is4In6():
		return v4(12)
	case head == 0x0064ff9b && binary.BigEndian.Uint64(b[4:12]) == 0:
		return v4(12)
	case head>>16 == 0x2002:
		return v4(2)
	case head == 0x20010000:
		for i := 12; i < 16; i++ {
			b[i] ^= 0xff
		}
		return v4(12)
	}
	return netip.Addr{}, false
}

// Public reports whether an address is globally reachable, so that nobody who names a host there can lead us into a network
// of our own.
func Public(a netip.Addr) bool { return newAddressPolicy(nil).global(a) }

type hostPort struct {
	host string
	port uint16
}

// addressPolicy says which addresses may be dialled: globally reachable ones, ranges that the operator opened, and the
// addresses that the operator's seeds had when they were first looked up.
type addressPolicy struct {
	blocks, reachable, allow []netip.Prefix

	mu struct {
		sync.Mutex
		seeds  nameset.Set[hostPort]
		pinned nameset.Set[hostPort] // seeds that were looked up; the addresses they opened are in opened
		opened map[netip.AddrPort]struct{}
	}
}

func newAddressPolicy(allow []netip.Prefix) *addressPolicy {
	p := &addressPolicy{allow: allow}
	p.blocks, p.reachable = reserved()
	p.mu.opened = map[netip.AddrPort]struct{}{}
	return p
}

// allowHost opens the addresses that host has at its next look-up, for this port.
func (p *addressPolicy) allowHost(host string, port uint16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mu.seeds.Add(hostPort{host, port})
}

// permitted returns those of addrs that may be dialled for host and port, in order.
func (p *addressPolicy) permitted(host string, port uint16, addrs []netip.Addr) []netip.Addr {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A seed's name may be made to point elsewhere later. The operator only vouched for its first addresses.
	if hp := (hostPort{host, port}); p.mu.seeds.Has(hp) && !p.mu.pinned.Has(hp) {
		p.mu.pinned.Add(hp)
		for _, a := range addrs {
			if !p.global(a) {
				p.mu.opened[netip.AddrPortFrom(a.Unmap(), port)] = struct{}{}
			}
		}
	}
	blocked := func(a netip.Addr) bool {
		if p.global(a) {
			return false
		}
		_, opened := p.mu.opened[netip.AddrPortFrom(a.Unmap(), port)]
		return !opened
	}
	if !slices.ContainsFunc(addrs, blocked) {
		return addrs
	}
	return slices.DeleteFunc(slices.Clone(addrs), blocked)
}

// global reports whether a may be dialled for any host: it is globally reachable (and so is an IPv4 address inside it),
// or the operator opened its range.
func (p *addressPolicy) global(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if in(a, p.allow) {
		return true
	}
	if inner, ok := embedded(a); ok {
		return p.global(inner)
	}
	return !in(a, p.blocks) || in(a, p.reachable)
}

func in(a netip.Addr, prefixes []netip.Prefix) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

package fetch

// This file reads the hosts file of the machine, and puts addresses in the order in which they are tried.

import (
	"bufio"
	"io"
	"net/netip"
	"os"
	"strings"
)

const maxHostsFile = 4 << 20

// readHosts reads a hosts file: lower-case names to their addresses, IPv4 first. An unreadable file counts as empty,
// because a machine need not have one.
func readHosts(path string) map[string][]netip.Addr {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return parseHosts(io.LimitReader(f, maxHostsFile))
}

func parseHosts(r io.Reader) map[string][]netip.Addr {
	hosts := map[string][]netip.Addr{}
	for sc := bufio.NewScanner(r); sc.Scan(); {
		line, _, _ := strings.Cut(sc.Text(), "#")
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		addr, err := netip.ParseAddr(words[0])
		if err != nil {
			continue
		}
		for _, name := range words[1:] {
			name = canonicalName(name)
			hosts[name] = append(hosts[name], addr.Unmap())
		}
	}
	for name := range hosts {
		hosts[name] = order(hosts[name])
	}
	return hosts
}

// order puts IPv4 first, removes repeats and keeps at most maxAddrs. IPv4 comes first because a host with IPv6 only is
// rare, and a machine without IPv6 is not.
func order(addrs []netip.Addr) []netip.Addr {
	var out []netip.Addr
	seen := map[netip.Addr]bool{}
	for _, v4 := range []bool{true, false} {
		for _, a := range addrs {
			if a.Is4() == v4 && !seen[a] && len(out) < maxAddrs {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// canonicalName returns a name as the cache and the tables have it.
func canonicalName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// isLocalhost reports whether a name always means this machine (RFC 6761).
func isLocalhost(name string) bool {
	name = canonicalName(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

func trimBrackets(host string) string { return strings.Trim(host, "[]") }

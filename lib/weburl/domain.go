package weburl

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Host returns the host of a seen-key ([Key]) or of its origin, without its port: an IPv6 address in its brackets, and ""
// if there is none. It shares the memory of the key.
func Host(key string) string {
	_, rest, _ := strings.Cut(key, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if colon := strings.LastIndexByte(rest, ':'); colon > strings.LastIndexByte(rest, ']') {
		rest = rest[:colon]
	}
	return rest
}

// Domain returns the registrable domain of host: its public suffix and one more label, so "news.bbc.co.uk" gives
// "bbc.co.uk". An IP address, a single label and a public suffix are returned unchanged. host is in the form of
// [URL.Hostname].
func Domain(host string) string {
	host = strings.TrimSuffix(host, ".")
	if isAddress(host) {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// isAddress reports whether host is an IP address; IPv6 addresses are in brackets.
func isAddress(host string) bool {
	if strings.HasPrefix(host, "[") {
		return true
	}
	if host == "" || host[len(host)-1] < '0' || host[len(host)-1] > '9' {
		return false // saves allocating netip's error
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}

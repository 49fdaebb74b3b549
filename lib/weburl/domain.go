package weburl

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

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

package weburl

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Domain is the domain that somebody registered to have host: its public suffix and one label more, so that
// "news.bbc.co.uk" gives "bbc.co.uk". An IP address, a single label and a public suffix are their own domain. host is
// as [URL.Hostname] gives it.
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

// isAddress reports whether host is an IP address; IPv6 addresses stand in brackets.
func isAddress(host string) bool {
	if strings.HasPrefix(host, "[") {
		return true
	}
	if host == "" || host[len(host)-1] < '0' || host[len(host)-1] > '9' {
		return false // told without an error that would have to be made
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}

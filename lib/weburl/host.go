package weburl

// This file parses the hosts of URLs as browsers do.

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"kavosh/lib/ascii"
)

var (
	errHost = errors.New("the host is no domain name")
	errIPv4 = errors.New("the host ends in a number but is no IPv4 address")
	errIPv6 = errors.New("no IPv6 address stands in the brackets")
)

// specialHost serialises the host of a URL with what the standard calls a special scheme, such as http: a domain in
// ASCII, an IPv4 address, or an IPv6 address in brackets.
func specialHost(raw string) (string, error) {
	if strings.HasPrefix(raw, "[") {
		return parseIPv6(raw)
	}
	host := string(unescapeHost(raw))
	if ascii.Only(host) && !strings.Contains(strings.ToLower(host), "xn--") {
		host = strings.ToLower(host)
	} else {
		var ok bool
		if host, ok = mapHost2008(host); !ok {
			return "", errHost
		}
	}
	if host == "" {
		return "", errHost
	}
	for _, c := range []byte(host) {
		if c <= ' ' || c == 0x7f || strings.IndexByte("#%/:<>?@[\\]^|", c) >= 0 {
			return "", errHost
		}
	}
	if !endsInNumber(host) {
		return host, nil
	}
	address, ok := parseIPv4(host)
	if !ok {
		return "", errIPv4
	}
	return address.String(), nil
}

// idna2008 is the standard's non-strict "domain to ASCII": UTS #46 with bidi and joiner rules, any ASCII.
var idna2008 = idna.New(
	idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.Transitional(false), idna.ValidateLabels(true),
	idna.StrictDomainName(false), idna.CheckHyphens(false), idna.VerifyDNSLength(false),
)

// mapHost2008 maps a host as browsers do. It adds what changed in UTS #46 since idna2008's tables: the capital sharp s
// is a letter of its own, and after "xn--" there must be ASCII.
func mapHost2008(host string) (mapped string, ok bool) {
	if !utf8.ValidString(host) {
		return "", false
	}
	host = hostFolds.Replace(host)
	for label := range strings.SplitSeq(norm.NFKC.String(host), ".") {
		if len(label) >= 4 && strings.EqualFold(label[:4], "xn--") && (len(label) == 4 || !ascii.Only(label)) {
			return "", false
		}
	}
	mapped, err := idna2008.ToASCII(host)
	return mapped, err == nil
}

// hostFolds are mappings of UTS #46 to apply before splitting into labels: dots, and ignored characters.
var hostFolds = strings.NewReplacer(
	"\u3002", ".", "\uff0e", ".", "\uff61", ".",
	"\u00ad", "", "\u200b", "", "\u2060", "", "\ufeff", "",
	"\u1e9e", "\u00df",
)

// endsInNumber reports whether a host must be an IPv4 address: its last label (before a final dot) is a number.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseIPv4Number(last)
	return ok
}

// parseIPv6 parses an IPv6 address in brackets and returns its shortest form, without dots even for an IPv4 address.
func parseIPv6(raw string) (string, error) {
	address, err := netip.ParseAddr(strings.TrimSuffix(raw[1:], "]"))
	if err != nil || !address.Is6() || address.Zone() != "" || raw[len(raw)-1] != ']' {
		return "", errIPv6
	}
	if address.Is4In6() {
		b := address.As16()
		return fmt.Sprintf("[::ffff:%x:%x]", int(b[12])<<8|int(b[13]), int(b[14])<<8|int(b[15])), nil
	}
	return "[" + address.String() + "]", nil
}

// parseIPv4 parses one to four numbers; the last one fills all remaining bytes.
func parseIPv4(host string) (address netip.Addr, ok bool) {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(labels) > 4 {
		return address, false
	}
	var sum uint64
	for i, label := range labels {
		n, ok := parseIPv4Number(label)
		bits := 8
		if i == len(labels)-1 {
			bits = 8 * (5 - len(labels))
		}
		if !ok || n >= 1<<bits {
			return address, false
		}
		sum = sum<<bits | n
	}
	return ipv4(uint32(sum)), true
}

func ipv4(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}

// parseIPv4Number parses a decimal, octal (0…) or hexadecimal (0x…) number. Numbers beyond 32 bits return 1<<32.
func parseIPv4Number(s string) (n uint64, ok bool) {
	if s == "" {
		return 0, false
	}
	base := 10
	if len(s) >= 2 && s[0] == '0' {
		base, s = 8, s[1:]
		if s[0]|0x20 == 'x' {
			base, s = 16, s[1:]
		}
	}
	for _, c := range []byte(s) {
		digit := ascii.Hex(c)
		if digit < 0 || digit >= base {
			return 0, false
		}
		n = min(n*uint64(base)+uint64(digit), 1<<32)
	}
	return n, true
}

// unescapeHost decodes percent-encoding once.
func unescapeHost(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && ascii.Hex(s[i+1]) >= 0 && ascii.Hex(s[i+2]) >= 0 {
			out = append(out, byte(ascii.Hex(s[i+1])<<4|ascii.Hex(s[i+2])))
			i += 2
		} else {
			out = append(out, s[i])
		}
	}
	return out
}

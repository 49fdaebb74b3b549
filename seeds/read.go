package seeds

// This file parses one URL that a person wrote.

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"

	"kavosh/lib/weburl"
)

// read returns the URL that a trimmed text means. note is set if a scheme was added. Neither contains a password.
func read(text string) (u *weburl.URL, note string, err error) {
	if strings.IndexFunc(text, unicode.IsSpace) >= 0 {
		return nil, "", fmt.Errorf("%.200q holds white space; write one URL a line, and a space in a URL as %%20", weburl.Hide(text))
	}
	whole, err := addScheme(text)
	if err != nil {
		return nil, "", err
	}
	if u, err = weburl.Parse(whole); err != nil {
		return nil, "", fmt.Errorf("%w; write a URL such as https://example.com/", err)
	}
	if !u.Fetchable() {
		return nil, "", fmt.Errorf("%.200q: %s URLs are not crawled; only http and https are", weburl.Hide(text), u.Scheme())
	}
	if whole != text {
		note = fmt.Sprintf("%.200s: no scheme, taken as %.200s", weburl.Hide(text), u.Key())
	}
	return u, note, nil
}

func addScheme(text string) (string, error) {
	if strings.HasPrefix(text, "//") {
		return "https:" + text, nil
	}
	before, after, colon := strings.Cut(text, ":")
	if colon && !strings.ContainsAny(before, "/?#[@") && !startsWithPort(after) {
		return text, nil
	}
	host := text
	if end := strings.IndexAny(text, "/?#"); end >= 0 {
		host = text[:end]
	}
	name, port := splitPort(host)
	switch {
	case name == "":
		return "", fmt.Errorf("%.200q has no host; write a whole URL such as https://example.com/", weburl.Hide(text))
	case strings.Contains(host, "@"):
		return "", fmt.Errorf("%.200q looks like a mail address; write a URL such as https://example.com/", weburl.Hide(text))
	case isLocal(name), port == "80":
		return "http://" + text, nil
	case !strings.ContainsAny(name, ".。"):
		return "", fmt.Errorf("%.200q is no host: there is no dot in it; write http://%.200s if that is the host's name", text, text)
	}
	return "https://" + text, nil
}

// startsWithPort reports whether the text after a colon is a port, as in "localhost:8080/x".
func startsWithPort(s string) bool {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return digits > 0 && (digits == len(s) || strings.IndexByte("/?#", s[digits]) >= 0)
}

// splitPort splits "host:port"; a colon inside brackets belongs to an IPv6 address.
func splitPort(host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:]
	}
	return host, ""
}

// isLocal reports whether name is an address or this machine, where TLS is unusual.
func isLocal(name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || strings.HasPrefix(name, "[") {
		return true
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// looksPersian reports whether the non-ASCII bytes are Arabic letters in windows-1256.
func looksPersian(line []byte) bool {
	letters, others := 0, 0
	for _, c := range line {
		if c >= 0x80 {
			if unicode.Is(unicode.Arabic, charmap.Windows1256.DecodeByte(c)) {
				letters++
			} else {
				others++
			}
		}
	}
	return letters > others
}

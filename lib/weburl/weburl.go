// Package weburl reads URLs as browsers do and gives the keys under which a crawler remembers them.
//
// A URL is parsed by the WHATWG URL Standard, whatever stands in an href: backslashes, tabs, %zz, Persian hosts. Two
// keys come out of it.
//
//   - [URL.Key], the seen-key: the standard's serialisation without its fragment and without user name and password, which
//     are a secret of whoever wrote them; nothing else is stripped, because a lossy key forgets URLs. Two links are the same
//     to the crawler when their keys are the same bytes.
//   - [SURT], the index key: what pywb looks captures up by. It is lossy on purpose and serves look-up only.
//
// [Resolve] is the hot path: the key of a link against the page's base. What stands in pages (http and https URLs in any
// script, references relative to them, mailto: and javascript:) is read by fast.go in one pass over the bytes; the rest
// (credentials, IPv6, file:) goes to a library that follows the standard word for word, in slow.go. FuzzFastPath holds
// the first to the answers of the second. Hosts are read by host.go for both.
//
// docs/formats/urls.md describes both keys for those who read them without this package.
package weburl

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// MaxLength is the longest URL, in bytes, that is read or made: 32 KiB. Longer ones are errors, so that a page cannot
// make the crawler keep what no server would answer.
const MaxLength = 32 << 10

// ErrTooLong is the cause of errors about a URL longer than MaxLength.
var ErrTooLong = errors.New("longer than 32 KiB")

// URL is one parsed absolute URL. It never changes, so many goroutines may use it. Its accessors cut pieces out of the
// serialisation and allocate nothing, except where they say so.
type URL struct {
	href string
	parts
}

// parts are offsets into a serialised URL:
//
//	https://user:pw@example.com:8443/path?query#fragment
//	     ^scheme    ^host      ^end  ^path^query^fragment
//
// Where a component is missing its offset is that of the next one.
type parts struct {
	scheme   int // of the ':' after the scheme
	host     int // of the host's first byte; equal to hostEnd when there is no host
	hostEnd  int // after the host, before ':' and the port
	path     int
	query    int // of '?'
	fragment int // of '#'
}

// Parse reads an absolute URL. An error says in one line what is wrong with it.
func Parse(raw string) (*URL, error) { return parse(nil, raw) }

// Resolve reads ref, absolute or relative to u, as a browser does when it stands in a document whose base is u.
func (u *URL) Resolve(ref string) (*URL, error) { return parse(u, ref) }

func parse(base *URL, ref string) (*URL, error) {
	if len(ref) > MaxLength {
		return nil, badURL(ref, ErrTooLong)
	}
	var scratch [scratchSize]byte
	out, p, ok := fast(scratch[:0], base, ref, true)
	if !ok {
		return slow(base, ref)
	}
	if len(out) > MaxLength {
		return nil, badURL(ref, ErrTooLong)
	}
	return &URL{string(out), p}, nil
}

// scratchSize is enough for all but very long URLs to be built on the stack.
const scratchSize = 512

// Resolve is the key of ref against base: base.Resolve(ref) and Key in one, with one allocation for common links. A nil
// base wants an absolute ref. The key may be of any scheme; see [Fetchable].
func Resolve(base *URL, ref string) (key string, err error) {
	if len(ref) > MaxLength {
		return "", badURL(ref, ErrTooLong)
	}
	var scratch [scratchSize]byte
	out, p, ok := fast(scratch[:0], base, ref, false)
	if !ok {
		u, err := slow(base, ref)
		if err != nil {
			return "", err
		}
		return u.Key(), nil
	}
	if len(out) > MaxLength {
		return "", badURL(ref, ErrTooLong)
	}
	return string(withoutCredentials(out, p)), nil
}

// AppendKey appends to dst what [Resolve] gives, and allocates nothing for common links when dst has room. ref is neither
// changed nor kept. On an error it returns dst as it was.
func AppendKey(dst []byte, base *URL, ref []byte) ([]byte, error) {
	if len(ref) > MaxLength {
		return dst, badURL(string(ref), ErrTooLong)
	}
	n := len(dst)
	// fast keeps nothing of ref, so that it may read the bytes as a string without a copy.
	out, p, ok := fast(dst[n:], base, unsafe.String(unsafe.SliceData(ref), len(ref)), false)
	if !ok {
		u, err := slow(base, string(ref))
		if err != nil {
			return dst, err
		}
		return append(dst, u.Key()...), nil
	}
	if len(out) > MaxLength {
		return dst, badURL(string(ref), ErrTooLong)
	}
	out = withoutCredentials(out, p)
	if n == 0 {
		return out, nil
	}
	return append(dst, out...), nil // in place, unless fast had to make room
}

// withoutCredentials takes user name and password out of what fast made.
func withoutCredentials(href []byte, p parts) []byte {
	from := p.scheme + len("://")
	if p.host <= from {
		return href
	}
	return append(href[:from], href[p.host:]...)
}

// Hide is text, which may be a URL or was meant to be one, with … in place of what may be a user name and password: what
// an error may show of it. In doubt it hides too much.
func Hide(text string) string {
	from, found := Authority(text)
	if !found && strings.Count(text, "@") < 2 && !strings.ContainsAny(strings.TrimPrefix(text, "mailto:"), ":"+pathStarts) {
		return text // a mail address
	}
	rest := text[from:]
	host := rest
	if end := strings.IndexAny(rest, pathStarts); end >= 0 {
		host = rest[:end]
	}
	at := strings.LastIndexByte(host, '@')
	if port := host[strings.LastIndexByte(host, ':')+1:]; at < 0 && len(port) < len(host) && strings.Trim(port, "0123456789") != "" {
		at = strings.LastIndexByte(rest, '@') // a password with a slash in it looks like this
	}
	if i := strings.LastIndexByte(rest, '@'); i >= len(host) && strings.Contains(rest[len(host):i], ":") {
		at = i // of a URL within the URL, or behind words
	}
	if at < 0 {
		return text
	}
	return text[:from] + "…" + rest[at:]
}

// Authority is where user name, password and host begin in text, which may be no whole URL, and whether it has any: after
// a scheme with any run of / and \, or after two of these at the beginning. Else it is 0.
func Authority(text string) (from int, found bool) {
	rest := strings.TrimLeftFunc(text, func(r rune) bool { return r <= ' ' })
	least := 2
	if colon := strings.IndexAny(rest, ":/\\?#@"); colon > 0 && rest[colon] == ':' {
		least = 1
		if scheme := rest[:colon]; strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") {
			least = 0
		}
		rest = rest[colon+1:]
	}
	host := strings.TrimLeft(rest, "/\\\t\r\n")
	if len(rest)-len(host) < least {
		return 0, false
	}
	return len(text) - len(host), true
}

// Key is the seen-key of an absolute URL.
func Key(raw string) (string, error) { return Resolve(nil, raw) }

// Fetchable reports whether a key or another serialised URL is of a scheme that a crawl requests: http or https.
func Fetchable(key string) bool {
	return strings.HasPrefix(key, "https:") || strings.HasPrefix(key, "http:")
}

// Fetchable reports whether the scheme is one that a crawl requests: http or https.
func (u *URL) Fetchable() bool { return Fetchable(u.href) }

// String is the whole serialisation, which the standard calls href.
func (u *URL) String() string { return u.href }

// Key is the serialisation without fragment, user name and password: the seen-key. It allocates where there are
// credentials to leave out.
func (u *URL) Key() string {
	if from := u.scheme + len("://"); u.host > from {
		return u.href[:from] + u.href[u.host:u.fragment]
	}
	return u.href[:u.fragment]
}

// Scheme is the scheme in lower case, without colon.
func (u *URL) Scheme() string { return u.href[:u.scheme] }

// Hostname is the host without port: a domain in ASCII, an IPv4 address, or an IPv6 address in brackets. It is empty for
// URLs that have none.
func (u *URL) Hostname() string { return u.href[u.host:u.hostEnd] }

// Host is the host, and the port when it is not the scheme's default: what a Host header says.
func (u *URL) Host() string { return u.href[u.host:u.portEnd()] }

// Port is the port in digits, empty for the scheme's default.
func (u *URL) Port() string {
	if end := u.portEnd(); end > u.hostEnd {
		return u.href[u.hostEnd+1 : end]
	}
	return ""
}

// portEnd is where the port ends. It is not always the path: before a path that starts with two slashes a URL without
// host has "/." which is part of neither.
func (u *URL) portEnd() int {
	if u.hostEnd < u.path && u.href[u.hostEnd] == ':' {
		return u.path
	}
	return u.hostEnd
}

// PortNumber is the port to connect to, the scheme's default included; 0 when the scheme has none.
func (u *URL) PortNumber() int {
	if port := u.Port(); port != "" {
		n := 0
		for i := 0; i < len(port); i++ {
			n = n*10 + int(port[i]-'0')
		}
		return n
	}
	switch u.Scheme() {
	case "http", "ws":
		return 80
	case "https", "wss":
		return 443
	case "ftp":
		return 21
	}
	return 0
}

// Origin is scheme, host and, unless it is the default, port: "https://example.com:8443". It is what robots.txt rules
// hold for. URLs without a host have the origin "null", as in the standard.
func (u *URL) Origin() string {
	switch {
	case u.host == u.hostEnd:
		return "null"
	case u.host == u.scheme+len("://"):
		return u.href[:u.portEnd()]
	}
	return u.Scheme() + "://" + u.Host() // there are credentials to leave out
}

// Credentials are the user name and password that stand before the host, percent-encoded; both empty for none.
func (u *URL) Credentials() (user, password string) {
	start := u.scheme + len("://")
	if u.host <= start {
		return "", ""
	}
	user, password, _ = strings.Cut(u.href[start:u.host-1], ":")
	return user, password
}

// Path is the path, without query.
func (u *URL) Path() string { return u.href[u.path:u.query] }

// PathQuery is path and query: "/p?q", what a request line asks for and robots.txt rules are matched against.
func (u *URL) PathQuery() string { return u.href[u.path:u.fragment] }

// Fragment is what follows '#', empty for none.
func (u *URL) Fragment() string {
	if u.fragment < len(u.href) {
		return u.href[u.fragment+1:]
	}
	return ""
}

// badURL is the error for raw, which is shown in part when it is long, and never with its credentials.
func badURL(raw string, cause error) error {
	const show = 200
	shown := Hide(raw)
	if len(shown) > show {
		shown = strings.ToValidUTF8(shown[:show], "") + "…"
	}
	return fmt.Errorf("%q is no URL: %w", shown, cause)
}

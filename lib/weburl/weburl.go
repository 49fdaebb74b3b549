// Package weburl parses URLs as browsers do, and makes the keys by which a crawler remembers them.
//
// It parses any href by the WHATWG URL Standard: backslashes, tabs, %zz, Persian hosts. It makes two keys.
//
//   - [URL.Key], the seen-key: the standard's serialisation without fragment, user name and password (credentials are
//     their owner's secret). Nothing else is removed, because a lossy key forgets URLs. To the crawler, two links are
//     the same if their keys are the same bytes.
//   - [SURT], the index key: pywb looks captures up by it. It is lossy on purpose and used for look-up only.
//
// [Resolve] is the hot path: the key of a link, resolved against the page's base. fast.go parses what pages usually
// contain (http and https URLs, references relative to them, mailto: and javascript:) in one pass over the bytes. For
// the rest (credentials, IPv6, file:), slow.go calls a library that follows the standard word for word. FuzzFastPath
// checks that both agree. host.go parses hosts for both.
//
// docs/formats/urls.md describes both keys for readers without this package.
package weburl

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// MaxLength is the longest URL that is parsed or made, in bytes: 32 KiB. Longer ones are errors, so that a page cannot
// make the crawler keep what no server would answer.
const MaxLength = 32 << 10

// ErrTooLong is the cause of errors about a URL longer than MaxLength.
var ErrTooLong = errors.New("longer than 32 KiB")

// URL is a parsed absolute URL. It never changes, so many goroutines may use it. Its methods return parts of the
// serialisation and do not allocate unless they say so.
type URL struct {
	href string
	parts
}

// parts holds offsets into a serialised URL:
//
//	https://user:pw@example.com:8443/path?query#fragment
//	     ^scheme    ^host      ^end  ^path^query^fragment
//
// A missing component has the offset of the next one.
type parts struct {
	scheme   int // of the ':' after the scheme
	host     int // of the host's first byte; equals hostEnd if there is no host
	hostEnd  int // after the host, before ':' and the port
	path     int
	query    int // of '?'
	fragment int // of '#'
}

// Parse parses an absolute URL. An error says in one line what is wrong.
func Parse(raw string) (*URL, error) { return parse(nil, raw) }

// Resolve parses ref, absolute or relative to u, as a browser does in a document whose base is u.
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

// scratchSize lets all but very long URLs be built on the stack.
const scratchSize = 512

// Resolve returns the key of ref, resolved against base: base.Resolve(ref).Key() with one allocation for common links.
// With a nil base, ref must be absolute. The key may have any scheme; see [Fetchable].
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

// AppendKey appends the result of [Resolve] to dst. It does not allocate for common links if dst has room, and neither
// changes nor keeps ref. On an error it returns dst unchanged.
func AppendKey(dst []byte, base *URL, ref []byte) ([]byte, error) {
	if len(ref) > MaxLength {
		return dst, badURL(string(ref), ErrTooLong)
	}
	n := len(dst)
	// fast keeps nothing of ref, so it may read the bytes as a string without a copy.
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
	return append(dst, out...), nil // already in place, unless fast had to allocate
}

// withoutCredentials removes user name and password from the result of fast.
func withoutCredentials(href []byte, p parts) []byte {
	from := p.scheme + len("://")
	if p.host <= from {
		return href
	}
	return append(href[:from], href[p.host:]...)
}

// Hide returns text with … in place of anything that may be a user name and password, for use in errors. text may be a
// URL or something meant as one. In doubt it hides too much.
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
		at = strings.LastIndexByte(rest, '@') // a password with a slash in it
	}
	if i := strings.LastIndexByte(rest, '@'); i >= len(host) && strings.Contains(rest[len(host):i], ":") {
		at = i // of a URL inside the URL, or after words
	}
	if at < 0 {
		return text
	}
	return text[:from] + "…" + rest[at:]
}

// Authority returns where user name, password and host begin in text, which need not be a whole URL: after a scheme and
// any run of / and \, or after two of these at the beginning. found is false, and from 0, if there is none.
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

// Key returns the seen-key of an absolute URL.
func Key(raw string) (string, error) { return Resolve(nil, raw) }

// Same reports whether two URLs have the same seen-key. Text that is not a URL equals only itself.
func Same(a, b string) bool {
	u, err := Key(a)
	if err != nil {
		return a == b
	}
	v, err := Key(b)
	return err == nil && u == v
}

// Fetchable reports whether a serialised URL or key has a scheme that a crawl requests: http or https.
func Fetchable(key string) bool {
	return strings.HasPrefix(key, "https:") || strings.HasPrefix(key, "http:")
}

// Fetchable reports whether the scheme is one that a crawl requests: http or https.
func (u *URL) Fetchable() bool { return Fetchable(u.href) }

// String returns the whole serialisation, which the standard calls href.
func (u *URL) String() string { return u.href }

// Key returns the seen-key: the serialisation without fragment, user name and password. It allocates only if there are
// credentials.
func (u *URL) Key() string {
	if from := u.scheme + len("://"); u.host > from {
		return u.href[:from] + u.href[u.host:u.fragment]
	}
	return u.href[:u.fragment]
}

// Scheme returns the scheme in lower case, without colon.
func (u *URL) Scheme() string { return u.href[:u.scheme] }

// Hostname returns the host without port: a domain in ASCII, an IPv4 address, or an IPv6 address in brackets; "" if
// there is none.
func (u *URL) Hostname() string { return u.href[u.host:u.hostEnd] }

// Host returns the host, with the port unless it is the scheme's default: the value of a Host header.
func (u *URL) Host() string { return u.href[u.host:u.portEnd()] }

// Port returns the port in digits; "" for the scheme's default.
func (u *URL) Port() string {
	if end := u.portEnd(); end > u.hostEnd {
		return u.href[u.hostEnd+1 : end]
	}
	return ""
}

// portEnd returns where the port ends. That is not always where the path begins: in a URL without host, "/." precedes a
// path that starts with two slashes and belongs to neither.
func (u *URL) portEnd() int {
	if u.hostEnd < u.path && u.href[u.hostEnd] == ':' {
		return u.path
	}
	return u.hostEnd
}

// PortNumber returns the port to connect to, also if it is the scheme's default; 0 if the scheme has none.
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

// Origin returns scheme, host and any non-default port: "https://example.com:8443". robots.txt rules apply to an
// origin. URLs without a host have the origin "null", as in the standard.
func (u *URL) Origin() string {
	switch {
	case u.host == u.hostEnd:
		return "null"
	case u.host == u.scheme+len("://"):
		return u.href[:u.portEnd()]
	}
	return u.Scheme() + "://" + u.Host() // skip the credentials
}

// Credentials returns the user name and password before the host, percent-encoded; both "" if there are none.
func (u *URL) Credentials() (user, password string) {
	start := u.scheme + len("://")
	if u.host <= start {
		return "", ""
	}
	user, password, _ = strings.Cut(u.href[start:u.host-1], ":")
	return user, password
}

// Path returns the path, without query.
func (u *URL) Path() string { return u.href[u.path:u.query] }

// PathQuery returns path and query, "/p?q": what a request line asks for and robots.txt rules match.
func (u *URL) PathQuery() string { return u.href[u.path:u.fragment] }

// Fragment returns what follows '#'; "" if there is none.
func (u *URL) Fragment() string {
	if u.fragment < len(u.href) {
		return u.href[u.fragment+1:]
	}
	return ""
}

// badURL returns the error for raw. It shows only a part of a long URL, and never credentials.
func badURL(raw string, cause error) error {
	const show = 200
	shown := Hide(raw)
	if len(shown) > show {
		shown = strings.ToValidUTF8(shown[:show], "") + "…"
	}
	return fmt.Errorf("%q is no URL: %w", shown, cause)
}

package weburl

import (
	"errors"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// pathSet is the library's with '^', which the standard has encoded in paths since 2023.
var pathSet = whatwg.PathPercentEncodeSet.Set('^')

// maxSlow bounds what the library is given, base and reference together: it copies what it has read again at every '@'
// and '/', so that 32 KiB of them would take it a second. No http URL of use is that odd and that long.
const maxSlow = 2 << 10

// slow reads what the fast path does not know.
func slow(base *URL, ref string) (*URL, error) {
	if clean := noBreaks.Replace(ref); clean != ref {
		return parse(base, clean) // tabs and newlines count for nothing in a URL
	}
	against := ""
	if base != nil {
		against = base.href
	}
	if len(against)+len(ref) > maxSlow {
		return nil, badURL(ref, errors.New("longer than 2 KiB and unusual"))
	}
	return library(against, ref)
}

// library reads any URL by the library, and hosts by host.go: the library takes "+1" for an address and "[[::1]]" for
// another, and refuses hosts like "_bücher.example", none of which browsers do. An empty base is none.
//
// The library is given what strangers wrote, and its parser indexes slices by arithmetic on that: a panic in it is
// answered as an error of that one URL, because a link in a page must not be able to end a crawl.
func library(base, ref string) (u *URL, err error) {
	defer func() {
		if recover() != nil {
			u, err = nil, badURL(ref, errors.New("the parser cannot read it"))
		}
	}()
	var host string // of the last URL with one: that of ref, or of base when ref is relative
	var hostErr error
	parser := whatwg.NewParser(whatwg.WithPathPercentEncodeSet(pathSet),
		whatwg.WithPreParseHostFunc(func(u *whatwg.Url, raw string) string {
			host, hostErr = "", nil
			if raw == "" || !u.IsSpecialScheme() && raw[0] != '[' {
				return raw
			}
			if host, hostErr = specialHost(raw); host != "localhost" { // which a file URL drops
				return hostStandIn
			}
			return raw
		}))
	parsed, err := parser.ParseRef(base, ref)
	if err == nil {
		err = hostErr
	}
	if err != nil {
		return nil, badURL(ref, reason(err))
	}
	u = fromLibrary(parsed)
	if host != "" && u.Hostname() == hostStandIn {
		u.setHost(host)
	}
	if len(u.href) > MaxLength {
		return nil, badURL(ref, ErrTooLong)
	}
	return u, nil
}

// reason puts the commonest of the library's errors, which are whole paragraphs, into few words.
func reason(err error) error {
	switch whatwgerrors.Type(err) {
	case whatwgerrors.MissingSchemeNonRelativeURL:
		return errors.New("no scheme, such as https://")
	case whatwgerrors.HostMissing, whatwgerrors.InvalidCredentials:
		return errors.New("no host")
	case whatwgerrors.PortInvalid, whatwgerrors.PortOutOfRange:
		return errors.New("the port is no number up to 65535")
	case whatwgerrors.HostInvalidCodePoint:
		return errHost
	}
	return err
}

// hostStandIn is what the library sees in place of a host.
const hostStandIn = "h"

// setHost puts a host in place of another.
func (u *URL) setHost(host string) {
	u.href = u.href[:u.host] + host + u.href[u.hostEnd:]
	more := len(host) - (u.hostEnd - u.host)
	u.hostEnd += more
	u.path += more
	u.query += more
	u.fragment += more
}

// fromLibrary finds the components in the library's serialisation.
func fromLibrary(parsed *whatwg.Url) *URL {
	href, pathname := parsed.Href(false), parsed.Pathname()
	u := &URL{href: href}
	u.scheme = len(parsed.Scheme())
	u.fragment = len(parsed.Href(true))
	u.query = u.fragment
	if i := strings.IndexByte(href[:u.fragment], '?'); i >= 0 {
		u.query = i
	}
	u.path = u.query - len(pathname)
	u.host = u.scheme + 1
	u.hostEnd = u.host
	if strings.HasPrefix(href[u.scheme:], "://") {
		u.host += len("//")
		if at := strings.LastIndexByte(href[u.host:u.path], '@'); at >= 0 {
			u.host += at + 1
		}
		u.hostEnd = u.host + len(parsed.Hostname())
	}
	if parsed.OpaquePath() && u.query < len(href) && strings.HasSuffix(pathname, " ") {
		u.encodeLastSpace()
	}
	return u
}

// encodeLastSpace makes "x:a ?q" "x:a%20?q", which the standard asks for since 2025, so that nothing that follows an
// opaque path can be taken off and leave a space at the end.
func (u *URL) encodeLastSpace() {
	u.href = u.href[:u.query-1] + "%20" + u.href[u.query:]
	u.query += len("%20") - 1
	u.fragment += len("%20") - 1
}

package weburl

// This file parses with a library the URLs that fast.go leaves.

import (
	"errors"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// pathSet is the library's set plus '^', which the standard encodes in paths since 2023.
var pathSet = whatwg.PathPercentEncodeSet.Set('^')

// maxSlow bounds the input of the library, base and reference together. At every '@' and '/' it copies what it has
// read, so 32 KiB of them would take a second. No useful http URL is that odd and that long.
const maxSlow = 2 << 10

// slow parses the URLs that the fast path (fast.go) cannot handle, with a library that follows the standard.
func slow(base *URL, ref string) (*URL, error) {
	if clean := noBreaks.Replace(ref); clean != ref {
		return parse(base, clean) // the standard removes tabs and newlines
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

// library parses any URL with the library, but hosts with host.go: the library accepts "+1" and "[[::1]]" as addresses
// and refuses hosts like "_bücher.example"; browsers do neither. base may be empty.
//
// The library indexes slices by arithmetic on hostile input. A panic in it becomes an error for that URL, because a
// link in a page must not end a crawl.
func library(base, ref string) (u *URL, err error) {
	defer func() {
		if recover() != nil {
			u, err = nil, badURL(ref, errors.New("the parser cannot read it"))
		}
	}()
	var host string // host of the last URL that has one: ref's, or base's if ref is relative
	var hostErr error
	parser := whatwg.NewParser(whatwg.WithPathPercentEncodeSet(pathSet),
		whatwg.WithPreParseHostFunc(func(u *whatwg.Url, raw string) string {
			host, hostErr = "", nil
			if raw == "" || !u.IsSpecialScheme() && raw[0] != '[' {
				return raw
			}
			if host, hostErr = specialHost(raw); host != "localhost" { // a file URL drops "localhost"
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

// reason shortens the most common errors of the library, which are whole paragraphs.
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

// hostStandIn replaces the host in what the library sees.
const hostStandIn = "h"

func (u *URL) setHost(host string) {
	u.href = u.href[:u.host] + host + u.href[u.hostEnd:]
	more := len(host) - (u.hostEnd - u.host)
	u.hostEnd += more
	u.path += more
	u.query += more
	u.fragment += more
}

// fromLibrary finds the components in the library's result.
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

// encodeLastSpace turns "x:a ?q" into "x:a%20?q". The standard requires it since 2025, so that removing what follows an
// opaque path never leaves a space at the end.
func (u *URL) encodeLastSpace() {
	u.href = u.href[:u.query-1] + "%20" + u.href[u.query:]
	u.query += len("%20") - 1
	u.fragment += len("%20") - 1
}

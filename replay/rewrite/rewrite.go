// Package rewrite leads the references of archived documents into the archive.
//
// A document is read once, as a stream, and written byte for byte as it was, except for the URLs in it: a reference that
// would lead a browser out of the archive gets the replay's path in front. In a page of http://a.test/dir/ that is
// replayed under /web/20240102030405/,
//
//	/pic.png              becomes  /web/20240102030405im_/http://a.test/pic.png
//	//b.test/x            becomes  /web/20240102030405/http://b.test/x
//	http://b.test/x       becomes  /web/20240102030405/http://b.test/x
//	next.html, ?q, #top   stay: the browser resolves them against the replay's own URL, whose path ends as the archived one does
//
// [HTML] reads markup (XHTML and SVG too), [CSS] style sheets, [JavaScript] scripts, [HLS], [DASH] and [WebManifest] what
// their names say, [Place.URL] one reference, for headers. All take time in proportion to the bytes, and stop when the request ends. What scripts put together while they run is led in by the
// page script of package client. Whatever a document hides from this package, the Content-Security-Policy of the replay still holds back.
//
// Bytes are only ever compared with ASCII, so documents in any encoding whose ASCII is ASCII pass through unharmed;
// [UTF8] turns the others into UTF-8 first.
package rewrite

import (
	"context"
	"io"
	"strings"

	"kavosh/lib/weburl"
)

// Modifiers stand after the time in a replay URL and say what the reference is used for.
const (
	Page   = ""    // a page, with its banner
	Frame  = "if_" // a page inside another, without banner
	Image  = "im_"
	Script = "js_"
	Style  = "cs_"
	Object = "oe_" // embedded, of a type that only its content tells
	Raw    = "id_" // the bytes as archived
)

// maxBase is how long a document's folder may be for references that climb out of it to be led back: each is held against it.
const maxBase = 2 << 10

// Place is where a document lies: its archived URL, against which its references are read, and the replay's path, under
// which they are put. It never changes.
type Place struct {
	ctx    context.Context // of the request
	replay string          // path of the collection and the time, "/web/20240102030405"
	links  string          // modifier of what links lead to
	scheme string
	host   string // with port
	path   string
	dir    string // path up to and including its last slash
	query  string // with its question mark
}

// NewPlace is the place of the document archived from u and replayed under the path replay, such as
// "/web/20240102030405". Its links lead to pages with the modifier links: Page, or Frame for what is shown in a frame.
// Rewriting stops when ctx, of the request, ends.
func NewPlace(ctx context.Context, u *weburl.URL, replay, links string) *Place {
	path, query := u.Path(), u.PathQuery()[len(u.Path()):]
	dir := path[:strings.LastIndexByte(path, '/')+1]
	return &Place{ctx: ctx, replay: replay, links: links, scheme: u.Scheme(), host: u.Host(), path: path, dir: dir, query: query}
}

// Archived is the archived absolute URL of the document at p.
func (p *Place) Archived() string { return p.scheme + "://" + p.host + p.path + p.query }

// often is after how many tokens of what is held in memory it is asked whether the request has ended.
const often = 256

// until is r as long as the request lasts.
func (p *Place) until(r io.Reader) io.Reader { return &lasting{p.ctx, r} }

type lasting struct {
	ctx context.Context
	r   io.Reader
}

func (l *lasting) Read(b []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.r.Read(b)
}

// at is the place of the same replay whose references are read against base, an archived absolute URL: what a base
// element makes of a document. An unreadable base changes nothing.
func (p *Place) at(base string) *Place {
	u, err := weburl.Parse(base)
	if err != nil || !u.Fetchable() {
		return p
	}
	return NewPlace(p.ctx, u, p.replay, p.links)
}

// URL is the reference ref, as it stands in a document at p, with the replay's path and the modifier mod in front. It
// reports false, and gives ref back, when ref may stay as it is: relative, empty, a fragment, or of a scheme that leads
// nowhere over the network (data:, mailto:, javascript:).
//
// The bytes of ref are kept: characters in the document's own encoding are left for the browser to encode.
func (p *Place) URL(ref, mod string) (string, bool) {
	if rest, ok := p.within(ref); ok {
		return rest, true
	}
	archived, ok := p.archived(ref)
	if !ok {
		return ref, false
	}
	return p.replay + mod + "/" + archived, true
}

// within is what the reference "http:x" means in a document of http: "x", relative to it. Spelt out, it would be as long as
// the document's own URL each time.
func (p *Place) within(ref string) (string, bool) {
	s := trim(ref)
	n := schemeLen(s)
	if n == 0 || !strings.EqualFold(s[:n], p.scheme) {
		return "", false
	}
	rest := s[n+1:]
	if rest == "" || rest[0] == '?' || rest[0] == '#' {
		return rest, true
	}
	return "./" + rest, !isSlash(rest[0]) && !p.climbs(rest)
}

// archived is the archived absolute URL that ref must be spelled out to, and false when ref may stay relative.
func (p *Place) archived(ref string) (string, bool) {
	s := trim(ref)
	if s == "" || s[0] == '#' || s[0] == '?' {
		return "", false
	}
	if n := schemeLen(s); n > 0 {
		scheme, rest := strings.ToLower(s[:n]), s[n+1:]
		switch scheme {
		case "http", "https":
			if scheme == p.scheme && (len(rest) < 2 || !isSlash(rest[0]) || !isSlash(rest[1])) {
				return p.scheme + "://" + p.host + p.resolve(rest), true // "http:x" is relative in a page of http
			}
			return absolute(scheme, rest)
		case "ftp":
			return absolute(scheme, rest)
		}
		return "", false
	}
	if isSlash(s[0]) {
		if len(s) > 1 && isSlash(s[1]) {
			return absolute(p.scheme, s)
		}
		return p.scheme + "://" + p.host + p.resolve(s), true
	}
	if p.climbs(s) {
		return p.scheme + "://" + p.host + p.resolve(s), true
	}
	return "", false
}

// absolute is the URL of scheme whose authority, path and query rest holds, behind any number of slashes.
func absolute(scheme, rest string) (string, bool) {
	for rest != "" && isSlash(rest[0]) {
		rest = rest[1:]
	}
	i := strings.IndexAny(rest, `/\?#`)
	if i < 0 {
		i = len(rest)
	}
	if i == 0 {
		return "", false
	}
	path, tail := cutPath(rest[i:])
	if path != "" {
		path = path[1:]
	}
	return scheme + "://" + rest[:i] + clean("/"+path) + tail, true
}

// resolve is the path and query of the reference s, which has neither scheme nor host, spelled from the root.
func (p *Place) resolve(s string) string {
	path, tail := cutPath(s)
	switch {
	case path == "" && strings.HasPrefix(tail, "?"):
		return p.path + tail
	case path == "":
		return p.path + p.query + tail
	case !isSlash(path[0]):
		path = p.dir + path
	}
	return clean(path) + tail
}

// climbs reports whether the relative reference s has more ".." than its document has folders. Browsers stop at the
// root of the host; under the replay's path they would climb out of it.
func (p *Place) climbs(s string) bool {
	path, _ := cutPath(s)
	if len(p.dir) > maxBase || !strings.Contains(path, "..") && !strings.Contains(path, "%2") {
		return false
	}
	depth := strings.Count(p.dir, "/") - 1
	for path != "" {
		var segment string
		segment, path = cutSegment(path)
		switch dots(segment) {
		case 1:
		case 2:
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}

// clean removes the dot segments of path as browsers do and makes its backslashes slashes.
func clean(path string) string {
	if !strings.Contains(path, "/.") && !strings.Contains(path, "%2") && !strings.Contains(path, `\`) {
		return path
	}
	var kept []string
	path = path[1:]
	for {
		segment, rest := cutSegment(path)
		last := len(segment) == len(path)
		switch dots(segment) {
		case 0:
			kept = append(kept, segment)
		case 2:
			kept = kept[:max(0, len(kept)-1)]
			fallthrough
		case 1:
			if last {
				kept = append(kept, "")
			}
		}
		if last {
			return "/" + strings.Join(kept, "/")
		}
		path = rest
	}
}

// cutPath splits a reference without scheme and host before its query or fragment.
func cutPath(s string) (path, tail string) {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// cutSegment splits a path after its first segment; the slash is in neither part.
func cutSegment(path string) (segment, rest string) {
	if i := strings.IndexAny(path, `/\`); i >= 0 {
		return path[:i], path[i+1:]
	}
	return path, ""
}

// dots is 1 for a segment that means this folder, 2 for the one above, 0 for any other.
func dots(segment string) int {
	if len(segment) > len("%2e%2e") || len(segment) == 0 {
		return 0
	}
	switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
	case ".":
		return 1
	case "..":
		return 2
	}
	return 0
}

// trim removes what browsers remove from a URL before reading it: controls and spaces around it, tabs and line ends
// anywhere.
func trim(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
}

// schemeLen is the length of the scheme that s begins with, 0 for none.
func schemeLen(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return i
		default:
			return 0
		}
	}
	return 0
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

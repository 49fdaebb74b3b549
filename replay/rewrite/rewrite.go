// Package rewrite changes the references in archived documents so that they point into the archive.
//
// A document is read once, as a stream, and written byte for byte as it was, except for its URLs: a reference that
// points out of the archive gets the replay's path in front. In a page of http://a.test/dir/ that is replayed under
// /web/20240102030405/,
//
//	/pic.png              becomes  /web/20240102030405im_/http://a.test/pic.png
//	//b.test/x            becomes  /web/20240102030405/http://b.test/x
//	http://b.test/x       becomes  /web/20240102030405/http://b.test/x
//	next.html, ?q, #top   stay: the browser resolves them against the replay URL, which ends like the archived one
//
// [HTML] rewrites markup (XHTML and SVG too), [CSS] style sheets, [JavaScript] scripts, [HLS], [DASH] and [WebManifest]
// what their names say, and [Place.URL] one reference, for headers. All take time in proportion to the bytes, and stop
// when the request ends. URLs that scripts build while they run are rewritten by the page script of package client.
// What both miss, the Content-Security-Policy of the replay blocks.
//
// Only ASCII bytes are compared, so documents in any encoding that extends ASCII work. [UTF8] turns the others into
// UTF-8 first.
package rewrite

import (
	"context"
	"io"
	"strings"

	"kavosh/lib/weburl"
)

// A modifier follows the time in a replay URL and says what the reference is used for.
const (
	Page   = ""    // a page, with its banner
	Frame  = "if_" // a page inside another, without banner
	Image  = "im_"
	Script = "js_"
	Style  = "cs_"
	Object = "oe_" // embedded, with a type that only its content tells
	Raw    = "id_" // the bytes as archived
)

// maxBase is the longest folder of a document whose references with too many ".." are rewritten. Each of them is
// resolved against the folder, which costs time.
const maxBase = 2 << 10

// Place holds a document's archived URL, against which its references are resolved, and the replay's path, which is put
// in front of them. It never changes.
type Place struct {
	ctx    context.Context // of the request
	replay string          // path of the collection and the time, "/web/20240102030405"
	links  string          // modifier for the targets of links
	scheme string
	host   string // with port
	path   string
	dir    string // path up to and including its last slash
	query  string // with its question mark
}

// NewPlace returns the place of a document that was archived from u and is replayed under the path replay, such as
// "/web/20240102030405". Its links get the modifier links: Page, or Frame for a document in a frame. Rewriting stops
// when ctx ends, which is the context of the request.
func NewPlace(ctx context.Context, u *weburl.URL, replay, links string) *Place {
	path, query := u.Path(), u.PathQuery()[len(u.Path()):]
	dir := path[:strings.LastIndexByte(path, '/')+1]
	return &Place{ctx: ctx, replay: replay, links: links,
		scheme: u.Scheme(), host: u.Host(), path: path, dir: dir, query: query}
}

// Archived returns the absolute archived URL of the document.
func (p *Place) Archived() string { return p.scheme + "://" + p.host + p.path + p.query }

// often is after how many tokens of a document in memory we check whether the request has ended.
const often = 256

// until returns a reader of r that fails when the request has ended.
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

// at returns the place of a document with a base element: references are resolved against base, an absolute archived
// URL. An invalid base changes nothing.
func (p *Place) at(base string) *Place {
	u, err := weburl.Parse(base)
	if err != nil || !u.Fetchable() {
		return p
	}
	return NewPlace(p.ctx, u, p.replay, p.links)
}

// URL rewrites the reference ref of a document: it puts the replay's path and the modifier mod in front. It returns ref
// and false if ref may stay as it is: if it is relative, empty, a fragment, or has a scheme that loads nothing from the
// network (data:, mailto:, javascript:).
//
// The bytes of ref are kept: the browser encodes characters of the document's encoding.
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

// within turns the reference "http:x" in a document at http: into "x", which is relative and means the same. As an
// absolute URL, each would be as long as the document's own URL.
func (p *Place) within(ref string) (string, bool) {
	s := trim(ref)
	n := weburl.SchemeLen(s)
	if n == 0 || !strings.EqualFold(s[:n], p.scheme) {
		return "", false
	}
	rest := s[n+1:]
	if rest == "" || rest[0] == '?' || rest[0] == '#' {
		return rest, true
	}
	return "./" + rest, !isSlash(rest[0]) && !p.climbs(rest)
}

// archived returns the absolute archived URL that ref must be replaced by, or false if ref may stay relative.
func (p *Place) archived(ref string) (string, bool) {
	s := trim(ref)
	if s == "" || s[0] == '#' || s[0] == '?' {
		return "", false
	}
	if n := weburl.SchemeLen(s); n > 0 {
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

// absolute returns the URL with the given scheme; rest has any number of slashes, then authority, path and query.
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

// resolve returns the path and query, from the root, of the reference s, which has neither scheme nor host.
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
// root of the host, but under the replay's path such a reference would leave the archived host.
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

// clean removes the dot segments of path as browsers do, and turns its backslashes into slashes.
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

// cutPath splits a reference that has no scheme and host before its query or fragment.
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

// dots returns 1 for a segment that means this folder, 2 for the folder above, 0 for any other.
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

// trim removes what browsers remove from a URL before they parse it: control characters and spaces around it, tabs and
// line ends anywhere.
func trim(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

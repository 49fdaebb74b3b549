// Package iri resolves IRI references by RFC 3986 and keeps their spelling: in RDF, two IRIs are the same only if they
// are spelt the same. For URLs to fetch, lib/weburl does it as browsers do.
package iri

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Valid reports whether s is an absolute IRI as RDF syntaxes require: UTF-8 with a scheme and without bytes that [Byte]
// refuses. It does not check the rules of the scheme.
func Valid(s string) bool {
	if schemeLength(s) == 0 || !utf8.ValidString(s) {
		return false
	}
	for i := range len(s) {
		if !Byte(s[i]) {
			return false
		}
	}
	return true
}

// Byte reports whether c may be in an IRI: no space, no control character and none of <>"{}|^`\.
func Byte(c byte) bool {
	return c > ' ' && c != '<' && c != '>' && c != '"' && c != '{' && c != '}' && c != '|' && c != '^' && c != '`' && c != '\\'
}

// Base is an absolute IRI, split, against which references are resolved. The zero Base resolves only absolute IRIs.
type Base struct {
	scheme    string // with its colon
	authority string // with its two slashes; "" if none
	path      string
	query     string // with its question mark
}

// NewBase splits iri and drops its fragment. It returns the zero Base if iri has no scheme.
func NewBase(iri string) Base {
	n := schemeLength(iri)
	if n == 0 {
		return Base{}
	}
	b := Base{scheme: iri[:n]}
	b.authority, b.path, b.query, _ = split(iri[n:])
	return b
}

// Resolve resolves reference by RFC 3986, section 5.2, strictly. A reference with a scheme is returned unchanged, even
// with dot segments, because in RDF the spelling counts. ok is false if reference is relative and b is zero. It does
// not check the characters of reference.
func (b Base) Resolve(reference string) (iri string, ok bool) {
	if schemeLength(reference) > 0 {
		return reference, true
	}
	if b.scheme == "" {
		return "", false
	}
	authority, path, query, fragment := split(reference)
	switch {
	case authority != "":
		return b.scheme + authority + removeDots(path) + query + fragment, true
	case path == "":
		if query == "" {
			query = b.query
		}
		return b.scheme + b.authority + b.path + query + fragment, true
	case path[0] != '/':
		if b.authority != "" && b.path == "" {
			path = "/" + path
		} else {
			path = b.path[:strings.LastIndexByte(b.path, '/')+1] + path
		}
	}
	return b.scheme + b.authority + removeDots(path) + query + fragment, true
}

// schemeLength returns the length of the scheme at the start of iri, with its colon; 0 if there is none.
func schemeLength(iri string) int {
	for i := range len(iri) {
		switch c := iri[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && c == ':':
			return i + 1
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return 0
		}
	}
	return 0
}

// split splits what follows a scheme. Each part except the path keeps its delimiter.
func split(s string) (authority, path, query, fragment string) {
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s, fragment = s[:i], s[i:]
	}
	if i := strings.IndexByte(s, '?'); i >= 0 {
		s, query = s[:i], s[i:]
	}
	if strings.HasPrefix(s, "//") {
		end := strings.IndexByte(s[2:], '/') + 2
		if end < 2 {
			end = len(s)
		}
		s, authority = s[end:], s[:end]
	}
	return authority, s, query, fragment
}

// removeDots does RFC 3986, section 5.2.4, in one pass.
func removeDots(path string) string {
	if !strings.Contains(path, ".") {
		return path
	}
	out := make([]byte, 0, len(path))
	for path != "" {
		// A segment is removed with the slash before it.
		end := strings.IndexByte(path[1:], '/') + 1
		if end == 0 {
			end = len(path)
		}
		segment, last := path[:end], end == len(path)
		path = path[end:]
		switch segment {
		case ".", "..": // before the first slash, which is removed too
			path = strings.TrimPrefix(path, "/")
		case "/..":
			out = out[:max(0, bytes.LastIndexByte(out, '/'))]
			fallthrough
		case "/.":
			if last {
				out = append(out, '/')
			}
		default:
			out = append(out, segment...)
		}
	}
	return string(out)
}

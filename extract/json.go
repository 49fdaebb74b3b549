package extract

// This file is the reader of JSON: it finds the strings that are links.

import (
	"bytes"
	"strings"

	"kavosh"
	"kavosh/lib/weburl"
)

// jsonScanner walks through JSON without building a tree. It accepts comments, single quotes and a missing end.
type jsonScanner struct {
	src  []byte
	pos  int
	path []jsonLevel
	buf  []byte
}

// jsonLevel is one object or array around the current value.
type jsonLevel struct {
	object bool
	key    string // key of the current member; an array has the key of its own member
	value  bool   // the colon was read
}

// maxNesting bounds objects in objects.
const maxNesting = 256

// strings calls yield with each string value and its key, until yield returns false. The key is "" at the top; elements
// of an array have the array's key. The text has its escapes replaced and is valid until yield returns.
func (s *jsonScanner) strings(yield func(key string, value []byte) bool) {
	var keys arena
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		s.pos++
		switch c {
		case '{', '[':
			if len(s.path) >= maxNesting {
				return
			}
			s.path = append(s.path, jsonLevel{object: c == '{', key: s.key()})
		case '}', ']':
			if len(s.path) > 0 {
				s.path = s.path[:len(s.path)-1]
			}
		case ',':
			if n := len(s.path); n > 0 {
				s.path[n-1].value = false
			}
		case ':':
			if n := len(s.path); n > 0 {
				s.path[n-1].value = true
			}
		case '"':
			text := s.string()
			if n := len(s.path); n > 0 && s.path[n-1].object && !s.path[n-1].value {
				s.path[n-1].key = keys.put(text[:min(len(text), 256)])
			} else if !yield(s.key(), text) {
				return
			}
		}
	}
}

func (s *jsonScanner) key() string {
	if n := len(s.path); n > 0 {
		return s.path[n-1].key
	}
	return ""
}

// under reports whether the current value is below a member with that key, at any depth.
func (s *jsonScanner) under(key string) bool {
	for i := range s.path {
		if s.path[i].key == key {
			return true
		}
	}
	return false
}

// string reads the rest of a string after the opening quote.
func (s *jsonScanner) string() []byte {
	start := s.pos
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			s.pos++
			return s.src[start : s.pos-1]
		case '\\':
			out := append(s.buf[:0], s.src[start:s.pos]...)
			out, s.pos = unescapeJS(out, s.src, s.pos, '"')
			s.buf = out
			return out
		}
		s.pos++
	}
	return s.src[start:]
}

// readJSON adds the strings of a JSON document that look like addresses.
func readJSON(r *reading, text []byte) { readJSONFrom(r, r.base, text) }

func readJSONFrom(r *reading, base *weburl.URL, text []byte) {
	s := jsonScanner{src: text}
	s.strings(func(key string, value []byte) bool {
		level := shapeString
		if sinkKey(key) {
			level = shapeSink
		}
		switch {
		case len(key) > 0 && key[0] == '@' && key != "@id": // JSON-LD keywords: vocabularies and types
		case looksLikeURL(value, level):
			r.add(base, value, kavosh.Link{Kind: kavosh.Speculative, Element: "json", Attr: r.text.put([]byte(key))})
		case looksLikeMarkup(value):
			r.markupInString(value, "html in json")
		}
		return !r.full
	})
}

// readManifest reads a web app manifest.
func readManifest(r *reading, text []byte) {
	s := jsonScanner{src: text}
	s.strings(func(key string, value []byte) bool {
		l := kavosh.Link{Kind: kavosh.Embed, Element: "manifest", Attr: r.text.put([]byte(key))}
		switch key {
		case "src":
		case "start_url", "scope":
			l.Kind = kavosh.Navigation
		case "url", "action":
			if !s.under("shortcuts") && !s.under("related_applications") {
				return true
			}
			l.Kind = kavosh.Navigation
		default:
			return true
		}
		r.add(r.base, value, l)
		return !r.full
	})
}

// readImportMap reads <script type=importmap>: the addresses of module names.
func (h *htmlReader) readImportMap(text []byte) {
	s := jsonScanner{src: text}
	s.strings(func(key string, value []byte) bool {
		if (s.under("imports") || s.under("scopes")) && !bytes.HasSuffix(value, []byte("/")) {
			h.add(h.base, value, kavosh.Link{Kind: kavosh.Embed, Element: "script", Attr: "importmap"})
		}
		return !h.full
	})
}

// readSpeculationRules reads <script type=speculationrules>: pages that the user may open next.
func (h *htmlReader) readSpeculationRules(text []byte) {
	s := jsonScanner{src: text}
	s.strings(func(key string, value []byte) bool {
		if key == "urls" {
			h.add(h.base, value, kavosh.Link{Kind: kavosh.Navigation, Element: "script", Attr: "speculationrules"})
		}
		return !h.full
	})
}

func readJSONFeed(r *reading, text []byte) {
	s := jsonScanner{src: text}
	s.strings(func(key string, value []byte) bool {
		l := kavosh.Link{Kind: kavosh.Feed, Element: "feed", Attr: r.text.put([]byte(key))}
		switch key {
		case "url":
			if s.under("author") || s.under("authors") || s.under("hubs") {
				l.Kind = kavosh.Navigation
			}
		case "next_url":
		case "external_url", "home_page_url":
			l.Kind = kavosh.Navigation
		case "image", "banner_image", "icon", "favicon", "avatar":
			l.Kind = kavosh.Embed
		case "content_html":
			r.nested(bytes.Clone(value), "")
			return !r.full
		case "title":
			if r.page.Title == "" && !s.under("items") {
				r.page.Title = r.folded(value, 1024)
			}
			return true
		case "language":
			if r.page.Lang == "" && !s.under("items") {
				r.page.Lang = r.folded(value, 64)
			}
			return true
		default:
			return true
		}
		r.add(r.base, value, l)
		return !r.full
	})
}

// sinkKey reports whether a member with that name usually holds an address.
func sinkKey(key string) bool {
	if len(key) < 3 {
		return false
	}
	for _, word := range sinkWords {
		if n := len(key) - len(word); n >= 0 && strings.EqualFold(key[n:], word) {
			return true
		}
	}
	return false
}

// sinkWords end the names of properties, parameters and members that hold an address.
var sinkWords = [...]string{"url", "uri", "href", "src", "srcset", "link", "image", "img", "icon", "logo", "poster",
	"thumb", "thumbnail", "file", "path",
	"action", "location", "script", "template"}

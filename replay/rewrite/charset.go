package rewrite

// This file finds the encoding of an archived document, and converts it to UTF-8 where the rewriting of its references
// needs that. It keeps no state.

import (
	"bytes"
	"io"
	"mime"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// HeadSize is how many bytes of a document are searched for its encoding. The HTML standard demands 1,024; browsers
// search the whole head.
const HeadSize = 8 << 10

// Declared returns the WHATWG name of the encoding that a document declares. head is its first HeadSize bytes. The
// byte-order mark counts first, then the Content-Type header, then, in markup, a declaration in head. It returns "" if
// nothing declares one; then browsers guess.
func Declared(head []byte, contentType string, markup bool) string {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "utf-8"
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16be"
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return "utf-16le"
	}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		if name := lookUp(params["charset"]); name != "" {
			return name
		}
	}
	if !markup {
		return ""
	}
	if bytes.HasPrefix(head, []byte("<?xml")) {
		decl, _, _ := bytes.Cut(head, []byte("?>"))
		_, attrs := attributes(decl, nil)
		if name := lookUp(find(decl, attrs, "encoding")); name != "" {
			return inMarkup(name)
		}
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := bytes.Clone(z.Raw())
			if isNamed(raw[1:], "body") {
				return ""
			}
			if !isNamed(raw[1:], "meta") {
				continue
			}
			_, attrs := attributes(raw, nil)
			if name := lookUp(find(raw, attrs, "charset")); name != "" {
				return inMarkup(name)
			}
			if strings.EqualFold(find(raw, attrs, "http-equiv"), "content-type") {
				_, label, _ := strings.Cut(strings.ToLower(find(raw, attrs, "content")), "charset=")
				label = strings.Trim(label, `"' `)
				if i := strings.IndexAny(label, "; \t\r\n"); i >= 0 {
					label = label[:i]
				}
				if name := lookUp(label); name != "" {
					return inMarkup(name)
				}
			}
		}
	}
}

// lookUp returns the WHATWG name for an encoding's label, "" for an unknown one.
func lookUp(label string) string {
	if label == "" {
		return ""
	}
	_, name := charset.Lookup(label)
	return name
}

// inMarkup corrects an encoding that markup declares. It cannot be UTF-16, because the declaration was found by its
// ASCII bytes. UTF-8 is what the HTML standard takes instead.
func inMarkup(name string) string {
	if strings.HasPrefix(name, "utf-16") {
		return "utf-8"
	}
	return name
}

// NeedsUTF8 reports whether documents in an encoding must be converted to UTF-8 before rewriting, because in it an
// ASCII byte is not always an ASCII character.
func NeedsUTF8(name string) bool {
	return name == "utf-16le" || name == "utf-16be" || name == "iso-2022-jp"
}

// UTF8 converts r to UTF-8 without byte-order mark. name is the WHATWG name of r's encoding. If r begins with a
// byte-order mark, that counts instead. If no encoding has the name, r is returned as it is.
func UTF8(r io.Reader, name string) io.Reader {
	enc, _ := charset.Lookup(name)
	if enc == nil {
		return r
	}
	return transform.NewReader(r, unicode.BOMOverride(enc.NewDecoder()))
}

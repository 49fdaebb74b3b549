package charset

// This file reads which charset a document declares.

import (
	"bytes"
	"strings"

	"kavosh/lib/ascii"
)

const (
	prescan = 1024     // the HTML standard requires a meta within these bytes
	lateEnd = 32 << 10 // … and browsers accept a late one within these
)

// byteOrderMark returns the encoding that a byte order mark names, and the mark's length.
func byteOrderMark(b []byte) (name string, n int) {
	switch {
	case bytes.HasPrefix(b, []byte("\xEF\xBB\xBF")):
		return utf8Name, 3
	case bytes.HasPrefix(b, []byte("\xFF\xFE")):
		return "utf-16le", 2
	case bytes.HasPrefix(b, []byte("\xFE\xFF")):
		return "utf-16be", 2
	}
	return "", 0
}

// bareUTF16 recognises UTF-16 without a mark by the first markup character.
func bareUTF16(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("<\x00!\x00")), bytes.HasPrefix(b, []byte("<\x00h\x00")), bytes.HasPrefix(b, []byte("<\x00?\x00")):
		return "utf-16le"
	case bytes.HasPrefix(b, []byte("\x00<\x00!")), bytes.HasPrefix(b, []byte("\x00<\x00h")), bytes.HasPrefix(b, []byte("\x00<\x00?")):
		return "utf-16be"
	}
	return ""
}

// Declared returns the encoding that a Content-Type header declares, or else the document itself; "" if there is none
// that we know. It may be false: Decode finds out.
func Declared(payload []byte, contentType string) string {
	if name := fromHeader(contentType); name != "" {
		return name
	}
	return fromContent(payload)
}

// fromHeader returns the encoding in a Content-Type header; "" if there is none that we know. Like browsers, it reads
// charset= whatever else is wrong.
func fromHeader(contentType string) string {
	label, ok := labelIn(contentType)
	if !ok {
		return ""
	}
	_, name := Lookup(label)
	return name
}

// labelIn finds the label after "charset=", by the HTML standard's rule for meta elements.
func labelIn(s string) (label string, ok bool) {
	for {
		i := indexFold(s, "charset")
		if i < 0 {
			return "", false
		}
		s = strings.TrimLeft(s[i+len("charset"):], " \t\r\n\f")
		if rest, ok := strings.CutPrefix(s, "="); ok {
			s = strings.TrimLeft(rest, " \t\r\n\f")
			break
		}
	}
	if s == "" {
		return "", false
	}
	if q := s[0]; q == '"' || q == '\'' {
		label, _, ok = strings.Cut(s[1:], s[:1])
		return label, ok
	}
	if end := strings.IndexAny(s, "; \t\r\n\f\"'"); end >= 0 {
		s = s[:end]
	}
	return s, s != ""
}

// fromContent returns the encoding that the text itself declares: in an XML declaration, @charset, or a meta element in
// its first 32 KiB; "" if there is none that we know.
func fromContent(b []byte) string {
	head := b[:min(len(b), prescan)]
	if bytes.HasPrefix(head, []byte("<?xml")) {
		if end := bytes.Index(head, []byte("?>")); end > 0 {
			if _, after, ok := strings.Cut(string(head[:end]), "encoding"); ok {
				after = strings.TrimLeft(after, " \t\r\n=")
				if len(after) > 1 && (after[0] == '"' || after[0] == '\'') {
					label, _, _ := strings.Cut(after[1:], after[:1])
					if _, name := Lookup(label); name != "" {
						return notUTF16(name)
					}
				}
			}
		}
	}
	if rest, ok := bytes.CutPrefix(head, []byte(`@charset "`)); ok {
		if label, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			_, name := Lookup(string(label))
			return notUTF16(name)
		}
	}
	return fromMeta(b[:min(len(b), lateEnd)])
}

// notUTF16 corrects a declared name: a text with the readable ASCII letters "utf-16" is not UTF-16.
func notUTF16(name string) string {
	if name == "utf-16le" || name == "utf-16be" {
		return utf8Name
	}
	if name == "x-user-defined" {
		return latinName
	}
	return name
}

// fromMeta finds <meta charset=…> and <meta http-equiv=content-type content=…> outside comments.
func fromMeta(b []byte) string {
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 || i+6 > len(b) {
			return ""
		}
		b = b[i+1:]
		switch {
		case bytes.HasPrefix(b, []byte("!--")):
			end := bytes.Index(b, []byte("-->"))
			if end < 0 {
				return ""
			}
			b = b[end:]
		case len(b) > 4 && ascii.HasPrefixFold(b, "meta") && (ascii.IsSpace(b[4]) || b[4] == '/'):
			var tag string
			tag, b = cutTag(b[5:])
			label, ok := labelIn(tag)
			if !ok || !hasAttr(tag, "charset") && !hasAttr(tag, "http-equiv") {
				continue // a description may mention charsets
			}
			if _, name := Lookup(label); name != "" {
				return notUTF16(name)
			}
		case len(b) > 4 && ascii.HasPrefixFold(b, "body") && (ascii.IsSpace(b[4]) || b[4] == '>'):
			return ""
		}
	}
}

// cutTag splits b at the '>' that ends a tag, but not at one inside quotes.
func cutTag(b []byte) (tag string, rest []byte) {
	var quote byte
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return string(b[:i]), b[i+1:]
		}
	}
	return string(b), nil
}

// hasAttr reports whether tag has an attribute with that name (outside quotes).
func hasAttr(tag, name string) bool {
	var quote byte
	for i := 0; i < len(tag); i++ {
		c := tag[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case (i == 0 || ascii.IsSpace(tag[i-1]) || tag[i-1] == '/' || tag[i-1] == '"' || tag[i-1] == '\'') && ascii.HasPrefixFold(tag[i:], name):
			return true
		}
	}
	return false
}

// indexFold is strings.Index without regard to case; the needle is ASCII in lower case.
func indexFold(s, lower string) int {
	for i := 0; i+len(lower) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(lower)], lower) {
			return i
		}
	}
	return -1
}

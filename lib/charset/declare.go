package charset

import (
	"bytes"
	"strings"
)

const (
	prescan = 1024     // bytes in which a meta must stand by the HTML standard
	lateEnd = 32 << 10 // and in which browsers still take a late one
)

// byteOrderMark is the encoding that a byte order mark names and the mark's length.
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

// bareUTF16 sees UTF-16 without mark by the first markup character.
func bareUTF16(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("<\x00!\x00")), bytes.HasPrefix(b, []byte("<\x00h\x00")), bytes.HasPrefix(b, []byte("<\x00?\x00")):
		return "utf-16le"
	case bytes.HasPrefix(b, []byte("\x00<\x00!")), bytes.HasPrefix(b, []byte("\x00<\x00h")), bytes.HasPrefix(b, []byte("\x00<\x00?")):
		return "utf-16be"
	}
	return ""
}

// Declared is the encoding that a Content-Type header names, or, where it names none, the document itself; "" where
// neither names one that is known. Whether it is true is another matter: Decode tells.
func Declared(payload []byte, contentType string) string {
	if name := fromHeader(contentType); name != "" {
		return name
	}
	return fromContent(payload)
}

// fromHeader is the encoding that a Content-Type header declares, "" for none that is known. It reads as browsers do:
// whatever is wrong around it, charset= counts.
func fromHeader(contentType string) string {
	label, ok := labelIn(contentType)
	if !ok {
		return ""
	}
	_, name := Lookup(label)
	return name
}

// labelIn finds the label after "charset=" by the HTML standard's rule for extracting an encoding from a meta element.
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

// fromContent is the encoding that the text declares itself: an XML declaration, @charset, or a meta element in its
// first 32 KiB. "" is none that is known.
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

// notUTF16: a text in which the ASCII letters "utf-16" can be read is not UTF-16.
func notUTF16(name string) string {
	if name == "utf-16le" || name == "utf-16be" {
		return utf8Name
	}
	if name == "x-user-defined" {
		return latinName
	}
	return name
}

// fromMeta looks for <meta charset=…> and <meta http-equiv=content-type content=…> outside comments.
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
		case hasPrefixFold(b, "meta") && (isSpace(b[4]) || b[4] == '/'):
			var tag string
			tag, b = cutTag(b[5:])
			label, ok := labelIn(tag)
			if !ok || !hasAttr(tag, "charset") && !hasAttr(tag, "http-equiv") {
				continue // a description may speak of charsets
			}
			if _, name := Lookup(label); name != "" {
				return notUTF16(name)
			}
		case hasPrefixFold(b, "body") && (isSpace(b[4]) || b[4] == '>'):
			return ""
		}
	}
}

// cutTag splits b at the '>' that ends a tag, quotes respected.
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

// hasAttr reports whether an attribute of the given name starts outside quotes in tag.
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
		case (i == 0 || isSpace(tag[i-1]) || tag[i-1] == '/' || tag[i-1] == '"' || tag[i-1] == '\'') && hasPrefixFold([]byte(tag[i:]), name):
			return true
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func hasPrefixFold(b []byte, lower string) bool {
	if len(b) <= len(lower) {
		return false
	}
	for i := 0; i < len(lower); i++ {
		if b[i]|0x20 != lower[i]|0x20 {
			return false
		}
	}
	return true
}

// indexFold is strings.Index for an ASCII needle in lower case, without regard to case.
func indexFold(s, lower string) int {
	for i := 0; i+len(lower) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(lower)], lower) {
			return i
		}
	}
	return -1
}

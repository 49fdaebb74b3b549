package rewrite

// This file parses the tags of a page, so that attributes can be changed in place.

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"kavosh/lib/ascii"
)

// attribute is one attribute of a start tag, as offsets into the tag's bytes.
type attribute struct {
	start, nameEnd   int
	value, valueEnd  int  // without quotes; equal if there is no value
	end              int  // after the closing quote
	quote            byte // 0 for an unquoted value or none
	hasValue, repeat bool // repeat: an earlier attribute has the same name, and browsers use only that one
}

// maxAttributes is how many attributes of a tag are read.
const maxAttributes = 10_000

// few is up to how many attributes names are compared one by one, without a map.
const few = 24

// attributes splits the start tag raw, such as "<a href=x>", as the HTML standard's tokenizer does. The name of the
// element ends at nameEnd. It reads only the first maxAttributes.
func attributes(raw []byte, into []attribute) (nameEnd int, attrs []attribute) {
	end := len(raw)
	if end > 0 && raw[end-1] == '>' {
		end--
	}
	i := 1
	for i < end && !ascii.IsSpace(raw[i]) && raw[i] != '/' {
		i++
	}
	nameEnd = i
	var names map[string]bool // the names so far, if there are more than a few
	for {
		for i < end && (ascii.IsSpace(raw[i]) || raw[i] == '/') {
			i++
		}
		if i >= end || len(into) == maxAttributes {
			return nameEnd, into
		}
		a := attribute{start: i}
		i++ // a name may begin with '='
		for i < end && !ascii.IsSpace(raw[i]) && raw[i] != '/' && raw[i] != '=' {
			i++
		}
		a.nameEnd = i
		for i < end && ascii.IsSpace(raw[i]) {
			i++
		}
		if i < end && raw[i] == '=' {
			i++
			for i < end && ascii.IsSpace(raw[i]) {
				i++
			}
			a.hasValue = true
			if i < end && (raw[i] == '"' || raw[i] == '\'') {
				a.quote = raw[i]
				i++
				a.value = i
				for i < end && raw[i] != a.quote {
					i++
				}
				a.valueEnd = i
				if i < end {
					i++
				}
			} else {
				a.value = i
				for i < end && !ascii.IsSpace(raw[i]) {
					i++
				}
				a.valueEnd = i
			}
			a.end = i
		} else {
			a.end = a.nameEnd
			i = a.nameEnd
		}
		if len(into) < few {
			for _, b := range into {
				a.repeat = a.repeat || ascii.EqualFold(raw[b.start:b.nameEnd], raw[a.start:a.nameEnd])
			}
		} else {
			if names == nil {
				names = map[string]bool{}
				for _, b := range into {
					names[string(ascii.AppendLower(nil, raw[b.start:b.nameEnd]))] = true
				}
			}
			name := string(ascii.AppendLower(nil, raw[a.start:a.nameEnd]))
			a.repeat, names[name] = names[name], true
		}
		into = append(into, a)
	}
}

// find returns the decoded value of the attribute name, or "" if there is none.
func find(raw []byte, attrs []attribute, name string) string {
	for _, a := range attrs {
		if ascii.EqualFold(raw[a.start:a.nameEnd], name) {
			return decode(string(raw[a.value:a.valueEnd]), percent)
		}
	}
	return ""
}

// decode resolves the character references of an attribute's value. The value may have any encoding, so spell writes a
// character beyond ASCII with the escapes of the value's language: those of URLs, CSS, scripts or markup.
func decode(value string, spell func(dst []byte, r rune) []byte) string {
	if !strings.Contains(value, "&") {
		return value
	}
	var out []byte
	for i := 0; i < len(value); {
		if value[i] != '&' {
			out = append(out, value[i])
			i++
			continue
		}
		end := i + 1
		for end < len(value) && (isAlnum(value[end]) || value[end] == '#') {
			end++
		}
		closed := end < len(value) && value[end] == ';'
		if closed {
			end++
		}
		entity := value[i:end]
		text := entity
		if named := len(entity) > 1 && entity[1] != '#'; closed || !named || end == len(value) || value[end] != '=' {
			text = html.UnescapeString(entity)
		}
		if text == entity {
			out = append(out, entity...)
		} else {
			for _, r := range text {
				if r < utf8.RuneSelf {
					out = append(out, byte(r))
				} else {
					out = spell(out, r)
				}
			}
		}
		i = end
	}
	return string(out)
}

// percent escapes a character beyond ASCII for a URL.
func percent(dst []byte, r rune) []byte {
	const hex = "0123456789ABCDEF"
	for _, b := range utf8.AppendRune(nil, r) {
		dst = append(dst, '%', hex[b>>4], hex[b&15])
	}
	return dst
}

// encode escapes value for the quotes of an attribute; without quotes, it escapes everything that would end the value.
func encode(value string, quote byte) string {
	switch quote {
	case '"':
		return quoted.Replace(value)
	case '\'':
		return quoted.Replace(value)
	}
	return unquoted.Replace(value)
}

var (
	quoted   = strings.NewReplacer("&", "&amp;", `"`, "&#34;", "'", "&#39;", "<", "&lt;", ">", "&gt;")
	unquoted = strings.NewReplacer("&", "&amp;", `"`, "&#34;", "'", "&#39;", "<", "&lt;", ">", "&gt;",
		" ", "&#32;", "\t", "&#9;", "\n", "&#10;", "\f", "&#12;", "\r", "&#13;", "=", "&#61;", "`", "&#96;")
)

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// reference escapes a character beyond ASCII for markup.
func reference(dst []byte, r rune) []byte {
	return append(strconv.AppendInt(append(dst, "&#"...), int64(r), 10), ';')
}

// spellScript escapes a character beyond ASCII for a script.
func spellScript(dst []byte, r rune) []byte {
	for _, u := range utf16.Encode([]rune{r}) {
		dst = fmt.Appendf(dst, "\\u%04x", u)
	}
	return dst
}

package cdx

// This file says what an entry of a capture index is, and reads and writes its line.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kavosh/lib/ascii"
)

// Entry is one capture in an index.
type Entry struct {
	Key       string  // search key of the URL (SURT); contains no space
	Timestamp string  // time of the capture in UTC, 14 digits, such as "20260131120000"
	URL       string  // as captured
	MIME      string  // of the payload, without parameters; "warc/revisit" for a revisit; "" if unknown
	Status    int     // of the HTTP response; 0 if none
	Digest    string  // of the payload, such as "sha256:…"; older indexes omit the algorithm
	Length    int64   // bytes of the file that the record takes; 0 if unknown
	Offset    int64   // offset of the record in the file
	Filename  string  // name of the file, usually without folders
	Extra     []Field // other fields, sorted by name
}

// Field is a field of an entry that has no place in Entry.
type Field struct {
	Name  string
	Value string
	JSON  bool // Value is JSON other than a string, such as a number or an object
}

// Time returns when the capture was made, to the second, in UTC; zero if Timestamp is no time.
func (e *Entry) Time() time.Time {
	t, _ := time.Parse(layout, e.Timestamp)
	return t
}

// Get returns the value of a field; "" if the entry has none. The name may be CDXJ's ("urlkey", "timestamp", "url",
// "mime", "status", …), the CDX server's older name ("original", "mimetype", "statuscode") or its letter.
func (e *Entry) Get(name string) string {
	switch name {
	case "urlkey", "k":
		return e.Key
	case "timestamp", "t":
		return e.Timestamp
	case "url", "original", "u":
		return e.URL
	case "mime", "mimetype", "m":
		return e.MIME
	case "status", "statuscode", "s":
		if e.Status == 0 {
			return ""
		}
		return strconv.Itoa(e.Status)
	case "digest", "d":
		return e.Digest
	case "length", "l":
		if e.Length == 0 {
			return ""
		}
		return strconv.FormatInt(e.Length, 10)
	case "offset", "o":
		return strconv.FormatInt(e.Offset, 10)
	case "filename", "f":
		return e.Filename
	}
	for _, f := range e.Extra {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Revisit is the MIME of an entry for a revisit record.
const Revisit = "warc/revisit"

// typeField is the field with the media type of a revisit's original.
const typeField = "type"

// Of is the field, in an entry for something made of a page, with the digest of the page's payload: a rule that closes
// this content closes what was made of it. OfField is the field of the record that has it.
const (
	Of      = "of"
	OfField = "Kavosh-Of"
)

// Revisits turns the entry into that of a revisit. mime is the media type of the original payload; "" if unknown.
func (e *Entry) Revisits(mime string) {
	if e.MIME = Revisit; mime != "" {
		e.Extra = append(e.Extra, Field{Name: typeField, Value: mime})
	}
}

// Type returns the media type of the payload; for a revisit that of its original, if the index has it.
func (e *Entry) Type() string {
	if e.MIME == Revisit {
		return e.Get(typeField)
	}
	return e.MIME
}

// Compare orders entries by key and time, like their lines sorted by bytes, and then by the other fields that tell
// captures apart.
func Compare(a, b *Entry) int {
	return cmp.Or(
		strings.Compare(a.Key, b.Key),
		strings.Compare(a.Timestamp, b.Timestamp),
		strings.Compare(a.URL, b.URL),
		strings.Compare(a.Filename, b.Filename),
		cmp.Compare(a.Offset, b.Offset),
	)
}

// AppendLine appends e as a CDXJ line with its line end. Fields come in the order url, mime, status, digest, length,
// offset, filename, then the others by name; unknown values are left out. All values are JSON strings, as in pywb.
func (e *Entry) AppendLine(b []byte) []byte {
	b = append(b, e.Key...)
	b = append(b, ' ')
	b = append(b, e.Timestamp...)
	b = append(b, " {\"url\": "...)
	b = appendString(b, e.URL)
	if e.MIME != "" {
		b = append(b, `, "mime": `...)
		b = appendString(b, e.MIME)
	}
	if e.Status != 0 {
		b = append(b, `, "status": "`...)
		b = strconv.AppendInt(b, int64(e.Status), 10)
		b = append(b, '"')
	}
	if e.Digest != "" {
		b = append(b, `, "digest": `...)
		b = appendString(b, e.Digest)
	}
	if e.Length != 0 {
		b = append(b, `, "length": "`...)
		b = strconv.AppendInt(b, e.Length, 10)
		b = append(b, '"')
	}
	b = append(b, `, "offset": "`...)
	b = strconv.AppendInt(b, e.Offset, 10)
	b = append(b, `", "filename": `...)
	b = appendString(b, e.Filename)
	for _, f := range e.Extra {
		b = append(b, ", "...)
		b = appendString(b, f.Name)
		b = append(b, ": "...)
		if f.JSON {
			b = append(b, f.Value...)
		} else {
			b = appendString(b, f.Value)
		}
	}
	return append(b, "}\n"...)
}

// appendString appends s as a JSON string in ASCII, like Python's json: other tools read lines byte by byte.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ' || c == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if r > 0xffff {
				r -= 0x10000
				b = fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			} else {
				b = fmt.Appendf(b, `\u%04x`, r)
			}
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}

// ParseLine parses a CDXJ line, or a line of a CDX file with 9, 10 or 11 fields (or 7, as public CDX servers send). The
// line end is optional. The entry shares no memory with line.
func ParseLine(line []byte) (Entry, error) {
	line = bytes.TrimRight(line, "\r\n ")
	key, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok || len(key) == 0 {
		return Entry{}, errLine(line)
	}
	time, rest, ok := bytes.Cut(rest, []byte(" "))
	if !ok || !ascii.AreDigits(time) {
		return Entry{}, errLine(line)
	}
	text := string(line) // one copy for all fields
	e := Entry{Key: text[:len(key)], Timestamp: text[len(key)+1 : len(key)+1+len(time)]}
	if rest = bytes.TrimLeft(rest, " "); len(rest) > 0 && rest[0] == '{' {
		if e.parseStrings(text[len(text)-len(rest):]) {
			return e, nil
		}
		e = Entry{Key: e.Key, Timestamp: e.Timestamp}
		if err := e.parseJSON(rest); err != nil {
			return Entry{}, fmt.Errorf("%w: %v", errLine(line), err)
		}
		return e, nil
	}
	if !e.parseFields(string(rest)) {
		return Entry{}, errLine(line)
	}
	return e, nil
}

func errLine(line []byte) error {
	if len(line) > 80 {
		line = line[:80]
	}
	return fmt.Errorf("cdx: %q is no CDX line", line)
}

func (e *Entry) parseJSON(b []byte) error {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	for name, raw := range m {
		var value string
		if len(raw) > 0 && raw[0] == '"' {
			json.Unmarshal(raw, &value) // m was valid, so raw is
		} else {
			value = string(raw)
		}
		e.set(name, value, raw[0] != '"')
	}
	slices.SortFunc(e.Extra, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// set sets a field from the object of a line.
func (e *Entry) set(name, value string, isJSON bool) {
	switch name {
	case "url":
		e.URL = value
	case "mime":
		e.MIME = dash(value)
	case "status":
		e.Status = int(parseCount(value))
	case "digest":
		e.Digest = dash(value)
	case "length":
		e.Length = parseCount(value)
	case "offset":
		e.Offset = parseCount(value)
	case "filename":
		e.Filename = value
	default:
		e.Extra = append(e.Extra, Field{name, value, isJSON})
	}
}

// parseStrings parses an object with only the usual fields, all plain ASCII strings: twenty times as fast as
// encoding/json. For any other object it returns false and may have set some fields.
func (e *Entry) parseStrings(s string) bool {
	s = s[1:]
	for {
		name, rest, ok := plainString(s)
		if !ok {
			return false
		}
		rest = strings.TrimLeft(rest, " ")
		if rest == "" || rest[0] != ':' {
			return false
		}
		value, rest, ok := plainString(strings.TrimLeft(rest[1:], " "))
		if !ok {
			return false
		}
		e.set(name, value, false)
		if n := len(e.Extra); n > 1 && e.Extra[n-2].Name >= e.Extra[n-1].Name {
			return false
		}
		rest = strings.TrimLeft(rest, " ")
		if rest == "}" {
			return true
		}
		if rest == "" || rest[0] != ',' {
			return false
		}
		s = strings.TrimLeft(rest[1:], " ")
	}
}

// plainString parses a JSON string without escapes.
func plainString(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[1:i], s[i+1:], true
		case c == '\\' || c < ' ' || c >= utf8.RuneSelf:
			return "", "", false
		}
	}
	return "", "", false
}

// parseFields parses what follows key and time in a CDX line: url mime status digest, then, depending on their number,
// "length", "redirect offset filename", "redirect robotflags offset filename" or "redirect robotflags length offset
// filename".
func (e *Entry) parseFields(rest string) bool {
	f := strings.Fields(strings.ToValidUTF8(rest, "\ufffd"))
	if len(f) < 5 {
		return false
	}
	e.URL, e.MIME, e.Status, e.Digest = f[0], dash(f[1]), int(parseCount(f[2])), dash(f[3])
	switch len(f) {
	case 5:
		e.Length = parseCount(f[4])
	case 7:
		e.Offset, e.Filename = parseCount(f[5]), f[6]
	case 8:
		e.Offset, e.Filename = parseCount(f[6]), f[7]
	case 9:
		e.Length, e.Offset, e.Filename = parseCount(f[6]), parseCount(f[7]), f[8]
	default:
		return false
	}
	return true
}

func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func parseCount(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

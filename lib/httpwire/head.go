package httpwire

// This file parses the heads of HTTP responses as leniently as browsers.

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"kavosh/lib/ascii"
)

// MaxHead is the longest head that browsers read, and we, in bytes.
const MaxHead = 256 << 10

const (
	slop     = 4  // bytes of junk allowed before the status line, as in Chromium
	maxBlank = 16 // line ends allowed before it in addition
	maxNotes = 4  // remarks kept in Malformed
)

// HeadEnd returns the offset after the blank line that ends the head in b; -1 if there is none. Lines end in CRLF or
// LF, even mixed; a bare CR ends no line. Line ends before the first line are skipped.
func HeadEnd(b []byte) int { return HeadEndFrom(b, 0) }

// HeadEndFrom is HeadEnd for a head that comes in pieces: the first seen bytes of b were already searched.
func HeadEndFrom(b []byte, seen int) int {
	i := 0
	for i < len(b) && i < maxBlank && (b[i] == '\r' || b[i] == '\n') {
		i++
	}
	i = max(i, seen-2)
	for {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		i += n + 1
		rest := b[i:]
		if len(rest) > 0 && rest[0] == '\n' {
			return i + 1
		}
		if len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n' {
			return i + 2
		}
	}
}

// Start returns the offset of the status line in b: 0, or a little more if line ends or up to four bytes of junk
// precede it. -1 means that there is no status line, so that everything is body, as in HTTP/0.9. known is false while b
// is too short to decide; at the end of the input, offset counts all the same.
func Start(b []byte) (offset int, known bool) {
	blank := 0
	for blank < len(b) && blank < maxBlank && (b[blank] == '\r' || b[blank] == '\n') {
		blank++
	}
	known = true
	for off := blank; off <= blank+slop; off++ {
		switch statusAt(b[min(off, len(b)):], off == blank) {
		case yes:
			return off, true
		case unknown:
			known = false
		}
	}
	return -1, known
}

type answer uint8

const (
	no answer = iota
	yes
	unknown
)

// statusAt says whether b begins like a status line: HTTP/…, HTTP 200, HTTP1.1 …, and, at the very start, also
// Shoutcast's ICY 200.
func statusAt(b []byte, first bool) answer {
	if a := prefixFold(b, "HTTP"); a != no {
		if a == unknown || len(b) == 4 {
			return unknown
		}
		if c := b[4]; c == '/' || isSpace(c) || ascii.IsDigit(c) || c == '\n' {
			return yes
		}
		return no
	}
	if first {
		if a := prefixFold(b, "ICY "); a != no {
			return a
		}
	}
	return no
}

func prefixFold(b []byte, prefix string) answer {
	for i := 0; i < len(prefix); i++ {
		if i == len(b) {
			return unknown
		}
		if ascii.Lower(b[i]) != ascii.Lower(prefix[i]) {
			return no
		}
	}
	return yes
}

// ParseResponseHead parses b, the head of a response with its blank line. It returns false if b has no status line;
// then Len is 0 and all of b belongs to the body. Malformed names whatever else is odd.
func ParseResponseHead(b []byte) (Head, bool) {
	var h Head
	ok := h.Parse(b)
	return h, ok
}

// Parse is ParseResponseHead into h. It reuses h's Fields slice.
func (h *Head) Parse(b []byte) bool {
	*h = Head{Fields: h.Fields[:0]}
	off, _ := Start(b)
	if off < 0 {
		h.Malformed = "no status line"
		return false
	}
	p := headParser{h: h}
	if off > 0 {
		p.note(strconv.Itoa(off) + " bytes before the status line")
	}
	h.Len = len(b)
	// One copy that all strings of the head share.
	p.text(string(b[off:]))
	if len(p.notes) > 0 {
		h.Malformed = strings.Join(p.notes, "; ")
	}
	return true
}

type headParser struct {
	h     *Head
	notes []string
	line  int
}

func (p *headParser) note(s string) {
	switch {
	case len(p.notes) == maxNotes:
		p.notes = append(p.notes, "and more")
	case len(p.notes) < maxNotes:
		p.notes = append(p.notes, s)
	}
}

func (p *headParser) text(s string) {
	if strings.IndexByte(s, 0) >= 0 {
		p.note("NUL bytes, removed")
		s = strings.ReplaceAll(s, "\x00", "")
	}
	line, rest, whole := cutLine(s)
	p.statusLine(line)
	if p.h.Fields == nil {
		p.h.Fields = make([]Field, 0, strings.Count(rest, "\n"))
	}
	p.line = 1
	for whole {
		line, rest, whole = cutLine(rest)
		p.line++
		if line == "" {
			if !whole {
				p.note("no blank line after the last field")
			}
			return
		}
		p.field(line)
	}
	p.note("no blank line after the last field")
}

// cutLine splits s after its first line and drops the line's CRLF or LF. whole is false if s has no line end.
func cutLine(s string) (line, rest string, whole bool) {
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return s, "", false
	}
	line = s[:i]
	if i > 0 && s[i-1] == '\r' {
		line = s[:i-1]
	}
	return line, s[i+1:], true
}

// statusLine reads any version, digits for the status, and the rest as reason.
func (p *headParser) statusLine(line string) {
	h := p.h
	proto, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	h.Proto = trim(proto)
	if !wellFormedProto(h.Proto) {
		p.note("the status line begins with " + quote(h.Proto))
	}
	rest = trim(rest)
	n := 0
	for n < len(rest) && ascii.IsDigit(rest[n]) {
		n++
	}
	if n == 3 {
		h.Status, _ = strconv.Atoi(rest[:3])
	}
	if h.Status < 100 {
		h.Status = 0
		p.note("no status number in the status line " + quote(line))
		h.Reason = rest
		return
	}
	h.Reason = trim(rest[n:])
	if n < len(rest) && !isSpace(rest[n]) {
		p.note("no space after the status number")
	}
}

func wellFormedProto(s string) bool {
	return len(s) == 8 && s[:5] == "HTTP/" && ascii.IsDigit(s[5]) && s[6] == '.' && ascii.IsDigit(s[7])
}

// field reads one line after the status line.
func (p *headParser) field(line string) {
	h := p.h
	if line[0] == ' ' || line[0] == '\t' {
		p.fold(line)
		return
	}
	colon := strings.IndexByte(line, ':')
	if colon < 0 {
		p.note(fmt.Sprintf("line %d has no colon", p.line))
		return
	}
	name := trim(line[:colon])
	if name == "" {
		p.note(fmt.Sprintf("line %d has no field name", p.line))
		return
	}
	if len(name) != colon {
		p.note(fmt.Sprintf("line %d has white space before its colon", p.line))
	} else if !isToken(name) {
		p.note(fmt.Sprintf("line %d has the field name %s", p.line, quote(name)))
	}
	value := trim(line[colon+1:])
	if strings.IndexByte(value, '\r') >= 0 {
		p.note(fmt.Sprintf("line %d holds a bare CR", p.line))
		value = strings.ReplaceAll(value, "\r", " ")
	}
	h.Fields = append(h.Fields, Field{Name: name, Value: value})
}

// fold appends a line that begins with white space to the field before it, as in HTTP/1.0.
func (p *headParser) fold(line string) {
	fields := p.h.Fields
	more := trim(strings.ReplaceAll(line, "\r", " "))
	if len(fields) == 0 {
		if more != "" {
			p.note(fmt.Sprintf("line %d continues no field", p.line))
		}
		return
	}
	p.note(fmt.Sprintf("line %d continues the field before it", p.line))
	last := &fields[len(fields)-1]
	if more != "" {
		last.Value = trim(last.Value + " " + more)
	}
}

func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', ascii.IsDigit(c):
		case c > ' ' && c < 0x7f && strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) < 0:
		default:
			return false
		}
	}
	return true
}

// quote returns at most 40 bytes of what a server wrote, quoted.
func quote(s string) string {
	if len(s) > 40 {
		return strconv.QuoteToASCII(s[:40]) + "…"
	}
	return strconv.QuoteToASCII(s)
}

// Split reads the head of an HTTP response from r, such as the block of a WARC response record. It returns the head,
// its raw bytes, and the body that follows. The head may have at most maxHead bytes. If there is no status line, or the
// head has no end, it returns the zero Head with Malformed set, no raw bytes, and everything as body. The error is r's
// own.
func Split(r io.Reader, maxHead int) (head Head, raw []byte, body io.Reader, err error) {
	var buf []byte
	end, seen := -1, 0
	for end < 0 {
		buf = append(buf, make([]byte, max(4096, len(buf)))...)
		n, rerr := r.Read(buf[seen:min(len(buf), maxHead)])
		buf = buf[:seen+n]
		end = HeadEndFrom(buf, seen)
		seen = len(buf)
		if off, known := Start(buf); known && off < 0 {
			break
		}
		if rerr == io.EOF {
			if off, _ := Start(buf); end < 0 && off >= 0 && seen > 0 && buf[seen-1] == '\n' {
				end = seen // all lines are complete; only the blank one is missing
			}
			break
		}
		if rerr != nil {
			return Head{}, nil, nil, rerr
		}
		if seen >= maxHead {
			break
		}
	}
	if end >= 0 && head.Parse(buf[:end]) {
		return head, buf[:end], io.MultiReader(bytes.NewReader(buf[end:]), r), nil
	}
	if head.Malformed == "" {
		head.Malformed = "no status line"
		if off, _ := Start(buf); off >= 0 {
			head.Malformed = "the head has no end"
		}
	}
	return head, nil, io.MultiReader(bytes.NewReader(buf), r), nil
}

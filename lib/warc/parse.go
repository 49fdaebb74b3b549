package warc

// This file parses the headers of WARC records, also of damaged ones.

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"

	"kavosh/lib/ascii"
)

// isVersion reports whether line begins like the first line of a WARC record.
func isVersion(line []byte) bool {
	return len(line) > 5 && ascii.EqualFold(string(line[:5]), "WARC/") && '0' <= line[5] && line[5] <= '9'
}

// indexVersion returns the index in b of a version line that a field follows; -1 if there is none.
func indexVersion(b []byte) int {
	for at := 0; ; {
		k := bytes.Index(b[at:], []byte("WARC/1."))
		if k < 0 || len(b)-at-k <= 10 {
			return -1
		}
		at += k
		if v := b[at:]; (v[7] == '0' || v[7] == '1') && v[8] == '\r' && v[9] == '\n' && (v[10] == 'W' || v[10] == 'C') {
			return at
		}
		at++
	}
}

// recordHere reports whether a record begins at the current position.
func (r *Reader) recordHere() bool {
	if r.versionHere() {
		return true
	}
	_, ok := parseARC(r.peekLine())
	return ok
}

// versionHere reports whether a WARC record begins here, or may begin here if the unit ends too soon to tell.
func (r *Reader) versionHere() bool {
	b, _ := r.in.Peek(6)
	return isVersion(b) || 0 < len(b) && len(b) < 6 && ascii.EqualFold(string(b), "WARC/"[:len(b)])
}

// peekLine returns the line that begins here, without its line end; nil if it is longer than any ARC header line.
func (r *Reader) peekLine() []byte {
	for _, n := range []int{256, bufSize} {
		b, err := r.in.Peek(n)
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return bytes.TrimRight(b[:i], "\r")
		}
		if err != nil {
			return b
		}
	}
	return nil
}

// readRecord reads the header of the record that begins here. It notes the problem and returns nil if the header does
// not give the length of the block.
func (r *Reader) readRecord() *Record {
	at, packed := place{r.start, r.here().inner}, r.packed()
	if !r.versionHere() {
		return r.readARC(at)
	}
	at, ok := r.readHead(at)
	if ok && !packed && (bytes.Contains(r.head, gzipMagic) || bytes.Contains(r.head, zstdMagic)) {
		r.note(at.unit, "truncated-record", "the header breaks off where packed data begins")
		ok = false
	}
	if !ok {
		if packed == r.packed() {
			r.behindVersion(at)
			r.resync()
		}
		return nil
	}
	rec := &Record{}
	var odd oddities
	rec.Version, rec.Header = parseHead(string(r.head), &odd)
	if odd.many {
		r.note(at.unit, "header-too-long", "the header has more than %d fields", maxFields)
		if packed == r.packed() {
			r.behindVersion(at)
			r.resync()
		}
		return nil
	}
	if !slices.ContainsFunc(rec.Header, func(f Field) bool { return len(f.Name) > 5 && ascii.EqualFold(f.Name[:5], "WARC-") }) {
		r.note(at.unit, "truncated-record", "behind the version line come no fields of a record")
		r.behindVersion(at)
		r.resync()
		return nil
	}
	size, ok := parseLength(rec.Header.Get("Content-Length"))
	if _, known := r.lengths[at]; !ok && !known {
		r.noLength(at, rec.Header.Get("Content-Length"), true)
		return nil
	}
	rec.Size, r.arc = size, false
	r.begin(rec, at)
	odd.note(r, rec)
	return rec
}

// noLength skips a record of unknown length. headed is true for a WARC record, whose header may have swallowed others.
func (r *Reader) noLength(at place, value string, headed bool) {
	block := r.here()
	r.note(at.unit, "no-length", "Content-Length %.80q is no length", value)
	if headed {
		r.behindVersion(at)
	}
	blank := r.resync()
	if r.guessed == nil {
		return
	}
	if now := r.here(); at.inner == 0 && block.inner == 0 {
		r.guessed[at] = now.unit - block.unit - blank
	} else if now.unit == block.unit {
		r.guessed[at] = now.inner - block.inner - blank
	}
}

// behindVersion goes back to where the fields of a malformed header begin, because what was read as fields may be
// records. It works only within one unit that is not broken.
func (r *Reader) behindVersion(at place) {
	first := int64(bytes.IndexByte(r.head, '\n') + 1)
	switch {
	case r.err != nil || first == 0 || r.start != at.unit || r.packed() && r.dec.err != nil:
		return
	case r.packed():
		at.inner += first
	default:
		at.unit += first
	}
	r.goBack(at)
}

// readHead reads the version line and the fields, up to the empty line, into r.head. If they break off or are too long,
// it notes that and returns false. If a header breaks off where another begins, it reads that one and returns its
// place.
func (r *Reader) readHead(at place) (place, bool) {
	r.head = r.head[:0]
	for line, cut := 0, 0; ; {
		b, err := r.in.ReadSlice('\n')
		r.head = append(r.head, b...)
		if len(r.head) > maxHeader {
			r.note(at.unit, "header-too-long", "the header takes more than %d bytes", maxHeader)
			return at, false
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			if r.continueRecord() {
				continue
			}
			if r.err == nil {
				r.note(at.unit, "truncated-record", "the header breaks off after %d bytes", len(r.head))
			}
			return at, false
		}
		if len(bytes.Trim(r.head[line:], "\r\n")) == 0 {
			if cut == 0 || !twoHeads(r.head, cut) {
				return at, true
			}
			r.note(at.unit, "truncated-record", "the header breaks off after %d bytes, where the next one begins", cut)
			r.head = append(r.head[:0], r.head[cut:]...)
			if r.packed() {
				at.inner += int64(cut)
			} else {
				at.unit += int64(cut)
				r.start = at.unit
			}
			return at, true
		}
		if c := cutHead(r.head, line); c > 0 {
			cut = c
		}
		line = len(r.head)
	}
}

// twoHeads reports whether a second header begins at cut, rather than the end of a value such as
// http://a.test/WARC/1.0. It does if the second header is complete or repeats fields of the first.
func twoHeads(head []byte, cut int) bool {
	var all, rest oddities
	parseHead(string(head), &all)
	parseHead(string(head[cut:]), &rest)
	return all.duplicate != nil || rest.missing == ""
}

// cutHead returns the index at which another record may begin in the line that begins at line; 0 if nowhere. A value
// may well be "WARC/1.0", after white space.
func cutHead(head []byte, line int) int {
	const version = "WARC/1.0\r\n"
	at := len(head) - len(version)
	if line == 0 || at < line || !isVersion(head[at:]) || head[at+6] != '.' || string(head[at+8:]) != "\r\n" {
		return 0
	}
	if at > line && (head[at-1] == ' ' || head[at-1] == '\t') {
		return 0
	}
	return at
}

// oddities collects what is odd about a header.
type oddities struct {
	version   bool
	lineEnd   bool     // lines that end with LF alone, or with two CR before it
	noColon   string   // a line without a colon, or without a name before it
	spaced    string   // a name with white space before the colon
	many      bool     // more than maxFields fields
	duplicate []string // names that appear twice and must not
	missing   string   // a field that every record must have
}

func (o *oddities) note(r *Reader, rec *Record) {
	at := rec.Offset
	if o.version {
		r.note(at, "version", "%q is no known version", rec.Version)
	}
	if o.lineEnd {
		r.note(at, "line-end", "header lines that do not end with CRLF")
	}
	if o.noColon != "" {
		r.note(at, "header-line", "%.80q is no field", o.noColon)
	}
	if o.spaced != "" {
		r.note(at, "field-name", "white space about the name of %q", o.spaced)
	}
	for _, name := range o.duplicate {
		r.note(at, "duplicate-field", "%s comes more than once", name)
	}
	if o.missing != "" {
		r.note(at, "missing-field", "%s is missing", o.missing)
	}
}

// parseHead parses a version line and the fields after it. The strings share head's memory.
func parseHead(head string, odd *oddities) (version string, h Header) {
	version, rest := cutLine(head, odd)
	version = strings.ToUpper(strings.TrimRight(version, " \t")) // the grammar ignores case
	switch version {
	case "WARC/1.1", "WARC/1.0", "WARC/0.18", "WARC/0.17":
	default:
		odd.version = true
	}
	h = make(Header, 0, min(maxFields, strings.Count(rest, "\n")))
	for rest != "" {
		var line string
		if line, rest = cutLine(rest, odd); line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' { // a folded value goes on
			if len(h) > 0 {
				last := &h[len(h)-1]
				last.Value = strings.TrimSpace(last.Value + " " + strings.TrimSpace(line))
				continue
			}
		}
		name, value, ok := strings.Cut(line, ":")
		trimmed := strings.TrimSpace(name)
		if !ok || trimmed == "" {
			odd.noColon = line
			continue
		}
		if trimmed != name {
			odd.spaced = trimmed
		}
		if len(h) == maxFields {
			odd.many = true
			break
		}
		h = append(h, Field{Name: trimmed, Value: strings.Trim(value, " \t")})
	}
	odd.count(h)
	return version, h
}

func cutLine(s string, odd *oddities) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	trimmed := strings.TrimRight(line, "\r")
	if len(line)-len(trimmed) != 1 {
		odd.lineEnd = true
	}
	return trimmed, rest
}

// required are the fields that every record must have exactly once.
var required = [...]string{"WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length"}

// count notes required fields that are missing and fields that appear twice (WARC-Concurrent-To may).
func (o *oddities) count(h Header) {
	for _, name := range required {
		if !h.Has(name) {
			o.missing = name
		}
	}
	for i := range h {
		if !isWARCField(h[i].Name) {
			continue
		}
		for j := range i {
			if ascii.EqualFold(h[i].Name, h[j].Name) {
				if !slices.ContainsFunc(o.duplicate, func(s string) bool { return ascii.EqualFold(s, h[j].Name) }) {
					o.duplicate = append(o.duplicate, h[j].Name)
				}
				break
			}
		}
	}
}

// isWARCField reports whether name is a field of the standard that may appear only once.
func isWARCField(name string) bool {
	if len(name) > 5 && ascii.EqualFold(name[:5], "WARC-") {
		return !ascii.EqualFold(name, "WARC-Concurrent-To") && !ascii.EqualFold(name, "WARC-Protocol") &&
			!ascii.EqualFold(name, "WARC-Cipher-Suite")
	}
	return ascii.EqualFold(name, "Content-Length") || ascii.EqualFold(name, "Content-Type")
}

func parseLength(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 62)
	return int64(n), err == nil
}

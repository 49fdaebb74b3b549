package warc

// This file reads records of ARC, the web archive format before WARC, and gives them WARC headers.

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/lib/ascii"
)

// arcLine is the header line of an ARC record: "URL IP date type length" in version 1,
// "URL IP date type result checksum location offset filename length" in version 2.
type arcLine struct {
	url, ip, date, mime, length string
	version                     string
}

// parseARC reads a header line. URLs may contain spaces, so the line is parsed from the date on: the first field of
// digits after something that looks like an address.
func parseARC(line []byte) (a arcLine, ok bool) {
	if len(line) == 0 || len(line) >= bufSize || !hasScheme(line) || bytes.ContainsFunc(line, isControl) {
		return a, false
	}
	if n := len(line) - len("WARC/1.0"); n > 0 && isVersion(line[n:]) { // the line runs into the next record
		return a, false
	}
	f := strings.Split(strings.TrimRight(string(line), " \t"), " ")
	for i := 2; i+2 < len(f); i++ {
		if !isARCDate(f[i]) || !isAddress(f[i-1]) {
			continue
		}
		// two lines in one: the first was cut off
		if fields := len(f) - i; !ascii.AreDigits(f[len(f)-1]) && fields != 3 && fields != 8 || slices.ContainsFunc(f[1:i-1], isIP) ||
			slices.ContainsFunc(f[i+1:], isIP) || i > 2 && strings.HasPrefix(f[0], "dns:") {
			return a, false
		}
		a = arcLine{url: strings.Join(f[:i-1], "%20"), ip: f[i-1], date: f[i], length: f[len(f)-1], version: "ARC/1"}
		rest := f[i+1 : len(f)-1]
		if n := len(rest); n >= 6 { // result, checksum, location, offset and filename follow the type
			rest, a.version = rest[:n-5], "ARC/2"
		}
		a.mime = strings.Join(rest, " ")
		return a, true
	}
	return a, false
}

// arcWithin returns the index at which an ARC header line begins inside line, behind other bytes; 0 if there is none.
// It assumes a URL without spaces.
func arcWithin(line []byte) int {
	line = bytes.TrimRight(line, "\r")
	if n := len(line); n == 0 || line[n-1] < '0' || '9' < line[n-1] { // a header line ends with the length
		return 0
	}
	word, found := 0, false // word is the last word before an address and a date
	for at, rest := 0, line; ; {
		i := bytes.IndexByte(rest, ' ')
		if i < 0 {
			break
		}
		if f := bytes.SplitN(rest[i+1:], []byte(" "), 3); len(f) == 3 && isAddress(string(f[0])) && isARCDate(string(f[1])) {
			word, found = at, true
		}
		at, rest = at+i+1, rest[i+1:]
	}
	if !found {
		return 0
	}
	first := len(line)
	for _, scheme := range arcSchemes {
		if i := bytes.Index(line[word:], []byte(scheme)); i >= 0 {
			first = min(first, word+i)
		}
	}
	if _, ok := parseARC(line[first:]); !ok {
		return 0
	}
	return first
}

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

func hasScheme(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 32)], ':')
	if i <= 0 {
		return false
	}
	for _, c := range line[:i] {
		if c = ascii.Lower(c); !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.') {
			return false
		}
	}
	// "ttp:" lost its first byte; in "datahttp:" something is glued to the front.
	name := strings.ToLower(string(line[:i+1]))
	return slices.Contains(arcSchemes, name) ||
		!slices.ContainsFunc(arcSchemes, func(s string) bool { return strings.HasSuffix(s, name) || strings.HasSuffix(name, s) })
}

// arcSchemes are the URI schemes that mark the beginning of an ARC header line.
var arcSchemes = []string{"http:", "https:", "dns:", "ftp:", "filedesc:"}

func isARCDate(s string) bool { return len(s) >= 8 && len(s) <= 20 && ascii.AreDigits(s) }

func isAddress(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := ascii.Lower(s[i]); !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || c == '.' || c == ':' || c == '-') {
			return false
		}
	}
	return s != ""
}

// readARC reads the header line at the current position and makes a WARC header from it: warcinfo for the description
// of the file, response if the block begins with an HTTP status line, resource otherwise.
func (r *Reader) readARC(at place) *Record {
	r.arc = true
	raw := r.peekLine()
	line := string(raw)
	a, ok := parseARC(raw)
	if !ok { // cannot happen: recordHere has checked
		r.fail(errBug)
		return nil
	}
	r.in.ReadSlice('\n')
	size, ok := parseLength(a.length)
	if _, known := r.lengths[at]; !ok && !known {
		r.noLength(at, a.length, false)
		return nil
	}
	rec := &Record{Version: a.version, Size: size, arc: line}
	h := make(Header, 0, 8)
	if name, ok := strings.CutPrefix(a.url, "filedesc:"); ok {
		h.Add("WARC-Type", "warcinfo")
		h.Add("WARC-Filename", strings.TrimLeft(name, "/"))
	} else {
		h.Add("WARC-Type", "resource")
		h.Add("WARC-Target-URI", a.url)
		if b, _ := r.in.Peek(5); size >= 5 && string(b) == "HTTP/" {
			h[0].Value, a.mime = "response", "application/http;msgtype=response"
		}
	}
	id := sha1.Sum([]byte(line + "\n" + strconv.FormatInt(at.unit, 10) + " " + strconv.FormatInt(at.inner, 10)))
	h.Add("WARC-Record-ID", nameID(id[:]))
	date, err := time.Parse("20060102150405", a.date[:min(14, len(a.date))])
	if err == nil {
		h.Add("WARC-Date", date.Format("2006-01-02T15:04:05Z"))
	}
	if strings.Trim(a.ip, "0.-") != "" && h[0].Value != "warcinfo" {
		h.Add("WARC-IP-Address", a.ip)
	}
	if a.mime != "" && a.mime != "-" {
		h.Add("Content-Type", a.mime)
	}
	h.Add("Content-Length", a.length)
	rec.Header = h
	r.begin(rec, at)
	if err != nil || len(a.date) != 14 {
		r.note(rec.Offset, "date", "%q is no date of 14 digits", a.date)
	}
	if strings.Contains(a.url, "%20") && strings.Contains(line, strings.ReplaceAll(a.url, "%20", " ")) {
		r.note(rec.Offset, "target-uri", "spaces in the URL")
	}
	return rec
}

var errBug = fmt.Errorf("warc: a header line was read twice, differently")

// nameID makes a record ID from a hash: the same hash always gives the same ID.
func nameID(sum []byte) string {
	u := [16]byte(sum)
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return formatID(u)
}

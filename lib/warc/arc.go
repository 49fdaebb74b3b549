package warc

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// arcLine is the header line of an ARC record: "URL IP date type length" in version 1,
// "URL IP date type result checksum location offset filename length" in version 2.
type arcLine struct {
	url, ip, date, mime, length string
	version                     string
}

// parseARC reads a header line. URLs with spaces in them are met, so the line is understood from the date on, which is
// the first field of digits after one that looks like an address.
func parseARC(line []byte) (a arcLine, ok bool) {
	if len(line) == 0 || len(line) >= bufSize || !hasScheme(line) {
		return a, false
	}
	f := strings.Split(strings.TrimRight(string(line), " \t"), " ")
	for i := 2; i+2 < len(f); i++ {
		if !isARCDate(f[i]) || !isAddress(f[i-1]) {
			continue
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

func hasScheme(line []byte) bool {
	i := bytes.IndexByte(line[:min(len(line), 32)], ':')
	if i <= 0 {
		return false
	}
	for _, c := range line[:i] {
		if c = lower(c); !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.') {
			return false
		}
	}
	return true
}

func isARCDate(s string) bool { return len(s) >= 8 && len(s) <= 20 && digits(s) }

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isAddress(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := lower(s[i]); !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || c == '.' || c == ':' || c == '-') {
			return false
		}
	}
	return s != ""
}

// readARC reads the header line here and makes a WARC header of it: a warcinfo record of the file's description, a
// response of what begins with an HTTP status line, a resource of the rest.
func (r *Reader) readARC(at place) *Record {
	r.arc = true
	raw := r.peekLine()
	line := string(raw)
	a, ok := parseARC(raw)
	if !ok { // recordHere said yes
		r.fail(errBug)
		return nil
	}
	r.in.ReadSlice('\n')
	size, ok := parseLength(a.length)
	if _, known := r.lengths[at]; !ok && !known {
		r.noLength(at, a.length)
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

// nameID is a record ID that is made from a hash, always the same for the same hash.
func nameID(sum []byte) string {
	u := [16]byte(sum)
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return formatID(u)
}

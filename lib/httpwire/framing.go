package httpwire

import (
	"strconv"
	"strings"

	"kavosh/lib/ascii"
)

// Delimiter is what ends a body.
type Delimiter uint8

const (
	UntilClose Delimiter = iota // the end of the connection
	NoBody                      // there is none, whatever the fields say
	ByLength                    // Length bytes
	ByChunks                    // the chunked transfer coding
)

// Framing says where the body of an answer ends.
type Framing struct {
	By     Delimiter
	Length int64 // of ByLength, and of ByChunks the Content-Length beside it; else -1
	// Impossible names what makes the end of the body unknowable, such as two different lengths; By is then UntilClose.
	Impossible string
	// Note names what is odd and yet has one reading, such as a length that is no number.
	Note string
}

// Frame decides as browsers do: no body after HEAD, 1xx, 204, 205 and 304; else chunked when Transfer-Encoding lists it
// (and then Content-Length does not count); else Content-Length when it is one number, however often it is said; else the
// body lasts until the connection ends.
func Frame(h *Head, method string, status int) Framing {
	length, f := contentLength(h)
	switch {
	case h.Len == 0:
		return Framing{Length: -1}
	case method == "HEAD" || status/100 == 1 || status == 204 || status == 205 || status == 304:
		return Framing{By: NoBody, Length: -1}
	}
	for i := range h.Fields {
		if !ascii.EqualFold(h.Fields[i].Name, "Transfer-Encoding") {
			continue
		}
		if isChunked(h.Fields[i].Value) {
			f = Framing{By: ByChunks, Length: length}
			if length >= 0 {
				f.Note = "Content-Length beside chunked"
			}
			if !ascii.EqualFold(h.Fields[i].Value, "chunked") {
				f.Note = "Transfer-Encoding: " + quote(h.Fields[i].Value)
			}
			return f
		}
	}
	return f
}

// Chunked reports whether a Transfer-Encoding field of h lists chunked.
func (h *Head) Chunked() bool {
	for i := range h.Fields {
		if ascii.EqualFold(h.Fields[i].Name, "Transfer-Encoding") && isChunked(h.Fields[i].Value) {
			return true
		}
	}
	return false
}

func isChunked(value string) bool {
	for c := range strings.SplitSeq(value, ",") {
		if ascii.EqualFold(trim(c), "chunked") {
			return true
		}
	}
	return false
}

// contentLength reads all Content-Length fields, repeated or listed. length is -1 when they give none.
func contentLength(h *Head) (length int64, f Framing) {
	length, f.Length = -1, -1
	for i := range h.Fields {
		if !ascii.EqualFold(h.Fields[i].Name, "Content-Length") {
			continue
		}
		for v := range strings.SplitSeq(h.Fields[i].Value, ",") {
			n, ok := parseLength(trim(v))
			switch {
			case !ok:
				f.Note = "Content-Length is " + quote(trim(v))
			case length < 0:
				length = n
			case n != length:
				return -1, Framing{Length: -1,
					Impossible: "Content-Length says " + strconv.FormatInt(length, 10) + " and " + strconv.FormatInt(n, 10)}
			}
		}
	}
	if length >= 0 {
		f.By, f.Length = ByLength, length
	}
	return length, f
}

// parseLength reads digits alone: no sign, no fraction, nothing above what 63 bits hold.
func parseLength(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// KeepAlive reports whether the server means to keep the connection after this answer: HTTP/1.1 unless it says close,
// anything older only when it says keep-alive.
func (h *Head) KeepAlive() bool {
	keep := h.Proto == "HTTP/1.1"
	for i := range h.Fields {
		if !ascii.EqualFold(h.Fields[i].Name, "Connection") {
			continue
		}
		for v := range strings.SplitSeq(h.Fields[i].Value, ",") {
			switch v = trim(v); {
			case ascii.EqualFold(v, "close"):
				return false
			case ascii.EqualFold(v, "keep-alive"):
				keep = true
			}
		}
	}
	return keep
}

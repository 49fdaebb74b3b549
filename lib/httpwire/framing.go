package httpwire

// This file finds out where an HTTP body ends.

import (
	"strconv"
	"strings"

	"kavosh/lib/ascii"
)

// Delimiter says what ends a body.
type Delimiter uint8

const (
	UntilClose Delimiter = iota // the end of the connection
	NoBody                      // there is no body, whatever the fields say
	ByLength                    // Length bytes
	ByChunks                    // the chunked transfer coding
)

// Framing says where the body of a response ends.
type Framing struct {
	By     Delimiter
	Length int64 // for ByLength; for ByChunks the ignored Content-Length; else -1
	// Impossible says why the end of the body cannot be known, such as two different lengths; By is then UntilClose.
	Impossible string
	// Note says what is odd but clear, such as a length that is not a number.
	Note string
}

// Frame finds the end of the body as browsers do. There is no body after HEAD, 1xx, 204, 205 and 304. If
// Transfer-Encoding lists chunked, that counts and Content-Length does not. Otherwise Content-Length counts if it is a
// single number, even repeated. Otherwise the body lasts until the connection ends.
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

// contentLength reads all Content-Length fields, repeated or listed. length is -1 if there is none.
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

// parseLength accepts only digits: no sign, no fraction, nothing above 63 bits.
func parseLength(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return int64(n), err == nil
}

// ContentRange parses the value of a Content-Range field: "bytes FIRST-LAST/SIZE". ok is false for any other form, also
// for a size that the server does not know.
func ContentRange(s string) (first, last, size int64, ok bool) {
	s, bytes := strings.CutPrefix(s, "bytes ")
	span, of, _ := strings.Cut(s, "/")
	from, to, _ := strings.Cut(span, "-")
	first, ok1 := parseLength(from)
	last, ok2 := parseLength(to)
	size, ok3 := parseLength(of)
	return first, last, size, bytes && ok1 && ok2 && ok3 && first <= last && last < size
}

// KeepAlive reports whether the server will keep the connection after this response. HTTP/1.1 does unless it says
// close; older versions only if they say keep-alive.
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

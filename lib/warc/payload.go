package warc

// This file divides the block of a record into HTTP head and payload.

import (
	"bytes"
	"io"
	"strings"

	"kavosh/lib/ascii"
	"kavosh/lib/httpwire"
)

// Payload reads the beginning of the block and splits it. head is the HTTP head; it is the zero Head for requests and
// for records without HTTP. payload is the payload as the standard defines it: the body after transfer decoding, with
// its content encoding, or the whole block if there is no HTTP. Interim responses (1xx) are skipped, and
// head.Len counts them.
func (r *Record) Payload() (head httpwire.Head, payload io.Reader, err error) {
	head, body, err := r.split(r.Block)
	if err != nil {
		return head, nil, err
	}
	return head, httpwire.Payload(head, body), nil
}

// split does the same as Payload but without transfer decoding. It reads the record's block from block.
func (r *Record) split(block io.Reader) (head httpwire.Head, body io.Reader, err error) {
	if !r.isHTTP() {
		return head, block, nil
	}
	if r.Type() == "request" {
		body, err = skipHead(block)
		return head, body, err
	}
	var interim httpwire.Head
	for {
		head, _, body, err = httpwire.Split(block, httpwire.MaxHead)
		if err == nil && head.Len == 0 && interim.Len > 0 {
			return interim, body, nil // it was recorded as if it were the final one
		}
		head.Len += interim.Len
		if err != nil || !isInterim(head) {
			return head, body, err
		}
		block, interim = body, head
	}
}

// isInterim reports whether another head follows. None follows 101: after it the connection no longer speaks HTTP.
func isInterim(h httpwire.Head) bool { return 100 <= h.Status && h.Status < 200 && h.Status != 101 }

// isHTTP reports whether the block should hold an HTTP message: by its Content-Type, or because it is an exchange with
// an http or https URI. Some writers give such a record the Content-Type of the body.
func (r *Record) isHTTP() bool {
	if r.saysHTTP() {
		return true
	}
	scheme, _, _ := strings.Cut(r.TargetURI(), ":")
	switch r.Type() {
	case "response", "request", "revisit":
		return ascii.EqualFold(scheme, "http") || ascii.EqualFold(scheme, "https")
	}
	return false
}

// saysHTTP reports whether the Content-Type is that of an HTTP message.
func (r *Record) saysHTTP() bool {
	t := r.ContentType()
	return t == "application/http" || t == "message/http"
}

// skipHead skips the head of a request. If the head has no end, the whole block is head.
func skipHead(block io.Reader) (body io.Reader, err error) {
	var buf []byte
	for len(buf) < httpwire.MaxHead {
		seen := len(buf)
		buf = append(buf, make([]byte, 4096)...)
		n, err := block.Read(buf[seen:])
		buf = buf[:seen+n]
		if end := httpwire.HeadEndFrom(buf, seen); end >= 0 {
			return io.MultiReader(bytes.NewReader(buf[end:]), block), nil
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return block, nil
}

package warc

import (
	"bytes"
	"io"
	"strings"

	"kavosh/lib/ascii"
	"kavosh/lib/httpwire"
)

// Payload reads the beginning of the block and splits it: head is the HTTP head of an answer, the zero Head when the
// record holds none, and payload what the standard calls so, the body after transfer decoding (content encoding is
// kept). Without HTTP the payload is the block. The head of a request is passed over. Interim answers (1xx) are, too.
func (r *Record) Payload() (head httpwire.Head, payload io.Reader, err error) {
	head, body, err := r.split(r.Block)
	if err != nil {
		return head, nil, err
	}
	return head, httpwire.Payload(head, body), nil
}

// split is Payload before transfer decoding, of a block that is read through block.
func (r *Record) split(block io.Reader) (head httpwire.Head, body io.Reader, err error) {
	if !r.isHTTP() {
		return head, block, nil
	}
	if r.Type() == "request" {
		body, err = skipHead(block)
		return head, body, err
	}
	for {
		if head, _, body, err = httpwire.Split(block, httpwire.MaxHead); err != nil || !isInterim(head) {
			return head, body, err
		}
		block = body
	}
}

// isInterim reports whether another head follows: 101 is the last of a connection that leaves HTTP.
func isInterim(h httpwire.Head) bool { return 100 <= h.Status && h.Status < 200 && h.Status != 101 }

// isHTTP reports whether the block should hold an HTTP message: its Content-Type says so, or it is an exchange with an
// http or https URI, which some writers give the type of what it carries.
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

// saysHTTP reports whether the Content-Type is that of HTTP messages.
func (r *Record) saysHTTP() bool {
	t := r.ContentType()
	return t == "application/http" || t == "message/http"
}

// skipHead goes past the head of a request; a block whose head has no end is all head.
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

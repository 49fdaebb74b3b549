// Package httpwire parses HTTP/1.x responses as they crossed the wire, as leniently as browsers do.
//
// Servers send heads that strict parsers refuse: lines without a colon, repeated Content-Length, a status line without
// a number, bare line feeds. Browsers show those pages, so an archive has to read them. No function here fails because
// of what a server wrote: Head.Malformed names what is odd, and parsing goes on.
//
// HeadEnd finds the end of a head in a growing buffer, ParseResponseHead parses it, Frame says how the body is
// delimited. Dechunker removes the chunked transfer coding from bytes as they come; NewChunked does the same as an
// io.Reader. For blocks from a WARC file, Split and Payload do all of that in one call each. Decoder removes content
// codings (gzip, deflate, br, zstd) with bounds on size and ratio; Decoders is a pool of them.
//
// Transfer coding and content coding are kept apart: the payload of a WARC record is the body without the first but
// with the second.
package httpwire

import (
	"strings"

	"kavosh/lib/header"
)

// Field is one header field as received. Name keeps its spelling; Value is trimmed and need not be UTF-8.
type Field = header.Field

// Head is the head of a response. Its strings share one copy of the head's bytes.
type Head struct {
	Proto     string        // as in the status line, such as "HTTP/1.1"; "" without a status line
	Status    int           // 0 if the status line has no number from 100 to 999
	Reason    string        // may be empty
	Fields    header.Header // in order, repeats kept; lines that are no fields are left out and noted
	Malformed string        // what is odd, a few notes joined by "; "; else ""
	Len       int           // bytes of the head with its blank line; 0 without a status line, when everything is body
}

// Get returns the first value of name; "" if there is none. Names are compared without regard to ASCII case.
func (h *Head) Get(name string) string { return h.Fields.Get(name) }

// Values returns all values of name, in order.
func (h *Head) Values(name string) []string { return h.Fields.Values(name) }

// ContentCodings returns the content codings in the order in which they were applied, in lower case.
func (h *Head) ContentCodings() []string {
	codings := h.Fields.List("Content-Encoding")
	for i := range codings {
		codings[i] = strings.ToLower(codings[i])
	}
	return codings
}

// trim removes the white space that HTTP allows around a value, and stray CRs at the end of a line.
func trim(s string) string { return strings.Trim(s, " \t\r\v\f") }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

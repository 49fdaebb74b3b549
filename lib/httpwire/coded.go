package httpwire

// This file finds out which content codings an HTTP body really has.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"kavosh/lib/ascii"
)

// CodedWindow is how many bytes of a body Coded examines.
const CodedWindow = 4 << 10

const (
	maxFirst = 16 * CodedWindow // decoded bytes, if they look like text, that prove a coding
	maxKept  = 16 * CodedWindow // bytes of the body read for that proof
)

var errKept = errors.New("no coding: so many bytes have next to nothing in them")

// Codings returns the codings that the body really has, in the order in which they were applied. Call it after reading
// something. Servers declare codings that they did not apply, or that a proxy removed. A body does not have a coding if
// it does not begin like that coding or, for codings without a mark at the beginning, cannot be decoded from there. An
// unknown coding stays, and so do those applied before it. An empty body has every coding.
func (d *Decoder) Codings() []string {
	real := d.codings
	for l := d; l != nil; l = l.inner { // from the last, so that the indexes of the others stay valid
		if l.layer.wrong {
			real = slices.Delete(slices.Clone(real), l.layer.index, l.layer.index+1)
		}
	}
	return real
}

// Coded returns the codings that a body really has: see Codings. window is its first CodedWindow bytes, or all of it.
func (d *Decoder) Coded(window []byte, codings []string) []string {
	var one [1]byte
	d.Decode(bytes.NewReader(window), codings, 0, 0).Read(one[:])
	return d.Codings()
}

// kind is a content coding.
type kind uint8

const (
	other kind = iota
	nothing
	gzipped
	deflated
	brotlied
	zstandard
)

func kindOf(coding string) kind {
	switch {
	case coding == "" || ascii.EqualFold(coding, "identity") || ascii.EqualFold(coding, "none"):
		return nothing
	case ascii.EqualFold(coding, "gzip"), ascii.EqualFold(coding, "x-gzip"):
		return gzipped
	case ascii.EqualFold(coding, "deflate"):
		return deflated
	case ascii.EqualFold(coding, "br"):
		return brotlied
	case ascii.EqualFold(coding, "zstd"):
		return zstandard
	}
	return other
}

// layer removes one coding. At the first Read it finds out whether the body has it.
type layer struct {
	d     *Decoder
	kind  kind
	index int // index in the declared codings
	wrong bool
	first []byte // decoded to find that out, and not yet read
	at    int    // bytes of first already read
	out   io.Reader
	err   error // to return after first
}

func (l *layer) Read(p []byte) (int, error) {
	if l.out == nil && l.err == nil {
		l.begin()
	}
	if l.at < len(l.first) {
		n := copy(p, l.first[l.at:])
		l.at += n
		return n, nil
	}
	if l.err != nil {
		return 0, l.err
	}
	return l.out.Read(p)
}

// begin tries to decode the beginning. It keeps the raw bytes, to pass the body through if decoding fails.
func (l *layer) begin() {
	d := l.d
	d.in.keep, d.in.kept = true, d.in.kept[:0]
	in := d.buffer(&d.in)
	window, err := in.Peek(CodedWindow)
	undone := 0
	for o := d.outer; o != nil; o = o.outer {
		if !o.layer.wrong {
			undone++
		}
	}
	switch {
	case len(window) == 0: // an empty body has every coding
		l.err = err
	case !l.try(in, window):
		l.wrong, l.err, l.first = true, nil, l.first[:0]
		l.out = io.MultiReader(bytes.NewReader(d.in.kept), &d.in)
	case undone == maxCodings:
		l.err, l.first = fmt.Errorf("%d content codings: %w", len(d.codings), ErrTooLarge), l.first[:0]
	}
	d.in.keep = false
}

// try decodes the beginning into first and reports whether the body has the coding. Text can look like the beginning of
// any coding, so it is examined more closely.
func (l *layer) try(in *bufio.Reader, window []byte) bool {
	full, text, most, err := len(window) == CodedWindow, false, CodedWindow, error(nil)
	switch d := l.d; l.kind {
	case gzipped:
		if !isGzip(window) {
			return false
		}
		l.out, err = d.openGzip(in)
		return err == nil // a complete header leaves no doubt
	case zstandard: // nor do zstd's first four bytes
		if !isZstd(window) {
			return false
		}
		l.out, l.err = d.openZstd(in)
		return true
	default:
		if text = strings.HasPrefix(http.DetectContentType(window), "text/"); text {
			most = maxFirst
		}
		if l.kind == deflated {
			l.out, err = d.openDeflate(in, window)
		} else {
			l.out, err = d.openBrotli(in)
		}
	}
	for n := 0; err == nil && len(l.first) < most; {
		l.first = slices.Grow(l.first, CodedWindow)
		n, err = l.out.Read(l.first[len(l.first):min(cap(l.first), most)])
		l.first = l.first[:len(l.first)+n]
	}
	l.err = err
	switch {
	case err == nil || err == io.EOF:
		return true
	case errors.Is(err, io.ErrUnexpectedEOF): // cut, here or by whoever stored it
		return (len(l.first) > 0 || full) && !text
	}
	return false
}

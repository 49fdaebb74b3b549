package httpwire

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

// CodedWindow is how many bytes of a body Coded looks at.
const CodedWindow = 4 << 10

const (
	maxFirst = 16 * CodedWindow // decoded bytes of what looks like text, until it is taken for coded
	maxKept  = 16 * CodedWindow // bytes of the body that are read for that
)

var errKept = errors.New("no coding: so many bytes have next to nothing in them")

// Codings are those of the codings given to Decode that the body really has, in the order in which they were applied. They are
// known once something was read. Servers declare codings that they did not apply, or that a proxy has undone. A body does not
// have a coding when it does not begin as the coding does, or, where that has no mark at its beginning, cannot be decoded from
// there. An unknown coding stays, with what is under it; a body of nothing has every coding.
func (d *Decoder) Codings() []string {
	real := d.codings
	for l := d; l != nil; l = l.inner { // from the last on, so that the places of the others stay
		if l.layer.wrong {
			real = slices.Delete(slices.Clone(real), l.layer.index, l.layer.index+1)
		}
	}
	return real
}

// Coded are those of the codings that a body really has, by its beginning of CodedWindow bytes, or all of it: see Codings.
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

// layer reads what is under one coding. At the first Read it learns whether there is one.
type layer struct {
	d     *Decoder
	kind  kind
	index int // among those declared
	wrong bool
	first []byte // decoded to know that, and not yet read
	at    int    // how much of first was read
	out   io.Reader
	err   error // after first
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

// begin tries to decode the beginning. What it takes is kept, so that the body can be read as it is when that fails.
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
	case len(window) == 0: // nothing encoded is nothing
		l.err = err
	case !l.try(in, window):
		l.wrong, l.err, l.first = true, nil, l.first[:0]
		l.out = io.MultiReader(bytes.NewReader(d.in.kept), &d.in)
	case undone == maxCodings:
		l.err, l.first = fmt.Errorf("%d content codings: %w", len(d.codings), ErrTooLarge), l.first[:0]
	}
	d.in.keep = false
}

// try decodes the beginning into first, and says whether the body has the coding. Text can be taken for the beginning of
// anything: it is looked at more closely.
func (l *layer) try(in *bufio.Reader, window []byte) bool {
	full, text, most, err := len(window) == CodedWindow, false, CodedWindow, error(nil)
	switch d := l.d; l.kind {
	case gzipped:
		if !isGzip(window) {
			return false
		}
		l.out, err = d.openGzip(in)
		return err == nil // a whole header leaves no doubt
	case zstandard: // nor do its first four bytes
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
	case errors.Is(err, io.ErrUnexpectedEOF): // cut, here or by who stored it
		return (len(l.first) > 0 || full) && !text
	}
	return false
}

package httpwire

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
)

// CodedWindow is how many bytes of a body Coded looks at.
const CodedWindow = 4 << 10

// Coded are those of the codings, given in the order in which they were applied, that a body really has. window is its
// beginning, of CodedWindow bytes, or all of it. Servers declare codings that they did not apply: a body that does not begin as
// its last coding does, or that cannot be decoded from the beginning, is sent without it. An unknown coding stays.
func (d *Decoder) Coded(window []byte, codings []string) []string {
	for n := len(codings); n > 0 && len(window) > 0; n-- {
		if d.has(window, codings[n-1]) {
			return codings[:n]
		}
		codings = codings[:n-1]
	}
	return codings
}

func (d *Decoder) has(window []byte, coding string) bool {
	if equalFold(coding, "zstd") {
		return isZstd(window)
	}
	out, known := d.undo(coding, bytes.NewReader(window), 0)
	if !known || equalFold(coding, "identity") {
		return true
	}
	if gz := equalFold(coding, "gzip") || equalFold(coding, "x-gzip"); gz && !isGzip(window) {
		return false
	}
	// Text can be taken for the beginning of anything: it is looked at more closely.
	text, most := strings.HasPrefix(http.DetectContentType(window), "text/"), int64(CodedWindow)
	if text {
		most *= 16
	}
	n, err := io.Copy(io.Discard, io.LimitReader(out, most))
	switch {
	case err == nil:
		return true
	case errors.Is(err, io.ErrUnexpectedEOF): // cut, here or by who stored it
		return (n > 0 || len(window) == CodedWindow) && !text
	}
	return false
}

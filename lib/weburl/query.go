package weburl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// EncodeQuery percent-encodes what is not ASCII in the query of ref in the bytes of charset, as browsers do with links
// of a document that is not in UTF-8: in a page in windows-1256, "?q=خبر" asks for "?q=%CE%C8%D1". What the charset
// lacks becomes "&#1740;", encoded. charset is a name as a document gives it; for UTF-8, UTF-16 and unknown ones ref
// comes back as it is, which [Resolve] then encodes in UTF-8. Paths and fragments are in UTF-8 everywhere.
func EncodeQuery(ref, charset string) string {
	start := strings.IndexByte(ref, '?')
	if start < 0 || isASCII(ref[start:]) || strings.IndexByte(ref[:start], '#') >= 0 {
		return ref
	}
	enc, err := htmlindex.Get(charset)
	if err != nil {
		return ref
	}
	switch name, _ := htmlindex.Name(enc); name {
	case "", "utf-8", "utf-16le", "utf-16be", "replacement":
		return ref
	}
	end := len(ref)
	if i := strings.IndexByte(ref[start:], '#'); i >= 0 {
		end = start + i
	}
	dst := make([]byte, 0, 2*len(ref))
	dst = append(dst, ref[:start]...)
	for query := ref[start:end]; query != ""; {
		n := 0
		for n < len(query) && query[n] < utf8.RuneSelf {
			n++
		}
		dst = append(dst, query[:n]...)
		query = query[n:]
		for n = 0; n < len(query) && query[n] >= utf8.RuneSelf; n++ {
		}
		dst = appendEncoded(dst, query[:n], enc)
		query = query[n:]
	}
	return string(append(dst, ref[end:]...))
}

// appendEncoded appends s, which is not ASCII, in the bytes of enc, percent-encoded as in a query.
func appendEncoded(dst []byte, s string, enc encoding.Encoding) []byte {
	if out, err := enc.NewEncoder().String(s); err == nil {
		return appendQueryBytes(dst, out)
	}
	for _, r := range s {
		if out, err := enc.NewEncoder().String(string(r)); err == nil {
			dst = appendQueryBytes(dst, out)
		} else {
			dst = fmt.Appendf(dst, "%%26%%23%d%%3B", r)
		}
	}
	return dst
}

func appendQueryBytes(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range []byte(s) {
		if queryClass[c] == plain {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

package htmltree

import (
	"strings"

	"kavosh/lib/iri"
)

// Resolve resolves a reference in the page to an IRI. ok is false if the result is invalid, or if the page has been
// written out too often.
func (p *Page) Resolve(ref string) (iri string, ok bool) {
	ref = strings.Trim(ref, blanks)
	if !IsIRI(ref) || !p.Spend(p.Root, len(p.URL)+len(ref)) {
		return "", false
	}
	return p.base.Resolve(ref)
}

// blanks are the white space characters of HTML.
const blanks = " \t\n\f\r"

func (p *Page) setBase(url string) {
	p.URL, _, _ = strings.Cut(url, "#")
	p.base = iri.NewBase(p.URL)
}

// IsIRI reports whether s has only characters that an IRI may have. It may be relative.
func IsIRI(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || strings.IndexByte("<>\"{}|\\^`\x7f", s[i]) >= 0 {
			return false
		}
	}
	return true
}

// Absolute reports whether s is an IRI with a scheme.
func Absolute(s string) bool {
	_, ok := iri.Base{}.Resolve(s)
	return ok && IsIRI(s)
}

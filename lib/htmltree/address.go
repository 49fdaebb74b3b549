package htmltree

import (
	"strings"

	"kavosh/lib/iri"
)

// Resolve is the IRI that a reference in the page means. ok is false when it can be none, or the page has been written out
// too often.
func (p *Page) Resolve(ref string) (iri string, ok bool) {
	ref = strings.Trim(ref, blanks)
	if !IsIRI(ref) || !p.Spend(p.Root, len(p.URL)+len(ref)) {
		return "", false
	}
	return p.base.Resolve(ref)
}

// blanks are the characters that HTML calls white space.
const blanks = " \t\n\f\r"

func (p *Page) setBase(url string) {
	p.URL, _, _ = strings.Cut(url, "#")
	p.base = iri.NewBase(p.URL)
}

// IsIRI says that s has no character that stands in no IRI. It may be relative.
func IsIRI(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || strings.IndexByte("<>\"{}|\\^`\x7f", s[i]) >= 0 {
			return false
		}
	}
	return true
}

// Absolute says that s is an IRI with a scheme.
func Absolute(s string) bool {
	_, ok := iri.Base{}.Resolve(s)
	return ok && IsIRI(s)
}

package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"kavosh/lib/weburl"
)

// maxName bounds a collection's name, in letters.
const maxName = 64

// InName reports whether a letter may stand in the name of a collection: letters and digits of any script, with their marks, "-", "_", ".",
// and the joiners that Persian has within words. Nothing else of what cannot be seen may, such as what turns the direction of a text.
func InName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.\u200c\u200d", r)
}

// validName reports whether a collection may be called so. A name has one form in Unicode, so that it has one address.
func validName(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	switch {
	case name == "", name == "-", !utf8.ValidString(name), !norm.NFC.IsNormalString(name), utf8.RuneCountInString(name) > maxName,
		first == '.', unicode.IsMark(first), joins(first), joins(last):
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return !InName(r) })
}

func joins(r rune) bool { return unicode.Is(unicode.Join_Control, r) }

// escaped is a name as it stands in addresses, however a reader's program writes it: percent-encoded UTF-8.
func escaped(name string) string {
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return url.PathEscape(norm.NFC.String(name))
}

// labelOf is a name as it stands in host names: as browsers write it there, in ASCII, or a number made of it where they have no form for it.
func labelOf(name string) string {
	const after = ".example"
	u, err := weburl.Parse("http://" + name + after + "/")
	if err == nil {
		if label := strings.TrimSuffix(u.Hostname(), after); shortLabels(label) {
			return label
		}
	}
	sum := sha256.Sum256([]byte(name))
	return "n-" + hex.EncodeToString(sum[:8])
}

// shortLabels reports whether names have a place for each part of a host name.
func shortLabels(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > 63 {
			return false
		}
	}
	return true
}

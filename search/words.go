package search

// This file cuts texts, queries and URLs into the terms of the index.

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"kavosh/lib/ascii"
	"kavosh/lib/persian"
	"kavosh/lib/words"
)

// analyzer cuts texts into terms. Texts and queries go through it alike. Words in Arabic letters go through
// lib/persian, which gives each one spelling and its stem. All words then go through lib/words, which folds case,
// digits and letters, and cuts scripts without spaces into pairs of letters. Words in Latin letters lose the s of their
// plural.
//
// A word gives the same term with and without a non-joiner inside. With a space in its place it gives two terms. The
// index keeps compounds, so that a query can find both spellings.
type analyzer struct {
	stem, folded []byte
}

// term is a term of a text, with the first and last place of its word in bytes. Text is valid until the next term.
type term struct {
	Text       []byte
	Start, End int
	Parts      int // bytes of Text that are the first part of a compound written with a non-joiner; otherwise 0
}

// each yields the terms of text in order, until yield returns false.
func (a *analyzer) each(text string, yield func(term) bool) {
	for w := range persian.Words(text) {
		if plain, ok := a.latin(w.Text); ok {
			if !yield(term{Text: singular(plain), Start: w.Start, End: w.End}) {
				return
			}
			continue
		}
		first, _ := utf8.DecodeRune(w.Text)
		parts := 0
		word := w.Text
		if unicode.Is(unicode.Arabic, first) {
			a.stem = append(a.stem[:0], w.Text...)
			head, _, compound := bytes.Cut(w.Text, []byte("\u200C"))
			word = persian.Stem(a.stem)
			if compound && len(word) > len(head) && bytes.HasPrefix(word, head) {
				parts = len(head)
			}
		}
		a.folded = words.Append(a.folded[:0], string(word))
		rest := a.folded
		for {
			one, after, ok := bytes.Cut(rest, []byte{' '})
			if !ok {
				break
			}
			t := term{Text: singular(one), Start: w.Start, End: w.End}
			if parts > 0 && len(one) == len(word) { // folding kept every letter's length, so the first part still ends there
				t.Parts = parts
			}
			if !yield(t) {
				return
			}
			rest = after
		}
	}
}

// latin does the same as lib/words for a word of ASCII letters and digits, the common case.
func (a *analyzer) latin(word []byte) (folded []byte, ok bool) {
	if len(word) > words.Longest {
		return nil, false
	}
	a.folded = a.folded[:0]
	for _, c := range word {
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		default:
			return nil, false
		}
		a.folded = append(a.folded, c)
	}
	return a.folded, true
}

// singular returns a word in Latin letters without the s of its plural, after Harman, "How effective is suffixing?"
// (1991).
func singular(word []byte) []byte {
	n := len(word)
	if n < 4 || word[n-1] != 's' || word[0] >= utf8.RuneSelf || word[0] < 'a' {
		return word
	}
	switch {
	case bytes.HasSuffix(word, []byte("ies")) && word[n-4] != 'e' && word[n-4] != 'a':
		return append(word[:n-3], 'y')
	case word[n-2] == 's' || word[n-2] == 'u' || word[n-2] == 'i':
		return word
	}
	return word[:n-1]
}

// urlWords returns the words by which a URL can be found: those of its host and path.
func urlWords(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	rest = strings.TrimPrefix(rest, "www.")
	rest, _, _ = strings.Cut(rest, "?")
	return unescaped(rest)
}

// unescaped decodes the percent-encoded bytes of a path. If the result is not UTF-8, it returns the path unchanged.
func unescaped(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if hi, lo := ascii.Hex(path[i+1]), ascii.Hex(path[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, path[i])
	}
	if !utf8.Valid(out) {
		return path
	}
	return string(out)
}

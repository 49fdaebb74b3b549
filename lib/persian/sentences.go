package persian

// This file splits Persian text into sentences.

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences yields the sentences of text in order, without surrounding spaces. A sentence ends at a line's end, at ؟ ?
// ! … ۔, and at a full stop before a space or the end, unless the full stop follows an initial (ج. ایران, م.ر. شجریان)
// or a line's number (۱. ). Quotation marks and brackets that close after it belong to it.
func Sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		cut := func(end int) bool {
			s := strings.TrimSpace(text[start:end])
			start = end
			return s == "" || yield(s)
		}
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			switch r {
			case '\n', '\r', '\u2028', '\u2029':
			case '؟', '?', '!', '…', '۔':
				i = closing(text, i)
			case '.':
				if !stops(text[start:i-1], text[i:]) {
					continue
				}
				i = closing(text, i)
			default:
				continue
			}
			if !cut(i) {
				return
			}
		}
		cut(len(text))
	}
}

// closing returns the end of the marks that close a sentence; the first of them ends at i.
func closing(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune("؟?!….»)]”’\"'", r) {
			break
		}
		i += size
	}
	return i
}

// stops reports whether the full stop between before (the sentence so far) and after ends the sentence.
func stops(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	if after != "" && !unicode.IsSpace(next) && !strings.ContainsRune("»)]”’\"'.", next) {
		return false
	}
	word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	if word == strings.TrimSpace(before) && strings.IndexFunc(word, unicode.IsLetter) < 0 {
		return false // a line's number
	}
	word = word[strings.LastIndexByte(word, '.')+1:]
	only, size := utf8.DecodeRuneInString(word)
	return size < len(word) || !unicode.IsLetter(only)
}

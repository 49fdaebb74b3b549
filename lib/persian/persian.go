// Package persian processes Persian text: it normalises the many ways of writing it, splits it into words and
// sentences, and stems words.
//
// [Normalize] normalises text; letters.go says what happens to each letter and [Words] what happens to spaces and
// zero-width non-joiners. [Stem] returns the form that a word's inflections share. [IsStopword] knows words that are
// frequent in Persian and not in Arabic. [Sentences] splits text where a reader would stop.
//
// The results are for comparing, searching and counting; they are not better spelling. Words of other languages stay
// unchanged.
package persian

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// nonJoiner is the zero-width non-joiner, which separates affixes from a word without a space.
const nonJoiner = '\u200C'

// Word is a word of a text.
type Word struct {
	Text       []byte // normalised; valid until the next word is requested
	Start, End int    // its position in the text, in bytes
}

// Normalize normalises text: words as in [Words], every space a plain space, everything else unchanged, U+FFFD for
// invalid UTF-8. Normalising twice changes nothing more.
func Normalize(text string) string {
	return string(AppendNormalized(make([]byte, 0, len(text)), text))
}

// AppendNormalized appends Normalize(text) to dst.
func AppendNormalized(dst []byte, text string) []byte {
	end := 0
	for w := range Words(text) {
		dst = append(appendGap(dst, text[end:w.Start]), w.Text...)
		end = w.End
	}
	return appendGap(dst, text[end:])
}

// appendGap appends what is between words: a plain space for any space, nothing for characters that only words have.
func appendGap(dst []byte, gap string) []byte {
	for i := 0; i < len(gap); {
		r, size := utf8.DecodeRuneInString(gap[i:])
		switch {
		case unicode.IsSpace(r) && !isBreak(r):
			dst = append(dst, ' ')
		case fold(r) == part:
			dst = utf8.AppendRune(dst, r)
		}
		i += size
	}
	return dst
}

// Words yields the words of text in order: letters, digits and what may be inside words, normalised as in letters.go. A
// number keeps its decimal point but not the signs that group its digits.
//
// A non-joiner is kept where it is visible: between two letters the first of which would join the second. An affix that
// is separated by one space is joined to its word by a non-joiner: the prefixes می and نمی, the endings ها and تر with
// what may follow them; after a letter that joins the next one the endings ایم اید اند; and after ه the endings ام ات اش ای,
// also ای after ی.
func Words(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		var word, next []byte
		start, end := span(text, 0)
		word = appendWord(word, text[start:end])
		for start < end {
			s, e := span(text, end)
			next = appendWord(next[:0], text[s:e])
			if isSpace(text[end:s]) && joinsNext(word, next) {
				word, end = append(appendLetter(word, nonJoiner, nonJoiner), next...), e
				continue
			}
			if len(word) > 0 && !yield(Word{Text: word, Start: start, End: end}) {
				return
			}
			start, end, word, next = s, e, next, word
		}
	}
}

// isSpace reports whether a gap is a single space of any width.
func isSpace(gap string) bool {
	r, size := utf8.DecodeRuneInString(gap)
	return size == len(gap) && size > 0 && unicode.IsSpace(r) && !isBreak(r)
}

// isBreak reports whether a space is kept unchanged.
func isBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }

// span returns where the next word from i on begins and ends; the end of text twice if there is none.
func span(text string, i int) (start, end int) {
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if fold(r) != part {
			break
		}
		i += size
	}
	for start = i; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if fold(r) == part && !(isPoint(r) && i > start && betweenDigits(text, i, size)) {
			break
		}
		i += size
	}
	return start, i
}

// isPoint reports whether a sign may be inside a number: a decimal point, or an Arabic sign that groups digits.
func isPoint(r rune) bool { return r == '.' || r == '٫' || r == '٬' }

func betweenDigits(text string, i, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, _ := utf8.DecodeRuneInString(text[i+size:])
	return isDigit(fold(before)) && isDigit(fold(after))
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// joinsNext reports whether the next word is written as a part of this one.
func joinsNext(word, next []byte) bool {
	if len(next) == 0 || !isArabic(first(next)) {
		return false
	}
	switch string(word) {
	case "می", "نمی":
		return !hasPrefix(next, "می") && !hasPrefix(next, "نمی")
	}
	last, _ := utf8.DecodeLastRune(word)
	if !isArabic(last) {
		return false
	}
	switch string(next) {
	case "ها", "های", "هایی", "هایم", "هایت", "هایش", "هایمان", "هایتان", "هایشان", "تر", "تری", "ترین":
		return true
	case "ایم", "اید", "اند": // they are no words of their own
		return !isParted(last)
	case "ام", "ات", "اش", "ای":
		return last == 'ه' || last == 'ی' && string(next) == "ای"
	}
	return false
}

func first(word []byte) rune {
	r, _ := utf8.DecodeRune(word)
	return r
}

func hasPrefix(word []byte, prefix string) bool {
	return len(word) >= len(prefix) && string(word[:len(prefix)]) == prefix
}

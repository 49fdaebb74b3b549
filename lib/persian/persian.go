// Package persian reads Persian text: it brings the many ways of writing it to one, cuts it into words and sentences, and
// takes words back to their stems.
//
// [Normalize] gives text in one writing; letters.go says what becomes of each letter and [Words] what becomes of spaces and
// zero-width non-joiners. [Stem] takes a word to the form that its inflections share. [IsStopword] knows the words that are
// frequent in Persian and not in Arabic. [Sentences] cuts text where a reader would stop.
//
// The forms are for comparing, searching and counting; they are not better spelling. Words of other languages pass through
// as they are.
package persian

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// nonJoiner is the zero-width non-joiner, which parts the affixes of a word from it without a space.
const nonJoiner = '\u200C'

// Word is a word of a text.
type Word struct {
	Text       []byte // normalised; valid until the next word is asked for
	Start, End int    // where it stands in the text, in bytes
}

// Normalize is text in one writing: its words as [Words] gives them, spaces as plain ones, everything else as it was,
// U+FFFD for bytes that are no UTF-8. What is normalised once stays as it is when it is normalised again.
func Normalize(text string) string {
	return string(AppendNormalized(make([]byte, 0, len(text)), text))
}

// AppendNormalized appends what [Normalize] makes of text to dst.
func AppendNormalized(dst []byte, text string) []byte {
	end := 0
	for w := range Words(text) {
		dst = append(appendGap(dst, text[end:w.Start]), w.Text...)
		end = w.End
	}
	return appendGap(dst, text[end:])
}

// appendGap appends what stands between words: every space as a plain one, nothing for what only a word has.
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

// Words are the words of text in their order: letters, digits and what stands inside words, in the forms that letters.go
// tells. A number keeps its decimal point and loses the signs that group its digits.
//
// A non-joiner stays where it is seen: between two letters the first of which would join the second. An affix that stands
// alone after one space is joined to its word by one: the prefixes می and نمی, the endings ها and تر with what may follow
// them, and after a word that ends in ه the endings ام ات اش ای ایم اید اند, ای after one in ی too.
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

// isBreak reports whether a space stays as it is.
func isBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }

// span is where the next word from i on begins and ends; the end of text twice when there is none.
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

// isPoint reports whether a sign stands inside numbers: a decimal point, or what groups digits in Arabic script.
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
	case "ام", "ات", "اش", "ای", "ایم", "اید", "اند":
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

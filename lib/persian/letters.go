package persian

// This file gives each letter of Persian text one spelling.

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What fold makes of a letter that is not another letter.
const (
	part   rune = -1 - iota // it separates words
	drop                    // it is dropped
	expand                  // it stands for several letters
	hamza                   // it changes the letter before it
	madda
)

// fold returns the letter that normalised Persian has for r:
//
//   - ی for the Arabic ي and ى and the Urdu ے, ک for ك and ڪ, ه for ة ۀ ە ہ ۂ ۃ ھ, ا for أ إ ٱ, و for ؤ; آ and ئ are
//     letters of their own and stay;
//   - the digits 0–9 for ۰–۹ and ٠–٩;
//   - nothing for vowel marks, tatweel, and what only directs or shapes text; a zero-width space becomes the non-joiner
//     that it is often used for;
//   - for a presentation form, the letters it stands for.
//
// Anything that is no letter, digit or mark separates words.
func fold(r rune) rune {
	switch {
	case r < 0x80:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || isDigit(r) {
			return r
		}
		return part
	case 0x600 <= r && r < 0x700:
		return arabic[r-0x600]
	case 0x200B <= r && r <= 0x200C:
		return nonJoiner
	case r == 0xAD, 0x200D <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x206F, r == 0xFEFF,
		0xFE00 <= r && r <= 0xFE0F:
		return drop
	case 0xFB50 <= r && r <= 0xFDF9, r == 0xFDFC, 0xFE70 <= r && r <= 0xFEFC:
		if unicode.IsLetter(r) || r == 0xFDFC || unicode.IsMark(r) {
			return expand
		}
		return part
	case unicode.IsLetter(r), unicode.IsDigit(r):
		return r
	case unicode.IsMark(r):
		if 0x08D3 <= r && r <= 0x08FF {
			return drop
		}
		return r
	}
	return part
}

// arabic has fold's results for the block of Arabic letters.
var arabic = func() (t [0x100]rune) {
	for i := range t {
		switch r := rune(0x600 + i); {
		case 0x660 <= r && r <= 0x669:
			t[i] = '0' + r - 0x660
		case 0x6F0 <= r && r <= 0x6F9:
			t[i] = '0' + r - 0x6F0
		case r == 0x640, unicode.IsMark(r), unicode.Is(unicode.Cf, r):
			t[i] = drop
		case unicode.IsLetter(r):
			t[i] = r
		default:
			t[i] = part
		}
	}
	for to, all := range map[rune]string{'ی': "يىے", 'ک': "كڪ", 'ه': "ةۀەہۂۃھ", 'ا': "أإٱ", 'و': "ؤ"} {
		for _, from := range all {
			t[from-0x600] = to
		}
	}
	t[0x653-0x600], t[0x654-0x600] = madda, hamza
	return t
}()

// isArabic reports whether a folded letter is of Arabic script.
func isArabic(r rune) bool { return 0x600 <= r && r < 0x700 }

// appendWord appends the folded letters of a word. A point inside it belongs to a number.
func appendWord(dst []byte, raw string) []byte {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if f := fold(r); f != expand {
			dst = appendLetter(dst, f, r)
		} else {
			letters := norm.NFKC.PropertiesString(raw[i:]).Decomposition()
			for _, r := range string(letters) {
				if r != ' ' { // the space is only the carrier of a mark
					dst = appendLetter(dst, fold(r), r)
				}
			}
		}
		i += size
	}
	return bytes.TrimSuffix(dst, []byte("\u200C"))
}

// appendLetter appends r, which folds to f.
func appendLetter(dst []byte, f, r rune) []byte {
	last, size := utf8.DecodeLastRune(dst)
	switch {
	case f == drop || f == part && r != '.' && r != '٫':
		return dst
	case f == part:
		return append(dst, '.')
	case f == nonJoiner:
		if size == 0 || !isArabic(last) || isParted(last) {
			return dst
		}
	case f == madda:
		if last == 'ا' {
			return utf8.AppendRune(dst[:len(dst)-size], 'آ')
		}
		return dst
	case f == hamza:
		if last == 'ی' {
			return utf8.AppendRune(dst[:len(dst)-size], 'ئ')
		}
		return dst
	case last == nonJoiner && !isArabic(f):
		dst = dst[:len(dst)-size]
	}
	return utf8.AppendRune(dst, f)
}

// isParted reports whether a letter does not join the next one, so that a non-joiner after it is invisible.
func isParted(r rune) bool {
	switch r {
	case 'ا', 'آ', 'د', 'ذ', 'ر', 'ز', 'ژ', 'و', 'ء', 'ۆ', 'ۇ':
		return true
	}
	return false
}

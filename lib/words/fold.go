package words

// This file folds letters of any script, so that different spellings of a word become equal.

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// What fold makes of a letter that is not another letter.
const (
	part   rune = 0       // it separates words
	drop   rune = 1       // it is dropped
	expand rune = 2       // it stands for several letters
	mark   rune = 1 << 30 // a flag: the letter may compose with the one before
)

// fold returns the form in which a letter or digit is compared:
//
//   - small letters for capitals; σ for ς, s for ſ;
//   - 0–9 for the digits of all scripts;
//   - one letter for letters of Arabic script that Persian readers and keyboards do not distinguish (as in Lucene's
//     ArabicNormalizer and PersianNormalizer, also for hamza on its carriers): ی for ي ى ئ, ک for ك ڪ, ه for ة ۀ ہ ۂ ە,
//     ا for آ أ إ ٱ, و for ؤ; ء is dropped, as many writers do;
//   - nothing for tatweel, the vowel marks of Arabic and Hebrew and what only shapes or directs text: soft hyphens,
//     joiners, variation selectors. The zero-width non-joiner is dropped too, because it is inside words: می‌رود
//     becomes میرود, as many write it. Splitting there would make the affixes می and ها the most common words;
//   - for a presentation form, a full-width or a mathematical letter, the letters it stands for.
//
// Anything that is no letter, digit or mark separates words. Accents of other scripts stay: they make other words.
func fold(r rune) rune {
	if r < rune(len(table)) {
		f := rune(table[r])
		if f&tableMark != 0 {
			return f&^tableMark | mark
		}
		return f
	}
	return foldHigh(r)
}

// tableMark is mark in the table; all letters there are smaller.
const tableMark = 0x8000

// table folds the first scripts, up to Tibetan.
var table = func() (t [0x1000]uint16) {
	for r := range rune(len(t)) {
		f := foldHigh(r)
		if f&mark != 0 {
			f = f&^mark | tableMark
		}
		t[r] = uint16(f)
	}
	for to, all := range map[rune]string{
		'ی': "يىئ", 'ک': "كڪ", 'ه': "ةۀہۂە", 'ا': "آأإٱ", 'و': "ؤ", drop: "ء\u0640\u00AD\u061C", 'σ': "ς", 's': "ſ", 'μ': "µ", 'a': "ª", 'o': "º",
	} {
		for _, from := range all {
			t[from] = uint16(to)
		}
	}
	return t
}()

// foldHigh is fold by Unicode's tables, without the special cases of table.
func foldHigh(r rune) rune {
	switch {
	case r < 0x80:
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		}
		return part
	case isUnspaced(r):
		return r
	case r >= 0x200C && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r == 0xFEFF,
		r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r == 0x3099, r == 0x309A:
		return drop
	case isPresentation(r):
		return expand
	case unicode.IsLetter(r):
		if r = unicode.ToLower(r); (r < 0x1000 || r >= 0x1F00 && r < 0x2000) && composes(r) {
			return r | mark
		}
		return r
	case unicode.IsDigit(r):
		return '0' + value(r)
	case unicode.IsMark(r):
		if r >= 0x0591 && r < 0x0700 || r >= 0x0890 && r < 0x0900 { // of Hebrew and Arabic
			return drop
		}
		if composes(r) {
			return r | mark
		}
		return r
	}
	return part
}

// composes reports whether normalisation may change a letter or mark inside a word.
func composes(r rune) bool {
	s := string(r)
	return !norm.NFC.IsNormalString(s) || !norm.NFC.PropertiesString(s).BoundaryBefore()
}

// isPresentation reports whether a letter is another form of one or more letters: Arabic presentation forms and
// ligatures, full-width and half-width letters, compatibility Han, mathematical alphabets.
func isPresentation(r rune) bool {
	return r >= 0xF900 && r <= 0xFDFB || r >= 0xFE70 && r <= 0xFEFC || r >= 0xFF10 && r <= 0xFFDC && letterOrDigit(r) ||
		r >= 0x1D400 && r <= 0x1D7FF || r >= 0x2F00 && r <= 0x2FD5 || r >= 0x2F800 && r <= 0x2FA1D
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// value returns the value of a decimal digit. Unicode has the digits of a script in sequence, from zero.
func value(r rune) rune {
	for _, rs := range unicode.Nd.R16 {
		if rune(rs.Lo) <= r && r <= rune(rs.Hi) {
			return (r - rune(rs.Lo)) % 10
		}
	}
	for _, rs := range unicode.Nd.R32 {
		if rune(rs.Lo) <= r && r <= rune(rs.Hi) {
			return (r - rune(rs.Lo)) % 10
		}
	}
	return 0
}

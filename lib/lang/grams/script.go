package grams

// This file knows which script a letter belongs to, and folds letters.

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Script is a writing system, or a separate part of one.
type Script uint8

// The known scripts. Those up to Tibetan have several languages each in the model; each of the others identifies its
// language.
const (
	None Script = iota // not a letter, or of an unknown script
	Latin
	Arabic
	Cyrillic
	Devanagari
	Hebrew
	Bengali
	Ethiopic
	Myanmar
	Tibetan
	Greek
	Armenian
	Georgian
	Gurmukhi
	Gujarati
	Oriya
	Tamil
	Telugu
	Kannada
	Malayalam
	Sinhala
	Thai
	Lao
	Khmer
	Hangul
	Kana
	Han
	Thaana
	Syriac
	Cherokee
	Syllabics // of Canada's Aboriginal languages
	Mongolian
	Tifinagh
	OlChiki
	NKo
	Scripts int = iota // how many there are
)

// tables are Unicode's names for them.
var tables = [Scripts]string{
	Latin: "Latin", Arabic: "Arabic", Cyrillic: "Cyrillic", Devanagari: "Devanagari", Hebrew: "Hebrew", Bengali: "Bengali",
	Ethiopic: "Ethiopic", Myanmar: "Myanmar", Tibetan: "Tibetan", Greek: "Greek", Armenian: "Armenian", Georgian: "Georgian",
	Gurmukhi: "Gurmukhi", Gujarati: "Gujarati", Oriya: "Oriya", Tamil: "Tamil", Telugu: "Telugu", Kannada: "Kannada",
	Malayalam: "Malayalam", Sinhala: "Sinhala", Thai: "Thai", Lao: "Lao", Khmer: "Khmer", Hangul: "Hangul", Kana: "Hiragana",
	Han: "Han", Thaana: "Thaana", Syriac: "Syriac", Cherokee: "Cherokee", Syllabics: "Canadian_Aboriginal",
	Mongolian: "Mongolian", Tifinagh: "Tifinagh", OlChiki: "Ol_Chiki", NKo: "Nko",
}

// What fold makes of a letter that is not another letter.
const (
	part = 0 // it separates words
	drop = 1 // it is dropped
)

// direct is how many of the first code points have their folding and script in tables: nearly all alphabets.
const direct = 0x3100

// folded folds letters: capitals to small letters; in Arabic script ي and ى to ی and ك to ک, because keyboards mix
// them; vowel marks, tatweel, joiners and direction marks to nothing.
var folded = func() (t [direct]uint16) {
	for i := range t {
		r := rune(i)
		switch {
		case r == 0x640, 0x64B <= r && r <= 0x652, r == 0x670, r == 0xAD, 0x200B <= r && r <= 0x200F, 0x202A <= r && r <= 0x202E,
			0x2060 <= r && r <= 0x206F, 0x591 <= r && r <= 0x5C7 && unicode.IsMark(r):
			t[i] = drop
		case unicode.IsLetter(r), unicode.IsMark(r):
			if l := unicode.ToLower(r); 0 < l && l < direct {
				t[i] = uint16(l)
			} else {
				t[i] = uint16(r)
			}
		}
	}
	t['ي'], t['ى'], t['ك'] = 'ی', 'ی', 'ک'
	return t
}()

var scripts = func() (t [direct]Script) {
	for s, name := range tables {
		if name == "" {
			continue
		}
		for _, of := range unicode.Scripts[name].R16 {
			for i := int(of.Lo); i <= int(of.Hi) && i < direct; i += int(of.Stride) {
				if folded[i] > drop {
					t[i] = Script(s)
				}
			}
		}
	}
	for r := rune(0x30A0); r < direct; r++ {
		if unicode.Is(unicode.Katakana, r) {
			t[r] = Kana
		}
	}
	return t
}()

// foldHigh returns the folded letter and script of a letter without an entry in the tables. If it stands for several
// letters, they are in more, with script None.
func foldHigh(r rune) (letter rune, s Script, more string) {
	switch {
	case 0x4E00 <= r && r <= 0x9FFF, 0x3400 <= r && r <= 0x4DBF, 0x20000 <= r && r <= 0x3FFFD:
		return r, Han, ""
	case 0xAC00 <= r && r <= 0xD7A3:
		return r, Hangul, ""
	case 0xFB50 <= r && r <= 0xFEFC || 0xFF21 <= r && r <= 0xFFDC:
		if unicode.IsLetter(r) {
			return part, None, norm.NFKC.String(string(r))
		}
		if unicode.IsMark(r) || r == 0xFEFF {
			return drop, None, ""
		}
	case 0xA9E0 <= r && r <= 0xA9FE, 0xAA60 <= r && r <= 0xAA7F:
		return r, Myanmar, ""
	case 0xAB70 <= r && r <= 0xABBF:
		return r, Cherokee, ""
	case 0xA640 <= r && r <= 0xA69F && unicode.IsLetter(r):
		return unicode.ToLower(r), Cyrillic, ""
	case 0xA720 <= r && r <= 0xA7FF && unicode.IsLetter(r):
		return unicode.ToLower(r), Latin, ""
	}
	return part, None, ""
}

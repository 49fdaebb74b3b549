package persian

import (
	"bytes"
	"unicode/utf8"
)

// Stem is the stem of a word that [Words] or [Normalize] gave, in the same memory. It is light: it takes off
//
//   - of verbs the prefixes می and نمی with the personal ending that goes with them;
//   - of others, from the end on: possessive endings behind a non-joiner or a plural; the plural ها; ان where it stands behind
//     an ending that makes words for people; گان for ه and یان behind a vowel; تر and ترین;
//   - non-joiners: what they part is written together as often.
//
// It knows some fifty words that only look inflected. What cannot be told from a part of the word stays: roots of verbs (رو
// and رفت), broken plurals, the ی of the indefinite, ان and possessive endings written to bare nouns (زنان, کتابم).
func Stem(word []byte) []byte {
	if stem, ok := verb(word); ok {
		return joined(stem)
	}
	for {
		before := len(word)
		word = withoutParted(word)
		if len(word) == before {
			break
		}
	}
	word = joined(word)
	if looksInflected(word) {
		return word
	}
	if stem, ok := cut(word, 3, "اند", "اید"); ok && hasEnding(stem, "ه") { // شدهاند
		return stem
	}
	if stem, ok := cut(word, 2, "هایشان", "هایتان", "هایمان", "هایم", "هایت", "هایش", "هایی", "های", "ها"); ok {
		word = stem
		if looksInflected(word) {
			return word
		}
	}
	if stem, ok := cut(word, 3, "گان"); ok {
		return append(stem, "ه"...)
	}
	if stem, ok := cut(word, 4, "ان"); ok && hasEnding(stem, "گر", "مند", "آموز", "کار", "نی", "چی") {
		return stem
	}
	if stem, ok := cut(word, 3, "یان"); ok && hasEnding(stem, "ا", "و") {
		return stem
	}
	if stem, ok := cut(word, 4, "شان"); ok {
		word = stem
	}
	if stem, ok := cut(word, 2, "ترین", "تر"); ok {
		return stem
	}
	return word
}

// verb is what is left of a verb without its prefix and personal ending.
func verb(word []byte) (stem []byte, ok bool) {
	for _, prefix := range []string{"نمی\u200C", "می\u200C"} {
		if stem, ok = bytes.CutPrefix(word, []byte(prefix)); ok {
			stem, _ = withoutPerson(stem)
			return stem, true
		}
	}
	for _, prefix := range []string{"نمی", "می"} {
		if stem, ok = bytes.CutPrefix(word, []byte(prefix)); ok && !looksInflected(word) {
			if bare(stem) {
				return stem, true
			}
			if letters(stem) >= 3 {
				return withoutPerson(stem)
			}
		}
	}
	return nil, false
}

// bare reports whether a verb has no personal ending behind می: the past of he, she and it, and توان.
func bare(verb []byte) bool {
	switch string(verb) {
	case "شد", "زد", "توان":
		return true
	}
	return letters(verb) >= 3 && hasEnding(verb, "ست", "شت", "خت", "فت")
}

// withoutPerson is what is left of a verb without its personal ending.
func withoutPerson(verb []byte) ([]byte, bool) {
	if stem, ok := cut(verb, 2, "د"); ok && hasEnding(stem, "کن", "دان", "توان", "زن", "خوان", "مان", "ران", "رسان", "چین", "بین", "نشین") {
		return stem, true // and no plural in ند
	}
	return cut(verb, 2, "یم", "ید", "ند", "م", "ی", "د")
}

// withoutParted is word without an ending that a non-joiner parts from it.
func withoutParted(word []byte) []byte {
	i := bytes.LastIndex(word, []byte("\u200C"))
	if i < 0 {
		return word
	}
	switch string(word[i+len("\u200C"):]) {
	case "هایشان", "هایتان", "هایمان", "هایم", "هایت", "هایش", "هایی", "های", "ها", "تر", "تری", "ترین", "ترها",
		"م", "ت", "ش", "مان", "تان", "شان", "ام", "ات", "اش", "ایم", "اید", "اند", "ای", "ی":
		return word[:i]
	}
	return word
}

// joined is word without its non-joiners.
func joined(word []byte) []byte {
	i := bytes.Index(word, []byte("\u200C"))
	if i < 0 {
		return word
	}
	out := word[:i]
	for rest := word[i:]; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		if !bytes.HasPrefix(rest, []byte("\u200C")) {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	return out
}

// cut is word without the first of the endings that it has, if at least so many letters stay; the word and false otherwise.
func cut(word []byte, least int, endings ...string) ([]byte, bool) {
	for _, e := range endings {
		if stem, ok := bytes.CutSuffix(word, []byte(e)); ok {
			if letters(stem) >= least {
				return stem, true
			}
		}
	}
	return word, false
}

func hasEnding(word []byte, endings ...string) bool {
	for _, e := range endings {
		if bytes.HasSuffix(word, []byte(e)) {
			return true
		}
	}
	return false
}

func letters(word []byte) int { return utf8.RuneCount(word) }

// looksInflected reports whether a word ends or begins like an inflected one and is not.
func looksInflected(word []byte) bool {
	switch string(word) {
	case "تنها", "بها", "رها", "منها", "اشتها", "انتها", // ها
		"دختر", "دفتر", "بستر", "دکتر", "لیتر", "متر", "تیتر", "تئاتر", "خاکستر", "شتر", "اختر", "کبوتر", "چتر", "فیلتر", "پوستر", // تر
		"هکتر", "تراکتر", "کاراکتر", "ژنراتر", "سانتیمتر", "کیلومتر", "میلیمتر", "هلیکوپتر", "کامپیوتر",
		"توییتر", "پارامتر", "عنتر",
		"رایگان", "بایگان", "بازرگان", "شایگان", "گروگان", // گان
		"نگران", "بیکران", "گرگان", "کهکشان", "آتشفشان", // ان, شان
		"میدان", "میلاد", "میزان", "میراث", "میهن", "میوه", "میکروب", "میانه", "میلیون", "میعاد", "میانجی", "میزبان", "میخانه", "میانگین":
		return true
	}
	return false
}

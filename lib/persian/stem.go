package persian

// This file removes the inflections of Persian words, so that forms of one word can be found together. It keeps no
// state.

import (
	"bytes"
	"unicode/utf8"
)

// Stem returns the stem of a word from [Words] or [Normalize]. It changes the memory of word and returns a part of it.
// It is a light stemmer: it removes only
//
//   - from verbs: the prefixes می and نمی with their personal ending;
//   - from other words: possessive endings after a non-joiner or a plural, and شان after four letters; the plural ها;
//     ان after an ending that makes words for people, such as گر; گان, which becomes ه; یان after ا or و; تر and ترین;
//   - non-joiners, because many people write such words without them.
//
// About fifty words that only look inflected stay whole. Endings stay that are too like the end of a bare word: the
// indefinite ی, ان, and most possessives without a non-joiner (زنان, کتابم). Forms with another root are not joined:
// present and past of verbs (رو and رفت), broken plurals.
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

// verb returns a verb without prefix and personal ending.
func verb(word []byte) (stem []byte, ok bool) {
	for _, prefix := range []string{"نمی\u200C", "می\u200C"} {
		if stem, ok = bytes.CutPrefix(word, []byte(prefix)); ok {
			stem, _ = withoutPerson(stem)
			return stem, true
		}
	}
	for _, prefix := range []string{"نمی", "می"} {
		if stem, ok = bytes.CutPrefix(word, []byte(prefix)); ok && !looksInflected(word) {
			if lacksPerson(stem) {
				return stem, true
			}
			if letters(stem) >= 3 {
				return withoutPerson(stem)
			}
		}
	}
	return nil, false
}

// lacksPerson reports whether what follows می has no personal ending. That is so in the past of he, she or it (میرفت),
// and in میتوان.
func lacksPerson(verb []byte) bool {
	switch string(verb) {
	case "شد", "زد", "توان":
		return true
	}
	return letters(verb) >= 3 && hasEnding(verb, "ست", "شت", "خت", "فت")
}

// withoutPerson returns a verb without its personal ending. ok is false if nothing was removed.
func withoutPerson(verb []byte) ([]byte, bool) {
	if stem, ok := cut(verb, 2, "د"); ok && hasEnding(stem, "کن", "دان", "توان", "زن", "خوان", "مان", "ران", "رسان", "چین", "بین", "نشین") {
		return stem, true // داند is دان and د, not دا and ند
	}
	return cut(verb, 2, "یم", "ید", "ند", "م", "ی", "د")
}

// withoutParted returns word without an ending after a non-joiner.
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

// joined returns word without its non-joiners.
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

// cut removes the first of the endings that word has, if at least that many letters remain; otherwise it returns false.
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

// looksInflected reports whether a word begins or ends like an inflected one but is not.
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

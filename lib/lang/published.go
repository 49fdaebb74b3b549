package lang

// This file tells Persian pages by a published method, for comparison with ours.

import (
	"strings"

	"kavosh/lib/persian"
)

// Stage is a step of the published method.
type Stage string

// The four stages, in their order.
const (
	ByTag       Stage = "tag"
	ByCharset   Stage = "charset"
	ByRange     Stage = "range"
	ByStopwords Stage = "stopwords"
)

// Published says whether a page is Persian by the method of Azimzadeh, Yari and Aleahmad (2009), and which stage
// decided: the language tag if there is one; a charset that cannot encode Persian; text without Arabic letters;
// finally, whether any word is a stopword of lib/persian. One stopword suffices, because they give no threshold.
func Published(p Page) (isPersian bool, by Stage) {
	for _, tag := range p.Tags {
		if tag != "" {
			return Primary(tag) == "fa", ByTag
		}
	}
	switch c := strings.ToLower(p.Charset); {
	case c == "", c == "windows-1256", c == "iso-8859-6", strings.HasPrefix(c, "utf-"):
	default:
		return false, ByCharset
	}
	letters := false
	for _, text := range [...]string{p.Title, p.Text} {
		for w := range persian.Words(text) {
			if w.Text[0] >= 0xD8 && w.Text[0] <= 0xDB {
				letters = true
				if persian.IsStopword(w.Text) {
					return true, ByStopwords
				}
			}
		}
	}
	if !letters {
		return false, ByRange
	}
	return false, ByStopwords
}

// Code returns this package's code for the language of a tag. If the tag names a script for which the language has its
// own code, that one is returned, such as sr-Latn for "sr-Latn-RS".
func Code(tag string) string {
	language := Primary(tag)
	for subtag := range strings.SplitSeq(strings.ReplaceAll(tag, "_", "-"), "-") {
		for _, code := range apart {
			if primary, script, _ := strings.Cut(code, "-"); primary == language && strings.EqualFold(script, strings.TrimSpace(subtag)) {
				return code
			}
		}
	}
	return language
}

// apart are the codes with a script.
var apart = [...]string{"fa-Latn", "ku-Arab", "mn-Mong", "sr-Latn"}

// Primary returns the shortest code of the language that a tag names. Of a list it takes the first, and it knows the
// languages that pages most often name in English.
func Primary(tag string) string {
	tag = strings.ToLower(strings.TrimLeft(tag, " "))
	if end := strings.IndexAny(tag, "-_,; "); end >= 0 {
		tag = tag[:end]
	}
	if code, ok := codes[tag]; ok {
		return code
	}
	return tag
}

// codes are the codes of languages that have a longer, an older or an English name.
var codes = map[string]string{"fas": "fa", "per": "fa", "prs": "fa", "pes": "fa", "ara": "ar", "arb": "ar", "urd": "ur", "eng": "en",
	"iw": "he", "in": "id", "no": "nb", "tl": "fil", "kmr": "ku", "farsi": "fa", "persian": "fa", "arabic": "ar", "english": "en",
	"french": "fr", "german": "de", "russian": "ru", "spanish": "es", "turkish": "tr", "urdu": "ur"}

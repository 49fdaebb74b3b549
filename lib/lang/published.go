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

// Primary returns the shortest code of the language that a tag names.
func Primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	switch tag {
	case "fas", "per", "prs", "pes":
		return "fa"
	case "ara", "arb":
		return "ar"
	case "urd":
		return "ur"
	case "eng":
		return "en"
	case "iw":
		return "he"
	case "in":
		return "id"
	case "no":
		return "nb"
	case "tl":
		return "fil"
	case "kmr":
		return "ku"
	}
	return tag
}

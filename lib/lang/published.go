package lang

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

// Published tells whether a page is Persian as Azimzadeh, Yari and Aleahmad (2009) did, and which stage said so: the language
// tag when there is one; a charset that cannot hold Persian; text without a letter of Arabic script; then whether any word
// is one of the stopwords of package persian. One is enough: no threshold is printed.
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

// Code is the code that this package has for the language that a tag names: with the script where the tag says one that the language
// has a code of its own for, such as sr-Latn for "sr-Latn-RS"; otherwise that of its commoner script.
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

// Primary is the language that a tag names, by the shortest code.
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

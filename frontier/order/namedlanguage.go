package order

// This file tells which language a link names: by its hreflang attribute, or by a part of its URL.

import (
	"slices"
	"strings"

	"kavosh/frontier/scope"
)

// namedLanguage reports which language a link names: 1 for the wanted one, -1 for another, 0 for none. It goes by
// hreflang, or else by the URL. A URL may name a language by a folder or a part of a file's name (/fa/, /fa-IR/,
// index.fa.html, index.html.fa), by a parameter (?lang=fa), or by the first label of its host (fa.example.org). The
// answer may be wrong.
func namedLanguage(url, hreflang, wanted string) float64 {
	wanted = primary(wanted)
	if wanted == "" {
		return 0
	}
	if hreflang != "" && !strings.EqualFold(hreflang, "x-default") {
		return 2*asNumber(primary(hreflang) == wanted) - 1
	}
	p, ok := scope.Split(url)
	if !ok {
		return 0
	}
	found := 0.0
	name := func(tag string) {
		if code := primary(tag); code == wanted {
			found = 1
		} else if found == 0 && isLanguage(tag, code) {
			found = -1
		}
	}
	if label, rest, _ := strings.Cut(p.Name, "."); strings.Contains(rest, ".") {
		name(label)
	}
	folders := segments(p.Path)
	for i, folder := range folders {
		parts := strings.Split(folder, ".")
		if last := len(parts) - 1; i == len(folders)-1 && last > 0 && !strings.HasPrefix(parts[last-1], "htm") {
			parts = parts[:last] // an extension, such as .pl
		}
		for _, part := range parts {
			name(part)
		}
	}
	for parameter := range strings.SplitSeq(p.Query, "&") {
		switch key, value, _ := strings.Cut(parameter, "="); key {
		case "lang", "language", "locale", "hl":
			name(value)
		}
	}
	return found
}

// primary returns the language of a tag such as fa-IR or zh_CN, in lower case.
func primary(tag string) string {
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	return strings.ToLower(tag)
}

// isLanguage reports whether tag, a part of a URL, is a language's code of two letters, alone or with a country or a
// script. code is primary(tag).
func isLanguage(tag, code string) bool {
	if len(code) != 2 || len(tag) != 2 && (len(tag) < 5 || len(tag) > 7) {
		return false
	}
	_, known := slices.BinarySearch(isoLanguages[:], code)
	return known
}

// isoLanguages are the codes of ISO 639-1 that are common on the web, sorted.
var isoLanguages = [...]string{
	"af", "am", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa", "fi", "fr", "ga", "gl", "gu", "he",
	"hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "km", "kn", "ko", "ku", "ky", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "my", "nb", "ne",
	"nl", "nn", "no", "pa", "pl", "ps", "pt", "ro", "ru", "sd", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "tg", "th", "tk", "tl", "tr", "ug", "uk",
	"ur", "uz", "vi", "zh",
}

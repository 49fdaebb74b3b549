package weburl

import "strings"

// Silence is text with a sign in the place of every absolute URL in it that is to be silent. What stands right behind a URL in running
// text, such as a comma, may be part of it or not: it is asked with it and without.
func Silence(text, sign string, silent func(url string) bool) string {
	var out strings.Builder
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		begin := at
		for begin > 0 && isSchemeByte(text[begin-1]) {
			begin--
		}
		end := at + len("://")
		for end < len(text) && text[end] > ' ' && !strings.ContainsRune(`"\<>`, rune(text[end])) {
			end++
		}
		out.WriteString(text[:begin])
		url := text[begin:end]
		bare := strings.TrimRight(url, ".,;:!?)]}'")
		switch {
		case begin == at: // it has no scheme
			out.WriteString(url)
		case silent(url):
			out.WriteString(sign)
		case len(bare) < len(url) && silent(bare):
			out.WriteString(sign + url[len(bare):])
		default:
			out.WriteString(url)
		}
		text = text[end:]
	}
}

func isSchemeByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
}

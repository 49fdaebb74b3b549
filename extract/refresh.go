package extract

import (
	"bytes"

	"kavosh/lib/ascii"
)

// refresh parses the content of <meta http-equiv=refresh> or a Refresh header as browsers do: "5; url='x'", "0;x", "3 ,
// URL = x". ok is false if it is malformed or only reloads the page.
func refresh(content []byte) (seconds int, url []byte, ok bool) {
	s := bytes.TrimLeft(content, " \t\r\n\f")
	i := 0
	for i < len(s) && ascii.IsDigit(s[i]) {
		seconds = min(seconds*10+int(s[i]-'0'), 1<<20)
		i++
	}
	if i == 0 && (len(s) == 0 || s[0] != '.') {
		return 0, nil, false
	}
	for i < len(s) && (ascii.IsDigit(s[i]) || s[i] == '.') {
		i++
	}
	s = s[i:]
	if len(s) == 0 || s[0] != ';' && s[0] != ',' && !ascii.IsSpace(s[0]) {
		return seconds, nil, false
	}
	s = bytes.TrimLeft(s, " \t\r\n\f")
	if len(s) > 0 && (s[0] == ';' || s[0] == ',') {
		s = bytes.TrimLeft(s[1:], " \t\r\n\f")
	}
	url = s
	if len(s) > 3 && ascii.EqualFold(s[:3], "url") {
		if rest := bytes.TrimLeft(s[3:], " \t\r\n\f"); len(rest) > 0 && rest[0] == '=' {
			url = bytes.TrimLeft(rest[1:], " \t\r\n\f")
		}
	}
	if len(url) > 0 && (url[0] == '"' || url[0] == '\'') {
		q := url[0]
		url = url[1:]
		if end := bytes.IndexByte(url, q); end >= 0 {
			url = url[:end]
		}
	}
	return seconds, url, len(url) > 0
}

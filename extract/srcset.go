package extract

import (
	"bytes"

	"kavosh/lib/ascii"
)

// srcset calls yield with each URL of a srcset attribute. By the HTML standard URLs end at white space, not at commas,
// so data: URLs and commas in paths survive. Parentheses in a descriptor are skipped.
func srcset(s []byte, yield func(url []byte)) {
	for i := 0; ; {
		for i < len(s) && (ascii.IsSpace(s[i]) || s[i] == ',') {
			i++
		}
		start := i
		for i < len(s) && !ascii.IsSpace(s[i]) {
			i++
		}
		if i == start {
			return
		}
		url := s[start:i]
		if url[len(url)-1] == ',' { // no descriptor
			yield(bytes.TrimRight(url, ","))
			continue
		}
		yield(url)
		for depth := 0; i < len(s) && (s[i] != ',' || depth > 0); i++ {
			switch s[i] {
			case '(':
				depth++
			case ')':
				depth = max(0, depth-1)
			}
		}
	}
}

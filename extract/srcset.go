package extract

import "bytes"

// srcset calls yield with each URL of a srcset attribute, by the HTML standard's rule: URLs end at white space, not at
// commas, so that data: URLs and commas in paths survive; what stands in a descriptor's parentheses is skipped.
func srcset(s []byte, yield func(url []byte)) {
	for i := 0; ; {
		for i < len(s) && (isSpace(s[i]) || s[i] == ',') {
			i++
		}
		start := i
		for i < len(s) && !isSpace(s[i]) {
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

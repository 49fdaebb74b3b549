package httpwire

// This file parses Link fields.

import (
	"iter"
	"strings"
)

// Parameter is a parameter of a link in a Link field.
type Parameter struct {
	Name  string // in lower case
	Value string // without quotation marks
}

// Links yields the targets in the value of a Link field (RFC 8288), as written, each with its parameters in order:
// <url>; rel="x y"; as=style, <url2>; … It skips anything between links that is not a link.
func Links(value string) iter.Seq2[string, []Parameter] {
	return func(yield func(string, []Parameter) bool) {
		for v := value; ; {
			start := strings.IndexByte(v, '<')
			if start < 0 {
				return
			}
			end := strings.IndexByte(v[start:], '>')
			if end < 0 {
				return
			}
			url := v[start+1 : start+end]
			v = v[start+end+1:]
			var all []Parameter
			for {
				v = strings.TrimLeft(v, " \t")
				if !strings.HasPrefix(v, ";") {
					break
				}
				var p Parameter
				p.Name, p.Value, v = parameter(v[1:])
				all = append(all, p)
			}
			if !yield(url, all) {
				return
			}
		}
	}
}

// parameter reads name=value or name="value" at the start of s, up to the next ';' or ','.
func parameter(s string) (name, value, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 || s[end] != '=' {
		if end < 0 {
			end = len(s)
		}
		return strings.ToLower(strings.TrimSpace(s[:end])), "", s[end:]
	}
	name = strings.ToLower(strings.TrimSpace(s[:end]))
	s = strings.TrimLeft(s[end+1:], " \t")
	if strings.HasPrefix(s, `"`) {
		var b strings.Builder
		for i := 1; i < len(s); i++ {
			switch {
			case s[i] == '\\' && i+1 < len(s):
				i++
				b.WriteByte(s[i])
			case s[i] == '"':
				return name, b.String(), s[i+1:]
			default:
				b.WriteByte(s[i])
			}
		}
		return name, b.String(), ""
	}
	end = strings.IndexAny(s, ";,")
	if end < 0 {
		end = len(s)
	}
	return name, strings.TrimSpace(s[:end]), s[end:]
}

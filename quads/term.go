package quads

// This file writes RDF terms as the text that the store's keys are made of, and reads them again.

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"kavosh/lib/rdf"
)

// appendTerm appends t in canonical N-Quads, and a space. It appends nothing for the zero Term. Terms in this form sort
// like lines of N-Quads, and no term is the beginning of another.
func appendTerm(b []byte, t rdf.Term) []byte {
	if t.Kind == rdf.None {
		return b
	}
	return append(rdf.AppendTerm(b, t), ' ')
}

// cutTerm reads the first term of s, as appendTerm wrote it, and returns what follows its space. ok is false if there
// is none.
func cutTerm(s string) (t rdf.Term, rest string, ok bool) {
	text, rest, ok := cutText(s)
	if !ok {
		return t, s, false
	}
	switch text[0] {
	case '<':
		return rdf.Term{Kind: rdf.IRI, Value: unescape(text[1 : len(text)-1])}, rest, true
	case '_':
		return rdf.Term{Kind: rdf.Blank, Value: text[2:]}, rest, true
	}
	end := strings.LastIndexByte(text, '"')
	t = rdf.Term{Kind: rdf.Literal, Value: unescape(text[1:end])}
	switch tail := text[end+1:]; {
	case strings.HasPrefix(tail, "@"):
		t.Language = tail[1:]
	case strings.HasPrefix(tail, "^^<"):
		t.Datatype = unescape(tail[3 : len(tail)-1])
	}
	return t, rest, true
}

// cutText returns the text of the first term of s without parsing it, and the rest.
func cutText(s string) (text, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	end := 0
	if s[0] == '"' {
		for end = 1; end < len(s) && s[end] != '"'; end++ {
			if s[end] == '\\' {
				end++
			}
		}
	}
	if end >= len(s) {
		return "", s, false
	}
	space := strings.IndexByte(s[end:], ' ')
	if space < 0 {
		return "", s, false
	}
	end += space
	return s[:end], s[end+1:], true
}

// unescape replaces the escapes of N-Triples by what they mean. Anything else stays.
func unescape(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	b := []byte(s[:at])
	for i := at; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'u', 'U':
			digits := 4
			if s[i] == 'U' {
				digits = 8
			}
			var r rune
			if i+digits < len(s) {
				if _, err := fmt.Sscanf(s[i+1:i+1+digits], "%x", &r); err == nil {
					b = utf8.AppendRune(b, r)
					i += digits
					continue
				}
			}
			b = append(b, '\\', s[i])
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

package rewrite

// This file rewrites URLs in the values of some attributes.

import (
	"strings"

	"kavosh/lib/ascii"
)

// srcset rewrites the value of a srcset attribute; it returns false if the value may stay. It splits the value as the
// HTML standard says: a URL ends at white space, or at the commas that end a candidate without descriptor; descriptors
// end at a comma outside parentheses.
func (p *Place) srcset(value string) (string, bool) {
	var out strings.Builder
	changed := false
	for i := 0; i < len(value); {
		start := i
		for i < len(value) && (ascii.IsSpace(value[i]) || value[i] == ',') {
			i++
		}
		out.WriteString(value[start:i])
		start = i
		for i < len(value) && !ascii.IsSpace(value[i]) {
			i++
		}
		ref := value[start:i]
		bare := strings.TrimRight(ref, ",")
		rewritten, ok := p.URL(bare, Image)
		changed = changed || ok
		out.WriteString(rewritten)
		out.WriteString(ref[len(bare):])
		if bare != ref {
			continue
		}
		start = i
		for depth := 0; i < len(value) && (value[i] != ',' || depth > 0); i++ {
			switch value[i] {
			case '(':
				depth++
			case ')':
				depth = max(0, depth-1)
			}
		}
		out.WriteString(value[start:i])
	}
	return out.String(), changed
}

// refresh rewrites the URL in the value of a meta refresh or a Refresh header, such as "5; url=http://b.test/". It
// returns false if the value may stay.
func (p *Place) refresh(value string) (string, bool) {
	i := strings.IndexAny(value, ";,")
	if i < 0 {
		if i = strings.IndexAny(strings.TrimLeft(value, " \t\r\n\f"), " \t\r\n\f"); i < 0 {
			return value, false
		}
		i += len(value) - len(strings.TrimLeft(value, " \t\r\n\f"))
	}
	i++
	for i < len(value) && ascii.IsSpace(value[i]) {
		i++
	}
	if rest := value[i:]; len(rest) > 3 && strings.EqualFold(rest[:3], "url") {
		if after := strings.TrimLeft(rest[3:], " \t\r\n\f"); strings.HasPrefix(after, "=") {
			i = len(value) - len(strings.TrimLeft(after[1:], " \t\r\n\f"))
		}
	}
	ref, tail := value[i:], ""
	if ref != "" && (ref[0] == '"' || ref[0] == '\'') {
		i++
		ref, tail, _ = strings.Cut(ref[1:], ref[:1])
		if i+len(ref) < len(value) {
			tail = value[i+len(ref):]
		}
	}
	rewritten, ok := p.URL(ref, p.links)
	if !ok {
		return value, false
	}
	return value[:i] + rewritten + tail, true
}

// Refresh rewrites the URL in the value of a Refresh header.
func (p *Place) Refresh(value string) string {
	rewritten, _ := p.refresh(value)
	return rewritten
}

// Link rewrites the target of a link that has the given rel and as, like [Place.URL].
func (p *Place) Link(target, rel, as string) (string, bool) {
	rewritten, ok := p.URL(target, relUse(rel, as).modifier())
	return rewritten, ok || !strings.Contains(target, ":")
}

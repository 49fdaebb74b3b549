package rewrite

import "strings"

// srcset is the value of a srcset attribute with its references led into the archive, and false when it may stay.
// It is split as the HTML standard says: a URL ends at white space, or at the commas that end a candidate without
// descriptor; descriptors end at a comma outside parentheses.
func (p *Place) srcset(value string) (string, bool) {
	var out strings.Builder
	changed := false
	for i := 0; i < len(value); {
		start := i
		for i < len(value) && (isSpace(value[i]) || value[i] == ',') {
			i++
		}
		out.WriteString(value[start:i])
		start = i
		for i < len(value) && !isSpace(value[i]) {
			i++
		}
		ref := value[start:i]
		bare := strings.TrimRight(ref, ",")
		led, ok := p.URL(bare, Image)
		changed = changed || ok
		out.WriteString(led)
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

// refresh is the value of a meta refresh, or of a Refresh header, with its reference led into the archive, and false
// when it has none that leads out: "5; url=http://b.test/".
func (p *Place) refresh(value string) (string, bool) {
	i := strings.IndexAny(value, ";,")
	if i < 0 {
		if i = strings.IndexAny(strings.TrimLeft(value, " \t\r\n\f"), " \t\r\n\f"); i < 0 {
			return value, false
		}
		i += len(value) - len(strings.TrimLeft(value, " \t\r\n\f"))
	}
	i++
	for i < len(value) && isSpace(value[i]) {
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
	led, ok := p.URL(ref, p.links)
	if !ok {
		return value, false
	}
	return value[:i] + led + tail, true
}

// Refresh is the value of a Refresh header with its reference led into the archive.
func (p *Place) Refresh(value string) string {
	led, _ := p.refresh(value)
	return led
}

// Link is the target of a link with that rel and as, led into the archive, as URL does.
func (p *Place) Link(target, rel, as string) (string, bool) {
	led, ok := p.URL(target, relUse(rel, as).modifier())
	return led, ok || !strings.Contains(target, ":")
}

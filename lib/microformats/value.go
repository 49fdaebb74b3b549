package microformats

// This file reads the values of microformats' properties.

import (
	"net/url"
	"regexp"
	"strings"

	"kavosh/lib/htmltree"
)

// value returns an element's value as a property of a kind; item is the item that it begins, or nil.
func (r *reader) value(n *htmltree.Node, kind byte, item *Item) Value {
	switch kind {
	case 'u':
		return r.url(n)
	case 'd':
		return Value{Text: r.time(n)}
	case 't':
		return Value{Text: r.tag(n)}
	case 'e':
		markup, _ := r.page.Markup(n, true)
		markup = strings.TrimSpace(markup)
		return Value{Text: r.text(n, true), HTML: &markup}
	}
	if text, ok := r.pattern(n); ok && (item == nil || !item.classic) {
		return Value{Text: text}
	}
	if text, ok := stated(n, "abbr title", "link title", "data value", "input value", "img alt", "area alt"); ok {
		return Value{Text: text}
	}
	return Value{Text: r.text(n, true)}
}

// stated returns the value of the first attribute in the list that an element has; entries name element and attribute.
func stated(n *htmltree.Node, attributes ...string) (value string, ok bool) {
	for _, one := range attributes {
		if element, attribute, _ := strings.Cut(one, " "); element == n.Name {
			if value, ok = n.Get(attribute); ok {
				return value, true
			}
		}
	}
	return "", false
}

func (r *reader) url(n *htmltree.Node) Value {
	v := Value{kind: 'u'}
	text, ok := stated(n, "a href", "area href", "link href", "img src", "audio src", "video src", "source src",
		"iframe src", "video poster", "object data")
	if alt, has := stated(n, "img alt"); ok && has {
		v.Alt = &alt
	}
	if !ok {
		text, ok = r.pattern(n)
	}
	if !ok {
		text, ok = stated(n, "abbr title", "data value", "input value")
	}
	if !ok {
		text = r.text(n, false)
	}
	v.Text = r.resolve(text)
	return v
}

// tag returns the last word in the URL of a tag link.
func (r *reader) tag(n *htmltree.Node) string {
	href, _ := n.Get("href")
	href, _, _ = strings.Cut(r.resolve(href), "?")
	word := strings.TrimRight(href, "/")
	word = word[strings.LastIndexByte(word, '/')+1:]
	if plain, err := url.PathUnescape(word); err == nil {
		return plain
	}
	return word
}

// resolve returns the URL that a text means; the text itself if it is none.
func (r *reader) resolve(text string) string {
	if url, ok := r.page.Resolve(text); ok {
		return url
	}
	return strings.TrimSpace(text)
}

// text returns the text of an element without scripts and styles. A picture becomes its alternative text or, with
// sources, its URL. The text is trimmed; it is "" if the page has been written out too often.
func (r *reader) text(n *htmltree.Node, sources bool) string {
	var b strings.Builder
	var write func(*htmltree.Node) bool
	write = func(n *htmltree.Node) bool {
		before := b.Len()
		switch n.Name {
		case "":
			b.WriteString(n.Text)
		case "script", "style":
			return true
		case "img":
			if alt, ok := n.Get("alt"); ok {
				b.WriteString(alt)
			} else if src, ok := n.Get("src"); ok && sources {
				b.WriteString(" " + r.resolve(src) + " ")
			}
		}
		if !r.page.Spend(n, visitCost+b.Len()-before) {
			return false
		}
		for c := range n.Children() {
			if !write(c) {
				return false
			}
		}
		return true
	}
	for c := range n.Children() {
		if !write(c) {
			return ""
		}
	}
	return strings.TrimSpace(b.String())
}

// parts returns the elements of the value class pattern within n, without those inside other properties or items.
func (r *reader) parts(n *htmltree.Node) (found []*htmltree.Node) {
	var look func(*htmltree.Node)
	look = func(n *htmltree.Node) {
		for c := range n.Children() {
			if c.Name == "" || !r.page.Spend(c, visitCost) {
				continue
			}
			isValue, other := false, false
			for _, class := range r.words(c, "class") {
				isValue = isValue || class == "value" || class == "value-title"
				other = other || propertyName.MatchString(class) || rootName.MatchString(class)
			}
			if isValue {
				found = append(found, c)
			} else if !other {
				look(c)
			}
		}
	}
	look(n)
	return found
}

// part returns the value of one element of the pattern.
func (r *reader) part(n *htmltree.Node) string {
	for _, class := range r.words(n, "class") {
		if class == "value-title" {
			title, _ := n.Get("title")
			return title
		}
	}
	if value, ok := stated(n, "img alt", "area alt", "data value", "abbr title"); ok {
		return value
	}
	if n.Name == "data" || n.Name == "abbr" {
		return r.text(n, false)
	}
	text, _ := r.page.Text(n)
	return text
}

// pattern returns an element's value by the value class pattern: its parts joined. ok is false if it has none.
func (r *reader) pattern(n *htmltree.Node) (text string, ok bool) {
	parts := r.parts(n)
	var b strings.Builder
	for _, part := range parts {
		if said := r.part(part); r.page.Spend(part, len(said)) {
			b.WriteString(said)
		}
	}
	return b.String(), len(parts) > 0
}

// time returns an element's value as a time.
func (r *reader) time(n *htmltree.Node) string {
	if text := r.patternTime(n); text != "" {
		return text
	}
	if text, ok := stated(n, "time datetime", "ins datetime", "del datetime", "abbr title", "data value", "input value"); ok {
		return text
	}
	return r.text(n, true)
}

var (
	dateStart = regexp.MustCompile(`^\d{4}-(?:\d\d-\d\d|\d{3})\b`)
	dateForm  = regexp.MustCompile(`^\d{4}-(?:\d\d-\d\d|\d{3})$`)
	zoneForm  = regexp.MustCompile(`^(?:[zZ]|[+-]\d{1,2}(?::?\d\d)?)$`)
	timeForm  = regexp.MustCompile(`^(\d{1,2})(?::(\d\d))?(?::(\d\d))?\s*([aApP]\.?[mM]\.?)?\s*([zZ]|[+-]\d{1,2}(?::?\d\d)?)?$`)
	bothForm  = regexp.MustCompile(`^(\d{4}-(?:\d\d-\d\d|\d{3}))[tT ](.+)$`)
)

// patternTime joins the date, time and zone in the parts of an element; the first of each counts. It returns "" if
// there are none.
func (r *reader) patternTime(n *htmltree.Node) string {
	var date, clock, zone string
	for _, p := range r.parts(n) {
		text, ok := stated(p, "time datetime", "ins datetime", "del datetime")
		if !ok {
			text = r.part(p)
		}
		text = strings.TrimSpace(text)
		if both := bothForm.FindStringSubmatch(text); both != nil {
			if c, z, ok := clockOf(both[2]); ok && date == "" && clock == "" {
				date, clock, zone = both[1], c, z
			}
			continue
		}
		if dateForm.MatchString(text) {
			if date == "" {
				date = text
			}
			continue
		}
		if zoneForm.MatchString(text) {
			if zone == "" {
				zone = zoneOf(text)
			}
			continue
		}
		if c, z, ok := clockOf(text); ok && clock == "" {
			clock = c
			if zone == "" {
				zone = z
			}
		}
	}
	if date != "" && clock != "" {
		return date + " " + clock + zone
	}
	if clock != "" {
		return clock + zone
	}
	return date
}

// clockOf parses a time of day in the 12 or 24 hour clock. It returns the 24 hour time in its precision, and its zone.
func clockOf(s string) (clock, zone string, ok bool) {
	m := timeForm.FindStringSubmatch(s)
	if m == nil || m[2] == "" && m[4] == "" {
		return "", "", false
	}
	hour, minute := m[1], m[2]
	if len(hour) == 1 {
		hour = "0" + hour
	}
	switch half := strings.ToLower(m[4]); {
	case strings.HasPrefix(half, "p") && hour < "12":
		hour = string([]byte{'1' + (hour[1]-'0'+2)/10 + hour[0] - '0', '0' + (hour[1]-'0'+2)%10})
	case strings.HasPrefix(half, "a") && hour == "12":
		hour = "00"
	}
	if minute == "" {
		minute = "00"
	}
	clock = hour + ":" + minute
	if m[3] != "" {
		clock += ":" + m[3]
	}
	return clock, zoneOf(m[5]), true
}

// zoneOf writes a zone without a colon, as the pattern requires.
func zoneOf(s string) string { return strings.ToUpper(strings.Replace(s, ":", "", 1)) }

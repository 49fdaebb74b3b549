package rdfxml

// This file writes XML literals of RDF in one canonical form.

import (
	"bytes"
	"cmp"
	"slices"
)

// canonical writes the content of an element by Exclusive XML Canonicalization 1.0, with comments and no inclusive
// prefixes: a namespace is declared where it is first used, and again in each element outside that declaration.
type canonical struct {
	out      []byte
	declared []binding
	around   []int // for each open element, how many declarations are around it
}

func (c *canonical) reset() { c.out, c.declared, c.around = c.out[:0], c.declared[:0], c.around[:0] }

// depth returns how many elements are open.
func (c *canonical) depth() int { return len(c.around) }

// add writes one token.
func (c *canonical) add(t token) {
	switch t.kind {
	case startTag:
		c.start(t)
	case endTag:
		c.out = append(append(append(c.out, "</"...), t.name.qualified()...), '>')
		c.declared = c.declared[:c.around[len(c.around)-1]]
		c.around = c.around[:len(c.around)-1]
	case text:
		c.out = appendEscaped(c.out, string(t.text), false)
	case comment:
		c.out = append(append(append(c.out, "<!--"...), t.text...), "-->"...)
	case instruction:
		target, data := t.text, []byte(nil)
		if end := bytes.IndexAny(target, " \t\n"); end >= 0 {
			target, data = target[:end], bytes.TrimLeft(target[end:], " \t\n")
		}
		c.out = append(append(c.out, "<?"...), target...)
		if len(data) > 0 {
			c.out = append(append(c.out, ' '), data...)
		}
		c.out = append(c.out, "?>"...)
	}
}

func (c *canonical) start(t token) {
	c.around = append(c.around, len(c.declared))
	c.out = append(append(c.out, '<'), t.name.qualified()...)
	first := len(c.declared)
	c.declare(t.name)
	for _, a := range t.attributes {
		if a.name.prefix != "" {
			c.declare(a.name)
		}
	}
	added := c.declared[first:]
	slices.SortFunc(added, func(a, b binding) int { return cmp.Compare(a.prefix, b.prefix) })
	for _, b := range added {
		c.out = append(c.out, " xmlns"...)
		if b.prefix != "" {
			c.out = append(append(c.out, ':'), b.prefix...)
		}
		c.value(b.space)
	}
	slices.SortFunc(t.attributes, func(a, b attribute) int {
		return cmp.Or(cmp.Compare(a.name.space, b.name.space), cmp.Compare(a.name.local, b.name.local))
	})
	for _, a := range t.attributes {
		c.out = append(append(c.out, ' '), a.name.qualified()...)
		c.value(a.value)
	}
	c.out = append(c.out, '>')
}

func (c *canonical) value(v string) {
	c.out = append(appendEscaped(append(c.out, `="`...), v, true), '"')
}

// declare declares the prefix of n if necessary.
func (c *canonical) declare(n name) {
	space := ""
	for i := len(c.declared) - 1; i >= 0; i-- {
		if c.declared[i].prefix == n.prefix {
			space = c.declared[i].space
			break
		}
	}
	if space != n.space && n.prefix != "xml" {
		c.declared = append(c.declared, binding{n.prefix, n.space})
	}
}

// appendEscaped appends s in canonical XML, as text or as the value of an attribute.
func appendEscaped(out []byte, s string, attribute bool) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '&':
			out = append(out, "&amp;"...)
		case c == '<':
			out = append(out, "&lt;"...)
		case c == '>' && !attribute:
			out = append(out, "&gt;"...)
		case c == '"' && attribute:
			out = append(out, "&quot;"...)
		case c == '\t' && attribute:
			out = append(out, "&#x9;"...)
		case c == '\n' && attribute:
			out = append(out, "&#xA;"...)
		case c == '\r':
			out = append(out, "&#xD;"...)
		default:
			out = append(out, c)
		}
	}
	return out
}

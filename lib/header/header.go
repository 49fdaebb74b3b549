// Package header holds the named fields of HTTP responses and WARC records, in order and with repeats. Names keep their
// spelling and are compared without regard to ASCII case.
package header

import (
	"slices"
	"strings"

	"kavosh/lib/ascii"
)

// Field is one field: its name as received, its value without surrounding white space.
type Field struct{ Name, Value string }

// Header holds the fields of one head.
type Header []Field

// Get returns the first value of name, or "".
func (h Header) Get(name string) string {
	for i := range h {
		if ascii.EqualFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Has reports whether there is a field with that name.
func (h Header) Has(name string) bool {
	return slices.ContainsFunc(h, func(f Field) bool { return ascii.EqualFold(f.Name, name) })
}

// Values returns all values of name, in order.
func (h Header) Values(name string) []string {
	var vs []string
	for i := range h {
		if ascii.EqualFold(h[i].Name, name) {
			vs = append(vs, h[i].Value)
		}
	}
	return vs
}

// List returns the elements of name, whose values are comma-separated lists and may be repeated, in order. It leaves
// out empty elements.
func (h Header) List(name string) []string {
	var all []string
	for i := range h {
		if !ascii.EqualFold(h[i].Name, name) {
			continue
		}
		for e := range strings.SplitSeq(h[i].Value, ",") {
			if e = strings.TrimSpace(e); e != "" {
				all = append(all, e)
			}
		}
	}
	return all
}

// Add appends a field.
func (h *Header) Add(name, value string) { *h = append(*h, Field{name, value}) }

// Set gives the first field with that name the value and removes its repeats. It appends the field if there is none.
func (h *Header) Set(name, value string) {
	i := slices.IndexFunc(*h, func(f Field) bool { return ascii.EqualFold(f.Name, name) })
	if i < 0 {
		h.Add(name, value)
		return
	}
	(*h)[i].Value = value
	rest := (*h)[i+1:]
	rest.Del(name)
	*h = (*h)[:i+1+len(rest)]
}

// Del removes every field of that name.
func (h *Header) Del(name string) {
	*h = slices.DeleteFunc(*h, func(f Field) bool { return ascii.EqualFold(f.Name, name) })
}

// Clone returns a copy that shares no memory with h.
func (h Header) Clone() Header { return slices.Clone(h) }

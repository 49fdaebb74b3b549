package warc

import "strings"

// Field is one named field of a record's header: the name in its own letters, the value without surrounding white space.
type Field struct{ Name, Value string }

// Header is the named fields of a record, in order, repeats kept. Names are compared without regard to case.
type Header []Field

// Get is the first value of name, "" when there is none.
func (h Header) Get(name string) string {
	for i := range h {
		if equalFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Has reports whether there is a field of that name.
func (h Header) Has(name string) bool {
	for i := range h {
		if equalFold(h[i].Name, name) {
			return true
		}
	}
	return false
}

// Values are all values of name, in order.
func (h Header) Values(name string) []string {
	var vs []string
	for i := range h {
		if equalFold(h[i].Name, name) {
			vs = append(vs, h[i].Value)
		}
	}
	return vs
}

// Add appends a field.
func (h *Header) Add(name, value string) { *h = append(*h, Field{name, value}) }

// Set gives the first field of that name the value and removes its repeats; it appends the field when there is none.
func (h *Header) Set(name, value string) {
	set := false
	kept := (*h)[:0]
	for _, f := range *h {
		if equalFold(f.Name, name) {
			if set {
				continue
			}
			f.Value, set = value, true
		}
		kept = append(kept, f)
	}
	if !set {
		kept = append(kept, Field{name, value})
	}
	*h = kept
}

// Del removes every field of that name.
func (h *Header) Del(name string) {
	kept := (*h)[:0]
	for _, f := range *h {
		if !equalFold(f.Name, name) {
			kept = append(kept, f)
		}
	}
	*h = kept
}

// Clone is a copy that shares no memory with h.
func (h Header) Clone() Header { return append(Header(nil), h...) }

// equalFold compares field names: ASCII alone, so that no Unicode letter folds into one.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// validName reports whether name is a token, as the names of fields must be.
func validName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

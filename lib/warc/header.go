package warc

import (
	"strings"

	"kavosh/lib/header"
)

// Field is one named field of a record's header; Header is all of them, in order, repeats kept.
type (
	Field  = header.Field
	Header = header.Header
)

// validName reports whether name is an RFC 9110 token, as field names must be.
func validName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return name != ""
}

package jsonld

import (
	"bytes"
	"mime"
	"strings"
)

// Relation is that of the Link field which gives plain JSON its context (JSON-LD 1.1, 6.1).
const Relation = "http://www.w3.org/ns/json-ld#context"

// Plain reports whether a document is JSON to which a context may be given by a Link field: not application/ld+json, of which
// that field is to be ignored.
func Plain(contentType string, head []byte) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/json" && (!strings.HasSuffix(kind, "+json") || kind == "application/ld+json") {
		return false
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

package jsonld

import (
	"bytes"
	"mime"
	"strings"
)

// Relation is the relation of a Link field that names the context of plain JSON (JSON-LD 1.1, 6.1).
const Relation = "http://www.w3.org/ns/json-ld#context"

// Plain reports whether a document is JSON that a Link field may give a context. For application/ld+json it must not.
func Plain(contentType string, head []byte) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/json" && (!strings.HasSuffix(kind, "+json") || kind == "application/ld+json") {
		return false
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

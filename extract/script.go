package extract

import (
	"bytes"
	"strings"

	"kavosh/lib/ascii"
)

// This file reads the scripts in HTML.

// script reads the text of a script element by its type.
func (h *htmlReader) script(text []byte) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	t := bytes.ToLower(bytes.TrimSpace(h.attr("type")))
	if kind, _, _ := bytes.Cut(t, []byte(";")); string(bytes.TrimSpace(kind)) == "application/ld+json" && h.opts.Needs.RDF && h.base != nil {
		h.contexts(h.base, text)
	}
	switch {
	case isProgram(t):
		if !h.scan.tag.has("src") { // otherwise browsers ignore it
			h.programCode("code", text)
			readJS(h.reading, h.base, text, "")
		}
	case string(t) == "importmap":
		h.readImportMap(text)
	case string(t) == "speculationrules":
		h.readSpeculationRules(text)
	case isJSON(described{mediaType: string(t)}):
		readJSONFrom(h.reading, h.base, text)
	case strings.HasPrefix(string(t), "text/") && looksLikeMarkup(text): // templates of many kinds
		h.markupInString(text, "template")
	}
}

func (h *htmlReader) handler(at attr) {
	if bytes.IndexByte(at.value, '\'') < 0 && bytes.IndexByte(at.value, '"') < 0 && bytes.IndexByte(at.value, '&') < 0 {
		return // contains no string
	}
	name := bytes.ToLower(at.name[:min(len(at.name), 32)])
	readJS(h.reading, h.base, bytes.Clone(h.unescaped(at.value)), h.text.put(name))
}

func (h *htmlReader) javaScriptURL(code []byte) {
	readJS(h.reading, h.base, bytes.Clone(percentDecoded(code)), "javascript:")
}

// percentDecoded returns s with its percent-encoded bytes decoded.
func percentDecoded(s []byte) []byte {
	if bytes.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && ascii.IsHex(s[i+1]) && ascii.IsHex(s[i+2]) {
			out = append(out, byte(ascii.Hex(s[i+1])<<4|ascii.Hex(s[i+2])))
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return out
}

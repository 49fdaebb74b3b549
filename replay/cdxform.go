package replay

// This file writes the answers of the CDX server API in their formats.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"kavosh/lib/cdx"
)

// cdxForm is an output format of the CDX API.
type cdxForm struct {
	contentType         string
	head, between, tail string
	resume              string // how the resume key is written; %s stands for the key
	rows                bool   // head is a row of its own, so that between follows it
	links               bool   // links to mementos; line is not used
	line                func(b []byte, e *cdx.Entry, fields []string) []byte
}

// cdxFormOf returns the output format of the given name: one of pywb, or of OutbackCDX if outback is true.
func cdxFormOf(name string, fields []string, outback bool) (cdxForm, error) {
	forms := map[string]cdxForm{
		"cdxj": {contentType: "text/x-cdxj", resume: "\n%s\n", line: cdxjLine},
		"json": {contentType: "text/x-ndjson", resume: "{\"resumeKey\": \"%s\"}\n", line: jsonLine},
		"text": {contentType: "text/plain", resume: "\n%s\n", line: func(b []byte, e *cdx.Entry, fields []string) []byte {
			return textLine(b, e, fields, cdxFields())
		}},
		"link": {contentType: "application/link-format", between: ",\n", links: true},
	}
	first := "cdxj"
	if outback {
		first = "text"
		if len(fields) == 0 {
			fields = cdx11()
		}
		names, _ := json.Marshal(fields) // strings cannot fail
		forms = map[string]cdxForm{
			"text": {contentType: "text/plain", resume: "\n%s\n", line: func(b []byte, e *cdx.Entry, fields []string) []byte {
				return textLine(b, e, fields, cdx11())
			}},
			"cdxj":     forms["cdxj"],
			"json":     {contentType: "application/json", head: "[" + string(names), rows: true, between: ",\n", tail: "]\n", resume: ",\n[],\n[\"%s\"]", line: jsonArray},
			"jsondict": {contentType: "application/json", head: "[", between: ",\n", tail: "]\n", resume: ",\n{\"resumeKey\": \"%s\"}", line: jsonDict},
		}
	}
	if name == "" {
		name = first
	}
	f, ok := forms[name]
	if !ok {
		return f, fmt.Errorf("output: %.100q is none of %s", name, map[bool]string{false: "cdxj, json, text, link", true: "text, json, jsondict, cdxj"}[outback])
	}
	return f, nil
}

// cdxFields are the usual fields of an entry, in order.
func cdxFields() []string {
	return []string{"urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename"}
}

// cdx11 are the 11 fields of a CDX file, as OutbackCDX names them.
func cdx11() []string {
	return []string{"urlkey", "timestamp", "url", "mime", "status", "digest", "redirecturl", "robotflags", "length", "offset", "filename"}
}

// textLine appends to b the requested fields of e, separated by spaces; the usual ones if none were requested.
func textLine(b []byte, e *cdx.Entry, fields, usual []string) []byte {
	if len(fields) == 0 {
		fields = usual
	}
	for i, f := range fields {
		if i > 0 {
			b = append(b, ' ')
		}
		v := e.Get(f)
		if v == "" {
			v = "-"
		}
		b = append(b, v...)
	}
	return append(b, '\n')
}

// cdxjLine appends e to b as a line of CDXJ with the requested fields, or with all if none were requested.
func cdxjLine(b []byte, e *cdx.Entry, fields []string) []byte {
	if len(fields) == 0 {
		return e.AppendLine(b)
	}
	var kept []string
	for _, f := range fields {
		if f != "urlkey" && f != "timestamp" {
			kept = append(kept, f)
		}
	}
	return append(object(append(b, e.Key+" "+e.Timestamp+" "...), e, kept), '\n')
}

// jsonLine appends e to b as a JSON object with the requested fields, or with all if none were requested.
func jsonLine(b []byte, e *cdx.Entry, fields []string) []byte {
	if len(fields) == 0 {
		fields = cdxFields()
		for _, f := range e.Extra {
			fields = append(fields, f.Name)
		}
	}
	return append(object(b, e, fields), '\n')
}

// object appends a JSON object of those fields of e that have a value. All values are strings.
func object(b []byte, e *cdx.Entry, fields []string) []byte {
	b = append(b, '{')
	first := true
	for _, f := range fields {
		v := e.Get(f)
		if v == "" {
			continue
		}
		if !first {
			b = append(b, ", "...)
		}
		first = false
		b = append(append(append(b, quoteJSON(f)...), ": "...), quoteJSON(v)...)
	}
	return append(b, '}')
}

// jsonArray appends the fields of e as OutbackCDX writes them: an array of numbers and strings.
func jsonArray(b []byte, e *cdx.Entry, fields []string) []byte {
	return append(outbackFields(append(b, '['), e, fields, false), ']')
}

// jsonDict appends what jsonArray does, as an object with the names of the fields.
func jsonDict(b []byte, e *cdx.Entry, fields []string) []byte {
	return append(outbackFields(append(b, '{'), e, fields, true), '}')
}

func outbackFields(b []byte, e *cdx.Entry, fields []string, named bool) []byte {
	if len(fields) == 0 {
		fields = cdx11()
	}
	first := true
	for _, f := range fields {
		v, number := e.Get(f), false
		switch f {
		case "timestamp", "status", "statuscode", "length", "offset":
			v = cmp.Or(v, "0")
			number = strings.Trim(v, "0123456789") == ""
		}
		if named && v == "" {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		if named {
			b = append(append(b, quoteJSON(f)...), ':')
		}
		if number {
			b = append(b, v...)
		} else {
			b = append(b, quoteJSON(cmp.Or(v, "-"))...)
		}
	}
	return b
}

// quoteJSON returns s as a JSON string.
func quoteJSON(s string) []byte {
	b, _ := json.Marshal(s) // a string cannot fail
	return b
}

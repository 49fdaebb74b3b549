package warc

// This file checks the fields of a WARC header against the standard, for Check.

import (
	"fmt"
	"strings"

	"kavosh/lib/ascii"
)

// typesOf lists the record types in which a field may appear, as the clauses of WARC 1.1 define it; fields not listed
// may appear in any. WARC-Profile is "undefined" outside revisits, which forbids nothing. Fields about a payload may
// appear in types that can have one: WARC 1.0 says that revisits have none, but asks for their payload digest.
var typesOf = map[string]string{
	"WARC-Concurrent-To":        "request response resource metadata revisit",
	"WARC-IP-Address":           "request response resource metadata revisit",
	"WARC-Warcinfo-ID":          "request response resource metadata revisit conversion continuation",
	"WARC-Target-URI":           "request response resource metadata revisit conversion continuation",
	"WARC-Refers-To":            "metadata revisit conversion",
	"WARC-Refers-To-Target-URI": "revisit",
	"WARC-Refers-To-Date":       "revisit",
	"WARC-Filename":             "warcinfo",
	"WARC-Segment-Origin-ID":    "continuation",
	"WARC-Segment-Total-Length": "continuation",

	"WARC-Payload-Digest":          havePayload,
	"WARC-Identified-Payload-Type": havePayload,
}

const havePayload = "response resource request revisit conversion continuation"

// namesRecord holds the fields whose value is a record ID: a URI in angle brackets.
var namesRecord = map[string]bool{"WARC-Concurrent-To": true, "WARC-Refers-To": true, "WARC-Warcinfo-ID": true,
	"WARC-Segment-Origin-ID": true}

// fields checks the values of fields, and whether the record's type may have them.
func (c *checker) fields(rec *Record) {
	kind := rec.Type()
	known := needsTarget[kind] || kind == "warcinfo" || kind == "metadata"
	for _, f := range rec.Header {
		name := usualName(f.Name)
		if types := typesOf[name]; types != "" && known && rec.arc == "" && !strings.Contains(" "+types+" ", " "+kind+" ") {
			c.find(rec.Offset, "field-of-type", fmt.Sprintf("a %s has no %s", kind, name))
		}
		switch {
		case namesRecord[name] && !isID(f.Value):
			c.find(rec.Offset, "uri-field", fmt.Sprintf("%s %.80q is no URI in angle brackets", name, f.Value))
		case (name == "WARC-Profile" || name == "WARC-Refers-To-Target-URI") && !isAbsolute(trimBrackets(f.Value)):
			c.find(rec.Offset, "uri-field", fmt.Sprintf("%s %.80q is no URI", name, f.Value))
		}
	}
	c.segment(rec, kind)
}

func (c *checker) segment(rec *Record, kind string) {
	wrong := func(format string, args ...any) { c.find(rec.Offset, "segment", fmt.Sprintf(format, args...)) }
	text := rec.Header.Get("WARC-Segment-Number")
	number, ok := parseLength(text)
	switch {
	case text == "" && kind == "continuation":
		wrong("a continuation without WARC-Segment-Number")
	case text == "":
	case !ok || number == 0:
		wrong("WARC-Segment-Number %.80q is no number from 1 on", text)
	case kind == "continuation" && number == 1:
		wrong("a continuation is segment 2 or a later one, not 1")
	case kind != "continuation" && number > 1:
		wrong("segment %d is a %s, where it must be a continuation", number, kind)
	}
	if kind == "continuation" && !rec.Header.Has("WARC-Segment-Origin-ID") {
		wrong("a continuation without WARC-Segment-Origin-ID")
	}
	if total := rec.Header.Get("WARC-Segment-Total-Length"); total != "" {
		if n, ok := parseLength(total); !ok || n < rec.Size {
			wrong("WARC-Segment-Total-Length %.80q is less than this segment has, or no number", total)
		}
	}
}

// isID reports whether a value is a URI in angle brackets.
func isID(s string) bool { return trimBrackets(s) != s && isAbsolute(trimBrackets(s)) }

// isAbsolute reports whether uri begins with a scheme and has something after it.
func isAbsolute(uri string) bool {
	scheme, rest, ok := strings.Cut(uri, ":")
	for i := range len(scheme) {
		c := ascii.Lower(scheme[i])
		if !('a' <= c && c <= 'z' || i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return ok && scheme != "" && rest != "" && !strings.ContainsAny(uri, " <>")
}

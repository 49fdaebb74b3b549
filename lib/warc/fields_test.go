package warc

import (
	"fmt"
	"strings"
	"testing"
)

// Each rule of the standard about a field's value, or about which records have it: nothing passes a strict check that the
// standard forbids, and what it allows passes.
func TestFieldsByType(t *testing.T) {
	const id, uri = "<urn:uuid:0f5c1d8e-0000-4000-8000-000000000000>", "http://example.com/"
	make := func(kind string, fields ...string) string {
		r := makeRecord(kind, "", "text/plain", "x")
		if kind != "warcinfo" && !strings.Contains(strings.Join(fields, ""), "WARC-Target-URI") {
			r.header.Add("WARC-Target-URI", uri)
		}
		for i := 0; i < len(fields); i += 2 {
			r.header.Add(fields[i], fields[i+1])
		}
		return text(t, r)
	}
	types := strings.Fields("warcinfo response resource request metadata revisit conversion continuation")
	for _, c := range []struct{ field, value, forbidden string }{ // by the clauses of the fields in WARC 1.1
		{"WARC-Concurrent-To", id, "warcinfo conversion continuation"},
		{"WARC-IP-Address", "192.0.2.1", "warcinfo conversion continuation"},
		{"WARC-Warcinfo-ID", id, "warcinfo"},
		{"WARC-Target-URI", uri, "warcinfo"},
		{"WARC-Refers-To", id, "warcinfo response resource request continuation"},
		{"WARC-Refers-To-Target-URI", uri, "warcinfo response resource request metadata conversion continuation"},
		{"WARC-Refers-To-Date", "2026-01-31T12:00:00Z", "warcinfo response resource request metadata conversion continuation"},
		{"WARC-Filename", "a.warc", "response resource request metadata revisit conversion continuation"},
		{"WARC-Segment-Origin-ID", id, "warcinfo response resource request metadata revisit conversion"},
		{"WARC-Segment-Total-Length", "10", "warcinfo response resource request metadata revisit conversion"},
		{"WARC-Payload-Digest", "sha1:FTBLJZ4KVNV6RXFZPBKVN35RRH6CIZ6B", "warcinfo metadata"},
		{"WARC-Identified-Payload-Type", "text/plain", "warcinfo metadata"},
		{"WARC-Truncated", "length", ""},
	} {
		for _, kind := range types {
			got, _ := found(t, true, make(kind, c.field, c.value))
			if forbidden := strings.Contains(" "+c.forbidden+" ", " "+kind+" "); forbidden != strings.Contains(got, "error field-of-type") {
				t.Errorf("%s in a %s: %q", c.field, kind, got)
			}
		}
	}
	for _, c := range []struct{ kind, field, value, want string }{
		{"metadata", "WARC-Concurrent-To", "nonsense", "uri-field"},
		{"metadata", "WARC-Concurrent-To", "urn:uuid:1", "uri-field"},
		{"metadata", "WARC-Concurrent-To", id, ""},
		{"metadata", "WARC-Refers-To", "<nonsense>", "uri-field"},
		{"metadata", "WARC-Warcinfo-ID", "<>", "uri-field"},
		{"resource", "WARC-Target-URI", "/a/b", "target-uri"},
		{"resource", "WARC-Target-URI", "example.com", "target-uri"},
		{"resource", "WARC-Target-URI", "//example.com/", "target-uri"},
		{"resource", "WARC-Target-URI", "dns:example.com", ""},
		{"resource", "WARC-Target-URI", "urn:pageinfo:http://a/", ""},
		{"resource", "WARC-Segment-Number", "1", ""},
		{"resource", "WARC-Segment-Number", "2", "segment"},
		{"resource", "WARC-Segment-Number", "0", "segment"},
		{"resource", "WARC-Segment-Number", "one", "segment"},
		{"resource", "WARC-Profile", "identical", "uri-field"},
		{"resource", "WARC-Identified-Payload-Type", "text", "media-type"},
		{"resource", "WARC-Identified-Payload-Type", "text/plain; charset=utf 8", "media-type"},
		{"resource", "WARC-Identified-Payload-Type", "text/plain;charset=utf-8", ""},
		{"continuation", "", "", "segment, segment"},
		{"continuation", "WARC-Segment-Number", "2", "segment"},
		{"continuation", "WARC-Segment-Origin-ID", id, "segment"},
		{"continuation", "WARC-Segment-Number", "1", "segment, segment"},
	} {
		fields := []string{c.field, c.value}
		if c.field == "" {
			fields = nil
		}
		got, _ := found(t, true, make(c.kind, fields...))
		if got = strings.ReplaceAll(got, "error ", ""); got != c.want {
			t.Errorf("%s: %s: %s is said to be %q, want %q", c.kind, c.field, c.value, got, c.want)
		}
	}
	if got, _ := found(t, true, make("continuation", "WARC-Segment-Number", "2", "WARC-Segment-Origin-ID", id, "WARC-Segment-Total-Length", "20")); got != "" {
		t.Errorf("a continuation as it should be: %s", got)
	}
}

func TestWhatTheGrammarLeavesFree(t *testing.T) {
	record := sample()[5]
	for _, edits := range [][]string{
		{"WARC/1.1", "warc/1.1"}, {"WARC/1.1", "Warc/1.1"}, {"WARC/1.1", "warc/1.0", "T12:00:00.123456Z", "t12:00:00z"}, {"T12:00:00.123456Z", "t12:00:00.123456z"},
	} {
		if got, sum := found(t, true, text(t, record, edits...), text(t, sample()[6])); got != "" || sum.Records != 2 {
			t.Errorf("%q: %s, %+v", edits, got, sum)
		}
	}
}

func TestURIsThatEndInAVersion(t *testing.T) {
	for _, uri := range []string{"http://example.com/WARC/1.0", "http://example.com/warc/1.1"} {
		if got, sum := found(t, true, text(t, makeRecord("resource", uri, "text/plain", "x"))); got != "" || sum.Sound != 1 {
			t.Errorf("%s: %s, %+v", uri, got, sum)
		}
	}
}

func TestAllDuplicatesAreNamed(t *testing.T) {
	twice := ""
	for _, name := range []string{"WARC-Date", "WARC-Type", "Content-Type"} {
		twice += fmt.Sprintf("%s: %s\r\n", name, sample()[5].header.Get(name))
	}
	got, _ := found(t, true, text(t, sample()[5], "WARC-Type:", twice+"WARC-Type:"))
	if want := "error duplicate-field, error duplicate-field, error duplicate-field"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestARCsWithOddBeginnings(t *testing.T) {
	whole := arcFile(1)
	at := strings.Index(whole, "http://")
	if got, sum := found(t, true, strings.Replace(whole[at:], "/a b ", "/ab ", 1)); got != "error arc-version" || sum.Records != 2 {
		t.Errorf("without a version block: %s, %+v", got, sum)
	}
	for _, first := range []string{"filedesc://a.arc 20010203040506 text/plain 10\n", "filedesc:\n", "1 0 InternetArchive\n", "\x00\x00", "filedesc://a.arc 0.0.0.0 - text/plain 75\n"} {
		_, sum := found(t, true, first+whole[strings.IndexByte(whole, '\n')+1:])
		if sum.Records != 2 {
			t.Errorf("behind %q are %d records, want 2", first, sum.Records)
		}
	}
}

package cdx

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestLineAsPywbWritesIt(t *testing.T) {
	const line = `com,example)/?example=1 20140103030321 {"url": "http://example.com?example=1", "mime": "text/html", "status": "200", "digest": "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", "length": "1043", "offset": "333", "filename": "example.warc.gz"}` + "\n"
	e, err := ParseLine([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	want := Entry{
		Key: "com,example)/?example=1", Timestamp: "20140103030321", URL: "http://example.com?example=1", MIME: "text/html", Status: 200,
		Digest: "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A", Length: 1043, Offset: 333, Filename: "example.warc.gz",
	}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("ParseLine = %+v, want %+v", e, want)
	}
	if got := string(e.AppendLine(nil)); got != line {
		t.Errorf("AppendLine = %s, want %s", got, line)
	}
}

func TestUnknownFieldsAreKept(t *testing.T) {
	const line = `org,a)/ 20200101000000 {"zeta": 1.50, "url": "http://a.org/", "status": 404, "offset": 7, "filename": "x", "method": "POST", "list": [1, "two"]}`
	e, err := ParseLine([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if e.Status != 404 || e.Offset != 7 || e.Get("method") != "POST" || e.Get("zeta") != "1.50" {
		t.Errorf("ParseLine = %+v", e)
	}
	const want = `org,a)/ 20200101000000 {"url": "http://a.org/", "status": "404", "offset": "7", "filename": "x", "list": [1, "two"], "method": "POST", "zeta": 1.50}` + "\n"
	if got := string(e.AppendLine(nil)); got != want {
		t.Errorf("AppendLine = %s, want %s", got, want)
	}
}

func TestFieldsOfOldCDX(t *testing.T) {
	full := Entry{Key: "com,example)/", Timestamp: "20140103030321", URL: "http://example.com/", MIME: "text/html", Status: 200, Digest: "B2LT", Length: 1043, Offset: 333, Filename: "e.warc.gz"}
	noLength := full
	noLength.Length = 0
	public := full
	public.Offset, public.Filename = 0, ""
	for _, c := range []struct {
		line string
		want Entry
	}{
		{"com,example)/ 20140103030321 http://example.com/ text/html 200 B2LT - - 1043 333 e.warc.gz", full},
		{"com,example)/ 20140103030321 http://example.com/ text/html 200 B2LT - - 333 e.warc.gz", noLength},
		{"com,example)/ 20140103030321 http://example.com/ text/html 200 B2LT - 333 e.warc.gz", noLength},
		{"com,example)/ 20140103030321 http://example.com/ text/html 200 B2LT 1043\r\n", public},
		{"com,example)/ 20140103030321 http://example.com/ - - - - - - 333 e.warc.gz", Entry{Key: full.Key, Timestamp: full.Timestamp, URL: full.URL, Offset: 333, Filename: "e.warc.gz"}},
	} {
		e, err := ParseLine([]byte(c.line))
		if err != nil || !reflect.DeepEqual(e, c.want) {
			t.Errorf("ParseLine(%q) = %+v, %v", c.line, e, err)
		}
	}
}

func TestNoLine(t *testing.T) {
	for _, line := range []string{
		"", "\n", " CDX N b a m s k r M S V g", "key", "key 2014", "key time {}", `key 2014 {"url"`, `key 2014 []`, "key 2014 a b c d", " 2014 {}",
		"!meta 0 {\"format\": \"cdxj-gzip-1.0\"", strings.Repeat("x", 500),
	} {
		if e, err := ParseLine([]byte(line)); err == nil {
			t.Errorf("ParseLine(%q) = %+v, want an error", line, e)
		} else if len(err.Error()) > 300 {
			t.Errorf("ParseLine(%q): the error is long: %v", line, err)
		}
	}
}

func TestStringsStayASCII(t *testing.T) {
	e := Entry{Key: "ir,xn--mgba)/", Timestamp: "20200101000000", URL: "http://ir/\"فا\\\x00\x7f\n\t😀", Filename: "a"}
	line := e.AppendLine(nil)
	for _, c := range line[:len(line)-1] {
		if c < ' ' || c > '~' {
			t.Fatalf("byte %#x in %s", c, line)
		}
	}
	back, err := ParseLine(line)
	if err != nil || back.URL != e.URL {
		t.Errorf("ParseLine(%s) = %q, %v", line, back.URL, err)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`com,example)/ 20140103030321 {"url": "http://example.com/", "status": "200", "offset": "1", "filename": "f", "x": {"y": [1]}}`))
	f.Add([]byte("com,example)/ 20140103030321 http://example.com/ text/html 200 B2LT - - 1043 333 e.warc.gz"))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := ParseLine(line)
		if err != nil {
			return
		}
		var slow Entry
		if i := bytes.IndexByte(line, '{'); i > 0 && slow.parseJSON(bytes.TrimRight(line[i:], "\r\n ")) == nil {
			slow.Key, slow.Timestamp = e.Key, e.Timestamp
			if !reflect.DeepEqual(slow, e) {
				t.Fatalf("%q: %+v, by encoding/json %+v", line, e, slow)
			}
		}
		again, err := ParseLine(e.AppendLine(nil))
		if err != nil {
			t.Fatalf("%q → %q: %v", line, e.AppendLine(nil), err)
		}
		if !reflect.DeepEqual(again, e) {
			t.Fatalf("%q: %+v, written and read again %+v", line, e, again)
		}
	})
}

package export

import (
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/lib/cdx"
)

// With a closed record goes what says that it belongs to it, or is of the same moment, and what the record says that it
// belongs to; all else is packed. A page with two captures is listed once.
func TestWhatBelongsToClosedRecords(t *testing.T) {
	s := &shelf{t: t, fs: vfs.NewMem()}
	put := func(typ, id, url, block, of string) {
		s.second++
		if of == "" {
			s.put(typ, id, url, block)
		} else {
			s.put(typ, id, url, block, "WARC-Concurrent-To", "<urn:uuid:"+of+">")
		}
	}
	put("request", "1", "http://b.test/1", "GET /before HTTP/1.1\r\n\r\n", "")
	put("response", "2", "http://closed.test/", page("closed words"), "1")
	put("metadata", "3", "http://b.test/1", "a note about the response", "2")
	put("metadata", "4", "http://b.test/1", "a note about the request", "1")
	put("metadata", "5", "http://b.test/1", "a note about all", "")
	put("response", "6", "http://a.test/", page("open words"), "")
	put("request", "7", "http://a.test/", "GET /after HTTP/1.1\r\n\r\n", "6")
	put("response", "8", "http://a.test/", page("open words again"), "")
	s.end("one.warc.gz")
	counts, f, text := s.pack(func(e *cdx.Entry) bool { return strings.Contains(e.URL, "closed.test") }, "http://closed.test/")
	wants(t, text, "!/before", "!closed words", "!about the response", "!about the request", "about all", "open words", "/after", "open words again")
	if counts.LeftOut != 4 || counts.Captures != 2 || counts.Pages != 1 {
		t.Errorf("%+v", counts)
	}
	for p, err := range f.Pages() {
		if err != nil || p.URL != "http://a.test/" || p.ID != "1" {
			t.Errorf("listed: %+v, %v", p, err)
		}
	}
}

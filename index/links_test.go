package index

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/internal/journal"
	"kavosh/lib/cdx"
)

// Who links to a URL is told, each page once, after the index was opened again and when a crash made it take links twice.
func TestLinks(t *testing.T) {
	fs := vfs.NewMem()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	page := &kavosh.Page{Links: []kavosh.Link{
		{URL: "http://b.test/", Kind: kavosh.Navigation, Anchor: strings.Repeat("دو", 200)}, {URL: "http://b.test/", Kind: kavosh.Embed},
		{URL: "http://a.test/1", Kind: kavosh.Navigation}, {URL: "http://b.test/guess", Kind: kavosh.Speculative},
		{URL: "mailto:a@b.test", Kind: kavosh.Navigation}, {URL: "http://b.test/" + strings.Repeat("x", maxLinkURL), Kind: kavosh.Navigation},
	}}
	captures := []kavosh.Capture{
		{URL: "http://a.test/1", Time: at, File: "a.warc.gz", Digest: "sha256:A"}, {URL: "http://a.test/2", Time: at, File: "a.warc.gz", Offset: 99},
		{URL: "http://a.test/3", Time: at.Add(time.Hour), File: "a.warc.gz", Offset: 199, Location: "//B.test/"},
	}
	add := func(commit bool) {
		t.Helper()
		l, err := OpenLinks(fs, "links")
		if err != nil {
			t.Fatal(err)
		}
		for i := range captures {
			p := page
			if captures[i].Location != "" {
				p = nil
			}
			if err := l.Add(&captures[i], p); err != nil {
				t.Fatal(err)
			}
		}
		if commit {
			err = l.Commit(journal.At(1, 200))
		} else {
			err = l.index.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add(false) // and then a crash
	add(true)
	l, err := OpenLinks(fs, "links")
	if err != nil || !l.Cursor().Equal(journal.At(1, 200)) {
		t.Fatal(l.Cursor(), err)
	}
	live, got := LiveLinks(fs, "links"), ""
	for e, err := range live.Query(t.Context(), cdx.Query{URL: "https://www.b.test", MatchType: cdx.Host, Reverse: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got += e.Timestamp + " " + e.Get(LinkSource) + " " + e.MIME + " " + e.Digest + "\n"
		if e.URL != "http://b.test/" || len(e.Get(LinkAnchor)) > maxAnchor {
			t.Errorf("%+v", e)
		}
	}
	want := "20260102040405 http://a.test/3 redirect \n20260102030405 http://a.test/2 navigation \n20260102030405 http://a.test/1 navigation sha256:A\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if err := l.Reset(1); err != nil {
		t.Fatal(err)
	}
	for range live.Query(t.Context(), cdx.Query{URL: "*"}) {
		t.Fatal("links are left")
	}
}

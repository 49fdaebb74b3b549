package change

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"kavosh/internal/records"
	"kavosh/lib/cdx"
	"kavosh/lib/weburl"
)

// lines is an index: each line is a crawl, a URL, a status, a media type, a digest.
type lines string

func (l lines) Query(context.Context, cdx.Query) iter.Seq2[cdx.Entry, error] {
	return func(yield func(cdx.Entry, error) bool) {
		for line := range strings.Lines(string(l)) {
			f := strings.Fields(line)
			e := cdx.Entry{Filename: f[0], URL: f[1], Key: weburl.SURT(f[1]), MIME: f[3], Digest: strings.TrimPrefix(f[4], "-")}
			fmt.Sscan(f[2], &e.Status)
			if !yield(e, nil) {
				return
			}
		}
	}
}

var _ records.Index = lines("")

// Each page has one fate; URLs that are one to the index stay apart, and what is no page has none.
func TestPairs(t *testing.T) {
	of := func(crawl string) func(*cdx.Entry) bool {
		return func(e *cdx.Entry) bool { return e.Filename == crawl }
	}
	var got []string
	for p, err := range Pairs(t.Context(), lines(`1 http://a.test/ 200 text/html sha1:A
1 https://a.test/ 200 text/html sha1:A
2 http://a.test/ 200 warc/revisit -
2 https://a.test/ 301 text/html sha1:M
1 http://a.test/changed 200 text/html sha1:B
1 http://a.test/changed 200 text/html sha1:C
2 http://a.test/changed 200 text/html sha1:B
1 http://a.test/gone 200 text/html sha1:D
2 http://a.test/gone 410 text/html sha1:E
1 http://a.test/left 200 text/html sha1:F
3 http://a.test/left 200 text/html sha1:F
2 http://a.test/new 200 application/xhtml+xml sha1:G
1 http://a.test/picture 200 image/png sha1:H
2 http://a.test/picture 200 warc/revisit sha1:H
1 http://a.test/same 200 text/html sha1:I
2 http://a.test/same 200 text/html sha1:I
1 http://a.test/was-lost 404 text/html sha1:J
2 http://a.test/was-lost 200 text/html sha1:K
`), of("1"), of("2")) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(p.Fate)+" "+p.URL)
	}
	want := []string{"unchanged http://a.test/", "gone https://a.test/", "changed http://a.test/changed", "gone http://a.test/gone", "not-asked http://a.test/left",
		"new http://a.test/new", "unchanged http://a.test/same", "new http://a.test/was-lost"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A list holds no more pages than were asked for, those that changed most first, however many there are.
func TestListIsBounded(t *testing.T) {
	var index strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&index, "1 http://a.test/%03d 200 text/html sha1:A\n2 http://a.test/%03d 200 text/html sha1:B\n2 http://a.test/%03d/new 200 text/html sha1:B\n", i, i, i)
	}
	of := func(crawl string) func(*cdx.Entry) bool {
		return func(e *cdx.Entry) bool { return e.Filename == crawl }
	}
	l := Lister{Records: &records.Records{Index: lines(index.String())}, Offset: 10, Limit: 5,
		Compare: func(_ context.Context, old, _ *cdx.Entry) (*Report, error) {
			var n int
			fmt.Sscanf(old.URL, "http://a.test/%d", &n)
			return &Report{Importance: Importance{Weighed: float64(n*7%1000) / 1000}, Operations: make([]Operation, n%2)}, nil
		}}
	list, err := l.List(t.Context(), of("1"), of("2"))
	if err != nil {
		t.Fatal(err)
	}
	if list.Changed != 500 || list.Unchanged != 500 || list.Unseen != 500 || list.New != 1000 {
		t.Errorf("%+v", list.Tally)
	}
	if len(list.Changes) != 5 || list.Changes[0].Importance != 0.979 || list.Changes[4].Importance != 0.971 || len(list.News) != 5 || cap(list.News) > 64 {
		t.Errorf("%+v, %d new", list.Changes, len(list.News))
	}
}

package cdx

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
)

func TestRange(t *testing.T) {
	for _, c := range []struct {
		url      string
		match    Match
		from, to string
	}{
		{"http://example.com/path/file.html", Exact, "com,example)/path/file.html ", "com,example)/path/file.html!"},
		{"http://example.com/path/file.html", Prefix, "com,example)/path/file.html", "com,example)/path/file.htmm"},
		{"http://example.com/path/", Prefix, "com,example)/path/", "com,example)/path0"},
		{"http://example.com/path?", Prefix, "com,example)/path?", "com,example)/path@"},
		{"http://example.com/path/file.html", Host, "com,example)/", "com,example*"},
		{"http://example.com/path/file.html", Domain, "com,example)/", "com,example-"},
		{"com", Domain, "com,", "com-"},
		{"*.example.com", "", "com,example)/", "com,example-"},
		{"http://example.com/path/*", "", "com,example)/path/", "com,example)/path0"},
		{"example.com", "", "com,example)/ ", "com,example)/!"},
	} {
		q := Query{URL: c.url, MatchType: c.match}
		from, to, err := q.Range()
		if err != nil || from != c.from || to != c.to {
			t.Errorf("%s %s: %q to %q, %v; want %q to %q", c.url, c.match, from, to, err, c.from, c.to)
		}
	}
}

func TestWrongQueriesAreNamed(t *testing.T) {
	for _, c := range []struct {
		q    Query
		says string
	}{
		{Query{}, "url"},
		{Query{URL: "a.com", MatchType: "blah"}, "blah"},
		{Query{URL: "a.com", From: "20xx"}, "20xx"},
		{Query{URL: "a.com", Collapse: "digest:x"}, "digest:x"},
		{Query{URL: "a.com", After: "anything"}, "anything"},
		{Query{URL: "a.com", Filters: []string{"~url:("}}, "~url:("},
	} {
		if _, _, err := c.q.Range(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: error %v does not say %q", c.q, err, c.says)
		}
	}
	bad := Query{URL: "a", Filters: []string{"~("}}
	for _, err := range bad.Answer(captures) {
		if err == nil {
			t.Error("Apply hides a bad filter")
		}
	}
}

// captures is an index of one page.
func captures(q Query) iter.Seq2[Entry, error] {
	var entries []Entry
	for i, c := range []struct {
		at     string
		status int
		mime   string
	}{
		{"20130106000000", 200, "text/html"}, {"20130106010000", 200, "text/html"}, {"20130106013000", 404, "text/html"},
		{"20130107000000", 200, "warc/revisit"}, {"20140101000000", 200, "text/plain"}, {"20151231235959", 301, ""},
	} {
		entries = append(entries, Entry{Key: "a,b)/", Timestamp: c.at, URL: "http://b.a/", MIME: c.mime, Status: c.status, Offset: int64(i), Filename: "f"})
	}
	return ranged(entries)(q)
}

// ranged is the source of sorted entries.
func ranged(entries []Entry) Source {
	return func(q Query) iter.Seq2[Entry, error] {
		from, to, err := q.Range()
		if err != nil {
			return func(yield func(Entry, error) bool) { yield(Entry{}, err) }
		}
		return Search(entries, from, to, q.Reverse)
	}
}

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		name string
		q    Query
		want []int64
	}{
		{"all", Query{}, []int64{0, 1, 2, 3, 4, 5}},
		{"a year", Query{From: "2013", To: "2013"}, []int64{0, 1, 2, 3}},
		{"from", Query{From: "20140101"}, []int64{4, 5}},
		{"to, inclusive", Query{To: "20140101000000"}, []int64{0, 1, 2, 3, 4}},
		{"limit", Query{Limit: 2}, []int64{0, 1}},
		{"reverse", Query{Reverse: true}, []int64{5, 4, 3, 2, 1, 0}},
		{"the last two", Query{Reverse: true, Limit: 2}, []int64{5, 4}},
		{"closest", Query{Closest: "20130106012500"}, []int64{2, 1, 0, 3, 4, 5}},
		{"the closest two", Query{Closest: "2016", Limit: 2}, []int64{5, 4}},
		{"closest, a tie: the earlier first", Query{Closest: "20130106003000", Limit: 2}, []int64{0, 1}},
		{"contains", Query{Filters: []string{"mime:html"}}, []int64{0, 1, 2}},
		{"exact", Query{Filters: []string{"=status:200"}}, []int64{0, 1, 3, 4}},
		{"not exact", Query{Filters: []string{"!=status:200"}}, []int64{2, 5}},
		{"begins with a match", Query{Filters: []string{"~mime:text/(h|p)"}}, []int64{0, 1, 2, 4}},
		{"a match further on does not count", Query{Filters: []string{"~mime:html"}}, nil},
		{"no match", Query{Filters: []string{"!~status:[23].."}}, []int64{2}},
		{"two filters", Query{Filters: []string{"=status:200", "!mime:revisit"}}, []int64{0, 1, 4}},
		{"older name", Query{Filters: []string{"=statuscode:404"}}, []int64{2}},
		{"the whole line", Query{Filters: []string{`"404"`}}, []int64{2}},
		{"collapse to hours", Query{CollapseTime: 10}, []int64{0, 1, 2, 3, 4, 5}},
		{"collapse to days: the status counts too", Query{CollapseTime: 8}, []int64{0, 2, 3, 4, 5}},
		{"collapse to a field", Query{Collapse: "mime"}, []int64{0, 3, 4, 5}},
		{"collapse to a part of a field", Query{Collapse: "mime:5"}, []int64{0, 3, 4, 5}},
		{"collapse to the last", Query{Collapse: "timestamp:4", CollapseLast: true}, []int64{3, 4, 5}},
		{"collapse, the last first", Query{Collapse: "timestamp:4", Reverse: true}, []int64{5, 4, 0}},
		{"collapse to the last, the last first", Query{Collapse: "timestamp:4", CollapseLast: true, Reverse: true}, []int64{5, 4, 3}},
		{"closest of a year", Query{Closest: "2016", From: "2013", To: "2013", Limit: 1}, []int64{3}},
		{"collapse to years", Query{CollapseTime: 4, Filters: []string{"=status:200"}}, []int64{0, 4}},
	} {
		c.q.URL = "http://b.a/"
		for _, match := range []Match{Exact, Host} { // one is read from where it matters, the other as a whole
			c.q.MatchType = match
			var got []int64
			for e, err := range c.q.Answer(captures) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Offset)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %v, want %v", c.name, match, got, c.want)
			}
		}
	}
}

// Pages of an answer, one after the other, are the answer, although several captures are of one second.
func TestPagesAreTheWhole(t *testing.T) {
	var entries []Entry
	for i := range 200 {
		entries = append(entries, Entry{Key: fmt.Sprintf("a,b)/%d", i/50), Timestamp: fmt.Sprint(20200101000000 + i/7), URL: "http://b.a/", Status: 200 + i%3, Offset: int64(i)})
	}
	for _, q := range []Query{
		{URL: "*"}, {URL: "*", Reverse: true}, {URL: "http://b.a/2"}, {URL: "b.a/*", Filters: []string{"=status:201"}}, {URL: "*", CollapseTime: 13},
		{URL: "*", Collapse: "timestamp:13", Reverse: true}, {URL: "*", Collapse: "urlkey", CollapseLast: true},
	} {
		var whole, paged []int64
		for e := range q.Answer(ranged(entries)) {
			whole = append(whole, e.Offset)
		}
		for n := -1; len(paged) != n && len(paged) <= len(whole); {
			n = len(paged)
			page := q
			page.Limit = 3
			mark := NewMark(page.After)
			merged := func(q Query) iter.Seq2[Entry, error] { // an index behind another answers twice
				return q.Answer(ranged(entries))
			}
			for e, err := range page.Answer(merged) {
				if err != nil {
					t.Fatal(err)
				}
				paged = append(paged, e.Offset)
				mark.Pass(&e)
			}
			if q.After = mark.String(); len(paged) == n {
				break
			}
		}
		if !slices.Equal(paged, whole) {
			t.Errorf("%+v: pages are %v, the whole %v", q, paged, whole)
		}
	}
}

func ExampleQuery() {
	q := Query{URL: "http://b.a/", Closest: "2014", Limit: 1}
	for e, err := range q.Answer(captures) {
		fmt.Println(e.Timestamp, err)
	}
	// Output: 20140101000000 <nil>
}

// Digests are found, and told apart, however the index and whoever asks spell them.
func TestQueriesByDigest(t *testing.T) {
	sum, other := sha256.Sum256([]byte("a page")), sha256.Sum256([]byte("another"))
	spelt := []string{
		"sha256:" + base32.StdEncoding.EncodeToString(sum[:]), "sha256:" + strings.TrimRight(base32.StdEncoding.EncodeToString(sum[:]), "="),
		fmt.Sprintf("sha256:%x", sum), fmt.Sprintf("SHA-256:%X", sum), fmt.Sprintf("%x", sum),
	}
	var entries []Entry
	for i, d := range append(slices.Clone(spelt), fmt.Sprintf("sha256:%x", other)) {
		entries = append(entries, Entry{Key: "a)/", Timestamp: fmt.Sprint(20260101000000 + i), URL: "http://a/", Digest: d})
	}
	count := func(q Query) (n int) {
		q.URL = "a"
		for _, err := range q.Answer(func(Query) iter.Seq2[Entry, error] {
			return func(yield func(Entry, error) bool) {
				for _, e := range entries {
					if !yield(e, nil) {
						return
					}
				}
			}
		}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	for _, d := range spelt {
		for filter, want := range map[string]int{"=digest:": 5, "digest:": 5, "!=digest:": 1, "!digest:": 1, "=d:": 5, "~digest:": 5} {
			if got := count(Query{Filters: []string{filter + d}}); got != want {
				t.Errorf("filter %s finds %d, want %d", filter+d, got, want)
			}
		}
	}
	if got := count(Query{Collapse: "digest"}); got != 2 {
		t.Errorf("collapsed by digest there are %d, want 2", got)
	}
	if got := count(Query{Filters: []string{"digest:" + spelt[2][:20]}}); got != 1 {
		t.Errorf("part of a digest finds %d, want the one that has it so spelt", got)
	}
}

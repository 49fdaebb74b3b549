package cdx

import (
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
		{Query{URL: "a.com", Filters: []string{"~url:("}}, "~url:("},
	} {
		if _, _, err := c.q.Range(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: error %v does not say %q", c.q, err, c.says)
		}
	}
	bad := Query{URL: "a", Filters: []string{"~("}}
	for _, err := range bad.Apply(captures()) {
		if err == nil {
			t.Error("Apply hides a bad filter")
		}
	}
}

// captures is an index of one page.
func captures() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i, c := range []struct {
			at     string
			status int
			mime   string
		}{
			{"20130106000000", 200, "text/html"}, {"20130106010000", 200, "text/html"}, {"20130106013000", 404, "text/html"},
			{"20130107000000", 200, "warc/revisit"}, {"20140101000000", 200, "text/plain"}, {"20151231235959", 301, ""},
		} {
			e := Entry{Key: "a,b)/", Timestamp: c.at, URL: "http://b.a/", MIME: c.mime, Status: c.status, Offset: int64(i), Filename: "f"}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestApply(t *testing.T) {
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
		{"collapse to hours", Query{Collapse: 10}, []int64{0, 1, 2, 3, 4, 5}},
		{"collapse to days: the status counts too", Query{Collapse: 8}, []int64{0, 2, 3, 4, 5}},
		{"collapse to years", Query{Collapse: 4, Filters: []string{"=status:200"}}, []int64{0, 4}},
	} {
		var got []int64
		for e, err := range c.q.Apply(captures()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Offset)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func ExampleQuery() {
	q := Query{URL: "http://b.a/", Closest: "2014", Limit: 1}
	for e, err := range q.Apply(captures()) {
		fmt.Println(e.Timestamp, err)
	}
	// Output: 20140101000000 <nil>
}

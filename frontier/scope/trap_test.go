package scope

import (
	"fmt"
	"strings"
	"testing"

	"kavosh"
)

func TestTraps(t *testing.T) {
	year := func() int { return 2026 }
	params := func(n int) string {
		url := "http://a.test/form?a=1"
		for i := 1; i < n; i++ {
			url += fmt.Sprintf("&f%d=on", i)
		}
		return url
	}
	for _, test := range []struct{ url, rule string }{
		// Real shapes that must be left alone.
		{"http://a.test/en/en/", ""},
		{"http://a.test/a/a/a/b", ""},
		{"http://tiles.test/0/0/0.png", ""},
		{"https://docs.oracle.test/en/java/javase/17/docs/api/java.base/java/lang/invoke/package-summary.html", ""},
		{"https://git.test/r/tree/main/src/main/java/org/example/app/src/test/java/org/example/app/ui/View.java", ""},
		{"http://blog.test/1390/05/12/post", ""},
		{"http://blog.test/archive/1404/12/", ""},
		{"http://thai.test/calendar?year=2569&month=3", ""},
		{"http://he.test/calendar/5787/1/", ""},
		{"http://news.test/events/1848/03/18/", ""},
		{"http://a.test/events?date=2027-05-01", ""},
		{"http://a.test/events/2036-12-31", ""},
		{"http://shop.test/part/2045/03/", ""},
		{"http://a.test/agenda?city=2045", ""},
		{"http://a.test/agenda/room-2045-01/", ""},
		{"http://a.test/agenda/20450/1/", ""},
		{"http://a.test/search?tag=a&tag=b&tag=c&tag=d&tag=e", ""},
		{"http://a.test/search?q=1&q=1&q=1", ""},
		{"http://a.test/http://b.test//x", ""},
		{"http://a.test/" + strings.Repeat("x", 2083), ""},
		{params(100), ""},
		{"http://a.test/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/", ""},

		// Traps.
		{"http://a.test/en/en/en/en/", `"en" stands 4 times`},
		{"http://a.test/x/images/css/images/css/images/css/images/css/a.png", `stands 4 times`},
		{"http://a.test/x/////y", `"" stands 4 times in a row`},
		{"http://a.test/" + strings.Repeat("a/b/c/a/c/b/", 2), "only 3 of them different"},
		{"http://a.test/" + strings.Repeat("x", 4096), "more than 4096 bytes"},
		{"http://a.test/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/28/29/30/31/32/33/34/35/36/37/38/39/40/41", "more than 40 segments"},
		{params(101), "more than 100 parameters"},
		{"http://a.test/list?page=2&lang=fa&page=2&lang=fa&page=2&lang=fa&page=2", `"page=2" stands 4 times`},
		{"http://a.test/calendar?year=2037&month=1", "year 2037"},
		{"http://a.test/calendar?start=3025-01-01", "year 3025"},
		{"http://a.test/events/2045/03/", "year 2045"},
		{"http://a.test/events/2045-03-01", "year 2045"},
		{"http://a.test/%D8%AA%D9%82%D9%88%DB%8C%D9%85/?y=1405&startdate=2099-01-01", "year 2099"},
	} {
		p, ok := Split(test.url)
		if !ok {
			t.Fatalf("%s does not split", test.url)
		}
		got := trap(test.url, &p, year)
		if test.rule == "" && got != "" || !strings.Contains(got, test.rule) {
			t.Errorf("%.100s: %q, want %q", test.url, got, test.rule)
		}
	}
}

func TestSession(t *testing.T) {
	for _, test := range []struct{ url, without string }{
		{"http://a.test/p.jsp;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9?x=1", "http://a.test/p.jsp?x=1"},
		{"http://a.test/p.jsp;jsessionid=0A1B2C", "http://a.test/p.jsp"},
		{"http://a.test/(S(lit3py55t21z5v55vlm25s55))/orders.aspx", "http://a.test/orders.aspx"},
		{"http://a.test/?PHPSESSID=4f6b7e1c9d2a8f3b5e7c1d9a2b4c6e8f&p=2", "http://a.test/?p=2"},
		{"http://a.test/forum?t=1&sid=9d2a8f3b5e7c1d9a2b4c6e8f4f6b7e1c", "http://a.test/forum?t=1"},
		{"http://a.test/c.cfm?CFID=1234567&CFTOKEN=89012345", "http://a.test/c.cfm?"},
		{"http://a.test/sensors?sid=12", ""},
		{"http://a.test/story?sid=the-long-name-of-a-story", ""},
		{"http://a.test/session?id=4f6b7e1c9d2a8f3b5e7c", ""},
		{"http://a.test/x", ""},
	} {
		got, found := Session(test.url)
		if found != (test.without != "") || found && got != test.without || !found && got != test.url {
			t.Errorf("%s: %q, %v, want %q", test.url, got, found, test.without)
		}
	}
}

// FuzzTrap looks for URLs on which the rules crash or lose their way.
func FuzzTrap(f *testing.F) {
	for _, s := range []string{"http://a.test/en/en/en/en/", "http://a.test/calendar?year=2037", "http://a.test/(S(lit3py55t21z5v55vlm25s55))/", "http://[::1]:80/?a&a&a&a", "http://u:p@h"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, url string) {
		p, ok := Split(url)
		if !ok {
			return
		}
		if !strings.Contains(url, p.Host) || !strings.HasPrefix(p.Host, p.Name) || p.Name == "" || p.PathQuery == "" {
			t.Errorf("%q splits into %+v", url, p)
		}
		trap(url, &p, func() int { return 2026 })
		if without, found := Session(url); found && len(without) >= len(url) {
			t.Errorf("%q without its session id is %q", url, without)
		}
	})
}

// A chain of pages that each lead to one more ends, although nothing in their URLs tells.
func TestEndlessNextIsATrap(t *testing.T) {
	link := &kavosh.Link{URL: "http://a.test/month/2", Kind: kavosh.Navigation}
	for hops, want := range map[int]bool{10: true, trapClicks - 1: true, trapClicks: false} {
		s, err := New(Options{Mode: Host, MaxHops: -1})
		if err != nil {
			t.Fatal(err)
		}
		s.AddSeed("http://a.test/")
		d := s.Judge(link, &kavosh.Task{URL: "http://a.test/month/1", Seed: "http://a.test/", Hops: hops})
		if d.In != want || !want && d.Reason != Trap {
			t.Errorf("a link %d clicks from its seed: in scope %v, %s", hops+1, d.In, d.Rule)
		}
	}
}

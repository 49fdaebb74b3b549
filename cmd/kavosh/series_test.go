package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/quality"
)

// Who crawls a site again and again is told which of its pages change together.
func TestQualitySeries(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "series")
	for crawl := range 5 {
		var web, links strings.Builder
		for i := range 5 {
			fmt.Fprintf(&links, `<a href="/about/%[1]d">About</a> <a href="/news/%[1]d">News</a> `, i)
			fmt.Fprintf(&web, "-- a.test/about/%[1]d --\n<!doctype html><title>About</title><p>It is as it was.\n-- a.test/news/%[1]d --\n<!doctype html><title>News</title><p>This is issue %[2]d of our news.\n", i, crawl)
		}
		crawlWeb(t, dir, "-- a.test/ --\n<!doctype html><title>Home</title>"+links.String()+"\n"+web.String(), "http://a.test/")
	}
	told := command(t, "quality", dir, "--series")
	for _, part := range []string{"11 pages in 5 crawls", "never changes", "changes at nearly every visit, such as http://a.test/news/0", "Pages that change least:", "0  of 5 visits: http://a.test/about/3"} {
		if !strings.Contains(told, part) {
			t.Errorf("%q is not in\n%s", part, told)
		}
	}
	var g struct {
		Crawls []struct{ ID string }
		Rows   []struct{ URL, Seen string }
		Groups []struct{ Pages int }
		Stable []quality.Stable
	}
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--series", "--host", "a.test", "--json")), &g); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, r := range g.Rows {
		rows[r.URL] = r.Seen
	}
	if len(g.Crawls) != 5 || rows["http://a.test/news/1"] != "+~~~~" || rows["http://a.test/about/1"] != "+====" ||
		len(g.Stable) != 10 || !strings.Contains(g.Stable[5].URL, "http://a.test/about/") || g.Stable[5].Visits != 5 || g.Stable[5].Changed != 0 || g.Stable[9].Changed != 4 {
		t.Errorf("%+v", g)
	}
	var refused strings.Builder
	if code := run([]string{"quality", dir, "--series", "--at", "2024"}, program{in: strings.NewReader(""), out: io.Discard, data: io.Discard, err: &refused}); code != 2 || !strings.Contains(refused.String(), "--series is of all crawls") {
		t.Error(code, refused.String())
	}
}

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// The lab's web of an archive is what was crawled: captures stored as revisits are pages, and what the crawl guessed and found
// can be reached. What is not there is counted.
func TestTheLabHasWhatWasCrawled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "same")
	guess := "<!doctype html><title>Start</title><p>Welcome to the site of tests.<script>location.href = '/e1.html'; fetch('/e2.html'); var next = '/e3.html';</script>"
	crawlWeb(t, dir, sameWeb()+"-- a.test/ --\n"+guess+"\n-- a.test/sitemap.xml --\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>http://a.test/e4.html</loc></url></urlset>\n"+
		"-- a.test/robots.txt --\nSitemap: http://a.test/sitemap.xml\n", "http://a.test/")
	show := command(t, "lab", "show", dir)
	if !strings.Contains(show, " on 1 host\n") || strings.Contains(show, "left out") {
		t.Errorf("the lab's web: %s", show)
	}
	out := t.TempDir()
	command(t, "lab", "run", dir, "--relevant", "keyword=secret", "--order", "breadth", "--start", "http://a.test/", "-o", out)
	list := command(t, "log", dir)
	csv := filepath.Join(out, "runs.csv")
	command(t, "lab", "compare", out, "--everything", "--csv", csv)
	rows := strings.Split(strings.TrimSpace(read(t, csv)), "\n")
	fields := strings.Split(rows[len(rows)-1], ",")
	if fields[6] != "7" || fields[7] != "6" || fields[9] != "6" { // all but robots.txt
		t.Errorf("%s pages can be reached and %s were fetched, of %s; the crawl's log:\n%s\n%s", fields[7], fields[9], fields[6], list, rows)
	}
	for _, page := range []string{"e1", "e2", "e3", "e4"} {
		if !strings.Contains(list, page) {
			t.Fatalf("the crawl did not find %s, so that this proves nothing:\n%s", page, list)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/lib/warc"
	"kavosh/quality"
)

// answer is what a server said at a time.
type answer struct {
	url, status, mime, body string
	at                      time.Time
}

// importAnswers makes an archive of answers.
func importAnswers(t *testing.T, answers []answer) (dir string) {
	t.Helper()
	folder := t.TempDir()
	f, err := os.Create(filepath.Join(folder, "a.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	out := warc.NewWriter(f, warc.Compression{Format: warc.Gzip})
	for _, a := range answers {
		block := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\n\r\n%s", a.status, a.mime, a.body)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Target-URI", Value: a.url},
			{Name: "WARC-Date", Value: warc.FormatDate(a.at)}, {Name: "Content-Type", Value: "application/http; msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := out.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(folder, "archive")
	command(t, "import", filepath.Join(folder, "a.warc.gz"), dir)
	return dir
}

// TestCompletenessByWhatSitesList wants to be told of each page that a sitemap or a feed lists whether the archive has it.
func TestCompletenessByWhatSitesList(t *testing.T) {
	day := time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC)
	const page = "<!doctype html><title>A page</title><p>Words."
	dir := importAnswers(t, []answer{
		{"http://a.test/sitemap.xml", "200 OK", "text/xml", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
			<url><loc>http://a.test/held</loc></url><url><loc>http://a.test/stale</loc><lastmod>2020-03-05</lastmod></url>
			<url><loc>http://a.test/fresh</loc><lastmod>2020-02-05</lastmod></url><url><loc>http://a.test/broken</loc></url>
			<url><loc>http://a.test/lacking</loc></url><url><loc>http://a.test/hidden</loc></url><url><loc>http://b.test/elsewhere</loc></url></urlset>`, day},
		{"http://a.test/feed", "200 OK", "application/rss+xml", `<rss version="2.0"><channel><title>News</title><item><link>http://a.test/held</link></item>
			<item><link>http://a.test/news</link><enclosure url="http://a.test/sound.mp3" type="audio/mpeg" length="1"/></item></channel></rss>`, day},
		{"http://a.test/held", "200 OK", "text/html", page, day}, {"http://a.test/stale", "200 OK", "text/html", page, day},
		{"http://a.test/fresh", "200 OK", "text/html", page, day}, {"http://a.test/broken", "500 Error", "text/html", page, day},
		{"http://a.test/hidden", "200 OK", "text/html", page, day},
	})
	command(t, "access", dir, "add", "takedown", "http://a.test/hidden")
	var l quality.Listing
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--listed", "--json")), &l); err != nil {
		t.Fatal(err)
	}
	if l.Documents != 2 || l.Listed != 7 || l.Captured != 3 || l.Stale != 1 || l.Failed != 1 || l.Lacking != 2 || l.Closed != 1 || l.Elsewhere != 1 || len(l.Missing) != 3 {
		t.Errorf("%+v", l)
	}
	if text := command(t, "quality", dir, "--listed"); !strings.Contains(text, "3  captured: 42.9%") || strings.Contains(text, "hidden") {
		t.Error(text)
	}
	if text := command(t, "quality", dir, "--listed", "--urls"); text != "http://a.test/news\nhttp://a.test/broken\nhttp://a.test/lacking\n" {
		t.Error(text)
	}
}

// TestCompletenessByTwoCrawls hides how many pages a site has from two crawls, each of which finds some of them by chance, and wants the
// truth to lie between the bounds.
func TestCompletenessByTwoCrawls(t *testing.T) {
	const pages = 400
	rng := rand.New(rand.NewPCG(8, 21))
	var answers []answer
	seen := map[int]bool{}
	for visit, chance := range []float64{0.7, 0.6} {
		for i := range pages {
			if rng.Float64() < chance {
				seen[i] = true
				at := time.Date(2020, 3, 1+visit, 0, 0, i, 0, time.UTC)
				answers = append(answers, answer{fmt.Sprintf("http://a.test/p%d", i), "200 OK", "text/html", fmt.Sprintf("<title>Page %d</title><p>Words of page %[1]d.", i), at})
			}
		}
	}
	dir := importAnswers(t, answers)
	var told defectsOf
	if err := json.Unmarshal([]byte(command(t, "quality", dir, "--between", "2020-03-01,2020-03-02", "--json")), &told); err != nil {
		t.Fatal(err)
	}
	e := told.Visits[0].Estimate
	if e == nil || e.Seen != int64(len(seen)) || e.Least > pages || e.Most < pages || e.Most-e.Least > pages/4 || e.Share < 0.8 || e.Share > 0.95 {
		t.Errorf("%+v, and %d of %d pages were seen", e, len(seen), pages)
	}
}

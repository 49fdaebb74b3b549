package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kavosh/lib/warc"
)

// tenDays writes a WARC file of ten daily visits of a site: the news are others each time, what is said of the site is as it was, and of one page
// a counter alone differs.
func tenDays(t *testing.T) string {
	t.Helper()
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	write := func(day int, path, body string) {
		page := "<!doctype html><html lang=en><title>A page</title><main><h1>A page of a site</h1>" + body + "</main>"
		answer, sum := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"+page, sha1.Sum([]byte(page))
		at := time.Date(2026, 1, 1+day, 3, 0, 0, 0, time.UTC)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: at.Format(time.RFC3339)}, {Name: "WARC-Target-URI", Value: "http://a.test/" + path},
			{Name: "WARC-Payload-Digest", Value: "sha1:" + base32.StdEncoding.EncodeToString(sum[:])}, {Name: "Content-Type", Value: "application/http;msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(answer))}}
		if _, err := w.WriteRecord(h, strings.NewReader(answer)); err != nil {
			t.Fatal(err)
		}
	}
	for day := range 10 {
		for i := range 4 {
			write(day, fmt.Sprint("news/", i), fmt.Sprintf("<p>On day %d of %d somebody found what nobody had looked for, and told %s of it.", day, i, strings.Fields("his friends the mayor a journalist her sister the whole town everybody no one")[day]))
			write(day, fmt.Sprint("about/", i), "<p>It is as it was, and so it stays for as long as anybody can tell.")
		}
		write(day, "counter", fmt.Sprintf("<p>This page has said the same all the time that it was here.<p>Visitors: %d", 1000+day))
	}
	name := filepath.Join(t.TempDir(), "days.warc.gz")
	if err := os.WriteFile(name, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Pages that change more often than they were visited are told with the interval that they should have, as settings that a crawl takes over.
func TestOftenVisited(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "days")
	command(t, "import", "--archive", dir, tenDays(t))
	const rule = `pattern=^https?://a\.test/news/[^/]*$ most=8h`
	told := command(t, "quality", dir, "--series")
	for _, part := range []string{"4  --revisit-rule '" + rule + "', visited every 24h", "4 of 9 pages changed more often than they were visited, most on a.test", "--revisit gain --revisit-rule '" + rule + "' http://a.test/"} {
		if !strings.Contains(told, part) {
			t.Errorf("%q is not in\n%s", part, told)
		}
	}
	settings := filepath.Join(t.TempDir(), "often.toml")
	if err := os.WriteFile(settings, []byte(command(t, "quality", dir, "--series", "--settings")), 0o600); err != nil {
		t.Fatal(err)
	}
	text := read(t, settings)
	if strings.Contains(text, "about") || strings.Contains(text, "counter") || strings.Count(text, "most=") != 1 {
		t.Errorf("the settings are\n%s", text)
	}
	crawlWeb(t, dir, "-- a.test/** --\n<!doctype html><title>News</title><p>News\n", "--scope", "page", "--config", settings, "--max-time", "1s", "http://a.test/news/1", "http://a.test/about/1")
	if why := command(t, "why", dir, "http://a.test/news/1"); !strings.Contains(why, `rule pattern=^https?://a\.test/news/[^/]*$: at the latest 8h0m0s after the last visit`) {
		t.Errorf("why says %s", why)
	}
	if why := command(t, "why", dir, "http://a.test/about/1"); strings.Contains(why, "at the latest") {
		t.Errorf("why says %s", why)
	}
}

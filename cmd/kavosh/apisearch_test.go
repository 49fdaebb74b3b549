package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/lib/warc"
)

// Every filter, bound of time, order and page of a search by the API does what the description says.
func TestAPISearchNarrows(t *testing.T) {
	var file bytes.Buffer
	w := warc.NewWriter(&file, warc.Compression{Format: warc.Gzip})
	const english, persian = "the wanted word stands in this page, and some more words of plain English beside it",
		"این صفحه به زبان فارسی نوشته شده است و واژه‌ی wanted هم در میان این واژه‌ها آمده است"
	for _, c := range []struct{ url, date, status, media, text string }{
		{"http://a.test/first", "2001-01-01T00:00:00Z", "200 OK", "text/html", "<title>first</title>" + english},
		{"http://b.test/second", "2002-03-04T05:06:07Z", "200 OK", "text/html", "<title>second</title>" + persian},
		{"http://b.test/third", "2003-01-01T00:00:00Z", "404 Not Found", "text/html", "<title>third</title>it is gone, and " + english},
		{"http://b.test/fourth", "2004-01-01T00:00:00Z", "200 OK", "text/plain", "fourth: " + english},
		{"http://b.test/second", "2005-01-01T00:00:00Z", "200 OK", "text/html", "<title>second</title>another text in its place, in plain English"},
	} {
		block := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\n\r\n%s", c.status, c.media, c.text)
		h := warc.Header{{Name: "WARC-Type", Value: "response"}, {Name: "WARC-Record-ID", Value: warc.NewID()}, {Name: "WARC-Date", Value: c.date},
			{Name: "WARC-Target-URI", Value: c.url}, {Name: "Content-Type", Value: "application/http;msgtype=response"}, {Name: "Content-Length", Value: fmt.Sprint(len(block))}}
		if _, err := w.WriteRecord(h, strings.NewReader(block)); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "five.warc.gz"), file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, "import", "--archive", filepath.Join(dir, "archive"), filepath.Join(dir, "five.warc.gz"))
	asks := newWalkerOf(t, filepath.Join(dir, "archive"), "203.0.113.5:4", "wanted")
	search := func(query string) (found struct {
		Groups []struct{ URL string }
		Months []any
	}) {
		_, body, _ := strings.Cut(asks.ask(homeOrigin+"/api/v1/collections/one/search?q=wanted&"+query), "\r\n{")
		body, _, _ = strings.Cut(body, "\n}\n")
		if err := json.Unmarshal([]byte("{"+body+"}"), &found); err != nil {
			t.Errorf("%s: %v: %s", query, err, body)
		}
		return found
	}
	for query, want := range map[string]string{
		"sort=newest":                         "fourth third second first",
		"sort=newest&limit=1":                 "fourth",
		"sort=newest&limit=2&offset=1":        "third second",
		"sort=newest&host=a.test":             "first",
		"sort=newest&host=b.test":             "fourth third second",
		"sort=newest&host=a.test&host=b.test": "fourth third second first",
		"lang=fa":                             "second",
		"sort=newest&lang=en":                 "fourth third first",
		"type=text/plain":                     "fourth",
		"year=2003":                           "third",
		"status=404":                          "third",
		"kind=image":                          "",
		"sort=newest&from=2003":               "fourth third",
		"sort=newest&to=2002":                 "second first",
		"from=2002&to=2002":                   "second",
		"from=20020304050607&to=2002":         "second",
		"from=20020304050608&to=2002":         "",
		"from=2002&to=20020304050607":         "second",
		"from=2002&to=20020304050606":         "",
		"sort=newest&at=2002":                 "second first",
		"sort=newest&at=2006":                 "fourth third first",
		"at=2000":                             "",
	} {
		var got []string
		for _, g := range search(query).Groups {
			got = append(got, filepath.Base(g.URL))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: found %q, want %s", query, got, want)
		}
	}
	if with, without := search("months=true").Months, search("months=false").Months; len(with) == 0 || len(without) > 0 {
		t.Errorf("months: %v when asked for, else %v", with, without)
	}
}

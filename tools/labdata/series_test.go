package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kavosh/lib/warc"
)

// A series has what crawls met by links: pages that stay as revisits, pages that changed anew, and errors where a link leads to nothing.
func TestSeries(t *testing.T) {
	first := time.Date(2020, 1, 1, 10, 0, 0, 0, time.UTC)
	r := newRepository(t, first)
	r.write("index.html", `<a href="a.html">a</a> <a href="b.html">b</a>`)
	r.write("a.html", "one")
	r.write("b.html", "stays")
	r.write("c.html", "no link leads here")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	r.at = first.AddDate(0, 0, 99)
	r.write("a.html", "two")
	r.git("rm", "-q", "b.html")
	r.git("commit", "-qam", "last")
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(r.dir, ".git"), filepath.Join(folder, "a+b.git")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "x.warc.gz")
	s := site{web: "x", url: "http://a.test/", repository: "a/b", commit: "main", folder: "."}
	if err := s.series(folder, file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	days := map[string][]string{}
	all, err := warc.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for {
		record, err := all.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		head, err := io.ReadAll(record.Block)
		if err != nil {
			t.Fatal(err)
		}
		date := record.Header.Get("WARC-Date")[:len(time.DateOnly)]
		days[date] = append(days[date], fmt.Sprint(record.Header.Get("WARC-Type"), " ", strings.Fields(string(head))[1], " ", strings.TrimPrefix(record.Header.Get("WARC-Target-URI"), s.url)))
	}
	for date, want := range map[string][]string{
		"2020-01-02": {"response 200 ", "response 200 a.html", "response 200 b.html"},
		"2020-01-03": {"revisit 200 ", "revisit 200 a.html", "revisit 200 b.html"},
		"2020-04-10": {"revisit 200 ", "response 200 a.html", "response 404 b.html"},
	} {
		if !slices.Equal(days[date], want) {
			t.Errorf("%s: %q", date, days[date])
		}
	}
	if len(days) != seriesCrawls {
		t.Errorf("%d days", len(days))
	}
}

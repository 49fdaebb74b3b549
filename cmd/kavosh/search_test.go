package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/search"
	"kavosh/site"
)

// While an archive is being read for searching, every answer says that it is not complete, and none that there is nothing.
func TestSearchThatIsNotComplete(t *testing.T) {
	t.Parallel()
	dir := secretArchive(t)
	reading, err := search.OpenWriter(vfs.Default, filepath.Join(dir, "derived", "search@1")) // as another kavosh does
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"search", dir, "open"}, {"search", dir, "--kind", "image", "open"}} {
		if out := command(t, args...); !strings.Contains(out, "Nothing was found so far.\n") || !strings.Contains(out, "still indexing") { // its status is 0
			t.Errorf("%v: %s", args, out)
		}
	}
	if out := command(t, "search", dir, "open", "--json"); !strings.Contains(out, `"total":0,"incomplete":true,`) {
		t.Error(out)
	}
	const some, links = "there may be more", "/links?url=http://a.test/open-too.html"
	w := newWalker(t, dir, "203.0.113.5:4")
	for page, want := range map[string]string{
		"/c/one/search?q=open": "Nothing was found so far.", "/c/one/search?q=open&lang=fa": "تاکنون چیزی یافته نشد.", "/c/web/search?q=open": some, "/c/one/search?q=open&kind=image": some,
		"/c/one" + links: some, "/c/one" + links + "&lang=fa": "پیوندهای بایگانی هنوز در حال نمایه شدن", "/c/web" + links: some,
		"/api/v1/collections/one/search?q=open": `"incomplete": true`, "/api/v1/collections/one" + links: `"incomplete": true`,
	} {
		if answer := w.ask(homeOrigin + page); !strings.Contains(answer, want) || strings.Contains(answer, "Nothing was found.<") || strings.Contains(answer, "چیزی یافته نشد.<") && !strings.Contains(answer, "تاکنون") {
			t.Errorf("%s: %s", page, answer)
		}
	}
	if err := reading.Close(); err != nil {
		t.Fatal(err)
	}
	if out := command(t, "search", dir, "open", "--json"); !strings.Contains(out, `"incomplete":false,`) || strings.Contains(out, `"total":0,`) {
		t.Error(out)
	}
	var out, told bytes.Buffer
	if status := run([]string{"search", dir, "nowhere"}, program{in: strings.NewReader(""), out: &out, err: &told}); status != 1 || out.String() != "Nothing was found.\n" {
		t.Errorf("%d: %s%s", status, out.String(), told.String())
	}

	// Of files that are served all is there once they were read.
	files, err := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	served, err := site.OpenSearch("", files, site.Searching{Derived: derived(), Links: linksName, Trouble: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	both := search.Union{served, served}
	for _, incomplete := range []bool{true, false} {
		for _, x := range []kavosh.Searcher{served, both} {
			found, err := x.Search(t.Context(), kavosh.Search{Text: "open"})
			if err != nil || found.Incomplete != incomplete || incomplete != (found.Total == 0) {
				t.Errorf("%+v, %v; incomplete: %v", found, err, incomplete)
			}
		}
		served.Follow(t.Context())
	}
}

// An index of links that lacks what the index of words has, since it was deleted or put back from an older copy, is made anew with it: all links are told, each once.
func TestLinksThatLackWhatIsSearched(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	links := filepath.Join(dir, "derived", "links@1")
	crawlWeb(t, dir, "-- a.test/ --\n<!doctype html><title>one</title><a href=http://to.test/>FIRST-LINK</a>\n", "--scope", "page", "http://a.test/")
	command(t, "search", dir, "one")
	older := filepath.Join(t.TempDir(), "links")
	if err := os.CopyFS(older, os.DirFS(links)); err != nil {
		t.Fatal(err)
	}
	crawlWeb(t, dir, "-- b.test/ --\n<!doctype html><title>two</title><a href=http://to.test/>SECOND-LINK</a>\n", "--scope", "page", "http://b.test/")
	command(t, "search", dir, "two")
	for name, put := range map[string]func() error{
		"as they were": func() error { return nil },
		"deleted":      func() error { return os.RemoveAll(links) },
		"older":        func() error { return errors.Join(os.RemoveAll(links), os.CopyFS(links, os.DirFS(older))) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		answer := newWalkerOf(t, dir, "203.0.113.5:4", "two").ask(homeOrigin + "/api/v1/collections/one/links?url=http://to.test/")
		if n := strings.Count(answer, `"links": [`); n == 0 || strings.Count(answer, "FIRST-LINK") != n || strings.Count(answer, "SECOND-LINK") != n {
			t.Errorf("%s: %s", name, answer)
		}
	}
}

// While an archive is served, bytes of its index of words change on disk: what is closed stays closed, no question fails, and within a minute all is
// found again, said in a line, without anybody's doing.
func TestServedSearchMendsItself(t *testing.T) {
	dir := secretArchive(t)
	command(t, "search", dir, "open")
	command(t, "access", dir, "add", "takedown", "http://a.test/takedown.html")
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		told := 0
		served, err := site.OpenSearch(dir, nil, site.Searching{Derived: derived(), Links: linksName, Trouble: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(err.Error(), "is made anew") {
				told++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer served.Close()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go served.Follow(ctx)
		found := func() *kavosh.SearchResult {
			found, err := served.Search(t.Context(), kavosh.Search{Text: "open OR secret", Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range found.Groups {
				if strings.Contains(g.URL, "takedown.html") {
					t.Errorf("what is closed is found: %s", g.URL)
				}
			}
			return found
		}
		<-time.After(10 * time.Second)
		all := found()
		if all.Total == 0 || all.Incomplete {
			t.Fatalf("%+v", all)
		}
		for i := range 5 {
			files, err := filepath.Glob(filepath.Join(dir, "derived", "search@1", "*.*"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			for _, name := range files {
				if filepath.Base(name) == "lock" {
					continue
				}
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				for at := i; at < len(data); at += 5 + 100*i {
					data[at] ^= 0x2a
				}
				f, err := os.OpenFile(name, os.O_WRONLY, 0)
				if err == nil {
					_, err = f.Write(data)
				}
				if err = errors.Join(err, f.Close()); err != nil {
					t.Fatal(err)
				}
			}
			found()
			<-time.After(time.Minute)
			if again := found(); again.Total != all.Total || again.Incomplete {
				t.Errorf("a minute after damage %d: %d are found of %d, incomplete %v", i, again.Total, all.Total, again.Incomplete)
			}
			mu.Lock()
			if told != i+1 {
				t.Errorf("after damage %d it was told %d times that the index is made anew", i, told)
			}
			mu.Unlock()
		}
	})
}

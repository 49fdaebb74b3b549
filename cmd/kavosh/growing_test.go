package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"kavosh"
	"kavosh/lib/cdx"
	"kavosh/site"
)

// While an archive is served and grows, a capture is shown within a second of its line in the capture log, and found by its words within 45.
func TestServedWhileItGrows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	grow := func(t *testing.T, host string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), host+".warc.gz")
		if err := os.WriteFile(file, warcOf(t, host, 10, "/a"), 0o666); err != nil {
			t.Fatal(err)
		}
		command(t, "import", file, dir)
	}
	grow(t, "one.test")
	synctest.Test(t, func(t *testing.T) {
		set, err := openCollections(t.Context(), &program{out: &bytes.Buffer{}, err: &bytes.Buffer{}}, []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		s, err := site.OpenSearch(dir, nil, site.Searching{Derived: derived(), Links: linksName, Trouble: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go s.Follow(ctx)
		shown := func(host string) (n int) {
			for _, err := range set.collections[0].Index.Query(ctx, cdx.Query{URL: "http://" + host + "/a"}) {
				if err != nil {
					t.Error(err)
				}
				n++
			}
			return n
		}
		found := func(host string) int {
			found, err := s.Search(ctx, kavosh.Search{Text: "site:" + host})
			if err != nil {
				t.Fatal(err)
			}
			return len(found.Groups)
		}
		<-time.After(3 * time.Second) // in the middle of a wait
		if shown("one.test") != 1 || found("one.test") != 1 || shown("two.test") != 0 || found("two.test") != 0 {
			t.Fatalf("at first %d are shown and %d found", shown("one.test"), found("one.test"))
		}
		grow(t, "two.test")
		<-time.After(time.Second)
		if shown("two.test") != 1 {
			t.Error("after a second it is not shown")
		}
		<-time.After(44 * time.Second)
		if found("two.test") != 1 {
			t.Error("after 45 seconds it is not found")
		}
		stop()
		synctest.Wait()
	})
}

//go:build suites

package rewrite

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"kavosh/internal/testdata"
)

// TestSavedPages rewrites pages of real sites that others saved. Each must keep its elements and its text, and none of its references may
// lead elsewhere than into the archive.
func TestSavedPages(t *testing.T) {
	pages := 0
	for _, folder := range []string{"pages/readability", "pages/scrapinghub"} {
		err := filepath.WalkDir(testdata.Path(t, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "source.html") && !strings.HasSuffix(path, ".html.gz") {
				return err
			}
			pages++
			t.Run(filepath.Base(filepath.Dir(path))+"/"+d.Name(), func(t *testing.T) { savedPage(t, path) })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if pages < 300 {
		t.Errorf("only %d pages", pages)
	}
}

func savedPage(t *testing.T, path string) {
	in := read(t, path)
	var out bytes.Buffer
	if err := HTML(&out, bytes.NewReader(in), place(t, "https://www.a.test/2020/page.html", Page), Options{Scripts: true}); err != nil {
		t.Fatal(err)
	}
	was, is := seen(t, in), seen(t, out.Bytes())
	for i := range min(len(was.shape), len(is.shape)) {
		if was.shape[i] != is.shape[i] {
			t.Fatalf("part %d was %.100q and is %.100q", i, was.shape[i], is.shape[i])
		}
	}
	if len(was.shape) != len(is.shape) || len(was.references) < len(is.references) {
		t.Fatalf("%d parts and %d references, %d and %d before", len(is.shape), len(is.references), len(was.shape), len(was.references))
	}
	for _, r := range is.references {
		outside := strings.HasPrefix(r, "/") || strings.HasPrefix(strings.ToLower(r), "http:") || strings.HasPrefix(strings.ToLower(r), "https:")
		if outside && !strings.HasPrefix(r, replayPath) {
			t.Errorf("%.200q leads out of the archive", r)
		}
	}
}

func read(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// saved is what a browser makes of a page: the elements and texts in their order, and where it leads.
type saved struct{ shape, references []string }

func seen(t *testing.T, page []byte) (s saved) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	leads := []string{"src", "action", "formaction", "poster", "background", "data"}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.ElementNode:
			if n.Data != "meta" { // of which policies are dropped
				s.shape = append(s.shape, "<"+n.Data+">")
			}
			for _, a := range n.Attr {
				if slices.Contains(leads, a.Key) || a.Key == "href" && n.Data != "base" {
					s.references = append(s.references, strings.TrimSpace(a.Val))
				}
			}
		case n.Type == html.TextNode && !slices.Contains([]string{"script", "style", "noscript", "iframe", "noframes", "noembed"}, n.Parent.Data):
			if text := strings.TrimSpace(n.Data); text != "" {
				s.shape = append(s.shape, text)
			}
		}
	}
	return s
}

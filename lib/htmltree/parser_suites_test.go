//go:build suites

package htmltree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"kavosh/internal/testdata"
)

// unlike are the pages whose tree is another than the standard's, each with the reason.
var unlike = map[string]string{
	"microformats-v2-unit/implied/implied-url.html": "a link within a link ends the first, which the standard opens again within the element that both stand in",
}

// TestLikeTheStandard wants the elements with attributes in the pages of the suites to stand in the same elements as the
// standard's parser has them, but for those that it makes up: heads and parts of tables.
func TestLikeTheStandard(t *testing.T) {
	pages := 0
	for _, folder := range []string{"rdfa/test-suite", "microdata/tests", "microformats/tests"} {
		root := testdata.Path(t, folder)
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".html") {
				return err
			}
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			document, err := html.ParseWithOptions(strings.NewReader(string(body)), html.ParseOptionEnableScripting(false))
			if err != nil {
				return err
			}
			pages++
			want := standard(document, "", nil)
			have := ours(Parse(string(body), false, "http://example.org/").Root, "", nil)
			name := strings.TrimPrefix(path, root+"/")
			reason, same := unlike[name], strings.Join(have, "\n") == strings.Join(want, "\n")
			switch {
			case !same && reason == "":
				t.Errorf("%s: have\n%s\nwant\n%s\nof\n%s", name, strings.Join(have, "\n"), strings.Join(want, "\n"), body)
			case same && reason != "":
				t.Errorf("%s has the standard's tree now; it was listed as another because %s", name, reason)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d pages, %d of them with another tree", pages, len(unlike))
	if pages < 800 {
		t.Errorf("only %d pages found", pages)
	}
}

// within is the path of an element, without those that a parser makes up.
func within(path, name string) string {
	switch name {
	case "head", "tbody", "colgroup", "tr":
		return path
	}
	return path + "/" + strings.ToLower(name)
}

func standard(n *html.Node, path string, all []string) []string {
	if n.Type == html.ElementNode {
		if n.Data == "template" {
			return all
		}
		path = within(path, n.Data)
		if len(n.Attr) > 0 {
			all = append(all, fmt.Sprint(path, len(n.Attr)))
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		all = standard(c, path, all)
	}
	return all
}

func ours(n *Node, path string, all []string) []string {
	if n.Name == "" {
		return all
	}
	path = within(path, n.Name)
	if len(n.Attr) > 0 {
		all = append(all, fmt.Sprint(path, len(n.Attr)))
	}
	for c := range n.Children() {
		all = ours(c, path, all)
	}
	return all
}

package main

import (
	"encoding/json"
	"encoding/xml"
	"html"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kavosh/quality"
)

// TestExportTree crawls a site that changes by a script twice, and wants each of its pages in the tree with the class that
// kavosh quality finds, below the page that links to it, in files that others read.
func TestExportTree(t *testing.T) {
	t.Parallel()
	site := newScriptedSite(3, 4, 12)
	base, dir := site.crawl(t, false, "1ms")
	truth, _, _ := site.truth(base, false)
	file := filepath.Join(t.TempDir(), "tree.graphml")
	var steps []treeStep
	if err := json.Unmarshal([]byte(command(t, "export", "tree", dir, "-o", file, "--json")), &steps); err != nil {
		t.Fatal(err)
	}
	want := map[quality.Class]int{}
	for _, class := range truth {
		want[class]++
	}
	got := maps.Clone(steps[0].Nodes)
	delete(got, quality.Coherent)
	delete(got, quality.Untold)
	if len(steps) != 1 || !maps.Equal(got, want) {
		t.Errorf("nodes with defects: %v, want %v", got, want)
	}
	if n := steps[0].Telling; len(n) != 4 && len(n) != 5 || n[0].URL != base+"/s0" && n[0].URL != base+"/s1" && n[0].URL != base+"/s2" && n[0].URL != base+"/s3" {
		t.Errorf("most telling: %+v", n)
	}
	var graph struct {
		Keys []struct {
			ID   string `xml:"id,attr"`
			Name string `xml:"attr.name,attr"`
		} `xml:"key"`
		Nodes []struct {
			ID   string `xml:"id,attr"`
			Data []struct {
				Key  string `xml:"key,attr"`
				Text string `xml:",chardata"`
			} `xml:"data"`
		} `xml:"graph>node"`
		Edges []struct {
			Source string `xml:"source,attr"`
			Target string `xml:"target,attr"`
		} `xml:"graph>edge"`
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = xml.Unmarshal(data, &graph)
	}
	if err != nil {
		t.Fatal(err)
	}
	url := map[string]string{}
	for _, n := range graph.Nodes {
		for _, d := range n.Data {
			switch d.Key {
			case "d1":
				url[n.ID] = d.Text
			case "s0":
				if got, want := d.Text, string(truth[url[n.ID]]); want != "" && got != want {
					t.Errorf("%s is %s, want %s", url[n.ID], got, want)
				}
			}
		}
	}
	if len(graph.Edges) != len(graph.Nodes)-1 {
		t.Errorf("%d nodes and %d edges are no tree", len(graph.Nodes), len(graph.Edges))
	}
	for _, e := range graph.Edges {
		if from, to := url[e.Source], url[e.Target]; strings.Contains(to, "/p") && from != to[:strings.LastIndex(to, "/")] {
			t.Errorf("%s hangs below %s", to, from)
		}
	}
	if len(url) < len(truth) {
		t.Errorf("%d nodes, %d defects", len(url), len(truth))
	}
	for _, name := range []string{"tree.svg", "tree.png"} {
		file := filepath.Join(t.TempDir(), name)
		told := command(t, "export", "tree", dir, "-o", file)
		if !strings.Contains(told, "The most telling nodes") || !strings.Contains(told, base+"/s") {
			t.Error(told)
		}
		again := filepath.Join(t.TempDir(), name)
		command(t, "export", "tree", dir, "-o", again)
		one, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if two, _ := os.ReadFile(again); string(one) != string(two) {
			t.Errorf("%s is not the same twice", name)
		}
		if name == "tree.png" {
			picture, err := png.Decode(strings.NewReader(string(one)))
			if err != nil || picture.Bounds().Dx() < 1000 {
				t.Errorf("%v %v", picture.Bounds(), err)
			}
		} else if text := string(one); !strings.Contains(text, "<title>"+base+"/s0") || !strings.Contains(text, "with other links</text>") || xml.Unmarshal(one, new(struct{})) != nil {
			t.Errorf("%.500s", text)
		}
	}
}

// TestTreePage looks at the tree of a site that changed on the page of its collection: without scripts it is a picture whose nodes
// are links that open and close them, and its words are there in both languages.
func TestTreePage(t *testing.T) {
	site := newScriptedSite(5, 3, 8)
	base, dir := site.crawl(t, false, "1ms")
	w := newWalkerOf(t, dir, "203.0.113.5:4", "first")
	page := w.ask(homeOrigin + "/c/one/tree?lang=en")
	for _, want := range []string{`<noscript><svg`, `<title>` + base + `/s0: 1 `, "The most telling nodes", "with other links", "/tree.js", `&amp;shut=`} {
		if !strings.Contains(page, want) {
			t.Fatalf("the page lacks %q:\n%.3000s", want, page)
		}
	}
	nodes := strings.Count(page, "data-at=")
	shut := regexp.MustCompile(`href="(\?[^"]*shut=1&amp;[^"]*)"`).FindStringSubmatch(page)
	if shut == nil {
		t.Fatal("no node can be closed")
	}
	closed := w.ask(homeOrigin + "/c/one/tree" + html.UnescapeString(shut[1]))
	if n := strings.Count(closed, "data-at="); n == 0 || n >= nodes {
		t.Errorf("%d nodes before one was closed, %d after", nodes, n)
	}
	if !strings.Contains(closed, "open=1") {
		t.Error("what was closed cannot be opened")
	}
	if fa := w.ask(homeOrigin + "/c/one/tree?lang=fa"); !strings.Contains(fa, "گویاترین گره‌ها") || strings.Contains(fa, "unchanged") {
		t.Errorf("%.3000s", fa)
	}
	if crawl := w.ask(homeOrigin + "/c/one/tree?crawl=none"); !strings.Contains(crawl, "no two crawls") {
		t.Errorf("%.3000s", crawl)
	}
}

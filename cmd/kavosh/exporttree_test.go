package main

import (
	"encoding/json"
	"encoding/xml"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/quality"
)

// TestExportTree crawls a site that changes by a script twice, and wants each of its pages in the tree with the class that
// kavosh quality finds, below the page that links to it, in files that others read.
func TestExportTree(t *testing.T) {
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

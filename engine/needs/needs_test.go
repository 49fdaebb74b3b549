package needs

import (
	"fmt"
	"slices"
	"testing"
)

// site crawls n pages of one template, one after the other, by what finds says a page's scripts find, and returns the
// numbers of the pages that were loaded, in order.
func site(table *Table[int], n int, finds func(i int) Finding) (loaded []int) {
	load := func(last bool) bool {
		page, ok := table.Next(last)
		if ok {
			loaded = append(loaded, page.Page)
			table.Found(page, finds(page.Page))
		}
		return ok
	}
	for i := range n {
		url := fmt.Sprintf("http://a.test/docs/p%d.html", i)
		table.Meet("a.test", url, 7)
		table.Hold("a.test", url, 7, i)
		for load(false) {
		}
	}
	for load(true) {
	}
	return loaded
}

func TestHarmless(t *testing.T) {
	shared := Finding{Resources: []string{"http://a.test/shared.json"}}
	for name, first := range map[string]Finding{"nothing": {}, "what all share": shared} {
		loaded := site(New[int](), 1000, func(i int) Finding {
			if i == 0 {
				return first
			}
			return Finding{}
		})
		if len(loaded) > 15 {
			t.Errorf("%s: %d pages of 1000 were loaded: %v", name, len(loaded), loaded)
		}
	}
}

func TestNeeds(t *testing.T) {
	loaded := site(New[int](), 200, func(int) Finding { return Finding{Links: 2} })
	if len(loaded) != 200 {
		t.Errorf("%d pages of 200 were loaded", len(loaded))
	}
}

// A template whose pages begin to need the browser: a test finds it, and the pages spared since the last good test are loaded.
func TestChanges(t *testing.T) {
	const from = 45
	loaded := site(New[int](), 100, func(i int) Finding {
		if i >= from {
			return Finding{Links: 1}
		}
		return Finding{}
	})
	for i := from; i < 100; i++ {
		if !slices.Contains(loaded, i) {
			t.Errorf("page %d was not loaded", i)
		}
	}
	if len(loaded) > 80 {
		t.Errorf("%d pages were loaded", len(loaded))
	}
}

// What scripts ask for that follows from the URL of their page is known without a browser.
func TestFrames(t *testing.T) {
	table := New[int]()
	loaded := site(table, 300, func(i int) Finding {
		own := fmt.Sprintf("http://a.test/data/p%d.json", i)
		return Finding{Resources: []string{own}, Asked: []string{own, "http://a.test/all.json"}}
	})
	if len(loaded) > 20 {
		t.Errorf("%d pages of 300 were loaded", len(loaded))
	}
	m := table.Meet("a.test", "http://a.test/docs/next.html", 7)
	if !m.Spared || !slices.Contains(m.Links, "http://a.test/data/next.json") {
		t.Errorf("of a page like them is known %+v", m)
	}
	ahead := site(New[int](), 300, func(i int) Finding { // each page loads the data of the next, too
		own, next := fmt.Sprintf("http://a.test/data/p%d.json", i), fmt.Sprintf("http://a.test/data/p%d.json", i+1)
		return Finding{Resources: []string{own, next}, Asked: []string{own, next}, Around: []string{fmt.Sprintf("http://a.test/docs/p%d.html", i+1)}}
	})
	if len(ahead) > 20 {
		t.Errorf("%d pages of 300 were loaded, whose scripts load ahead", len(ahead))
	}
	held := New[int]()
	for i := range 10 {
		url := fmt.Sprintf("http://a.test/docs/p%d.html", i)
		held.Meet("a.test", url, 7)
		held.Hold("a.test", url, 7, i)
	}
	var spared []Page[int]
	for page, ok := held.Next(false); ok; page, ok = held.Next(false) {
		own := fmt.Sprintf("http://a.test/data/p%d.json", page.Page)
		spared = append(spared, held.Found(page, Finding{Resources: []string{own}, Asked: []string{own}})...)
	}
	if len(spared) == 0 || len(spared[0].Links) == 0 {
		t.Errorf("pages that waited got the links %+v", spared)
	}
}

func TestFrameForms(t *testing.T) {
	for _, c := range [][3]string{
		{"http://a.test/docs/one", "http://a.test/docs/one.json", "http://a.test/docs/two.json"},
		{"http://a.test/docs/one/", "http://a.test/page-data/docs/one/page-data.json", "http://a.test/page-data/docs/two/page-data.json"},
		{"http://a.test/docs/one.html", "http://b.test/api?name=one&x=1", "http://b.test/api?name=two&x=1"},
		{"http://a.test/docs/?id=one", "http://a.test/get/one", "http://a.test/get/two"},
		{"http://a.test/docs/one.html", "http://a.test/docs/img/one.js", "http://a.test/docs/img/two.js"},
	} {
		var f frames
		for _, name := range []string{"one", "other", "third"} {
			made := replaced(c[1], name)
			f.learn(replaced(c[0], name), Finding{Resources: []string{made}, Asked: []string{made}})
		}
		if got := f.links(replaced(c[0], "two")); !slices.Contains(got, c[2]) {
			t.Errorf("%s: %v without %s; frames %+v", c[0], got, c[2], f.all)
		}
	}
}

func replaced(url, name string) string {
	for i := 0; i+3 <= len(url); i++ {
		if url[i:i+3] == "one" {
			return url[:i] + name + url[i+3:]
		}
	}
	return url
}

// What scripts make up for each request is claimed once; data of a page is not.
func TestClaim(t *testing.T) {
	table := New[int]()
	if !table.Claim("http://a.test/x?_=1732638001234") || table.Claim("http://a.test/x?_=1732638001999") {
		t.Error("the time in a query makes a URL new")
	}
	if !table.Claim("http://a.test/x?id=17") || !table.Claim("http://a.test/x?id=18") {
		t.Error("what differs in the query is not new")
	}
}

func TestBounds(t *testing.T) {
	table := New[int]()
	for i := range 60_000 {
		host, url := fmt.Sprintf("h%d.test", i/3), fmt.Sprintf("http://h%d.test/%d", i/3, i)
		table.Meet(host, url, uint64(i))
		table.Hold(host, url, uint64(i), i)
	}
	if table.count > maxTemplates || table.held > maxAllHeld {
		t.Errorf("%d templates and %d pages are kept", table.count, table.held)
	}
	for i := range 1000 { // each page has scripts of its own
		url := fmt.Sprintf("http://many.test/%d.html", i)
		table.Meet("many.test", url, uint64(i)<<20)
		table.Hold("many.test", url, uint64(i)<<20, i)
	}
	if h := table.hosts["many.test"]; h == nil || len(h.templates) > 2*ofHost {
		t.Errorf("the templates of a host: %+v", h)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add("http://a.test/docs/one.html?x=1", "http://a.test/data/one.json?q={stem}")
	f.Add("http://a.test", "")
	f.Fuzz(func(t *testing.T, from, made string) {
		var f frames
		for range 4 {
			f.learn(from, Finding{Resources: []string{made}, Asked: []string{made}})
		}
		if len(f.all) > maxFrames || len(f.links(from)) > maxMade {
			t.Errorf("%d frames, %d links", len(f.all), len(f.links(from)))
		}
		formOf(from)
		lasting(made)
	})
}

// Pages of many folders with the same scripts: few of them tell of all, and a folder that differs is found.
func TestFolders(t *testing.T) {
	table := New[int]()
	loaded, odd := 0, 0
	for i := range 400 {
		folder := i % 20
		url := fmt.Sprintf("http://a.test/%c/p%d.html", 'a'+folder, i)
		table.Meet("a.test", url, 7)
		table.Hold("a.test", url, 7, i)
		for page, ok := table.Next(i == 399); ok; page, ok = table.Next(i == 399) {
			found := Finding{}
			if loaded++; page.Page%20 == 13 {
				found.Links, odd = 1, odd+1
			}
			table.Found(page, found)
		}
	}
	if loaded > 90 || odd != 20 {
		t.Errorf("%d pages of 400 were loaded, %d of the 20 that need it", loaded, odd)
	}
}

package order

import (
	"fmt"
	"math"
	"testing"

	"kavosh"
)

// TestDeadLinks crawls a site whose pages each link to others of it and, with words that promise more, to sites that are
// gone. After some tries it asks little of those, and finds the site's pages for few requests; a restart forgets nothing.
func TestDeadLinks(t *testing.T) {
	const pages = 60
	url := func(i int) string { return fmt.Sprintf("http://alive.example/%d.html", i) }
	w := web{}
	for i := range pages {
		v := &Visit{Status: 200, Page: &kavosh.Page{URL: url(i)}, Verdict: kavosh.Verdict{Score: 0.6}}
		for k := range 4 {
			dead := fmt.Sprintf("http://gone%d.example/%d", i%5, 4*i+k)
			v.Page.Links = append(v.Page.Links, kavosh.Link{URL: dead, Kind: kavosh.Navigation, Anchor: "a river"})
		}
		for _, to := range []int{2*i + 1, 2*i + 2} {
			if to < pages {
				v.Page.Links = append(v.Page.Links, kavosh.Link{URL: url(to), Kind: kavosh.Navigation, Anchor: "more"})
			}
		}
		w[url(i)] = v
	}
	crawl := func(p Policy, requests int) (found int) {
		w.crawl(p, []string{url(0)}, requests, func(_ *kavosh.Task, v *Visit) { found += int(asNumber(v.Status == 200)) })
		return found
	}
	p, err := Parse("reinforce-linear", setup())
	if err != nil {
		t.Fatal(err)
	}
	if found := crawl(p, pages+20); found < pages-5 {
		t.Errorf("%d of %d pages in %d requests", found, pages, pages+20)
	}
	data, err := p.(Keeper).Save()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("reinforce-linear", setup())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.(Keeper).Restore(data); err != nil {
		t.Fatal(err)
	}
	if found := crawl(again, pages); found < pages-2 {
		t.Errorf("after a restart %d of %d pages in as many requests", found, pages)
	}
}

// An unknown host is not punished: as much is expected of it as of others to which the same page links.
func TestUnknownHosts(t *testing.T) {
	parent := &Visit{Task: &kavosh.Task{URL: "http://a.example/list"}, Status: 200, Page: &kavosh.Page{}}
	to := func(url string) (*Visit, *way) {
		w := wayOf(&Candidate{Task: &kavosh.Task{URL: url}, Parent: parent})
		return &Visit{Task: &kavosh.Task{URL: url}}, &w
	}
	a := newAnswers(1000)
	_, unknown := to("http://new.example/x")
	if p := a.chance(unknown); math.Abs(p-firstAnswers) > 1e-9 {
		t.Errorf("before anything was seen %.3f", p)
	}
	for i := range 40 {
		v, w := to(fmt.Sprintf("http://h%d.example/x", i))
		if v.Status = 200; i%4 == 0 {
			v.Status = 0
		}
		a.learn(v, w)
	}
	v, dead := to("http://dead.example/1")
	for range 5 {
		v.Status = 404
		a.learn(v, dead)
	}
	if p, d := a.chance(unknown), a.chance(dead); p < 0.55 || p > 0.8 || d > 0.2 {
		t.Errorf("a new host %.3f, where two thirds of new hosts answered; a dead one %.3f", p, d)
	}
}

func TestExpected(t *testing.T) {
	for _, odds := range []float64{-700, -5, 0, 5, 700} {
		if got := expected(odds, 1); math.Abs(got-odds) > 1e-9 {
			t.Errorf("expected(%v, 1) = %v", odds, got)
		}
		half := expected(odds, 0.5)
		if want := 0.5 * logistic(odds); math.Abs(logistic(half)-want) > 1e-12 || half > 0 || math.IsInf(half, 0) {
			t.Errorf("expected(%v, 0.5) = %v", odds, half)
		}
	}
}

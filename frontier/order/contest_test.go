package order

import (
	"fmt"
	"testing"

	"kavosh"
)

// fork is a web in which a page leads to n pages side by side, and to n pages in a row. Either these or those are
// relevant.
func fork(n int, row bool) web {
	const start = "http://a.example/"
	w := web{}
	page := func(url string, relevant bool) *Visit {
		w[url] = &Visit{Status: 200, Page: &kavosh.Page{URL: url}, Verdict: kavosh.Verdict{Score: asNumber(relevant)}}
		return w[url]
	}
	link := func(from *Visit, to string) {
		from.Page.Links = append(from.Page.Links, kavosh.Link{URL: to, Kind: kavosh.Navigation})
	}
	first := page(start, false)
	last := first
	for i := range n {
		beside, next := fmt.Sprintf("%sbeside/%d", start, i), fmt.Sprintf("%srow/%d", start, i)
		link(first, beside)
		page(beside, !row)
		link(last, next)
		last = page(next, row)
	}
	return w
}

// A contest finds out which of its parts the web rewards, and loses little to it, wherever that part stands.
func TestContest(t *testing.T) {
	const n, wanted = 300, 240
	for _, row := range []bool{false, true} {
		w := fork(n, row)
		fetches := func(spec string) (fetches int) {
			p, err := Parse(spec, setup())
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			w.crawl(p, []string{"http://a.example/"}, 2*n+1, func(_ *kavosh.Task, v *Visit) {
				if found < wanted {
					fetches++
				}
				if v.Verdict.Relevant() {
					found++
				}
			})
			if found != n {
				t.Fatalf("%s found %d of %d", spec, found, n)
			}
			return fetches
		}
		best := min(fetches("breadth"), fetches("depth"))
		for spec, most := range map[string]int{"contest(breadth,depth)": 120, "contest(depth,breadth)": 120, "contest(random,depth,breadth)": 130} {
			if got := fetches(spec); got*100 > best*most {
				t.Errorf("row %v: %s needs %d fetches to %d relevant pages, the better of breadth and depth %d", row, spec, got, wanted, best)
			}
		}
		if even := fetches("mix(1*breadth,1*depth)"); even*10 < best*15 {
			t.Errorf("row %v: a mix needs %d fetches, the best part %d: the web tells little", row, even, best)
		}
	}
}

// What a contest knows of its parts outlives a restart: it goes on with the part that gave the most.
func TestContestRemembers(t *testing.T) {
	w := fork(100, true)
	p, err := Parse("contest(breadth,depth)", setup())
	if err != nil {
		t.Fatal(err)
	}
	w.crawl(p, []string{"http://a.example/"}, 60, func(*kavosh.Task, *Visit) {})
	saved, err := p.(Keeper).Save()
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := Parse("contest(breadth,depth)", setup())
	if err != nil {
		t.Fatal(err)
	}
	if err := fresh.(Keeper).Restore(saved); err != nil {
		t.Fatal(err)
	}
	deep := 0
	w.crawl(fresh, []string{"http://a.example/"}, 21, func(_ *kavosh.Task, v *Visit) { deep += int(v.Verdict.Score) })
	if deep < 15 {
		t.Errorf("after a restart %d of 20 pages are those in a row", deep)
	}
	other, err := Parse("contest(breadth,depth,random)", setup())
	if err != nil {
		t.Fatal(err)
	}
	if err := other.(Keeper).Restore(saved); err == nil {
		t.Error("a contest of three took over what one of two knew")
	}
}

package order

import (
	"fmt"
	"strings"
	"testing"

	"kavosh"
)

// URLs that a mix does not remember, here for want of memory, come in the turns of its first part: half of what is
// fetched, not when all others are gone.
func TestMixForgetsNoTurns(t *testing.T) {
	const n, start = 20, "http://a.example/"
	w := web{start: {Status: 200, Page: &kavosh.Page{URL: start}}}
	for _, anchor := range []string{"news", "river"} { // the first n fill the memory
		for i := range n {
			url := fmt.Sprintf("%s%s/%d", start, anchor, i)
			w[start].Page.Links = append(w[start].Page.Links, kavosh.Link{URL: url, Kind: kavosh.Navigation, Anchor: anchor})
		}
	}
	s := setup()
	s.Memory = n + 1 // with the start page
	p, err := Parse("mix(best,random)", s)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	w.crawl(p, []string{start}, 1+n, func(task *kavosh.Task, _ *Visit) { found += strings.Count(task.URL, "river") })
	if found != n/2 {
		t.Errorf("of the first %d links fetched, %d are those that the first part likes best", n, found)
	}
}

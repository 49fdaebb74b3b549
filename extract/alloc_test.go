package extract

import (
	"testing"

	"kavosh"
)

// A page costs what its strings and its list of links need and little more: nothing for each tag, word or link.
func TestAllocations(t *testing.T) {
	opts := Options{Buffers: new(Buffers)}
	doc := Document{URL: "http://site.test/doc/page.html", Payload: prose20K(), Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
	if links := len(Extract(doc, opts).Links); links < 50 {
		t.Fatalf("the page has only %d links", links)
	}
	without := leastAllocs(func() { Extract(doc, opts) })
	if without > 16 {
		t.Errorf("%.0f allocations a page of 51 links, want at most 16", without)
	}
	opts.Needs.Text = true
	if with := leastAllocs(func() { Extract(doc, opts) }); with > without+3 {
		t.Errorf("%.0f allocations with the page's text, %.0f without", with, without)
	}
}

// leastAllocs is how many allocations f makes when it finds its buffers in the pool, which the collector empties now and
// then, and the race detector more often.
func leastAllocs(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

// A page does not change when another is read in its buffers.
func TestBuffersAreNotThePages(t *testing.T) {
	opts := Options{Buffers: new(Buffers)}
	header := kavosh.Header{{Name: "Content-Type", Value: "text/html"}}
	first := Document{URL: "http://site.test/1", Header: header, Payload: []byte(`<p>before <a href="/first?x=1#f" title="the first">anchor</a> after</p><img src="a.png" alt="b">`)}
	want := Extract(first, Options{})
	got := Extract(first, opts)
	for range 3 {
		Extract(Document{URL: "http://site.test/doc/2", Header: header, Payload: prose20K()}, opts)
	}
	if len(got.Links) != 2 || len(want.Links) != 2 {
		t.Fatalf("links: %+v and %+v, want 2 each", got.Links, want.Links)
	}
	for i := range want.Links {
		if got.Links[i] != want.Links[i] {
			t.Errorf("in buffers %+v, without %+v", got.Links[i], want.Links[i])
		}
	}
}

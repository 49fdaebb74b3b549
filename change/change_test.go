package change

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"kavosh/lib/htmltree"
	"kavosh/lib/segment"
)

func cut(body string) *segment.Page {
	return segment.Cut(segment.FlowOf(parsed(body)))
}

func parsed(body string) *htmltree.Page { return htmltree.Parse(body, false, "https://news.test/") }

func between(t testing.TB, old, new string) *Delta {
	t.Helper()
	d, err := Between(cut(old), cut(new))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// told is an operation in one line.
func told(o *Operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", o.Do, o.What)
	for _, v := range [...]*Value{o.Old, o.New} {
		if v != nil {
			fmt.Fprintf(&b, " (%s)", strings.TrimSpace(v.Name+" "+v.Address))
		}
	}
	return b.String()
}

// page is a page of news: a head, three articles in the middle, links beside them, a foot.
const page = `<!doctype html><body>
<header><h1>The Paper</h1><nav><a href=/>home</a> <a href=/world>world</a> <a href=/sport>sport</a></nav></header>
<main>
<article><h2><a href=/flood>Flood in the north</a></h2><p>It rained all day and the rivers rose higher than anybody had seen.</p><img src=/river.jpg alt=river></article>
<article><h2><a href=/market>Prices fall</a></h2><p>At the market bread and oil cost less than last year, traders say.</p></article>
<article><h2><a href=/match>Cup won</a></h2><p>The home team won after a long match which ended in the dark.</p></article>
</main>
<aside><h3>Elsewhere</h3><ul><li><a href=https://a.test/>A test</a><li><a href=https://b.test/>B test</a><li><a href=https://c.test/>C test</a></ul></aside>
<footer>All rights are kept by the paper.</footer>`

// What is changed is found, and nothing else.
func TestBetween(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"nothing", "", "", nil},
		{"what no reader sees", "<main>", "<script>x()</script><main id=m data-token=1>", nil},
		{"a link renamed", ">sport<", ">sports<", []string{"update link (sport https://news.test/sport) (sports https://news.test/sport)"}},
		{"a link to elsewhere", "=/world>", "=/abroad>", []string{"update link (world https://news.test/world) (world https://news.test/abroad)"}},
		{"a link more", "<a href=/sport>", "<a href=/art>art</a> <a href=/sport>", []string{"insert link (art https://news.test/art)"}},
		{"a link less", "<li><a href=https://b.test/>B test</a>", "", []string{"delete link (B test https://b.test/)"}},
		{"another picture", "/river.jpg", "/rain.jpg", []string{"update image (river https://news.test/river.jpg) (river https://news.test/rain.jpg)"}},
		{"a few other words", "bread and oil cost less", "bread and rice cost more", []string{
			"update text (At the market bread and oil cost less than last year, traders say.) (At the market bread and rice cost more than last year, traders say.)"}},
		{"other words", "All rights are kept by the paper.", "Copyright 2026, nobody.", []string{
			"delete text (All rights are kept by the paper.)", "insert text (Copyright 2026, nobody.)"}},
		{"articles in another order", page[strings.Index(page, "<article><h2><a href=/flood"):strings.Index(page, "</main>")],
			page[strings.Index(page, "<article><h2><a href=/match"):strings.Index(page, "</main>")] +
				page[strings.Index(page, "<article><h2><a href=/flood"):strings.Index(page, "<article><h2><a href=/match")], nil},
		{"links of a list in another order", "<li><a href=https://a.test/>A test</a><li><a href=https://b.test/>B test</a>",
			"<li><a href=https://b.test/>B test</a><li><a href=https://a.test/>A test</a>", nil},
		{"a link that moved", "<li><a href=https://b.test/>B test</a><li><a href=https://c.test/>C test</a></ul></aside>\n<footer>",
			"<li><a href=https://c.test/>C test</a></ul></aside>\n<footer><a href=https://b.test/>B test</a> ", []string{"move link (B test https://b.test/) (B test https://b.test/)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			new := strings.Replace(page, c.old, c.new, 1)
			if c.old != "" && new == page {
				t.Fatal("the page does not change")
			}
			var got []string
			for _, o := range between(t, page, new).Operations {
				got = append(got, told(&o))
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// Blocks that came, went, moved to another part of the page, were split or merged are told as such.
func TestBlocks(t *testing.T) {
	block := func(within int, links ...string) *segment.Block {
		b := &segment.Block{Within: within, Coherence: 8}
		for _, l := range links {
			b.Links = append(b.Links, segment.Element{Name: l, Address: "https://news.test/" + l})
		}
		return b
	}
	whole := func(blocks ...*segment.Block) *segment.Page {
		p := &segment.Page{Made: "test", Root: &segment.Block{Blocks: blocks}}
		p.Identify()
		return p
	}
	a, b, c := []string{"one", "two"}, []string{"three", "four", "five", "six"}, []string{"seven"}
	base := func() *segment.Page {
		return whole(block(1, a...), block(1, b...), block(1, c...), block(2, "side"), block(2, "more"))
	}
	for _, x := range []struct {
		want string
		old  *segment.Page
		new  *segment.Page
	}{
		{"", base(), whole(block(1, c...), block(1, b...), block(1, a...), block(2, "more"), block(2, "side"))},
		{"insert block", base(), whole(block(1, a...), block(1, "eight", "nine"), block(1, b...), block(1, c...), block(2, "side"), block(2, "more"))},
		{"delete block", base(), whole(block(1, a...), block(1, b...), block(2, "side"), block(2, "more"))},
		{"move block", base(), whole(block(1, b...), block(1, c...), block(2, "side"), block(2, "more"), block(2, a...))},
		{"split block", base(), whole(block(1, a...), block(1, b[:2]...), block(1, b[2:]...), block(1, c...), block(2, "side"), block(2, "more"))},
		{"merge block", whole(block(1, a...), block(1, b[:2]...), block(1, b[2:]...), block(1, c...), block(2, "side"), block(2, "more")), base()},
	} {
		d, err := Between(x.old, x.new)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range d.Operations {
			if o.What == Block {
				got = append(got, told(&o))
			}
		}
		if strings.Join(got, ", ") != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
	if _, err := Between(base(), &segment.Page{Made: "other", Root: &segment.Block{}}); err != ErrMakers {
		t.Errorf("blocks of different makers: %v", err)
	}
}

// Nothing changed weighs 0, all of it at most 1, and news more than what is beside it or below it.
func TestImportance(t *testing.T) {
	weigh := func(old, new string) Importance {
		return between(t, page, strings.Replace(page, old, new, 1)).Importance(ByPlace())
	}
	nothing, foot, menu := weigh("<main>", "<main id=x>"), weigh("rights are kept", "wrongs were made"), weigh(">sport<", ">sports<")
	news := weigh("bread and oil cost less", "bread and rice cost more")
	everything := between(t, page, "<body><p>Quite another page, of which nobody knows anything, <a href=/x>with a link</a>.").Importance(ByPlace())
	if nothing != (Importance{}) {
		t.Errorf("no change weighs %v", nothing)
	}
	if !(foot.Summed < news.Summed && menu.Summed < news.Summed && news.Summed < everything.Summed && everything.Summed <= 1) {
		t.Errorf("foot %v, menu %v, news %v, everything %v", foot, menu, news, everything)
	}
	if !(foot.Printed < news.Printed && news.Printed < everything.Printed && everything.Printed <= 0.5) {
		t.Errorf("as printed: foot %v, news %v, everything %v", foot, news, everything)
	}
}

// However unlike two pages are, comparing them ends, and says of each element of either at most one thing.
func TestUnlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "<div><h2>%d</h2><p>%d %d %d %d <a href=/%d>%d</a></div><hr>", r.IntN(50), r.IntN(9), r.IntN(99), r.IntN(999), r.IntN(9999), r.IntN(500), r.IntN(500))
		}
		return b.String()
	}
	d := between(t, random(8000), random(8000))
	elements, said := [2]int{}, [2]int{}
	for v, blocks := range [...][]*segment.Block{d.Old, d.New} {
		for _, b := range blocks {
			elements[v] += len(b.Links) + len(b.Images) + len(b.Texts)
		}
	}
	for _, o := range d.Operations {
		if o.Old != nil {
			said[0]++
		}
		if o.New != nil {
			said[1]++
		}
	}
	if said[0] > elements[0] || said[1] > elements[1] {
		t.Errorf("said of %v elements, there are %v", said, elements)
	}
}

func FuzzBetween(f *testing.F) {
	f.Add(page, strings.Replace(page, "sport", "art", 2))
	f.Fuzz(func(t *testing.T, old, new string) {
		d := between(t, old, new)
		if old == new && len(d.Operations) > 0 {
			t.Fatal("a page differs from itself")
		}
		if e := d.Importance(ByPlace()); e.Summed < 0 || e.Summed > 1 || e.Printed < 0 || e.Printed > 0.5 {
			t.Fatalf("importance %+v", e)
		}
		back := between(t, new, old)
		if (len(back.Operations) == 0) != (len(d.Operations) == 0) {
			t.Fatal("there is a change one way, and none the other way")
		}
	})
}

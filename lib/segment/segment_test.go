package segment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kavosh/lib/htmltree"
)

func cut(body string) *Page { return Cut(FlowOf(htmltree.Parse(body, false, "https://news.test/a/"))) }

// outline is what blocks hold, each within those around it.
func outline(b *Block, in string, w *strings.Builder) {
	fmt.Fprintf(w, "%s%s", in, b.Place)
	for _, l := range b.Links {
		fmt.Fprintf(w, " [%s %s]", l.Name, l.Address)
	}
	for _, i := range b.Images {
		fmt.Fprintf(w, " (%s %s)", i.Name, i.Address)
	}
	for _, t := range b.Texts {
		fmt.Fprintf(w, " \"%s\"", t)
	}
	w.WriteByte('\n')
	for _, c := range b.Blocks {
		outline(c, in+". ", w)
	}
}

// A page is cut as a reader sees it: its head, its articles, what is beside them. Everything is in one block, and what is
// hidden in none.
func TestCut(t *testing.T) {
	p := cut(`<!doctype html><html dir=rtl><head><title>نام</title><style>p{}</style></head><body>
<header><h1>روزنامه</h1><nav><a href=/>خانه</a> <a href="../b?x=1#top">جهان</a></nav></header>
<main>
 <article><h2><a href=/n1>سیل در شمال</a></h2><p>باران از دیروز <b>بسیار</b> بارید<br>و رودها پر شد.</p><img src=n1.jpg alt="رود"></article>
 <hr>
 <article><h2>بازار</h2><p>قیمت‌ها کم شد. <img src=i.png alt=""> بیشتر از آنچه گفته بودند.</p></article>
</main>
<div class=sidebar><h3>پیوندها</h3><ul><li><a href=http://x.test/>ایکس</a><li><a href=http://y.test/><img src=y.png alt=وای width=16 height=16></a></ul></div>
<div style="display: none">پنهان <a href=/secret>راز</a></div><script>document.write("no")</script><noscript>no</noscript>
<footer>همهٔ حقوق محفوظ است</footer></body></html>`)
	var w strings.Builder
	outline(p.Root, "", &w)
	const want = `
. 
. . 
. . . header "روزنامه"
. . . nav [خانه https://news.test/] [جهان https://news.test/b?x=1#top]
. . main
. . . main [سیل در شمال https://news.test/n1]
. . . main
. . . . main "باران از دیروز بسیار بارید" "و رودها پر شد."
. . . . main (رود https://news.test/a/n1.jpg)
. main
. . main "بازار"
. . main ( https://news.test/a/i.png) "قیمت‌ها کم شد. بیشتر از آنچه گفته بودند."
. 
. . aside "پیوندها"
. . aside [ایکس http://x.test/] [ http://y.test/] (وای https://news.test/a/y.png)
. . footer "همهٔ حقوق محفوظ است"
`
	if got := w.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The same page always has the same IDs; another word, address or picture makes another ID of its block and of those
// around it, and of no other.
func TestIDs(t *testing.T) {
	const page = `<body><div><h2>One</h2><p>first words here</p></div><hr><div><h2>Two</h2><p>other <a href=/l>link</a> and more</p></div>`
	base := cut(page).Root
	for _, other := range []string{strings.Replace(page, "other", "another", 1), strings.Replace(page, "/l", "/m", 1), strings.Replace(page, ">link", ">name", 1)} {
		got := cut(other).Root
		a, b := base.Leaves(nil), got.Leaves(nil)
		if len(a) != len(b) || got.ID == base.ID {
			t.Fatalf("%s: %d blocks, want %d; ID %x, was %x", other, len(b), len(a), got.ID, base.ID)
		}
		differ := 0
		for i := range a {
			if a[i].ID != b[i].ID {
				differ++
			}
		}
		if differ != 1 {
			t.Errorf("%s: %d blocks have another ID, want 1", other, differ)
		}
	}
	if again := cut(page).Root; again.ID != base.ID {
		t.Errorf("the same page has ID %x and %x", base.ID, again.ID)
	}
}

// Pages that are made to be large, deep or odd are cut within bounds: no block holds another's content, and nothing that
// can be seen is lost.
func TestOddPages(t *testing.T) {
	for name, body := range map[string]string{
		"many":    strings.Repeat("<p>a", 60_000),
		"deep":    strings.Repeat("<div>", 20_000) + "x",
		"tables":  strings.Repeat("<table><tr><td>", 10_000) + "x",
		"lines":   strings.Repeat("<hr>x", 25_000),
		"one":     strings.Repeat("word ", 100_000),
		"links":   strings.Repeat("<a href=/x>y</a>", 20_000),
		"nothing": "",
		"wide":    "<table><tr>" + strings.Repeat("<td>x", 20_000),
	} {
		begin := time.Now()
		p := cut(body)
		leaves := p.Root.Leaves(nil)
		t.Logf("%s: %d blocks in %v", name, len(leaves), time.Since(begin))
		held := 0
		for _, b := range leaves {
			held += len(b.Texts) + len(b.Links)
		}
		if name != "nothing" && held == 0 {
			t.Errorf("%s: nothing is held", name)
		}
		if len(leaves) > 2*maxBlocks {
			t.Errorf("%s: %d blocks", name, len(leaves))
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add(`<body><table><tr><td bgcolor=#ff0000>a<td>b</table><hr><p>c<br>d<a href=x><div>e</div></a><img src=f alt=g width=1e9>`)
	f.Add(`<ul><li><a href=/1>one</a><li style="background:red">two</ul><form><input><select><option>x</select></form>`)
	f.Fuzz(func(t *testing.T, body string) {
		tree := htmltree.Parse(body, false, "https://news.test/")
		a, b := Cut(FlowOf(tree)), Cut(FlowOf(htmltree.Parse(body, false, "https://news.test/")))
		if a.Root.ID != b.Root.ID {
			t.Fatal("cut twice, the page has other blocks")
		}
		for _, l := range a.Root.Leaves(nil) {
			if l.Coherence < 1 || l.Coherence > 10 {
				t.Fatalf("coherence %d", l.Coherence)
			}
		}
	})
}

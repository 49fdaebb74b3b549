package main

// This file measures how far cutting agrees with people who marked the blocks of pages by hand: rkrzr/dataset-popular
// (Kreuzer, Hage and Feelders, "A Quantitative Comparison of Semantic Web Page Segmentation Approaches", 2015). Every
// other page, by name, may be looked at; the others are only measured.

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"kavosh"
	"kavosh/change"
	"kavosh/lib/segment"
	"kavosh/replay/render"
)

// segmented measures on all pages of a folder whose blocks are marked, of which at most so many are rendered, too. show prints
// each page that may be looked at.
func segmented(dir string, most int, show bool) error {
	var names []string
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".blocks.html") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	served := map[string]string{} // pages by path
	renderer := &render.Renderer{Pages: unscripted(dir, served)}
	defer renderer.Close()
	halves := [2]map[string][]closeness{{}, {}}
	for n, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		m := readMarks(string(text))
		cuts := m.baselines()
		cuts[byFlow] = m.of(cut(parse(m.html)))
		if n < most {
			path, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			path = "/" + filepath.ToSlash(path)
			served[path] = m.html
			if page, err := rendered(renderer, path); err != nil {
				fmt.Fprintln(os.Stderr, path, err)
			} else {
				cuts[byBrowser] = m.of(page)
			}
		}
		for by, c := range cuts {
			l := m.compare(c)
			if halves[n%2][by] = append(halves[n%2][by], l); show && n%2 == 0 {
				fmt.Printf("%s, %s: %+.3v\n", name, by, l)
			}
		}
	}
	for n, part := range [...]string{"may be looked at", "held"} {
		fmt.Printf("%s: pages; precision, recall and F1 of\n%-39s %-19s   %-19s   %-19s   %s\n", part, "", "first blocks",
			"finest blocks", "the same blocks", "nearly the same blocks")
		for _, by := range [...]string{byPage, byChild, byLandmark, byElement, byDensity, byFlow, byBrowser} {
			if list := halves[n][by]; len(list) > 0 {
				fmt.Printf("%-36s %2d %s\n", by, len(list), mean(list))
			}
		}
	}
	return nil
}

// The ways to cut.
const (
	byPage     = "all of it one block"
	byChild    = "each child of body a block"
	byLandmark = "landmarks"
	byElement  = "each block element with text a block"
	byDensity  = "text density (BlockFusion)"
	byFlow     = "ours, by HTML alone"
	byBrowser  = "ours, rendered"
)

// unscripted serves files and pages, without scripts: they ran before the pages were saved.
func unscripted(dir string, pages map[string]string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "script-src 'none'")
		w.Header().Set("Memento-Datetime", "Thu, 01 Aug 2013 00:00:00 GMT") // without it the renderer takes nothing
		if text, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, text)
			return
		}
		files.ServeHTTP(w, r)
	})
}

func rendered(r *render.Renderer, path string) (*segment.Page, error) {
	made, err := r.Render(context.Background(), path, kavosh.LayoutBoxes)
	if err != nil {
		return nil, err
	}
	var boxes kavosh.Layout
	if err := json.Unmarshal(made[0].Data, &boxes); err != nil {
		return nil, err
	}
	return segment.Cut(change.LayoutOf(&boxes)), nil
}

// marks is a page with blocks that people marked. Its items are its texts and pictures.
type marks struct {
	html   string
	items  []item
	blocks []itemSet // of each marked block
}

// item is a text or a picture.
type item struct {
	text                     string
	weight                   int // its words
	top, fine                int // the marked blocks in which it is: the first and the last; -1 for none
	child, landmark, element int // the blocks of simpler ways to cut
}

// itemSet is some items.
type itemSet map[int]bool

// cutting is a way to cut a page: for each item the finest block, -1 if it is not seen, and what all blocks hold.
type cutting struct {
	fine, top []int
	blocks    []itemSet
}

// readMarks reads a page, and writes into each of its texts which one it is.
func readMarks(text string) *marks {
	m := &marks{}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		panic(err) // of a reader that does not fail
	}
	blocks := 0
	var visit func(n *html.Node, in item, around []int)
	visit = func(n *html.Node, in item, around []int) {
		add := func(text string) string {
			in.text, in.weight = text, max(1, len(strings.Fields(text)))
			for _, b := range around {
				m.blocks[b][len(m.items)] = true
			}
			m.items = append(m.items, in)
			return number(len(m.items)-1) + text
		}
		switch {
		case n.Type == html.TextNode && strings.TrimSpace(n.Data) != "":
			n.Data = add(n.Data)
		case n.Type == html.ElementNode && (n.Data == "script" || n.Data == "style" || n.Data == "head" || n.Data == "noscript" || n.Data == "textarea"):
			return
		case n.Type == html.ElementNode:
			blocks++
			if n.Parent != nil && n.Parent.Data == "body" {
				in.child = blocks
			}
			words := ""
			for _, a := range n.Attr {
				switch a.Key {
				case "role", "id", "class":
					words += " " + a.Val
				case "data-block":
					m.blocks = append(m.blocks, itemSet{})
					around = append(slices.Clone(around), len(m.blocks)-1)
					in.fine = blocks
					if strings.Contains(a.Val, "1") {
						in.top = blocks
					}
				}
			}
			if segment.PlaceOf(n.Data, words) != "" {
				in.landmark = blocks
			}
			if !inLines[n.Data] {
				in.element = blocks
			}
			if n.Data == "img" {
				if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "alt" }); i >= 0 {
					n.Attr[i].Val = add(n.Attr[i].Val)
				} else {
					n.Attr = append(n.Attr, html.Attribute{Key: "alt", Val: add("")})
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c, in, around)
		}
	}
	visit(root, item{top: -1, fine: -1}, nil)
	var b strings.Builder
	if err := html.Render(&b, root); err != nil {
		panic(err) // of a writer that does not fail
	}
	m.html = b.String()
	return m
}

// inLines are elements that flow in lines.
var inLines = map[string]bool{"a": true, "abbr": true, "b": true, "big": true, "cite": true, "code": true, "em": true, "font": true, "i": true, "img": true,
	"label": true, "q": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true}

// Numbers of items are written in letters that have no width and no meaning: the supplement of variation selectors.
const (
	digit0 = 0xe0100
	base   = 240
	digits = 3
)

func number(n int) string {
	return string([]rune{rune(digit0 + n/base/base), rune(digit0 + n/base%base), rune(digit0 + n%base)})
}

// numbersIn calls take for each number in a text.
func numbersIn(text string, take func(n int)) {
	n, had := 0, 0
	for _, r := range text {
		if r < digit0 || r >= digit0+base {
			continue
		}
		n, had = n*base+int(r-digit0), had+1
		if had == digits {
			take(n)
			n, had = 0, 0
		}
	}
}

// of returns how we cut the page.
func (m *marks) of(p *segment.Page) *cutting {
	c := &cutting{fine: slices.Repeat([]int{-1}, len(m.items)), top: slices.Repeat([]int{-1}, len(m.items))}
	var visit func(b *segment.Block, deep, top int) itemSet
	visit = func(b *segment.Block, deep, top int) itemSet {
		all, at := itemSet{}, len(c.blocks)
		if deep <= 1 {
			top = at
		}
		c.blocks = append(c.blocks, all)
		take := func(n int) {
			if n < len(m.items) {
				all[n] = true
				c.fine[n], c.top[n] = at, top
			}
		}
		for _, t := range b.Texts {
			numbersIn(t, take)
		}
		for _, list := range [...][]segment.Element{b.Links, b.Images} {
			for _, e := range list {
				numbersIn(e.Name, take)
			}
		}
		for _, in := range b.Blocks {
			for n := range visit(in, deep+1, top) {
				all[n] = true
			}
		}
		return all
	}
	visit(p.Root, 0, 0)
	return c
}

// closeness is how far a cutting agrees with the marks.
type closeness struct {
	top, fine   agreement // B-cubed of the first and of the finest blocks
	same, fuzzy agreement // of all blocks, how many are the same, and how many nearly are
}

// nearly is what two blocks have in common that are nearly the same (Dice), as in the published comparison.
const nearly = 0.8

func (m *marks) compare(c *cutting) (l closeness) {
	l.top = m.bcubed(c.top, func(i *item) int { return i.top })
	l.fine = m.bcubed(c.fine, func(i *item) int { return i.fine })
	got, want := distinct(c.blocks), []itemSet(nil)
	for _, b := range m.blocks {
		seen := itemSet{}
		for n := range b {
			if c.fine[n] >= 0 {
				seen[n] = true
			}
		}
		want = append(want, seen)
	}
	want = distinct(want)
	found := func(least float64) (a agreement) {
		hits := func(of, in []itemSet) (n float64) {
			for _, x := range of {
				if slices.ContainsFunc(in, func(y itemSet) bool { return m.common(x, y) >= least }) {
					n++
				}
			}
			return n / float64(max(1, len(of)))
		}
		return agreement{precision: hits(got, want), recall: hits(want, got)}
	}
	l.same, l.fuzzy = found(1), found(nearly)
	return l
}

// distinct returns the sets that hold something, each once.
func distinct(list []itemSet) (kept []itemSet) {
	for _, s := range list {
		if len(s) > 0 && !slices.ContainsFunc(kept, func(k itemSet) bool {
			if len(k) != len(s) {
				return false
			}
			for n := range s {
				if !k[n] {
					return false
				}
			}
			return true
		}) {
			kept = append(kept, s)
		}
	}
	return kept
}

// common returns how much of what two sets hold is in both, by words (Dice).
func (m *marks) common(a, b itemSet) float64 {
	both, all := 0, 0
	for n := range a {
		if all += m.items[n].weight; b[n] {
			both += m.items[n].weight
		}
	}
	for n := range b {
		all += m.items[n].weight
	}
	return 2 * float64(both) / float64(max(1, all))
}

// bcubed compares blocks with marked ones by the words of the items that are in both.
func (m *marks) bcubed(got []int, want func(*item) int) (a agreement) {
	both := map[[2]int]float64{}
	inGot, inWant, all := map[int]float64{}, map[int]float64{}, 0.0
	for n := range m.items {
		i := &m.items[n]
		if g, w := got[n], want(i); g >= 0 && w >= 0 {
			k := float64(i.weight)
			both[[2]int{g, w}] += k
			inGot[g] += k
			inWant[w] += k
			all += k
		}
	}
	for p, k := range both {
		a.precision += k * k / inGot[p[0]] / all
		a.recall += k * k / inWant[p[1]] / all
	}
	return a
}

// mean returns what a line of the table says.
func mean(list []closeness) string {
	text := ""
	for n, of := range [...]func(*closeness) *agreement{
		func(l *closeness) *agreement { return &l.top }, func(l *closeness) *agreement { return &l.fine },
		func(l *closeness) *agreement { return &l.same }, func(l *closeness) *agreement { return &l.fuzzy },
	} {
		var sum [3]float64
		pages := 0.0
		for i := range list {
			a := of(&list[i])
			if n < 2 && a.precision == 0 {
				continue // nothing is marked: what is, is at least in a block with itself
			}
			pages++
			sum[0], sum[1], sum[2] = sum[0]+a.precision, sum[1]+a.recall, sum[2]+a.f1()
		}
		text += fmt.Sprintf("%.3f %.3f %.3f   ", sum[0]/pages, sum[1]/pages, sum[2]/pages)
	}
	return strings.TrimSpace(text)
}

package main

// This file changes pages in ways that are known, and counts which of them are found.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"kavosh/change"
	"kavosh/lib/htmltree"
	"kavosh/lib/segment"
)

// kind is a kind of operation, such as "update link".
type kind string

func kindOf(o *change.Operation) kind { return kind(string(o.Do) + " " + string(o.What)) }

// score counts operations of one kind.
type score struct{ made, found, false_ int }

// scores are those of all kinds.
type scores map[kind]*score

func (s scores) of(k kind) *score {
	if s[k] == nil {
		s[k] = &score{}
	}
	return s[k]
}

// wanted is an operation that was made: its kind and what it says.
type wanted struct {
	kind
	old, new string
}

func valueOf(v *change.Value) string {
	if v == nil {
		return ""
	}
	return v.Name + " <" + v.Address + ">"
}

// count compares what was found with what was made.
func (s scores) count(made []wanted, d *change.Delta, show func(string)) {
	left := map[wanted]int{}
	for _, w := range made {
		left[w]++
		s.of(w.kind).made++
	}
	for i := range d.Operations {
		o := &d.Operations[i]
		w := wanted{kindOf(o), valueOf(o.Old), valueOf(o.New)}
		if o.What == change.Block {
			w.old, w.new = "", ""
		}
		if left[w] > 0 {
			left[w]--
			s.of(w.kind).found++
			continue
		}
		s.of(w.kind).false_++
		show(fmt.Sprintf("not made: %v", w))
	}
	for w, n := range left {
		if n > 0 {
			show(fmt.Sprintf("not found: %v", w))
		}
	}
}

// mutator changes the elements of one page.
type mutator struct {
	*rand.Rand
	page *htmltree.Page
	n    int
	made []wanted
}

// targets are the elements of a page that can be told from all others.
type targets struct{ links, images, texts []*htmltree.Node }

func (m *mutator) targets() targets {
	var t targets
	links, images, texts := map[string]int{}, map[string]int{}, map[string]int{}
	names := map[string]int{}
	for n := range m.page.Elements() {
		if hidden(n) {
			continue
		}
		switch {
		case n.Name == "a" && onlyText(n):
			href, _ := n.Get("href")
			links[m.address(href)]++
			names[line(n.First.Text)]++
			if href != "" && href[0] != '#' && line(n.First.Text) != "" {
				t.links = append(t.links, n)
			}
		case n.Name == "a":
			href, _ := n.Get("href")
			links[m.address(href)]++
		case n.Name == "img":
			src, _ := n.Get("src")
			alt, _ := n.Get("alt")
			images[src]++
			names["img "+alt]++
			if src != "" && !strings.HasPrefix(src, "data:") {
				t.images = append(t.images, n)
			}
		case slices.Contains([]string{"p", "li", "td", "h1", "h2", "h3", "h4", "dd"}, n.Name) && onlyText(n):
			texts[line(n.First.Text)]++
			if len(strings.Fields(n.First.Text)) >= 8 {
				t.texts = append(t.texts, n)
			}
		}
	}
	t.links = slices.DeleteFunc(t.links, func(n *htmltree.Node) bool {
		href, _ := n.Get("href")
		return links[m.address(href)] > 1 || names[line(n.First.Text)] > 1 || m.address(href) == ""
	})
	t.images = slices.DeleteFunc(t.images, func(n *htmltree.Node) bool {
		src, _ := n.Get("src")
		_, lazy := n.Get("data-src")
		alt, _ := n.Get("alt")
		return images[src] > 1 || names["img "+alt] > 1 && alt != "" || lazy || m.address(src) == "" || inside(n, "a")
	})
	t.texts = slices.DeleteFunc(t.texts, func(n *htmltree.Node) bool { return texts[line(n.First.Text)] > 1 || inside(n, "a") })
	for _, list := range [][]*htmltree.Node{t.links, t.images, t.texts} {
		m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return t
}

func (m *mutator) address(ref string) string {
	a, _ := m.page.Resolve(strings.TrimSpace(ref))
	return a
}

func onlyText(n *htmltree.Node) bool {
	return n.First != nil && n.First == n.Last && n.First.Name == ""
}

func line(s string) string { return strings.Join(strings.Fields(s), " ") }

func inside(n *htmltree.Node, name string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Name == name {
			return true
		}
	}
	return false
}

func hidden(n *htmltree.Node) bool {
	for p := n; p != nil; p = p.Parent {
		style, _ := p.Get("style")
		_, hid := p.Get("hidden")
		if hid || strings.Contains(style, "none") || strings.Contains(style, "hidden") ||
			slices.Contains([]string{"head", "noscript", "template", "select", "dialog", "datalist", "option"}, p.Name) {
			return true
		}
	}
	return false
}

func (m *mutator) fresh(what string) string {
	m.n++
	return fmt.Sprintf("%s%d", what, m.n)
}

// elements makes k operations of each kind on the elements of the page, as far as it has that many.
func (m *mutator) elements(k int) {
	t := m.targets()
	take := func(list *[]*htmltree.Node) *htmltree.Node {
		if len(*list) == 0 {
			return nil
		}
		n := (*list)[0]
		*list = (*list)[1:]
		return n
	}
	for range k {
		if n := take(&t.links); n != nil {
			old := m.link(n)
			n.First.Text = m.fresh("renamed ")
			m.note("update link", old, m.link(n))
		}
		if n := take(&t.links); n != nil {
			old := m.link(n)
			set(n, "href", m.fresh("/readdressed/"))
			m.note("update link", old, m.link(n))
		}
		if n := take(&t.links); n != nil {
			m.note("delete link", m.link(n), "")
			remove(n)
		}
		if n := take(&t.links); n != nil {
			a := &htmltree.Node{Name: "a", Attr: []htmltree.Attribute{{Name: "href", Value: m.fresh("/inserted/")}}}
			appendTo(a, &htmltree.Node{Text: m.fresh("inserted ")})
			after(n, a)
			m.note("insert link", "", m.link(a))
		}
		if n := take(&t.images); n != nil {
			old := m.image(n)
			set(n, "src", m.fresh("/readdressed/")+".png")
			if alt, _ := n.Get("alt"); line(alt) == "" { // nothing tells that it is the same one
				m.note("delete image", old, "")
				m.note("insert image", "", m.image(n))
			} else {
				m.note("update image", old, m.image(n))
			}
		}
		if n := take(&t.images); n != nil {
			m.note("delete image", m.image(n), "")
			remove(n)
		}
		if n := take(&t.images); n != nil {
			i := &htmltree.Node{Name: "img", Attr: []htmltree.Attribute{{Name: "src", Value: m.fresh("/inserted/") + ".png"}, {Name: "alt", Value: m.fresh("picture ")}}}
			after(n, i)
			m.note("insert image", "", m.image(i))
		}
		if n := take(&t.texts); n != nil {
			old := line(n.First.Text)
			w := strings.Fields(old)
			for range len(w) / 4 {
				w[m.IntN(len(w))] = m.fresh("word")
			}
			n.First.Text = strings.Join(w, " ")
			m.note("update text", old+" <>", n.First.Text+" <>")
		}
		if n := take(&t.texts); n != nil && n.Parent != nil {
			m.note("delete text", line(n.First.Text)+" <>", "")
			remove(n)
		}
		if n := take(&t.texts); n != nil {
			p := &htmltree.Node{Name: n.Name}
			text := m.fresh("a") + m.fresh(" b") + m.fresh(" c") + m.fresh(" d") + m.fresh(" e")
			appendTo(p, &htmltree.Node{Text: text})
			after(n, p)
			m.note("insert text", "", text+" <>")
		}
	}
}

func (m *mutator) note(k kind, old, new string) { m.made = append(m.made, wanted{k, old, new}) }

func (m *mutator) link(n *htmltree.Node) string {
	href, _ := n.Get("href")
	return line(n.First.Text) + " <" + m.address(href) + ">"
}

func (m *mutator) image(n *htmltree.Node) string {
	src, _ := n.Get("src")
	alt, _ := n.Get("alt")
	address := m.address(src)
	if i := strings.IndexByte(address, '#'); i > 0 {
		address = address[:i]
	}
	return alt + " <" + address + ">"
}

// permute puts the children of some elements in another order, where these are elements of one kind.
func (m *mutator) permute(k int) {
	var parents []*htmltree.Node
	for n := range m.page.Elements() {
		kids := slices.Collect(n.Children())
		kids = slices.DeleteFunc(kids, func(c *htmltree.Node) bool { return c.Name == "" && line(c.Text) == "" })
		if len(kids) >= 3 && !hidden(n) && slices.Contains([]string{"div", "li", "article", "section", "p"}, kids[0].Name) &&
			!slices.ContainsFunc(kids, func(c *htmltree.Node) bool { return c.Name != kids[0].Name }) {
			parents = append(parents, n)
		}
	}
	m.Shuffle(len(parents), func(i, j int) { parents[i], parents[j] = parents[j], parents[i] })
	for _, p := range parents[:min(k, len(parents))] {
		kids := slices.Collect(p.Children())
		m.Shuffle(len(kids), func(i, j int) { kids[i], kids[j] = kids[j], kids[i] })
		for _, c := range kids {
			remove(c)
		}
		for _, c := range kids {
			appendTo(p, c)
		}
	}
}

func set(n *htmltree.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Name == name {
			n.Attr[i].Value = value
		}
	}
}

func remove(n *htmltree.Node) {
	p := n.Parent
	var before *htmltree.Node
	for c := p.First; c != nil; before, c = c, c.Next {
		if c != n {
			continue
		}
		if before == nil {
			p.First = n.Next
		} else {
			before.Next = n.Next
		}
		if p.Last == n {
			p.Last = before
		}
	}
	n.Next, n.Parent = nil, nil
}

func appendTo(p, n *htmltree.Node) {
	n.Parent = p
	if p.Last == nil {
		p.First = n
	} else {
		p.Last.Next = n
	}
	p.Last = n
}

func after(n, new *htmltree.Node) {
	new.Parent, new.Next = n.Parent, n.Next
	n.Next = new
	if new.Parent.Last == n {
		new.Parent.Last = new
	}
}

// blocks makes operations on the blocks of a page that is cut already: k of each kind.
func blocks(r *rand.Rand, p *segment.Page, k int) (made []wanted) {
	var inner []*segment.Block
	var visit func(b *segment.Block)
	visit = func(b *segment.Block) {
		if len(b.Blocks) == 0 {
			return
		}
		inner = append(inner, b)
		for _, c := range b.Blocks {
			visit(c)
		}
	}
	visit(p.Root)
	if len(inner) < 4 {
		return nil
	}
	touched, same := map[*segment.Block]bool{}, map[uint64]int{}
	for _, b := range p.Root.Leaves(nil) {
		same[b.ID]++ // of blocks that hold the same, nobody can tell which one moved
	}
	leaf := func(least int) (in *segment.Block, at int) {
		for range 100 {
			in = inner[r.IntN(len(inner))]
			at = r.IntN(len(in.Blocks))
			if b := in.Blocks[at]; !touched[b] && len(b.Blocks) == 0 && same[b.ID] == 1 && len(b.Links)+len(b.Images)+len(b.Texts) >= least && len(in.Blocks) > 2 {
				return in, at
			}
		}
		return nil, 0
	}
	say := func(k kind, b *segment.Block) {
		made = append(made, wanted{kind: k})
		for _, l := range b.Links {
			made = append(made, wanted{kind(strings.Fields(string(k))[0] + " link"), l.Name + " <" + l.Address + ">", ""})
		}
		for _, l := range b.Images {
			made = append(made, wanted{kind(strings.Fields(string(k))[0] + " image"), l.Name + " <" + l.Address + ">", ""})
		}
		for _, t := range b.Texts {
			made = append(made, wanted{kind(strings.Fields(string(k))[0] + " text"), t + " <>", ""})
		}
	}
	n := 0
	for range k {
		if in, at := leaf(1); in != nil {
			say("delete block", in.Blocks[at])
			in.Blocks = slices.Delete(in.Blocks, at, at+1)
		}
		if in, at := leaf(1); in != nil {
			n++
			b := &segment.Block{Coherence: 8, Texts: []string{fmt.Sprintf("new%d of%d words%d here%d", n, n, n, n)},
				Links: []segment.Element{{Name: fmt.Sprint("brand", n), Address: fmt.Sprint("https://new.example/", n)}}}
			say("insert block", b)
			for i := len(made) - 2; i < len(made); i++ {
				made[i].old, made[i].new = "", made[i].old
			}
			in.Blocks = slices.Insert(in.Blocks, at, b)
			touched[b] = true
		}
		if in, at := leaf(2); in != nil {
			b := in.Blocks[at]
			others := slices.DeleteFunc(slices.Clone(inner), func(o *segment.Block) bool { return len(o.Blocks) == 0 || o == in || touched[o] })
			if to := others[r.IntN(len(others))]; farFrom(p.Root, b, to) {
				in.Blocks = slices.Delete(in.Blocks, at, at+1)
				ends := to.Leaves(nil)
				b.Within = ends[len(ends)-1].Within
				to.Blocks = append(to.Blocks, b)
				touched[b], touched[ends[len(ends)-1]] = true, true // it tells in which element the block is now
				made = append(made, wanted{kind: "move block"})
			}
		}
		if in, at := leaf(4); in != nil { // and split
			b := in.Blocks[at]
			if len(b.Links) >= 4 {
				half := len(b.Links) / 2
				first, second := *b, *b
				first.Links, second.Links = b.Links[:half], b.Links[half:]
				second.Images, second.Texts = nil, nil
				in.Blocks = slices.Replace(in.Blocks, at, at+1, &first, &second)
				touched[&first], touched[&second] = true, true
				made = append(made, wanted{kind: "split block"})
			}
		}
	}
	return made
}

// farFrom reports whether b would come to lie in another element, with blocks between, if it were put at the end of to.
func farFrom(root, b, to *segment.Block) bool {
	leaves := root.Leaves(nil)
	ends := to.Leaves(nil)
	from, end := slices.Index(leaves, b), slices.Index(leaves, ends[len(ends)-1])
	return b.Within != ends[len(ends)-1].Within && (end > from+3 || end < from-3)
}

// clone copies blocks.
func clone(b *segment.Block) *segment.Block {
	c := *b
	c.Blocks = slices.Clone(b.Blocks)
	for i := range c.Blocks {
		c.Blocks[i] = clone(c.Blocks[i])
	}
	return &c
}

// table returns the scores, one line for each kind.
func (s scores) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %7s %9s %7s\n", "operation", "made", "precision", "recall")
	for _, k := range slices.Sorted(maps.Keys(s)) {
		x := s[k]
		fmt.Fprintf(&b, "%-14s %7d %9.4f %7.4f\n", k, x.made, float64(x.found)/float64(max(1, x.found+x.false_)), float64(x.found)/float64(max(1, x.made)))
	}
	return b.String()
}

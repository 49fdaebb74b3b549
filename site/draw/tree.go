package draw

// This file draws how coherent crawls are, as a tree.

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kavosh/pages"
	"kavosh/quality/tree"
)

// Tree shows the tree of crawls, at one of its steps.
type Tree struct {
	Collection Summary
	Crawl      string    // "" for the newest ones
	Members    []Summary // the collections that have trees of their own, if this one has none
	Growing    bool      // it is being read
	Large      bool      // it takes too long to read
	Overlap    bool      // its crawls went on at the same time

	Tree       *tree.Tree // nil if there is none
	Step       int
	Open, Shut []int32
	Calendar   func(url string) string
	Telling    []tree.Telling
}

// treePage is what the template is given.
type treePage struct {
	Tree
	At      string // URL of the collection's page
	Nodes   int
	Picture template.HTML
	Steps   []treeStep
	Classes []treeClass
	Shapes  []treeShape
	Rows    []treeRow
}

type treeStep struct {
	Label, Path string
	Here        bool
}

type treeClass struct {
	Name, Color, Label string
	Counts             []int // by step
}

type treeShape struct {
	Picture template.HTML
	Label   string
}

type treeRow struct{ URL, Path, Words string }

// Tree writes the page.
func (s *Set) Tree(w http.ResponseWriter, r *http.Request, p Tree) {
	lang := s.LangOf(r)
	v := treePage{Tree: p, At: s.home + "/c/" + p.Collection.Name}
	view := pages.View{Title: text(lang, "tree.title"), Switch: pages.InLang(r), Section: &p.Collection, Tab: "crawls"}
	if p.Tree != nil {
		v.draw(lang, r.URL.Query())
		view.Script = "tree.js"
	}
	view.Page = v
	s.Write(w, r, http.StatusOK, lang, "tree", view)
}

// draw fills in the picture, and all that says it in words.
func (v *treePage) draw(lang pages.Lang, query url.Values) {
	t := v.Tree.Tree
	v.Nodes = t.Len() - 1
	link := func(step int, open, shut []int32) string {
		q := url.Values{}
		for _, keep := range []string{"crawl", "lang"} {
			if value := query.Get(keep); value != "" {
				q.Set(keep, value)
			}
		}
		q.Set("step", strconv.Itoa(step+1))
		for _, n := range open {
			q.Add("open", strconv.Itoa(int(n)))
		}
		for _, n := range shut {
			q.Add("shut", strconv.Itoa(int(n)))
		}
		return "?" + q.Encode()
	}
	without := func(list []int32, n int32) []int32 {
		return slices.DeleteFunc(slices.Clone(list), func(o int32) bool { return o == n })
	}
	opened := func(n int) string {
		return link(v.Step, append(slices.Clone(v.Open), int32(n)), without(v.Shut, int32(n)))
	}
	view := t.View(tree.Options{Open: v.Open, Shut: v.Shut})
	var b strings.Builder
	view.SVG(&b, v.Step, tree.Words{
		Title: text(lang, "tree.title"),
		Node:  func(d *tree.Drawn) string { return v.says(lang, d) },
		Path: func(d *tree.Drawn) string {
			switch {
			case d.Group || !d.Open && d.Members > 1:
				return opened(d.Node)
			case d.Open && d.Node != tree.Root:
				return link(v.Step, without(v.Open, int32(d.Node)), append(without(v.Shut, int32(d.Node)), int32(d.Node)))
			case d.Node == tree.Root:
				return ""
			}
			return v.Calendar(t.URL(d.Node))
		},
		Data: func(at int, d *tree.Drawn) []tree.Datum {
			var is strings.Builder
			for step := range t.Steps {
				fmt.Fprintf(&is, "%d%d", d.Main(step), d.Worst(step))
			}
			return []tree.Datum{{Name: "at", Value: fmt.Sprintf("%.1f %.1f %.1f %d %d %d", d.X, d.Y, d.Side, view.Shape(d), d.Above, d.Members)}, {Name: "is", Value: is.String()}}
		},
	})
	v.Picture = template.HTML(b.String()) // SVG escapes all that it is given
	for i, step := range t.Steps {
		v.Steps = append(v.Steps, treeStep{step.From + " → " + step.To, link(i, v.Open, v.Shut), i == v.Step})
	}
	for _, c := range tree.Worst() {
		row := treeClass{Name: strconv.Itoa(int(c)), Color: c.Color(), Label: text(lang, "tree.class."+c.String())}
		for i := range t.Steps {
			row.Counts = append(row.Counts, t.Counts(i)[c])
		}
		if slices.Max(row.Counts) > 0 {
			v.Classes = append(v.Classes, row)
		}
	}
	for shape := tree.Ellipse; shape <= tree.Rectangle; shape++ {
		v.Shapes = append(v.Shapes, treeShape{template.HTML(shape.Sample()), text(lang, "tree.shape."+shape.String())})
	}
	for _, n := range v.Telling {
		v.Rows = append(v.Rows, treeRow{t.URL(n.Node), opened(n.Node), treeCounts(lang, n.Counts)})
	}
}

// says says what a node is, and what it stands for.
func (v *treePage) says(lang pages.Lang, d *tree.Drawn) string {
	name := v.Tree.Tree.URL(d.Node)
	if d.Node == tree.Root {
		name = text(lang, "tree.root")
	}
	if d.Group {
		name = text(lang, "tree.below", d.Members, name)
	}
	if found := treeCounts(lang, d.Counts[v.Step]); found != "" {
		name += ": " + found
	}
	return name
}

// treeCounts says how many nodes have which class.
func treeCounts(lang pages.Lang, counts [tree.Classes]int) string {
	var parts []string
	for _, c := range tree.Worst() {
		if n := counts[c]; n > 0 {
			parts = append(parts, lang.Number(n)+" "+text(lang, "tree.class."+c.String()))
		}
	}
	return strings.Join(parts, text(lang, "inside.comma"))
}

package main

// This file is the command kavosh export tree: how coherent crawls are, as a picture of the tree in which their pages were found.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/quality"
	"kavosh/quality/tree"
)

type exportTreeCmd struct {
	target
	Args    []string `arg:"" optional:"" name:"archive" help:"The archive's folder."`
	Between string   `default:"all" placeholder:"CRAWL,CRAWL" help:"The visits to compare, each with the next one, as kavosh quality --between has them. Default: all crawls."`
	Output  string   `short:"o" placeholder:"FILE" help:"Where to: the end of the name says what, .svg, .png or .graphml. Of more than two visits, there is a picture for each step. Default: the archive's name and -tree.svg."`
	Nodes   int      `default:"1500" least:"10" most:"2000000" placeholder:"N" help:"Nodes to draw, about: subtrees without defects are drawn as one node first."`
	JSON    bool     `name:"json" help:"Print counts and the ten most telling nodes as one JSON object."`
}

// Help returns the text above the flags in the help.
func (exportTreeCmd) Help() string {
	return `Examples:

    kavosh export tree news.kavosh -o news.svg
    kavosh export tree news.kavosh --between 20240301090000,20240308090000 -o news.png
    kavosh export tree news.kavosh --nodes 100000 -o news.graphml          for visone, yEd, Gephi, NetworkX

A page hangs below the one whose link led to it first. Its colour is what the second visit found: green unchanged, yellow other content, red other links, black missing, violet not there any more, blue added, grey where nothing tells. A circle is HTML, a hexagon a picture, sound or film, a round square a script or style, a square another file. A node that stands for several is the larger the more they are; its edge has the colour of the worst of them.

All steps of a series have the same places: a page keeps its own through all crawls. What kavosh access has closed is left out. kavosh serve shows the same tree, with nodes to open and close.`
}

// Run writes the picture, and prints it in words.
func (c *exportTreeCmd) Run(p *program) error {
	dir, rest, err := c.archive(c.Args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("kavosh export tree takes one archive; %q is too much", rest[0])
	}
	if c.Output == "" {
		name := filepath.Base(filepath.Clean(dir))
		c.Output = strings.TrimSuffix(name, filepath.Ext(name)) + "-tree.svg"
	}
	kind := strings.ToLower(filepath.Ext(c.Output))
	if !slices.Contains([]string{".svg", ".png", ".graphml"}, kind) {
		return usage("-o %s: the name ends in .svg, .png or .graphml", c.Output)
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	line := newProgress(p.err)
	t, err := c.read(ctx, dir, line)
	line.stop()
	if err != nil {
		return err
	}
	if err := c.write(t, kind); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(p.out, treeWords(t))
	}
	return printTree(p.out, treeWords(t))
}

// read reads the tree of the visits.
func (c *exportTreeCmd) read(ctx context.Context, dir string, line *progress) (t *tree.Tree, err error) {
	visits, err := (&qualityCmd{Between: c.Between}).visits(dir)
	if err != nil {
		return nil, err
	}
	r, done, err := openChanges(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	from := archive.Tree{FS: vfs.Default, Dir: dir, Reader: r, Done: progressOf(line)}
	if from.Shown, err = archive.Public(dir); err != nil {
		return nil, err
	}
	if from.Links, err = publicLinks(dir); err != nil {
		return nil, err
	}
	for i := range visits {
		from.Visits, from.Names = append(from.Visits, visits[i].Visit), append(from.Names, visits[i].name)
	}
	return from.Read(ctx)
}

// write writes the files: one for each step, or all steps in one.
func (c *exportTreeCmd) write(t *tree.Tree, kind string) error {
	v := t.View(tree.Options{Most: c.Nodes})
	if kind == ".graphml" {
		return writeTo(c.Output, func(w io.Writer) error { return v.GraphML(w, len(t.Steps)-1) })
	}
	for step, s := range t.Steps {
		name := stepFile(c.Output, step, len(t.Steps))
		words := tree.Words{Title: s.From + " → " + s.To, Class: classLine, Shape: shapeLine, Node: func(d *tree.Drawn) string { return nodeWords(t, d, step) }}
		draw := v.SVG
		if kind == ".png" {
			draw = v.PNG
		}
		if err := writeTo(name, func(w io.Writer) error { return draw(w, step, words) }); err != nil {
			return err
		}
	}
	return nil
}

// stepFile names the picture of one of several steps.
func stepFile(file string, step, of int) string {
	if of == 1 {
		return file
	}
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(file, filepath.Ext(file)), step+1, filepath.Ext(file))
}

// classLine is a line of the legend.
func classLine(c tree.Class, n int) string {
	words := map[tree.Class]string{tree.Coherent: "unchanged", tree.Untold: "nothing tells"}[c]
	for _, w := range classWords {
		if string(w.class) == c.String() {
			words = w.words
		}
	}
	return count(n) + " " + words
}

func shapeLine(s tree.Shape) string {
	return [...]string{tree.Ellipse: "page", tree.Hexagon: "picture, sound or film", tree.RoundRectangle: "script or style", tree.Rectangle: "other file"}[s]
}

// nodeWords says what a node is, and what it stands for.
func nodeWords(t *tree.Tree, d *tree.Drawn, step int) string {
	text := t.URL(d.Node)
	if text == "" {
		text = "the crawl"
	}
	if d.Group {
		text = plural(d.Members, "node") + " below " + text
	}
	var parts []string
	for _, c := range tree.Worst() {
		if n := d.Counts[step][c]; n > 0 {
			parts = append(parts, count(n)+" "+c.String())
		}
	}
	return text + ": " + strings.Join(parts, ", ")
}

// treeStep is a step of a tree in words.
type treeStep struct {
	From    string                `json:"from"`
	To      string                `json:"to"`
	Nodes   map[quality.Class]int `json:"nodes"`
	Telling []tellingNode         `json:"telling"`
}

// tellingNode is one of the ten nodes that tell most.
type tellingNode struct {
	URL   string                `json:"url"`   // "" for the seeds
	Below int                   `json:"below"` // nodes directly below it
	Nodes map[quality.Class]int `json:"nodes"` // of them, by class
}

// treeWords says what a tree shows.
func treeWords(t *tree.Tree) (steps []treeStep) {
	named := func(counts [tree.Classes]int) map[quality.Class]int {
		m := map[quality.Class]int{}
		for _, c := range tree.Worst() {
			if counts[c] > 0 {
				m[quality.Class(c.String())] = counts[c]
			}
		}
		return m
	}
	for i, s := range t.Steps {
		step := treeStep{From: s.From, To: s.To, Nodes: named(t.Counts(i)), Telling: []tellingNode{}}
		for _, n := range t.Telling(i, 10) {
			step.Telling = append(step.Telling, tellingNode{t.URL(n.Node), n.Below, named(n.Counts)})
		}
		steps = append(steps, step)
	}
	return steps
}

// printTree prints it for people.
func printTree(out io.Writer, steps []treeStep) error {
	w := bufio.NewWriter(out)
	for _, s := range steps {
		fmt.Fprintf(w, "%s → %s\n", s.From, s.To)
		for _, c := range tree.Worst() {
			if n := s.Nodes[quality.Class(c.String())]; n > 0 {
				fmt.Fprintf(w, "  %s\n", classLine(c, n))
			}
		}
		for i, n := range s.Telling {
			if i == 0 {
				io.WriteString(w, "  The most telling nodes, by what hangs directly below them:\n")
			}
			var parts []string
			for _, c := range tree.Worst() {
				if m := n.Nodes[quality.Class(c.String())]; m > 0 {
					parts = append(parts, count(m)+" "+c.String())
				}
			}
			url := n.URL
			if url == "" {
				url = "(seeds)"
			}
			fmt.Fprintf(w, "    %s: %s\n", url, strings.Join(parts, ", "))
		}
	}
	return w.Flush()
}

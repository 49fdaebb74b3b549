// Command change measures how well and how fast packages lib/segment and change tell what differs between pages.
//
//	go run ./bench/change [-v] [-every N] FOLDER
//	go run ./bench/change -rendered N ARCHIVE
//	go run ./bench/change [-rendered N] -segmented FOLDER
//	go run ./bench/change -labelled develop|held FOLDER
//
// FOLDER has the stored webs of make lab-data. It takes one page in every few of them, changes it in known ways, and counts
// what is found: operations on elements, made in the HTML before it is cut into blocks; orders of siblings, which are
// nothing; and operations on blocks, made after it. Then it measures how many pages are cut, and pairs compared, in a second of one core, and how time grows with the size of pages. docs/benchmarks.md has
// the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"kavosh/change"
	"kavosh/lib/charset"
	"kavosh/lib/htmltree"
	"kavosh/lib/segment"
	"kavosh/lib/warc"
)

func main() {
	verbose := flag.Bool("v", false, "show what is found wrong")
	k := flag.Int("k", 2, "operations of each kind on a page")
	every := flag.Int("every", 101, "take one page in so many")
	rendered := flag.Int("rendered", 0, "instead: of an archive, cut so many pages with and without a browser, and say how far both agree")
	part := flag.String("labelled", "", "instead: measure the importance on the sites of a part of sites.tsv, develop or held, whose clones are in FOLDER")
	learns := flag.Bool("learn", false, "with -labelled: print the odds that package change is to have (chance.go)")
	byHand := flag.String("segmented", "", "instead: say how far blocks agree with those that people marked on the pages of a clone of rkrzr/dataset-popular")
	flag.Parse()
	if *byHand != "" && flag.NArg() == 0 {
		if err := segmented(*byHand, *rendered, *verbose); err != nil {
			fmt.Fprintln(os.Stderr, "change:", err)
			os.Exit(1)
		}
		return
	}
	if *part != "" && flag.NArg() == 1 {
		if err := labelled(flag.Arg(0), *part, *learns); err != nil {
			fmt.Fprintln(os.Stderr, "change:", err)
			os.Exit(1)
		}
		return
	}
	if *rendered > 0 && flag.NArg() == 1 {
		if err := agree(context.Background(), flag.Arg(0), *rendered, max(1, *every), *verbose); err != nil {
			fmt.Fprintln(os.Stderr, "change:", err)
			os.Exit(1)
		}
		return
	}
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: change [-v] [-k N] [-every N] FOLDER: make lab-data makes one, .cache/lab")
		os.Exit(2)
	}
	pages, err := read(flag.Arg(0), max(1, *every))
	if err == nil && len(pages) == 0 {
		err = errors.New("no pages in the WARC files of " + flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "change:", err)
		os.Exit(1)
	}
	show := func(string) {}
	elements, orders, parts := scores{}, scores{}, scores{}
	still := 0
	for n, body := range pages {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		old := cut(parse(body))
		m := mutator{Rand: r, page: parse(body)}
		m.elements(*k)
		if *verbose {
			show = func(s string) { fmt.Printf("page %d: %.300s\n", n, s) }
		}
		elements.count(m.made, between(old, cut(m.page)), show)

		p := mutator{Rand: r, page: parse(body)}
		p.permute(3)
		d := between(old, cut(p.page))
		orders.count(nil, d, show)
		if len(d.Operations) == 0 {
			still++
		}
		changed := *old
		changed.Root = clone(old.Root)
		made := blocks(r, &changed, *k)
		changed.Identify()
		parts.count(made, between(old, &changed), show)
	}
	fmt.Printf("%d pages\n\nelements, made in the HTML:\n%s\nblocks, made after cutting:\n%s\n", len(pages), elements.table(), parts.table())
	fmt.Printf("other orders of siblings: nothing found on %d of %d pages\n%s\n", still, len(pages), orders.table())
	speed(pages)
	growth(pages)
}

// read reads one page in every few from the WARC files of a folder.
func read(folder string, every int) (pages []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.warc.gz"))
	n := 0
	for _, name := range files {
		err = errors.Join(err, each(name, func(kind string, body []byte) {
			if n++; n%every == 0 {
				text, _, _ := charset.Decode(body, kind)
				pages = append(pages, string(text))
			}
		}))
	}
	return pages, err
}

// each calls take for each page of a WARC file.
func each(name string, take func(kind string, body []byte)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := warc.NewReader(f)
	if err != nil {
		return err
	}
	for {
		rec, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if rec.Type() != "response" {
			continue
		}
		head, payload, err := rec.Payload()
		if kind := head.Fields.Get("Content-Type"); err == nil && head.Status == 200 && strings.Contains(kind, "html") {
			if body, err := io.ReadAll(io.LimitReader(payload, 1<<20)); err == nil {
				take(kind, body)
			}
		}
	}
}

func parse(body string) *htmltree.Page {
	return htmltree.Parse(body, false, "https://example.org/page.html")
}

func cut(p *htmltree.Page) *segment.Page { return segment.Cut(segment.FlowOf(p)) }

func between(a, b *segment.Page) *change.Delta {
	d, err := change.Between(a, b)
	if err != nil {
		panic(err) // both are cut alike
	}
	return d
}

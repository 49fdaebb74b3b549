package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// realPages are pages that others wrote and that are wherever this program is built: of Go's documentation, and of the W3C's
// test suites and others that lie in modules.
func realPages(t *testing.T) (pages []string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "doc", "*.html"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no pages in %s/doc: install Go as https://go.dev/doc/install says", root)
	}
	for _, of := range [][2]string{{"golang.org/x/net", "html/testdata/go1.html"}, {"github.com/piprate/json-gold", "ld/testdata/*manifest.html"}} {
		module, pattern := of[0], of[1]
		dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil || len(dir) < 2 {
			t.Fatalf("no folder of %s: go mod download %s", module, module)
		}
		more, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), filepath.FromSlash(pattern)))
		if err != nil || len(more) == 0 {
			t.Fatalf("no %s in %s", pattern, dir)
		}
		names = append(names, more...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(text[:min(len(text), 200<<10)]))
	}
	return pages
}

// Of known changes to real pages at least 98 of 100 of each kind are found, and as many that are found were made; siblings
// in another order are nothing, and nothing moves within a block.
func TestKnownChanges(t *testing.T) {
	pages := realPages(t)
	elements, parts, orders := scores{}, scores{}, scores{}
	for n, body := range pages {
		old := cut(parse(body))
		for round := range 6 {
			r := rand.New(rand.NewPCG(uint64(n), uint64(round)))
			m := mutator{Rand: r, page: parse(body)}
			m.elements(2)
			elements.count(m.made, between(old, cut(m.page)), func(string) {})
			changed := *old
			changed.Root = clone(old.Root)
			made := blocks(r, &changed, 2)
			changed.Identify()
			parts.count(made, between(old, &changed), func(string) {})
			p := mutator{Rand: r, page: parse(body)}
			p.permute(3)
			orders.count(nil, between(old, cut(p.page)), func(s string) { t.Logf("page %d: %s", n, s) })
		}
	}
	for name, of := range map[string]scores{"elements": elements, "parts": parts} {
		for k, s := range of {
			if name == "elements" && strings.HasSuffix(string(k), " block") {
				continue // a paragraph that went takes its block with it
			}
			precision, recall := float64(s.found)/float64(max(1, s.found+s.false_)), float64(s.found)/float64(max(1, s.made))
			if precision < 0.98 || recall < 0.98 {
				t.Errorf("%s, %s: made %d, precision %.3f, recall %.3f", name, k, s.made, precision, recall)
			}
		}
	}
	if len(orders) > 0 {
		t.Errorf("siblings in another order give\n%s", orders.table())
	}
}

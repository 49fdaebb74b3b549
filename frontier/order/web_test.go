package order

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"kavosh"
)

// web is pages by URL; what is not there answers 404.
type web map[string]*Visit

// readWeb reads testdata/web.txt.
func readWeb(t testing.TB) web { return readWebOf(t, "testdata/web.txt") }

func readWebOf(t testing.TB, file string) web {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := web{}
	var page *Visit
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			field := strings.SplitN(line, " ", 3)
			class := kavosh.Unclassed
			if strings.Contains("REHN", field[1]) {
				class = kavosh.Class(field[1])
				field[1] = map[bool]string{true: "1", false: "0"}[class == kavosh.ClassRDF]
			}
			n, err := strconv.ParseFloat(field[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			page = &Visit{Status: 200, Page: &kavosh.Page{URL: field[0], Title: field[2], RDF: kavosh.RDF{Class: class}}, Verdict: kavosh.Verdict{Score: n}}
			if n > 1 {
				page.Status, page.Verdict.Score = int(n), 0
			}
			w[field[0]] = page
		default:
			field := append(strings.Split(line, "|"), "", "")
			l := kavosh.Link{URL: strings.TrimSpace(field[0]), Kind: kavosh.Navigation, Anchor: strings.TrimSpace(field[1]), Around: strings.TrimSpace(field[2]), Type: strings.TrimSpace(field[3]), Title: strings.TrimSpace(field[4]), Position: len(page.Page.Links)}
			if page.Status != 200 {
				l.Kind = kavosh.Redirect
			}
			page.Page.Links = append(page.Page.Links, l)
		}
	}
	return w
}

// rivers is a topic: the share of words that speak of rivers, twice over.
func rivers(text string) float64 {
	words, hits := strings.Fields(strings.ToLower(text)), 0
	for _, w := range words {
		switch w {
		case "river", "rivers", "nile", "danube", "rhine", "flood":
			hits++
		}
	}
	return min(1, 2*float64(hits)/float64(max(len(words), 1)))
}

// queue is the frontier in small: the URL with the highest score comes first, of equal ones the one queued first.
type queue struct {
	tasks   []kavosh.Task
	seen    map[string]bool
	changes int
	last    uint64
}

// crawl fetches at most limit pages in the order of p, one at a time, and tells each as it comes.
func (w web) crawl(p Policy, seeds []string, limit int, tell func(t *kavosh.Task, v *Visit)) *queue {
	return w.crawlBy(1, p, seeds, limit, tell)
}

// crawlBy is crawl with so many workers: as many pages are asked before the first of them is learned from. A page of
// status -1 is refused: nobody learns of it.
func (w web) crawlBy(workers int, p Policy, seeds []string, limit int, tell func(t *kavosh.Task, v *Visit)) *queue {
	q := &queue{seen: map[string]bool{}}
	learner, _ := p.(Learner)
	offer := func(links []kavosh.Link, parent *Visit) {
		for i := range links {
			l := &links[i]
			if q.seen[l.URL] {
				continue
			}
			q.seen[l.URL] = true
			t := kavosh.Task{URL: l.URL, Kind: l.Kind}
			if parent != nil {
				t.Via, t.Hops = parent.Task.URL, parent.Task.Hops
				if l.Kind == kavosh.Navigation {
					t.Hops++
				}
			}
			t.Score, t.Why = p.Score(&Candidate{Link: l, Task: &t, Parent: parent})
			q.last++
			t.ID = q.last
			if t.Score == LeftOut() && parent != nil {
				delete(q.seen, l.URL) // another link to it may be better
				continue
			}
			q.tasks = append(q.tasks, t)
		}
	}
	for _, url := range seeds {
		offer([]kavosh.Link{{URL: url, Kind: kavosh.Seed}}, nil)
	}
	var out []kavosh.Task
	for n := 0; n < limit && len(q.tasks)+len(out) > 0; {
		best := 0
		for i := range q.tasks {
			if a, b := &q.tasks[i], &q.tasks[best]; a.Score > b.Score || a.Score == b.Score && a.ID < b.ID {
				best = i
			}
		}
		if len(q.tasks) > 0 && len(out) < workers {
			out = append(out, q.tasks[best])
			q.tasks = append(q.tasks[:best], q.tasks[best+1:]...)
			continue
		}
		t := out[0]
		out = out[1:]
		n++
		v := Visit{Status: 404, Page: &kavosh.Page{URL: t.URL}}
		if page := w[t.URL]; page != nil {
			v = *page
		}
		v.Task = &t
		tell(&t, &v)
		if v.Status < 0 {
			continue
		}
		if learner != nil {
			q.change(learner.Learn(&v))
		}
		offer(v.Page.Links, &v)
	}
	return q
}

func (q *queue) change(changes []Change) {
	for _, c := range changes {
		for i := range q.tasks {
			if t := &q.tasks[i]; t.URL == c.URL {
				t.Score, t.Why = c.Score, c.Why
				q.changes++
			}
		}
	}
}

// story is the whole crawl from http://a.example/ as text: score, URL, why; relevant pages are marked.
func (w web) story(p Policy) string { return w.storyFrom(p, "http://a.example/") }

func (w web) storyFrom(p Policy, seed string) string {
	var b strings.Builder
	relevant := 0
	n := 0
	q := w.crawl(p, []string{seed}, len(w)*2, func(t *kavosh.Task, v *Visit) {
		mark := " "
		n++
		if v.Verdict.Relevant() {
			mark = "*"
			relevant++
		}
		fmt.Fprintf(&b, "%2d %s %.4f %s: %s\n", n, mark, t.Score, t.URL, t.Why)
		if n == 10 {
			fmt.Fprintf(&b, "   -- %d relevant among the first 10\n", relevant)
		}
	})
	fmt.Fprintf(&b, "%d changes\n", q.changes)
	if a, ok := p.(Accountant); ok {
		for _, t := range a.Tallies() {
			fmt.Fprintf(&b, "%s: %s, right %d of %d\n", t.Name, t.Label, t.Correct, t.Applied)
		}
	}
	return b.String()
}

package order

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"kavosh"
)

// randomWeb is n pages on a few hosts with links at random, more to some than to others.
func randomWeb(seed uint64, n int) web {
	r := rand.New(rand.NewPCG(seed, 1))
	url := func(i int) string { return fmt.Sprintf("http://h%d.example/%d/%d.html", i%7, i%3, i) }
	w := web{}
	for i := range n {
		v := &Visit{Status: 200, Page: &kavosh.Page{URL: url(i)}, Verdict: kavosh.Verdict{Score: r.Float64()}}
		for range r.IntN(12) {
			to := int(math.Pow(r.Float64(), 2) * float64(n))
			v.Page.Links = append(v.Page.Links, kavosh.Link{URL: url(to), Kind: kavosh.Navigation, Position: len(v.Page.Links)})
		}
		w[url(i)] = v
	}
	return w
}

// naive is a policy's idea worked out from nothing after every visit: what each URL is worth, by all visits so far.
type naive struct {
	worth   map[string]float64 // of the URLs that wait
	cash    map[string]float64
	fetched map[string]bool
}

func (n *naive) visit(v *Visit) {
	url := v.Task.URL
	delete(n.worth, url)
	n.fetched[url] = true
	links := map[string]bool{}
	for _, l := range v.Page.Links {
		if l.URL != url {
			links[l.URL] = true
		}
	}
	part := n.cash[url] / float64(max(len(links), 1))
	if len(links) > 0 {
		n.cash[url] = 0
	}
	for to := range links {
		n.cash[to] += part
		if !n.fetched[to] {
			n.worth[to]++
		}
	}
}

// TestFirstIsBest lets one worker crawl random webs and works out from nothing, before each fetch, what waits and what it
// is worth: the queue must give out one of the greatest worth, although few scores in it are ever changed.
func TestFirstIsBest(t *testing.T) {
	cash := func(n *naive, url string) float64 { return n.cash[url] }
	links := func(n *naive, url string) float64 { return n.worth[url] }
	random := func(n *naive, url string) float64 { return uniform(url, 5) }
	for spec, worth := range map[string]func(pick int) func(n *naive, url string) float64{
		"indegree": func(int) func(*naive, string) float64 { return links },
		"opic":     func(int) func(*naive, string) float64 { return cash },
		"mix(2*indegree,1*random)": func(pick int) func(*naive, string) float64 {
			if pick%3 == 2 {
				return random
			}
			return links
		},
		"mix(1*random,3*opic)": func(pick int) func(*naive, string) float64 {
			if pick%4 == 0 {
				return random
			}
			return cash
		},
	} {
		for seed := range uint64(20) {
			w := randomWeb(seed, 300)
			p, err := Parse(spec, Setup{Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			start := "http://h0.example/0/0.html"
			n := &naive{worth: map[string]float64{start: 0}, cash: map[string]float64{start: 1}, fetched: map[string]bool{}}
			pick, visits := 0, 0
			q := w.crawl(p, []string{start}, 1000, func(task *kavosh.Task, v *Visit) {
				value := worth(pick)
				for url := range n.worth {
					if got, best := value(n, task.URL), value(n, url); best > got+1e-12 && !t.Failed() {
						t.Errorf("%s, web %d, fetch %d: %s is worth %v, and %s is worth %v", spec, seed, pick, task.URL, got, url, best)
					}
				}
				n.visit(v)
				pick++
				visits++
			})
			if q.changes > 4*visits {
				t.Errorf("%s, web %d: %d changes in %d visits; the frontier pays for each", spec, seed, q.changes, visits)
			}
		}
	}
}

// TestSmallMemory gives every policy room for a few URLs only: everything is fetched all the same, once.
func TestSmallMemory(t *testing.T) {
	w := randomWeb(3, 300)
	for _, spec := range goldens() {
		var want int
		for _, memory := range []int{0, 7} {
			s := setup()
			s.Memory = memory
			p, err := Parse(spec, s)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			w.crawl(p, []string{"http://h0.example/0/0.html"}, 1000, func(task *kavosh.Task, v *Visit) {
				if seen[task.URL] || math.IsNaN(task.Score) {
					t.Errorf("%s: %s again, or a score that is no number: %v", spec, task.URL, task.Score)
				}
				seen[task.URL] = true
			})
			if memory == 0 {
				want = len(seen)
			} else if len(seen) != want {
				t.Errorf("%s with room for %d URLs: %d pages, not %d", spec, memory, len(seen), want)
			}
		}
	}
}

// TestManyWorkers has eight pages under way at a time, and every fifth refused without anybody learning of it: everything is
// asked once, and an order still does what it is for.
func TestManyWorkers(t *testing.T) {
	const start, workers = "http://h0.example/0/0.html", 8
	w := randomWeb(4, 400)
	for url, v := range w {
		if uniform(url, 1) < 0.2 && url != start {
			w[url] = &Visit{Status: -1, Page: &kavosh.Page{URL: url, Links: v.Page.Links}}
		}
	}
	for _, spec := range goldens() {
		p, err := Parse(spec, setup())
		if err != nil {
			t.Fatal(err)
		}
		asked := map[string]bool{}
		q := w.crawlBy(workers, p, []string{start}, 1000, func(task *kavosh.Task, _ *Visit) {
			if asked[task.URL] {
				t.Errorf("%s: %s twice", spec, task.URL)
			}
			asked[task.URL] = true
		})
		if len(asked) != len(q.seen) {
			t.Errorf("%s: %d asked of %d found", spec, len(asked), len(q.seen))
		}
	}
	early := func(spec string) (links int) {
		p, err := Parse(spec, setup())
		if err != nil {
			t.Fatal(err)
		}
		in := map[string]int{}
		for _, v := range w {
			for _, l := range v.Page.Links {
				in[l.URL]++
			}
		}
		w.crawlBy(workers, p, []string{start}, 80, func(task *kavosh.Task, _ *Visit) { links += in[task.URL] })
		return links
	}
	if by, random := early("indegree"), early("random"); by*10 < random*11 {
		t.Errorf("indegree with %d workers: the first pages have %d links to them, at random %d", workers, by, random)
	}
}

// TestUnseenPagesDoNotMatter swaps everything that was not fetched for something else: an order sees what was fetched
// alone, so that it does the same until then.
func TestUnseenPagesDoNotMatter(t *testing.T) {
	const fetches = 60
	for _, spec := range goldens() {
		run := func(w web, limit int) (urls []string) {
			p, err := Parse(spec, setup())
			if err != nil {
				t.Fatal(err)
			}
			w.crawl(p, []string{"http://h0.example/0/0.html"}, limit, func(task *kavosh.Task, _ *Visit) { urls = append(urls, task.URL) })
			return urls
		}
		w := randomWeb(9, 400)
		before := run(w, fetches)
		seen := map[string]bool{}
		for _, url := range before {
			seen[url] = true
		}
		other := randomWeb(10, 400)
		for url := range w {
			if !seen[url] {
				w[url] = other[url]
			}
		}
		if after := run(w, fetches); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s looked at pages that it had not fetched", spec)
		}
	}
}

// TestKnowledgeIsKept saves every policy that keeps something and restores it: what is saved then is the same.
func TestKnowledgeIsKept(t *testing.T) {
	for _, spec := range goldens() {
		parse := func() Policy {
			p, err := Parse(spec, setup())
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := parse()
		if _, learns := p.(Learner); !learns {
			continue
		}
		readWeb(t).story(p)
		k, ok := p.(Keeper)
		if !ok {
			t.Errorf("%s learns and keeps nothing", spec)
			continue
		}
		data, err := k.Save()
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		fresh := parse().(Keeper)
		if err := fresh.Restore(data); err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if again, _ := fresh.Save(); string(again) != string(data) {
			t.Errorf("%s: saved\n%s\nrestored and saved again\n%s", spec, data, again)
		}
		readWeb(t).story(fresh)
		for _, bad := range []string{"", "{", `{"policy":"another","version":1,"of":{}}`, `{"policy":"` + spec + `","version":99}`} {
			if err := parse().(Keeper).Restore([]byte(bad)); err == nil {
				t.Errorf("%s restored from %q", spec, bad)
			}
		}
	}
}

// FuzzRestore feeds policies knowledge that they did not save.
func FuzzRestore(f *testing.F) {
	specs := goldens()
	w := readWeb(f)
	for i, spec := range specs {
		p, err := Parse(spec, setup())
		if err != nil {
			f.Fatal(err)
		}
		w.story(p)
		if k, ok := p.(Keeper); ok {
			data, err := k.Save()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(i, data)
		}
	}
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		p, err := Parse(specs[uint(i)%uint(len(specs))], setup())
		if err != nil {
			t.Fatal(err)
		}
		if k, ok := p.(Keeper); ok && k.Restore(data) == nil {
			w.crawl(p, []string{"http://a.example/"}, 100, func(*kavosh.Task, *Visit) {})
		}
	})
}

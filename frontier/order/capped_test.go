package order

import (
	"testing"

	"kavosh"
)

// Each bound of capped leaves out what lies beyond it, a saved one goes on where it was, and seeds are never left out.
func TestCapped(t *testing.T) {
	seed := func(url string) *Candidate {
		return &Candidate{Link: &kavosh.Link{URL: url, Kind: kavosh.Seed}, Task: &kavosh.Task{URL: url, Kind: kavosh.Seed}}
	}
	link := func(from, to string, position int) *Candidate {
		return &Candidate{Link: &kavosh.Link{URL: to, Kind: kavosh.Navigation, Position: position}, Task: &kavosh.Task{URL: to, Hops: 1},
			Parent: &Visit{Task: &kavosh.Task{URL: from}, Page: &kavosh.Page{}}}
	}
	redirect := link("http://b.example/", "http://c.example/", 0)
	redirect.Link.Kind = kavosh.Redirect
	const home = "http://www.a.example/"
	for spec, steps := range map[string][]struct {
		c   *Candidate
		out string
	}{
		"capped(breadth),links=2": {{seed(home), ""}, {link(home, home+"1", 1), ""}, {link(home, home+"2", 2), "too many links in its page"}},
		"capped(breadth),sites=2": {{seed(home), ""}, {link(home, "http://b.example/", 0), ""}, {link(home, "http://c.example/", 1), "too many hosts"},
			{link(home, "http://b.example/2", 2), ""}, {seed("http://d.example/"), ""}},
		"capped(breadth),pages=2": {{seed(home), ""}, {link(home, home+"1", 0), ""}, {link(home, home+"2", 1), "too many URLs of its host"}, {link(home, "http://b.example/", 2), ""}},
		"capped(breadth),away=1": {{seed(home), ""}, {link("http://docs.a.example/", "http://b.example/", 0), ""}, {link("http://b.example/", "http://b.example/2", 0), ""},
			{link("http://b.example/", home+"x", 0), "found away from the seeds' domains, and leads elsewhere"}, {redirect, ""}},
		"capped(breadth)": {{link(home, home+"1", 100_000), ""}},
	} {
		p, err := Parse(spec, Setup{})
		if err != nil {
			t.Fatal(err)
		}
		for i, step := range steps {
			score, why := p.Score(step.c)
			if out := score == LeftOut(); out != (step.out != "") || out && why != step.out {
				t.Errorf("%s, step %d, %s: score %v, %q; want %q", spec, i, step.c.Task.URL, score, why, step.out)
			}
			data, err := p.(Keeper).Save()
			if err != nil {
				t.Fatal(err)
			}
			if p, err = Parse(spec, Setup{}); err == nil { // as after a restart
				err = p.(Keeper).Restore(data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

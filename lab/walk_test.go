package lab

import (
	"context"
	"slices"
	"strings"
	"testing"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/lab/stored"
)

// labelled judges by a word, as the pages of a synthetic web have it.
type labelled struct{}

func (labelled) Judge(p *kavosh.Page) kavosh.Verdict {
	return kavosh.Verdict{Score: labelled{}.Text(p.Text)}
}

func (labelled) Text(text string) float64 {
	if strings.Contains(text, stored.SyntheticTopic) {
		return 1
	}
	return 0
}

func (labelled) Needs() kavosh.Needs { return kavosh.Needs{Text: true} }

func synthetic(t testing.TB, spec string) *stored.Web {
	t.Helper()
	s, err := stored.ParseSynthetic(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s.Web()
}

func verdicts(web *stored.Web) []kavosh.Verdict {
	v := make([]kavosh.Verdict, len(web.Pages))
	for i := range v {
		v[i] = labelled{}.Judge(web.Pages[i].Page)
	}
	return v
}

// setup is what orders are given: among it a model that was trained on another web.
func setup(t testing.TB) order.Setup {
	t.Helper()
	truth, err := NewTruth(synthetic(t, "pages=500,hosts=10,relevant=0.1,seed=99"), "label=relevant")
	if err != nil {
		t.Fatal(err)
	}
	g, err := truth.ContextGraph()
	if err != nil {
		t.Fatal(err)
	}
	return order.Setup{Topic: labelled{}.Text, ContextGraph: g, Seed: 1}
}

func walk(t testing.TB, web *stored.Web, spec string, budget int) []Fetch {
	t.Helper()
	policy, err := order.Parse(spec, setup(t))
	if err != nil {
		t.Fatal(err)
	}
	w := Walk{Web: web, Verdicts: verdicts(web), Starts: []string{web.Pages[0].URL}, Order: policy, Budget: budget}
	fetches, err := w.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return fetches
}

// everyOrder is a specification of each policy.
func everyOrder() (specs []string) {
	for _, e := range order.List() {
		if e.Parts == 0 {
			specs = append(specs, e.Name)
		}
	}
	return append(specs, "mix(3*best,1*random)", "sum(2*best,1*indegree)", "then(fish,breadth)", "quota(5,best)")
}

// TestGraphAndFullFetchTheSame makes the same run by the frontier alone and by the whole engine.
func TestGraphAndFullFetchTheSame(t *testing.T) {
	web := synthetic(t, "pages=300,hosts=10,relevant=0.1,seed=7")
	for _, spec := range everyOrder() {
		t.Run(spec, func(t *testing.T) {
			graph := walk(t, web, spec, 150)
			full, err := Full(t.Context(), web, spec, setup(t), labelled{}, []string{web.Pages[0].URL}, 150)
			if err != nil {
				t.Fatal(err)
			}
			n := min(len(graph), len(full))
			for i := range n {
				if graph[i].Page != full[i].Page {
					t.Fatalf("request %d: page %d by the frontier, %d by the engine", i, graph[i].Page, full[i].Page)
				}
			}
			if n < 150 || len(graph) != len(full) {
				t.Errorf("%d requests by the frontier, %d by the engine", len(graph), len(full))
			}
		})
	}
}

// TestOrdersSeeOnlyWhatWasFetched swaps all that a run did not fetch, and wants the same run.
func TestOrdersSeeOnlyWhatWasFetched(t *testing.T) {
	web := synthetic(t, "pages=2000,hosts=20,relevant=0.1,seed=3")
	for _, spec := range everyOrder() {
		t.Run(spec, func(t *testing.T) {
			first := walk(t, web, spec, 300)
			other := *web
			other.Pages = slices.Clone(web.Pages)
			fetched := map[int32]bool{}
			for _, f := range first {
				fetched[f.Page] = true
			}
			for i := range other.Pages {
				if !fetched[int32(i)] {
					other.Pages[i].Page = &kavosh.Page{URL: other.Pages[i].URL, Title: stored.SyntheticTopic, Text: stored.SyntheticTopic}
				}
			}
			if second := walk(t, &other, spec, 300); !slices.Equal(first, second) {
				t.Error("the run is another one when pages change that it never fetched")
			}
		})
	}
}

func TestPoliteTime(t *testing.T) {
	web := synthetic(t, "pages=400,hosts=4,missing=0,seed=2")
	policy, err := order.Parse("breadth", order.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	w := Walk{Web: web, Verdicts: verdicts(web), Starts: []string{web.Pages[0].URL}, Order: policy, Pace: Polite()}
	fetches, err := w.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(fetches) != 400 {
		t.Fatalf("%d fetches of 400 pages", len(fetches))
	}
	last := map[string]float64{} // by host
	for _, f := range fetches {
		host := strings.Split(web.Pages[f.Page].URL, "/")[2]
		if at, ok := last[host]; ok && f.At.Seconds()-at < 1.25 { // a second of rest and the shortest latency
			t.Fatalf("%s: answers at %.2f and %.2f s", host, at, f.At.Seconds())
		}
		last[host] = f.At.Seconds()
	}
}

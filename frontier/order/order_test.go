package order

import (
	"slices"
	"strings"
	"testing"

	"kavosh"
)

func TestBreadthAndDepth(t *testing.T) {
	near := &Candidate{Link: &kavosh.Link{}, Task: &kavosh.Task{Hops: 1}}
	far := &Candidate{Link: &kavosh.Link{}, Task: &kavosh.Task{Hops: 7}}
	for _, test := range []struct {
		spec      string
		nearFirst bool
	}{{"", true}, {"breadth", true}, {"depth", false}} {
		p, err := Parse(test.spec, Setup{})
		if err != nil {
			t.Fatal(err)
		}
		a, _ := p.Score(near)
		b, _ := p.Score(far)
		if (a > b) != test.nearFirst {
			t.Errorf("%q: near %v, far %v", test.spec, a, b)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"bredth":                  "did you mean breadth?",
		"seven":                   "use one of breadth, depth, random",
		"depth,x=1":               `unknown parameter "x"; depth takes none`,
		"breadth,limit":           "is left over",
		"depth,":                  "is left over",
		",":                       "there is no order : use one of",
		"Breadth":                 "there is no order Breadth; did you mean breadth?",
		"breadth,a=1,a=1":         "unknown parameter",
		"breadth(depth)":          "leave the parentheses out",
		"best":                    "say it by --prefer",
		"fish,width=x":            "must be a whole number from 1 to 10000",
		"fish,width":              "write width=10",
		"mix":                     "such as mix(breadth,breadth)",
		"mix(0*depth)":            "must be a number above 0",
		"mix(1.5*depth,random)":   "write a whole number",
		"mix(depth":               "a closing parenthesis is missing",
		"then(depth)":             "at least 2",
		"then(depth,depth,depth)": "write then(a,then(b,c))",
		"quota(depth)":            "pages comes first, as in quota(5,breadth)",
		"quota(0.5,depth)":        "a whole number of pages",
		"above(-1,depth)":         "a score comes first",
		"above(0,depth,depth)":    "as in above(0,tunnel,limit=3)",
		"quota":                   "such as quota(5,breadth)",
	} {
		_, err := Parse(spec, Setup{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", spec, err, want)
		}
	}
}

func TestListIsComplete(t *testing.T) {
	names := map[string]bool{}
	for _, e := range List() {
		if e.Name == "" || e.About == "" || names[e.Name] {
			t.Errorf("entry %+v: name or explanation missing, or named twice", e)
		}
		names[e.Name] = true
		for _, p := range e.Params {
			if p.About == "" || p.Default < p.Least || p.Default > p.Most {
				t.Errorf("%s: parameter %+v", e.Name, p)
			}
		}
	}
}

// Hard focus asks a relevant page's links, and what these redirect to, and nothing else; with a limit that no path comes to
// above leaves nothing out.
func TestAbove(t *testing.T) {
	w := readWeb(t)
	const seed = "http://b.example/"
	asked := func(spec string) (urls []string) {
		p, err := Parse(spec, setup())
		if err != nil {
			t.Fatal(err)
		}
		w.crawl(p, []string{seed}, len(w)*2, func(task *kavosh.Task, _ *Visit) { urls = append(urls, task.URL) })
		return urls
	}
	if got, want := asked("above(0,tunnel,limit=1000)"), asked("tunnel,limit=1000"); !slices.Equal(got, want) {
		t.Errorf("without an end of paths\n%v, want\n%v", got, want)
	}
	want := []string{seed}
	for i := 0; i < len(want); i++ {
		v := w[want[i]]
		if v == nil || !v.Verdict.Relevant() && v.Status == 200 {
			continue
		}
		for _, l := range v.Page.Links {
			if !slices.Contains(want, l.URL) {
				want = append(want, l.URL)
			}
		}
	}
	got := asked("above(0,tunnel,limit=0)")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) < 5 || len(want) == len(w) {
		t.Errorf("hard focus asked\n%v, want\n%v", got, want)
	}
}

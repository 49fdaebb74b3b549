package order

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens are specifications beside the ones of List alone.
func goldens() []string {
	specs := []string{
		"bayes,hard=1", "wire,pagerank=300,language=0,cycle=5", "wire,hub=100,auth=100,siterank=100,queuesize=100,wlscore=100,static=50", "reinforce-linear,explore=0", "tunnel,limit=0", "host-majority,folders=2", "reinforce,sibling=0", "reinforce,multiplicative=1,floor=0.3", "tianwang,n=1,m=1,links=1", "tianwang,links=0.5,father=1,start=6,word=3",
		"best,answered=1", "mix(2*best,1*random)", "mix(reinforce-linear,best,answered=1)", "mix(1*indegree,1*host-majority)", "sum(3*best,1*opic)", "then(host-majority,best)", "quota(2,best)",
	}
	for _, e := range List() {
		if e.Parts == 0 {
			specs = append(specs, e.Name)
		}
	}
	return specs
}

// rdfGoldens are specifications that go by RDF.
func rdfGoldens() []string {
	specs := []string{"rdf-r,keep=1,an2=0", "rdf-rhr,relabel=1", "rdf-rhr,r1=0", "swse,html=0", "breadth,filter=1", "mix(1*swse,1*rdf-rhr)"}
	for _, e := range List() {
		if strings.HasPrefix(e.Name, "rdf-") || slices.Contains([]string{"swse", "biocrawler", "ldspider-pld", "multicrawler", "sindice"}, e.Name) {
			specs = append(specs, e.Name)
		}
	}
	return specs
}

// TestGolden crawls the small web by every policy: what comes when, with which score and why. It does so twice, since an
// order must be the same every time. Those for RDF crawl a web that has some.
func TestGolden(t *testing.T) {
	rdf := rdfGoldens()
	golden(t, readWeb(t), "http://a.example/", slices.DeleteFunc(goldens(), func(spec string) bool { return slices.Contains(rdf, spec) }))
	golden(t, readWebOf(t, "testdata/rdf.txt"), "http://v.example/", rdf)
}

func golden(t *testing.T, w web, seed string, specs []string) {
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			story := func() string {
				p, err := Parse(spec, setup())
				if err != nil {
					t.Fatal(err)
				}
				return w.storyFrom(p, seed)
			}
			got := story()
			if again := story(); again != got {
				t.Errorf("another run does something else:\n%s", cmp.Diff(got, again))
			}
			file := filepath.Join("testdata", strings.NewReplacer("*", "", "(", "_", ")", "", ",", "_", "=", "").Replace(spec)+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; go test ./frontier/order -update writes it", err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s: look at the difference, and if it is right go test ./frontier/order -update\n%s", file, d)
			}
		})
	}
}

// setup is a purpose and a context graph of titles in another web.
func setup() Setup {
	graph, err := TrainContextGraph([][]string{{"Nile Nile Danube Danube Rhine river"}, {"Rivers Rivers by length length"}, {"Nature Nature news news shop portal portal"}})
	if err != nil {
		panic(err)
	}
	return Setup{Topic: rivers, Seed: 1, ContextGraph: graph}
}

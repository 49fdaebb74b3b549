package order

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens are specifications beside the ones of List alone.
func goldens() []string {
	specs := []string{
		"bayes,hard=1", "wire,pagerank=300,language=0,cycle=5", "wire,hub=100,auth=100,siterank=100,queuesize=100,wlscore=100,static=50", "reinforce-linear,explore=0", "tunnel,limit=0", "host-majority,folders=2", "reinforce,sibling=0", "reinforce,multiplicative=1,floor=0.3", "tianwang,n=1,m=1,links=1",
		"mix(2*best,1*random)", "mix(1*indegree,1*host-majority)", "sum(3*best,1*opic)", "then(host-majority,best)", "quota(2,best)",
	}
	for _, e := range List() {
		if e.Parts == 0 {
			specs = append(specs, e.Name)
		}
	}
	return specs
}

// TestGolden crawls the small web by every policy: what comes when, with which score and why. It does so twice, since an
// order must be the same every time.
func TestGolden(t *testing.T) {
	w := readWeb(t)
	for _, spec := range goldens() {
		t.Run(spec, func(t *testing.T) {
			story := func() string {
				p, err := Parse(spec, setup())
				if err != nil {
					t.Fatal(err)
				}
				return w.story(p)
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

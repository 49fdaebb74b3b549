package order

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"kavosh"
)

// newReliable asks URLs of those hosts first that answered best.
func newReliable(a *Args) (Policy, error) {
	return &reliable{smooth: a.Value("smooth"), answers: newShares(a.Memory)}, nil
}

type reliable struct {
	smooth  float64
	answers *shares
}

// Score implements Policy.
func (r *reliable) Score(c *Candidate) (float64, string) {
	share := r.answers.of(hostKey(c.Task.URL), 1, r.smooth)
	return share, because("answers of its host", share)
}

// Learn implements Learner.
func (r *reliable) Learn(v *Visit) []Change {
	r.answers.learn(asNumber(v.Status > 0), hostKey(v.Task.URL))
	return nil // what waits keeps its score; what is found from now on has a better one
}

// Example writes an order, as docs/orders.md shows it, and asks it twice.
func Example() {
	entry := Entry{Name: "reliable", About: "hosts that answer", New: newReliable, Params: []Param{{Name: "smooth", Default: 2, Most: 100}}}
	policy, err := entry.Make(nil, Setup{})
	if err != nil {
		fmt.Println(err)
		return
	}
	link := &Candidate{Task: &kavosh.Task{URL: "http://a.example/"}}
	_, why := policy.Score(link)
	fmt.Println(why)
	policy.(Learner).Learn(&Visit{Task: link.Task, Status: 0, Page: &kavosh.Page{}})
	_, why = policy.Score(link)
	fmt.Println(why)
	// Output:
	// answers of its host 1.00
	// answers of its host 0.67
}

// TestGuide holds docs/orders.md to the code: it shows the example above, and names every order.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/orders.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(source), "// newReliable")
	example, _, _ = strings.Cut(example, "// Example writes")
	if !strings.Contains(string(guide), "// newReliable"+example) {
		t.Error("docs/orders.md does not show the example as it is in example_test.go")
	}
	for _, e := range List() {
		if !strings.Contains(string(guide), "`"+e.Name) {
			t.Errorf("docs/orders.md does not speak of %s", e.Name)
		}
	}
}

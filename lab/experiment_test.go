package lab

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kavosh/judge"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func experiment(t *testing.T, dir string) *Experiment {
	t.Helper()
	web := synthetic(t, "pages=400,hosts=10,relevant=0.1,seed=5")
	return &Experiment{
		Dir: dir, Web: web, Relevant: []string{"label=relevant"}, Judge: func(string) (judge.Judge, error) { return labelled{}, nil },
		Starts: []string{web.Pages[0].URL}, Orders: []string{"breadth", "depth", "random"}, Seed: 1,
	}
}

// TestExperimentGoesOn stops an experiment in the middle, leaves half a line as a crash would, and runs it again.
func TestExperimentGoesOn(t *testing.T) {
	dir := t.TempDir()
	e := experiment(t, dir)
	e.Orders = e.Orders[:1]
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, runsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, []byte(`{"web":"synth`)...), 0o644); err != nil {
		t.Fatal(err)
	}
	e = experiment(t, dir)
	var made []string
	e.Done = func(r Result) { made = append(made, r.Order) }
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Join(made, " ") != "depth random" && strings.Join(made, " ") != "random depth" {
		t.Errorf("made again: %v, want depth and random alone", made)
	}
	results, err := ReadResults(dir)
	if err != nil || len(results) != 5 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	compared, err := Compare(results, "graph", true)
	if err != nil {
		t.Fatal(err)
	}
	if compared.Units != 1 || len(compared.Orders) != 5 || compared.Orders[0].Order != AllOrder || compared.Orders[1].Order != OracleOrder {
		t.Errorf("%d units, orders %+v", compared.Units, compared.Orders)
	}
	var table, page, lines, svg, png bytes.Buffer
	for _, err := range []error{compared.Table(&table), (&Report{Compared: compared}).Page(&page), Runs(results).Write(&lines), compared.Plot(&svg, "svg", Recall), compared.Plot(&png, "png", Hosts)} {
		if err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[*bytes.Buffer]string{&table: "by relevant hosts, ", &page: `"relevant_hosts_requests":[0,`, &lines: "requests_relevant_hosts_12", &svg: "<svg", &png: "\x89PNG"} {
		if !strings.Contains(name.String(), want) {
			t.Errorf("no %q in %.80q", want, name.String())
		}
	}
	for _, c := range compared.Curves { // some links are dead, so that as many requests find less than as many fetches
		if dead := c.Order != AllOrder && c.Order != OracleOrder; (c.Asked[50] < c.Recall[50]) != dead {
			t.Errorf("%s: recall %.3f by fetches, %.3f by requests", c.Order, c.Recall[50], c.Asked[50])
		}
	}
	if w := compared.Widest; w.Area == nil || len(w.Best) == 0 {
		t.Errorf("no order is said to find the most hosts: %+v", w)
	}
	for _, name := range []string{"orders", "curves"} { // a cell for each head
		for _, table := range compared.CSVTables() {
			for _, row := range table.Rows {
				if table.Name == name && len(row) != len(table.Head) {
					t.Errorf("%s: %d cells under %d heads", name, len(row), len(table.Head))
				}
			}
		}
	}
	if n := strings.Count(lines.String(), "\n"); n != 6 {
		t.Errorf("%d lines of values, want a head and 5 runs", n)
	}
}

func TestExperimentErrors(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Experiment)
		want   string
	}{
		"unknown order": {func(e *Experiment) { e.Orders = []string{"bredth"} }, "did you mean breadth"},
		"unknown label": {func(e *Experiment) { e.Relevant = []string{"label=courses"} }, "it has relevant"},
		"no truth":      {func(e *Experiment) { e.Relevant = []string{"courses"} }, "label=NAME"},
		"no such start": {func(e *Experiment) { e.Starts = []string{"http://nowhere.test/"} }, "no such page"},
		"judge": {func(e *Experiment) {
			e.Judge = func(string) (judge.Judge, error) { return nil, errors.New("no judge") }
		}, "no judge"},
	} {
		e := experiment(t, t.TempDir())
		test.change(e)
		if err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

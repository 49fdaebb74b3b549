package order

import (
	"strings"
	"testing"
)

// TestContextGraph trains on one web's texts, stores and reads the model, and asks it about other texts.
func TestContextGraph(t *testing.T) {
	trained, err := TrainContextGraph([][]string{
		{"neural networks paper abstract introduction", "a paper on learning: abstract, results"},
		{"publications of the group: papers and reports", "list of publications, papers"},
		{"department home page people courses", "people and courses of the department"},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := trained.Save()
	if err != nil {
		t.Fatal(err)
	}
	g, err := ReadContextGraph(data)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"abstract of a paper": 0, "our publications: papers of this year": 1, "the people of this department and its courses": 2, "something else entirely": 3,
	} {
		if level, p := g.Level(text); level != want || want < 3 && p < 0.4 {
			t.Errorf("%q: level %d with probability %v, want level %d", text, level, p, want)
		}
	}
	for _, bad := range []string{"", "{}", strings.Replace(string(data), `"levels": 3`, `"levels": 4`, 1), strings.Replace(string(data), "-", "", 1)} {
		if _, err := ReadContextGraph([]byte(bad)); err == nil {
			t.Errorf("read a model of %.40q", bad)
		}
	}
	if _, err := TrainContextGraph([][]string{{"a"}, nil}); err == nil {
		t.Error("trained on a level without pages")
	}
}

// FuzzReadContextGraph feeds it models that it did not make.
func FuzzReadContextGraph(f *testing.F) {
	f.Add([]byte(`{"format":"kavosh context graph 1","levels":2,"terms":{"a":[-1,-2]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := ReadContextGraph(data)
		if err != nil {
			return
		}
		if level, p := g.Level("a b c"); level < 0 || level > g.Levels() || p < 0 || p > 1 {
			t.Errorf("level %d, probability %v", level, p)
		}
	})
}

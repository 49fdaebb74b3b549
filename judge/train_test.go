package judge

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"kavosh"
)

// trainer has pages of two kinds on many hosts. Each host has a word of its own on all its pages.
func trainer(hosts, pages int) *Trainer {
	var t Trainer
	r := rand.New(rand.NewPCG(7, 7))
	for i := range pages {
		relevant := i%4 == 0
		host := i % hosts
		text := fmt.Sprintf("host%d ", host) + filler(20+r.IntN(100))
		for range 1 + r.IntN(3) {
			if relevant != (r.IntN(20) == 0) {
				text += "syllabus homework "
			} else {
				text += "award mayor "
			}
		}
		t.Add(&kavosh.Page{Title: "page", Text: text}, fmt.Sprint("host", host), relevant)
	}
	return &t
}

func model(t testing.TB) *Model {
	t.Helper()
	m, _, err := trainer(9, 200).Train("logistic")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTrain(t *testing.T) {
	for _, method := range Methods {
		m, r, err := trainer(9, 400).Train(method)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Grouped || r.Parts != 5 || r.Groups != 9 || r.Relevant != 100 || r.Other != 300 {
			t.Errorf("%s: %+v", method, r)
		}
		if r.F1 < 0.85 || r.AUC < 0.9 || r.Brier > 0.1 {
			t.Errorf("%s: F1 %.2f, AUC %.2f, Brier %.2f", method, r.F1, r.AUC, r.Brier)
		}
		told := fmt.Sprint(r.For[0].Text, r.For[1].Text)
		if !strings.Contains(told, "syllabus") || !strings.Contains(told, "homework") {
			t.Errorf("%s: most telling are %v", method, r.For)
		}
		if told := fmt.Sprint(r.Against); !strings.Contains(told, "award") || !strings.Contains(told, "mayor") {
			t.Errorf("%s: against are %v", method, r.Against)
		}
		n := 0
		for _, b := range r.Bins {
			n += b.Pages
		}
		if n != 400 {
			t.Errorf("%s: %d pages in %+v", method, n, r.Bins)
		}
		j := Class(m)
		yes := j.Judge(&kavosh.Page{Title: "page", Text: "syllabus homework " + filler(50)})
		no := j.Judge(&kavosh.Page{Title: "page", Text: "mayor award " + filler(50)})
		if !yes.Relevant() || no.Relevant() || !strings.Contains(yes.Why(), `"syllabus"`) || no.Reasons[0].Weight >= 0 {
			t.Errorf("%s: %.2f %s; %.2f %s", method, yes.Score, yes.Why(), no.Score, no.Why())
		}
		if s := j.Text(""); s != 0 {
			t.Errorf("no words score %.2f", s)
		}
		again, _, _ := trainer(9, 400).Train(method)
		a, _ := m.AppendBinary(nil)
		b, _ := again.AppendBinary(nil)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: the same pages make another model", method)
		}
	}
}

// A word that all relevant pages of one host share tells nothing about other hosts: only a test on other hosts shows it.
func TestValidationKeepsHostsApart(t *testing.T) {
	var tr Trainer
	for i := range 200 {
		host := i % 10
		// Half of the hosts are relevant by chance; nothing but their names tells.
		tr.Add(&kavosh.Page{Text: fmt.Sprintf("welcome to host%d number%d ", host, host) + filler(5)}, fmt.Sprint(host), host%2 == 0)
	}
	_, r, err := tr.Train("logistic")
	if err != nil {
		t.Fatal(err)
	}
	if !r.Grouped || r.AUC > 0.6 {
		t.Errorf("by names of hosts it tells pages of hosts that it never saw: AUC %.2f", r.AUC)
	}
	// With one host of each kind there is nothing to keep apart, and the report says so.
	var two Trainer
	for i := range 40 {
		two.Add(&kavosh.Page{Text: fmt.Sprint("number", i%2, " ", filler(5))}, fmt.Sprint(i%2), i%2 == 0)
	}
	if _, r, err := two.Train("bayes"); err != nil || r.Grouped {
		t.Errorf("two hosts: %+v, %v", r, err)
	}
}

func TestTrainRefuses(t *testing.T) {
	var tr Trainer
	if tr.Add(&kavosh.Page{Text: " … "}, "a", true) {
		t.Error("a page without words is taken")
	}
	for i := range 30 {
		tr.Add(&kavosh.Page{Text: fmt.Sprint("x", i)}, "a", i < 5)
	}
	if _, _, err := tr.Train("bayes"); err == nil || !strings.Contains(err.Error(), "5 relevant pages and 25 others") {
		t.Errorf("five relevant pages: %v", err)
	}
	if _, _, err := tr.Train("forest"); err == nil || !strings.Contains(err.Error(), "logistic or bayes") {
		t.Errorf("an unknown method: %v", err)
	}
}

func TestModelIsReadAsWritten(t *testing.T) {
	m := model(t)
	data, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 20_000 {
		t.Errorf("%d bytes for a few words", len(data))
	}
	read, err := ReadModel(data)
	if err != nil {
		t.Fatal(err)
	}
	p := &kavosh.Page{Text: "syllabus award " + filler(30)}
	if a, b := Class(m).Judge(p), Class(read).Judge(p); a.Score != b.Score || a.Why() != b.Why() {
		t.Errorf("%v and %v", a, b)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":         {nil, "no model"},
		"another version": {append([]byte("kavosh model 9\n"), data[len(modelLine):]...), "another version"},
		"cut":             {data[:len(data)/2], "damaged"},
		"changed":         {bytes.Replace(bytes.Clone(data), []byte("logistic"), []byte("Logistic"), 1), "damaged"},
		"huge":            {append(bytes.Clone(data), make([]byte, MaxModel)...), "at most"},
	} {
		if _, err := ReadModel(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzReadModel(f *testing.F) {
	data, err := model(f).AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(modelLine) : len(data)-4])
	f.Add([]byte("{}\n\x00"))
	f.Add([]byte("{\"bias\":1e308,\"slope\":1e308}\n\xff\xff\xff\xff\x0f\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, inner []byte) {
		m, err := ReadModel(sealed(append([]byte(modelLine), inner...)))
		if err != nil {
			return
		}
		v := Class(m).Judge(&kavosh.Page{Text: "a syllabus of words"})
		if math.IsNaN(v.Score) || v.Score < 0 || v.Score > 1 {
			t.Errorf("score %v", v.Score)
		}
	})
}

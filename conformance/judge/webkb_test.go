//go:build conformance

// Package judge measures models on pages that people labelled.
package judge

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"kavosh"
	"kavosh/extract"
	"kavosh/internal/testdata"
	"kavosh/judge"
	"kavosh/lib/httpwire"
)

// labelled is a page of WebKB: what class people gave it, and of which university it is ("misc" for many others).
type labelled struct {
	page                    *kavosh.Page
	class, university, host string
}

// webkb reads all pages of the archive, which stand there as they came, with their HTTP heads.
func webkb(t testing.TB) []labelled {
	t.Helper()
	f, err := os.Open(testdata.Path(t, "webkb-three-universities.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []labelled
	for files := tar.NewReader(unpacked); ; {
		h, err := files.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		path := strings.Split(h.Name, "/") // webkb/class/university/address
		if len(path) != 4 || h.Typeflag != tar.TypeReg {
			continue
		}
		answer, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		head, _, body, err := httpwire.Split(bytes.NewReader(answer), httpwire.MaxHead)
		if err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
		payload, err := io.ReadAll(body)
		if err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
		doc := extract.Document{URL: "http://" + path[2] + ".test/", Status: head.Status, Payload: payload,
			Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}
		page := extract.Extract(doc, extract.Options{Needs: kavosh.Needs{Text: true}})
		all = append(all, labelled{page, path[1], path[2], hostOf(path[3])})
	}
}

// hostOf is the host in a file's name, which is the page's address with ^ for its slashes: "http_^^www.cs.rice.edu^~rjf^".
func hostOf(name string) string {
	_, rest, _ := strings.Cut(name, "^^")
	host, _, _ := strings.Cut(rest, "^")
	return host
}

// TestWebKB trains a model for each class on the pages of two universities and of many others ("misc"), and tells how well
// it finds the pages of the third: among all, and among the four classes that tell people and their work apart (the
// seventh of WebKB's classes, other, holds whatever the people who made it did not label).
func TestWebKB(t *testing.T) {
	pages := webkb(t)
	if len(pages) < 6900 {
		t.Fatalf("%d pages", len(pages))
	}
	classes := []string{"course", "faculty", "project", "student"}
	for _, among := range []struct {
		name  string
		holds func(class string) bool
		least float64 // mean F1 of either method
	}{
		{"all", func(string) bool { return true }, 0.25},
		{"four", func(class string) bool { return slices.Contains(classes, class) }, 0.5},
	} {
		for _, method := range judge.Methods {
			t.Run(among.name+"/"+method, func(t *testing.T) {
				sum := 0.0
				for _, class := range classes {
					sum += measure(t, pages, method, class, among.holds)
				}
				t.Logf("%-8s  mean F1 %.3f", method, sum/float64(len(classes)))
				if sum/float64(len(classes)) < among.least {
					t.Errorf("want at least %.2f", among.least)
				}
			})
		}
	}
}

// measure is F1 over the three universities, each judged by a model that saw none of its pages.
func measure(t *testing.T, pages []labelled, method, class string, holds func(string) bool) float64 {
	var right, taken, relevant int
	for _, university := range []string{"cornell", "texas", "washington"} {
		var tr judge.Trainer
		for _, p := range pages {
			if p.university != university && holds(p.class) {
				tr.Add(p.page, p.host, p.class == class)
			}
		}
		model, _, err := tr.Train(method)
		if err != nil {
			t.Fatal(err)
		}
		j := judge.Class(model)
		for _, p := range pages {
			if p.university != university || !holds(p.class) {
				continue
			}
			is, says := p.class == class, j.Judge(p.page).Relevant()
			relevant += count(is)
			taken += count(says)
			right += count(is && says)
		}
	}
	precision, recall := float64(right)/float64(max(taken, 1)), float64(right)/float64(relevant)
	f1 := 2 * float64(right) / float64(max(taken+relevant, 1))
	t.Logf("%-8s  %-8s %4d pages: precision %.3f recall %.3f F1 %.3f", method, class, relevant, precision, recall, f1)
	return f1
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

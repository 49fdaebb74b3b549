package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"kavosh"
	"kavosh/extract"
	"kavosh/internal/clones"
	"kavosh/judge"
	"kavosh/lib/lang"
)

// labelled is a page that a person labelled before any program judged it.
type labelled struct {
	repository, commit, path string
	sum                      string // SHA-256 of the file, in hex
	main                     []string
	note                     string
}

// labels is the list of them: lines of repository on GitHub, commit, path, SHA-256, language of most of the page's own
// text (several with slashes between if none leads clearly), note.
//
//go:embed labelled.tsv
var labels string

func readLabelled() (all []labelled, err error) {
	for line := range strings.Lines(labels) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("labelled.tsv: %q has not six fields", line)
		}
		all = append(all, labelled{f[0], f[1], f[2], f[3], strings.Split(f[4], "/"), f[5]})
	}
	return all, nil
}

// site returns whose page it is: of a collection of many sites a folder or a file, else the repository.
func (l *labelled) site() string {
	switch l.repository {
	case "asemanam-blog/mihanblog6":
		host, _, _ := strings.Cut(l.path, "/")
		return strings.TrimPrefix(host, "www.")
	case "adbar/trafilatura", "mozilla/readability", "scrapinghub/Formasaurus":
		return l.repository + "/" + l.path
	}
	return l.repository
}

// seenFirst reports whether a page is in the half whose errors were looked at before lib/lang was changed. All pages of
// a site are in the same half.
func (l *labelled) seenFirst() bool { return hash("languages 1 "+l.site())>>40&1 == 0 }

// measureLabelled compares the verdicts on labelled pages, read from clones in a folder, with their labels.
func measureLabelled(model *lang.Model, folder string) error {
	all, err := readLabelled()
	if err != nil {
		return err
	}
	persian, err := judge.Language(model, "fa")
	if err != nil {
		return err
	}
	id := model.New()
	halves := [2]outcome{newOutcome(), newOutcome()}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(l labelled) bool { return l.repository != all[0].repository })
		if n < 0 {
			n = len(all)
		}
		clone, err := clones.At(folder, all[0].repository, all[0].commit)
		if err != nil {
			return err
		}
		files, err := clones.Files(clone, all[0].commit, func(path string) bool {
			return slices.ContainsFunc(all[:n], func(l labelled) bool { return l.path == path })
		})
		if err != nil {
			return err
		}
		for i := range all[:n] {
			l := &all[i]
			at := slices.IndexFunc(files, func(f clones.File) bool { return f.Path == l.path })
			if at < 0 {
				return fmt.Errorf("%s has no %s", l.repository, l.path)
			}
			if sum := sha256.Sum256(files[at].Body); hex.EncodeToString(sum[:]) != l.sum {
				return fmt.Errorf("%s: %s is another file than the one labelled", l.repository, l.path)
			}
			page := extract.Extract(extract.Document{URL: "http://labelled.test/", Status: 200, Payload: files[at].Body,
				Header: kavosh.Header{{Name: "Content-Type", Value: "text/html"}}}, extract.Options{Needs: persian.Needs()})
			answer := lang.Undetermined
			if found := id.Page(pageOf(page)).Languages; len(found) > 0 {
				answer = found[0].Code
			}
			half := 1
			if l.seenFirst() {
				half = 0
			}
			halves[half].add(l, answer, persian.Judge(page).Score)
		}
		all = all[n:]
	}
	for i, name := range []string{"looked at", "held back"} {
		fmt.Println("pages", name)
		halves[i].print()
	}
	return nil
}

// pageOf returns what lib/lang needs of a page.
func pageOf(page *kavosh.Page) lang.Page {
	p := lang.Page{Title: page.Title, Text: page.Text, Charset: page.Charset}
	for i := range page.Blocks {
		p.Linked = append(p.Linked, page.Blocks[i].Linked)
	}
	if page.Lang != "" {
		p.Tags = []string{page.Lang}
	}
	return p
}

// outcome counts verdicts on labelled pages.
type outcome struct {
	sites, said map[string]int // pages of each site; of "label called answer"
	persian     score          // pages with one language: whether they are Persian, and whether they are judged so
	pages       int
	right       int
	errors      []string
}

func newOutcome() outcome {
	return outcome{map[string]int{}, map[string]int{}, score{map[[2]string]int{}}, 0, 0, nil}
}

func (o *outcome) add(l *labelled, answer string, persian float64) {
	o.pages++
	o.sites[l.site()]++
	label := strings.Join(l.main, "/")
	o.said[label+" called "+answer]++
	is, said := "other", "other"
	if l.main[0] == "fa" {
		is = "fa"
	}
	if persian >= kavosh.RelevantFrom {
		said = "fa"
	}
	if len(l.main) == 1 {
		o.persian.said[[2]string{is, said}]++
	}
	if slices.Contains(l.main, answer) {
		o.right++
	}
	if !slices.Contains(l.main, answer) || len(l.main) == 1 && is != said {
		o.errors = append(o.errors, fmt.Sprintf("  %s %s is %s (%s), called %s, fa %.2f", l.repository, l.path, label, l.note, answer, persian))
	}
}

func (o *outcome) print() {
	for _, e := range o.errors {
		fmt.Println(e)
	}
	printCounts(o.said)
	s := o.persian.said
	right, missed, wrong := s[[2]string{"fa", "fa"}], s[[2]string{"fa", "other"}], s[[2]string{"other", "fa"}]
	fmt.Printf("%d pages of %d sites; the language is one of the labels' on %d\n", o.pages, len(o.sites), o.right)
	fmt.Printf("Persian, where one language leads: found %d of %d, of %d others called so %d; precision %.3f, recall %.3f, F1 %.3f %s\n",
		right, right+missed, wrong+s[[2]string{"other", "other"}], wrong, float64(right)/float64(max(1, right+wrong)),
		float64(right)/float64(max(1, right+missed)), o.persian.persian(), o.persian.interval(score.persian))
}

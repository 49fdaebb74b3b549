package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"kavosh/lab"
	"kavosh/lab/stored"
)

// keywords are those of the repeated study: one word from each category of a link directory, each with substitutes to
// try in turn if too few or too many pages contain it.
var keywords = [][]string{
	{"دانشگاه", "استاد"}, {"روزنامه", "خبرگزاری"}, {"ایمیل", "یاهو"}, {"دکتر", "پزشک"}, {"خرید و فروش", "فروشگاه"}, {"سرگرمی", "طنز"},
	{"دانشجو", "دانش آموز"}, {"طبیعت", "محیط زیست"}, {"برنامه‌نویسی", "برنامه نویسی", "نرم افزار"}, {"فوتبال", "والیبال"}, {"سینما", "بازیگر"},
}

// A keyword's share of the reachable pages.
const (
	leastKeyword = 0.0025
	mostKeyword  = 0.20
)

// keywordList writes the list for the study of reinforcement: one web of blogs, entered through a directory page; pages
// with the keyword are relevant.
func keywordList(out io.Writer, dir string) error {
	w, err := openWeb(dir, allBlogs)
	if err != nil {
		return err
	}
	start := directoryOf(allBlogs)
	at := w.Find(start)
	if at < 0 {
		return fmt.Errorf("%s has no %s: remove %s.tsv and run make lab-data", w.Name, start, allBlogs)
	}
	fmt.Fprint(out, keywordHead)
	for _, choices := range keywords {
		chosen := false
		for _, k := range choices {
			t, err := lab.NewTruth(w, "keyword="+k)
			if err != nil {
				continue // no page contains it
			}
			reach := t.From([]int32{int32(at)})
			n := 0
			for i, in := range reach.Pages {
				if in && t.Relevant[i] {
					n++
				}
			}
			share := float64(n) / float64(reach.Count)
			fmt.Fprintf(out, "# %s: on %d of %d pages that can be reached, %.2f %%\n", k, n, reach.Count, 100*share)
			if share >= leastKeyword && share <= mostKeyword {
				u := unit{"result", allBlogs, "keyword=" + k, start, "keyword=" + k}
				fmt.Fprintln(out, u.String())
				chosen = true
				break
			}
		}
		if !chosen {
			return fmt.Errorf("none of %s is on %.2f to %.0f %% of the pages", strings.Join(choices, ", "), 100*leastKeyword, 100*mostKeyword)
		}
	}
	return nil
}

const keywordHead = `# The table of a study of reinforcement on a Persian link directory, repeated on Persian blogs: a made directory page leads to
# each. Keywords are the study's where they are on 0.25 to 20 % of the pages that can be reached, else fixed substitutes.
# Made by: make lab-data && go run ./tools/labdata keywords .cache/lab > lab/recipe/spec04.tsv
# Fields: role, web, what is relevant, start, judge.
`

// manyHosts are the webs with real URLs on many hosts.
var manyHosts = []string{allUniversities, allBlogs}

// hostList writes the list for the study of coverage: one start page each, either the directory page or a random one;
// every page counts.
func hostList(out io.Writer, dir string) error {
	fmt.Fprint(out, hostHead)
	for _, name := range manyHosts {
		w, err := openWeb(dir, name)
		if err != nil {
			return err
		}
		t, err := lab.NewTruth(w, "keyword="+anyWord(w)) // needed only for what can be reached
		if err != nil {
			return err
		}
		starts := rand.New(rand.NewPCG(seed, 2)).Perm(len(w.Pages))
		if directory := w.Find(directoryOf(name)); directory >= 0 {
			starts = []int{directory}
		}
		found := 0
		for _, i := range starts {
			r := t.From([]int32{int32(i)})
			if r.Hosts < leastHosts {
				continue
			}
			fmt.Fprintf(out, "# %d pages on %d hosts can be reached from the next:\n", r.Count, r.Hosts)
			u := unit{"result", name, "any", w.Pages[i].URL, "keyword=university"}
			fmt.Fprintln(out, u.String())
			if found++; found == startsOfHosts {
				break
			}
		}
	}
	return nil
}

const (
	leastHosts    = 40 // reachable from a start
	startsOfHosts = 8
)

func anyWord(w *stored.Web) string {
	for i := range w.Pages {
		if words := strings.Fields(w.Pages[i].Page.Title); len(words) > 0 {
			return words[0]
		}
	}
	return "a"
}

const hostHead = `# Coverage of hosts from one start page, on webs of many hosts with real URLs; starts are drawn.
# "any" in place of what is relevant: every page counts, since only hosts, links and PageRank are measured.
# Made by: make lab-data && go run ./tools/labdata hosts .cache/lab > lab/recipe/spec03.tsv
# Fields: role, web, what is relevant, start, judge (that leads nothing here).
`

// seedLanguages are the languages of the study's mixed seeds.
var seedLanguages = []string{"de", "en", "es", "fa", "ja"}

// languageList writes the list for the study of a language's weight. Starts are the homes of sites in several
// languages, and the directory page, without which most of the web cannot be reached.
func languageList(out io.Writer, dir string) error {
	w, err := openWeb(dir, focus)
	if err != nil {
		return err
	}
	directory := directoryOf(focus)
	if w.Find(directory) < 0 {
		return fmt.Errorf("%s has no %s: remove %s.tsv and run make lab-data", w.Name, directory, focus)
	}
	homes := map[string][]string{}
	for i := range w.Pages {
		p := &w.Pages[i]
		if m := siteHome.FindStringSubmatch(p.URL); m != nil && m[1] != "" { // blogs stay unnamed
			for _, l := range p.Labels {
				homes[l] = append(homes[l], p.URL)
			}
		}
	}
	fmt.Fprint(out, languageHead)
	for _, languages := range [][]string{seedLanguages, {"fa"}, {"en", "fa"}} {
		starts := []string{directory}
		for _, l := range languages {
			starts = append(starts, homes["lang="+l]...)
		}
		u := unit{"result", focus, "label=lang=fa", strings.Join(starts, " "), "language=fa"}
		fmt.Fprintln(out, u.String())
	}
	return nil
}

const languageHead = `# A study of the weight of a language, repeated on sites in many languages and Persian blogs. Its three kinds of seeds: homes
# of sites in five languages, in Persian, in Persian and English, each with a directory of all.
# Made by: make lab-data && go run ./tools/labdata languages .cache/lab > lab/recipe/spec01.tsv
# Fields: role, web, what is relevant, starts with a space between them, judge.
`

func openWeb(dir, name string) (*stored.Web, error) {
	path := filepath.Join(dir, name)
	return stored.Open(path+".warc.gz", stored.Options{Labels: path + ".tsv"})
}

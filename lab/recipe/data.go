package recipe

// This file finds the stored webs that recipes need.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kavosh"
	"kavosh/frontier/order"
	"kavosh/judge"
	"kavosh/lab"
	"kavosh/lab/stored"
)

// workspace is the working state of a recipe.
type workspace struct {
	Options
	name  string
	units []unit
	notes []lab.Words // what readers must know about the run

	files  map[string]string          // web name to its file
	labels map[string]map[string]int  // pages, by web and label
	hosts  map[string]map[string]bool // hosts of labelled pages, by web
	webs   []*stored.Web              // open webs, the last used at the end
	judges map[[2]string]judge.Judge  // trained judges, by label and web
	reader judge.Reader               // parses all other judges
	levels map[[2]string]*order.ContextGraph
}

func (b *workspace) note(en, fa string) {
	if w := (lab.Words{En: en, Fa: fa}); !slices.Contains(b.notes, w) {
		b.notes = append(b.notes, w)
	}
}

func (b *workspace) say(format string, args ...any) { fmt.Fprintf(b.Progress, format+"\n", args...) }

// endings are the file endings of stored webs.
var endings = [...]string{".warc.gz", ".jsonl", ".jsonl.gz", ".jsonl.zst"}

// findWebs finds the webs in the data folder and reads their labels. It fails if some are missing.
func (b *workspace) findWebs() error {
	b.files, b.labels, b.hosts = map[string]string{}, map[string]map[string]int{}, map[string]map[string]bool{}
	b.judges, b.levels = map[[2]string]judge.Judge{}, map[[2]string]*order.ContextGraph{}
	entries, err := os.ReadDir(b.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		for _, ending := range endings {
			if name, ok := strings.CutSuffix(e.Name(), ending); ok {
				b.files[name] = filepath.Join(b.Data, e.Name())
			}
		}
	}
	var missing []string
	for _, u := range b.units {
		if b.files[u.web] == "" && !slices.Contains(missing, u.web) {
			missing = append(missing, u.web)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s has no stored web %s: make the webs by make lab-data, and name their folder by --data", b.Data,
			strings.Join(missing, ", "))
	}
	for name := range b.files {
		data, err := os.ReadFile(b.labelFile(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		b.labels[name], b.hosts[name] = map[string]int{}, map[string]bool{}
		for line := range strings.Lines(string(data)) {
			if url, label, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				b.labels[name][label]++
				b.hosts[name][host(url)] = true
			}
		}
	}
	return b.reveal(b.units)
}

func (b *workspace) labelFile(web string) string { return filepath.Join(b.Data, web+".tsv") }

// mostPages is how many pages of open webs are kept in memory: some gigabytes.
const mostPages = 20_000

// open opens a web, or returns it if it is still open.
func (b *workspace) open(name string) (*stored.Web, error) {
	if i := slices.IndexFunc(b.webs, func(w *stored.Web) bool { return w.Name == b.files[name] }); i >= 0 {
		w := b.webs[i]
		b.webs = append(slices.Delete(b.webs, i, i+1), w)
		return w, nil
	}
	labels := b.labelFile(name)
	if _, err := os.Stat(labels); err != nil {
		labels = ""
	}
	w, err := stored.Open(b.files[name], stored.Options{Labels: labels})
	if err != nil {
		return nil, err
	}
	b.say("%s: %d pages", name, len(w.Pages))
	b.webs = append(b.webs, w)
	pages := 0
	for i := len(b.webs) - 1; i >= 0; i-- {
		if pages += len(b.webs[i].Pages); pages > mostPages {
			b.webs = slices.Delete(b.webs, 0, min(i+1, len(b.webs)-1))
			break
		}
	}
	return w, nil
}

// others returns the webs on which a judge for units of u's web, role and label may be trained, those with the most
// pages of the label first. They have the label and share no host with u's web. When numbers are tuned, no web of
// results is among them. Nor is a web made of others for another recipe, because it may have the same pages at other
// addresses.
func (b *workspace) others(u *unit) ([]*stored.Web, error) {
	_, label, ok := strings.Cut(u.relevant, "label=")
	if !ok {
		return nil, nil
	}
	kept := map[string]bool{}
	if u.role == tuning {
		for _, r := range b.of(result) {
			kept[r.web] = true
		}
	}
	for _, r := range List() {
		units, err := readUnits(r.Units)
		if err != nil {
			return nil, err
		}
		for _, other := range units {
			if r.Name != b.name && !slices.ContainsFunc(b.units, func(own unit) bool { return own.web == other.web }) {
				kept[other.web] = true
			}
		}
	}
	var names []string
	for name, labels := range b.labels {
		if name != u.web && labels[label] > 0 && !kept[name] {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		if d := b.labels[y][label] - b.labels[x][label]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	own, err := b.open(u.web)
	if err != nil {
		return nil, err
	}
	hosts := map[string]bool{}
	for i := range own.Pages {
		hosts[host(own.Pages[i].URL)] = true
	}
	var webs []*stored.Web
	for _, name := range names {
		if shared(b.hosts[name], hosts) { // saves reading it
			continue
		}
		w, err := b.open(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(w.Pages, func(p stored.Page) bool { return hosts[host(p.URL)] }) {
			webs = append(webs, w)
		}
	}
	return webs, nil
}

func shared(a, b map[string]bool) bool {
	for x := range a {
		if b[x] {
			return true
		}
	}
	return false
}

// host returns the host of a seen-key, with its port.
func host(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// judge returns the judge of a unit; nil if there are too few pages to train one.
func (b *workspace) judge(u *unit) (judge.Judge, error) {
	if u.judge != trained {
		j, err := b.reader.Parse([]string{u.judge})
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", u.web, u.relevant, err)
		}
		return j, nil
	}
	key := [2]string{u.relevant, u.web}
	if j, ok := b.judges[key]; ok {
		return j, nil
	}
	webs, err := b.others(u)
	if err != nil {
		return nil, err
	}
	label := strings.TrimPrefix(u.relevant, "label=")
	var trainer judge.Trainer
	for _, w := range webs {
		sample(w, label, func(i int, relevant bool) { trainer.Add(w.Pages[i].Page, host(w.Pages[i].URL), relevant) })
	}
	model, _, err := trainer.Train("logistic")
	if err != nil { // too few pages
		b.judges[key] = nil
		return nil, nil
	}
	b.say("%s, %s: judge trained on %d pages of %d other webs", u.web, u.relevant, model.Relevant+model.Other, len(webs))
	j := judge.Class(model)
	b.judges[key] = j
	return j, nil
}

// mostSampled is the greatest number of pages of a web with a label, and of pages without it, for training a judge.
const mostSampled = 2000

// sample calls f with pages of both kinds, at even steps through the web.
func sample(w *stored.Web, label string, f func(i int, relevant bool)) {
	var kinds [2][]int
	for i := range w.Pages {
		if p := &w.Pages[i]; p.Status < 200 || p.Status > 299 {
			continue
		}
		kind := 0
		if w.HasLabel(i, label) {
			kind = 1
		}
		kinds[kind] = append(kinds[kind], i)
	}
	for kind, pages := range kinds {
		n := min(len(pages), mostSampled)
		for k := range n {
			f(pages[k*len(pages)/n], kind == 1)
		}
	}
}

// contextGraph returns the model for the order context-graph on a unit, trained on the other web with the most pages of
// the label; nil if there is none.
func (b *workspace) contextGraph(u *unit) (*order.ContextGraph, error) {
	key := [2]string{u.relevant, u.web}
	if g, ok := b.levels[key]; ok {
		return g, nil
	}
	webs, err := b.others(u)
	if err != nil {
		return nil, err
	}
	b.levels[key] = nil
	for _, w := range webs {
		truth, err := lab.NewTruth(w, u.relevant)
		if err != nil {
			continue
		}
		if g, err := truth.ContextGraph(); err == nil {
			b.levels[key] = g
			break
		}
	}
	return b.levels[key], nil
}

// flag is a Judge that says only yes or no, as the study does.
type flag struct{ by judge.Judge }

func (f flag) Judge(p *kavosh.Page) kavosh.Verdict {
	v := f.by.Judge(p)
	relevant := v.Relevant()
	v.Score = 0
	if relevant {
		v.Score = 1
	}
	return v
}

func (f flag) Text(text string) float64 { return f.by.Text(text) }
func (f flag) Needs() kavosh.Needs      { return f.by.Needs() }

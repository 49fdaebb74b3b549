package main

// This file prints what was measured.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
)

// print prints the table, and writes it to DIR/browser.tsv.
func (o *options) print(w io.Writer) error {
	var tsv bytes.Buffer
	if err := o.table(&tsv); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := t.Write(tsv.Bytes()); err != nil {
		return err
	}
	return errors.Join(t.Flush(), os.WriteFile(filepath.Join(o.dir, "browser.tsv"), tsv.Bytes(), 0o644))
}

// table writes a line a site, then the sums over the sites that need their scripts, over the others, and over all. Sums
// of two modes are over the sites that both crawled.
func (o *options) table(w io.Writer) error {
	fmt.Fprintln(w, "site\tscripts\tpages\tnever finds of always: links, resources, all\tauto finds\t"+
		"processor s: never\tauto\talways\tauto/always\ttime s: never\tauto\talways\tauto/never\t"+
		"MB: auto\talways\tmost in a turn and rest after each, s: never\tauto\talways\tnoise\tproblems")
	sums := map[string]*sum{"yes": {}, "no": {}, "all": {}}
	for _, s := range o.sites {
		runs := map[string]*run{}
		for _, mode := range everyMode {
			r, err := read(o.folder(s.name, mode))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			runs[mode] = r
		}
		kind := map[bool]string{true: "yes", false: "no"}[s.scripts]
		line(w, s.name, kind, runs)
		for _, k := range []string{kind, "all"} {
			sums[k].add(runs)
		}
	}
	for _, k := range []string{"yes", "no", "all"} {
		sums[k].line(w, k)
	}
	return nil
}

func line(w io.Writer, name, kind string, runs map[string]*run) {
	never, auto, always := runs["never"], runs["auto"], runs["always"]
	pages, noise, problems := 0, "-", ""
	for _, mode := range everyMode {
		if r := runs[mode]; r != nil {
			pages = r.Pages
			if r.Problem != "" {
				problems += mode + ": " + r.Problem + " "
			}
		}
	}
	if again := runs["again"]; again != nil && always != nil {
		noise = fmt.Sprint(recall(always, always, nil).all().of - recall(always, always, again).all().of)
	}
	fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, kind, pages,
		recalled(never, always, runs["again"]), recalled(auto, always, runs["again"]),
		seconds(never, cpu), seconds(auto, cpu), seconds(always, cpu), ratio(auto, always, cpu),
		seconds(never, wall), seconds(auto, wall), seconds(always, wall), ratio(auto, never, wall),
		seconds(auto, megabytes), seconds(always, megabytes), turn(never), turn(auto), turn(always), noise, problems)
}

func cpu(r *run) float64       { return r.CPU }
func wall(r *run) float64      { return r.Wall }
func megabytes(r *run) float64 { return float64(r.Memory) / 1e6 }

func turn(r *run) string {
	if r == nil || r.Turn == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %.3f", r.Turn, r.Rest.Seconds())
}

func seconds(r *run, of func(*run) float64) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.3g", of(r))
}

func ratio(a, b *run, of func(*run) float64) string {
	if a == nil || b == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", of(a)/of(b))
}

func (f found) all() share { return share{f.links.has + f.resources.has, f.links.of + f.resources.of} }

func recalled(crawl, always, again *run) string {
	if crawl == nil || always == nil {
		return "-"
	}
	f := recall(crawl, always, again)
	return fmt.Sprintf("%d/%d %d/%d %.3f", f.links.has, f.links.of, f.resources.has, f.resources.of, f.all().value())
}

// sum is over sites. Each pair of numbers is over the sites where both were measured.
type sum struct {
	sites, compared int        // with never and always; with auto and always
	never, auto     share      // what they found of what always found
	neverCPU        [2]float64 // of never; of always
	autoCPU         [2]float64 // of auto; of always
	autoWall        [2]float64 // of auto; of never
}

func (s *sum) add(runs map[string]*run) {
	never, auto, always := runs["never"], runs["auto"], runs["always"]
	if always != nil && never != nil {
		s.sites++
		s.never.add(recall(never, always, runs["again"]).all())
		s.neverCPU[0], s.neverCPU[1] = s.neverCPU[0]+never.CPU, s.neverCPU[1]+always.CPU
	}
	if always != nil && auto != nil {
		s.compared++
		s.auto.add(recall(auto, always, runs["again"]).all())
		s.autoCPU[0], s.autoCPU[1] = s.autoCPU[0]+auto.CPU, s.autoCPU[1]+always.CPU
	}
	if never != nil && auto != nil {
		s.autoWall[0], s.autoWall[1] = s.autoWall[0]+auto.Wall, s.autoWall[1]+never.Wall
	}
}

func (s *sum) line(w io.Writer, kind string) {
	fmt.Fprintf(w, "sum\t%s\t\t%.4f (%d sites)\t%.4f (%d sites)\t%.0f\t%.0f\t%.0f\t%.3f\t%.0f\t%.0f\t\t%.2f\n", kind, s.never.value(), s.sites,
		s.auto.value(), s.compared, s.neverCPU[0], s.autoCPU[0], s.neverCPU[1], s.autoCPU[0]/max(s.autoCPU[1], 1),
		s.autoWall[1], s.autoWall[0], s.autoWall[0]/max(s.autoWall[1], 1))
}

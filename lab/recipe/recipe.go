// Package recipe repeats the experiments of the publications that Kavosh's orders come from, on stored webs that others
// can make too, and prints the published numbers beside ours.
//
// A recipe is one file and one line of List. Those of orders crawl stored webs, that of schedules (revisit.go) webs that
// change. A list of units (units.go) says which webs it crawls, from where and for
// what; it was fixed before any order was run on them. data.go opens the webs and trains the judges. study.go makes the
// runs and stores them, so that a recipe continues where it stopped. tuning.go tries numbers of orders, on units that
// do not count for results.
package recipe

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/internal/disk"
	"kavosh/judge"
	"kavosh/lab"
)

// Recipe is one experiment.
type Recipe struct {
	Name  string
	About string // what it shows, in one line
	Units string // its list of units; "" if it crawls no stored web
	make  func(ctx context.Context, b *workspace) (*lab.Report, error)
}

// List is every recipe.
func List() []Recipe {
	return []Recipe{
		{"orders", "which order finds what is wanted soonest, each with the best of its numbers on other webs", "units.tsv", orders},
		{"reinforcement", "Meybodi and others' table, as they counted and at equal fetches", "spec04.tsv", reinforcement},
		{"depth-weight", "TianWang's coverage of sites by short paths first", "spec03.tsv", depthWeight},
		{"language", "Azimzadeh and others' weights of a page's language", "spec01.tsv", language},
		{"diversity", "which order finds relevant pages of the most hosts", "diversity.tsv", diversity},
		{"semantic", "RDF among HTML on real sites: the focused crawler of a thesis at Ferdowsi University, and those it was compared with", "semantic.tsv", semantic},
		{"revisit", "when to look again: Ben Saad and Gançarski's gains, and schedules beside each other, on webs made of numbers that change", "", revisit},
		{"twice", "in which order a second round keeps most pages coherent: SHARC's and others, on webs made of numbers that change", "", twice},
		{"histories", "the same schedules on the histories of real sites (make lab-histories)", "", histories},
	}
}

// Named returns the recipe called name, or an error that lists all.
func Named(name string) (*Recipe, error) {
	var names []string
	for _, r := range List() {
		if r.Name == name {
			return &r, nil
		}
		names = append(names, r.Name)
	}
	return nil, fmt.Errorf("no recipe is called %q; use one of %s", name, strings.Join(names, ", "))
}

// Options are the settings of a recipe.
type Options struct {
	Data     string    // the folder of stored webs that make lab-data makes
	Out      string    // folder for runs, which are not repeated, and for results
	Progress io.Writer // gets lines for people who wait
}

// Run makes the missing runs of the recipe and returns the report. It also writes it to Out: NAME.txt, .csv, .json,
// .html and curves in NAME.svg. If ctx ends, it returns ctx's error; the next Run continues from there.
func (r *Recipe) Run(ctx context.Context, o Options) (*lab.Report, error) {
	units, err := readUnits(r.Units)
	if err != nil {
		return nil, err
	}
	b := &workspace{Options: o, name: r.Name, units: units, reader: judge.Reader{Open: os.ReadFile}}
	if err := b.findWebs(); err != nil {
		return nil, err
	}
	report, err := r.make(ctx, b)
	if err != nil {
		return nil, err
	}
	report.Findings = append(report.Findings, b.notes...)
	return report, b.write(report)
}

func (b *workspace) write(report *lab.Report) error {
	files := map[string]func(io.Writer) error{"txt": report.Text, "csv": report.CSV, "json": report.JSON, "html": report.Page}
	if report.Compared != nil {
		files["svg"] = func(w io.Writer) error { return report.Compared.Plot(w, "svg", report.Axis) }
	}
	if err := disk.MkdirAll(vfs.Default, b.Out); err != nil {
		return err
	}
	for kind, write := range files {
		name := filepath.Join(b.Out, b.name+"."+kind)
		if err := disk.Replace(vfs.Default, name, write); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Takes describes the recipe's units and webs.
func (r *Recipe) Takes() string {
	if r.Units == "" {
		return "webs that change"
	}
	units, err := readUnits(r.Units)
	if err != nil {
		return "no list of units"
	}
	webs := map[string]bool{}
	counts := map[string]int{}
	for _, u := range units {
		webs[u.web] = true
		counts[u.role]++
	}
	return fmt.Sprintf("%d units that count, %d for tuning, on %d webs", counts[result], counts[tuning], len(webs))
}

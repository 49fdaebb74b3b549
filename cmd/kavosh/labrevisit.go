package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"kavosh/lab"
	"kavosh/lab/changing"
	"kavosh/schedule"
)

type labRevisitCmd struct {
	Web      string        `arg:"" help:"The web that changes: a history (.history.tsv, by make lab-histories), or synthetic:pages=N,…"`
	Schedule []string      `required:"" sep:"none" placeholder:"NAME[,key=value…]" help:"A schedule, as listed above; again for more, or all for every one."`
	Period   time.Duration `default:"1h" least:"1m" most:"168h" placeholder:"D" help:"How long a period is."`
	Budget   int           `default:"24" least:"1" most:"1000000" placeholder:"N" help:"Visits a period."`
	Learn    int           `default:"60" least:"1" most:"1000000" placeholder:"N" help:"Visits a period before the time that is measured, all pages in turn."`
	Seed     uint64        `default:"1" placeholder:"N" help:"Of what is random: the same seed gives the same visits."`
	CSV      string        `name:"csv" placeholder:"FILE" help:"Write the table as comma-separated values."`
	JSON     bool          `name:"json" help:"Print the table as one JSON object."`
}

// Help returns the text above the flags in the help.
func (labRevisitCmd) Help() string {
	return `Examples:

    kavosh lab revisit synthetic: --schedule all
    kavosh lab revisit synthetic:strength=1,seed=3 --budget 12 --schedule frequency --schedule gain,signals=no
    kavosh lab revisit .cache/lab/jekyll+jekyll.history.tsv --period 6h --budget 4 --learn 18 --schedule all

Lets schedules visit a web that changes, one after another with the same budget, beside one who knows all changes. docs/schedule.md says what the measures are; kavosh lab recipe revisit compares with intervals.

` + schedule.Help()
}

// Run runs each schedule on the web.
func (c *labRevisitCmd) Run(p *program) error {
	var specs []string
	for _, spec := range c.Schedule {
		if spec == "all" {
			for _, e := range schedule.List() {
				specs = append(specs, e.Name)
			}
			continue
		}
		if _, err := schedule.Parse(spec); err != nil {
			return usageError{err.Error()}
		}
		specs = append(specs, spec)
	}
	web, err := c.open()
	if err != nil {
		return err
	}
	o := changing.Setting{Period: c.Period, Budget: c.Budget, Learn: c.Learn, Seed: c.Seed}
	t := lab.Table{
		Title: lab.Words{En: fmt.Sprintf("%s: %s, %s each %s", filepath.Base(web.Name), plural(int64(len(web.Pages)), "page"), plural(int64(c.Budget), "visit"), c.Period),
			Fa: fmt.Sprintf("%s: %d صفحه، %d دیدار در هر %s", filepath.Base(web.Name), len(web.Pages), c.Budget, c.Period)},
		Heads: append([]lab.Words{{En: "schedule", Fa: "زمان‌بندی"}}, changing.Heads()...),
	}
	add := func(name string, captures []changing.Capture) {
		t.Rows = append(t.Rows, append([]string{name}, changing.Row([]changing.Quality{changing.Measure(web, captures)})...))
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	add("(who knows all changes)", changing.Oracle(web, o))
	for _, spec := range specs {
		if err := ctx.Err(); err != nil {
			return err
		}
		captures, err := changing.Run(web, spec, o)
		if err != nil {
			return err
		}
		add(spec, captures)
	}
	report := lab.Report{Title: lab.Words{En: "When to look again", Fa: "کِی دوباره باید دید"}, Tables: []lab.Table{t}}
	if c.CSV != "" {
		if err := writeTo(c.CSV, report.CSV); err != nil {
			return err
		}
	}
	if c.JSON {
		return report.JSON(p.out)
	}
	return report.Text(p.out)
}

func (c *labRevisitCmd) open() (*changing.Web, error) {
	spec, ok := strings.CutPrefix(c.Web, "synthetic:")
	if !ok {
		return changing.ReadHistory(c.Web)
	}
	made, err := changing.ParseSynthetic(spec)
	if err != nil {
		return nil, usageError{err.Error()}
	}
	return made.Make(), nil
}

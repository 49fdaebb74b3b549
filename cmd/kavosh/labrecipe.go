package main

import (
	"fmt"
	"text/tabwriter"

	"kavosh/lab/recipe"
)

type labRecipeCmd struct {
	Name   string `arg:"" optional:"" help:"The recipe; without one all are listed."`
	Data   string `default:".cache/lab" placeholder:"DIR" help:"The folder of stored webs that make lab-data makes (default: .cache/lab)."`
	Out    string `short:"o" placeholder:"DIR" help:"The folder that runs are kept in, and what came out is written to. What stands there is not run again."`
	Tables string `placeholder:"DIR" help:"Write all tables into this folder, each as a file of comma-separated values."`
	JSON   bool   `name:"json" help:"Print what came out as one JSON object."`
}

// Help returns the text above the flags in the help.
func (labRecipeCmd) Help() string {
	return `Examples:

    kavosh lab recipe                        what there is
    make lab-data
    kavosh lab recipe orders -o results      results/orders.txt, .csv, .json, .html, .svg

What was published stands beside what comes out. Stopped and started again it goes on.`
}

// Run runs a recipe, or lists all.
func (c *labRecipeCmd) Run(p *program) error {
	if c.Name == "" {
		t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
		for _, r := range recipe.List() {
			fmt.Fprintf(t, "%s\t%s\t%s\n", r.Name, r.About, r.Takes())
		}
		return t.Flush()
	}
	r, err := recipe.Named(c.Name)
	if err != nil {
		return usageError{err.Error()}
	}
	if c.Out == "" {
		return usage("where are the results kept? name a folder by -o DIR")
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	report, err := r.Run(ctx, recipe.Options{Data: c.Data, Out: c.Out, Progress: p.err})
	if err != nil {
		return err
	}
	if err := writeTables(c.Tables, report.CSVTables()); err != nil {
		return err
	}
	if c.JSON {
		return report.JSON(p.out)
	}
	return report.Text(p.out)
}

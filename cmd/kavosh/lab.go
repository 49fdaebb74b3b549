package main

// This file is the command kavosh lab. Package lab runs the experiments.

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kavosh/frontier/order"
	"kavosh/judge"
	"kavosh/lab"
	"kavosh/lab/stored"
	"kavosh/seeds"
)

type labCmd struct {
	Run     labRunCmd     `cmd:"" help:"Crawl a stored web again by many orders, and keep the results."`
	Compare labCompareCmd `cmd:"" help:"Say which order found the wanted pages soonest, and how certain that is."`
	Show    labShowCmd    `cmd:"" help:"Say what is in a stored web: pages, hosts, labels."`
	Revisit labRevisitCmd `cmd:"" help:"Visit a web that changes by schedules, and say what the archive then holds."`
	Recipe  labRecipeCmd  `cmd:"" help:"Make an experiment of the documents that orders come from; without a name, list them."`
}

// storedWeb has the flags that name a stored web.
type storedWeb struct {
	Web    string `arg:"" help:"The stored web: an archive, WARC files, a folder of mirrored sites, a graph file (.jsonl), or synthetic:pages=N,…"`
	Base   string `placeholder:"URL" help:"The URL of a folder that holds one site; without it its sub-folders are hosts."`
	Labels string `placeholder:"FILE" help:"Labels that tell the truth: lines of a URL, a tab and a label."`
}

func (w *storedWeb) open() (*stored.Web, error) {
	if spec, ok := strings.CutPrefix(w.Web, "synthetic:"); ok {
		if _, err := stored.ParseSynthetic(spec); err != nil {
			return nil, usageError{err.Error()}
		}
	} else if err := missing(w.Web); err != nil {
		return nil, err
	}
	return stored.Open(w.Web, stored.Options{Base: w.Base, Labels: w.Labels})
}

type labRunCmd struct {
	storedWeb
	Out         string   `short:"o" required:"" placeholder:"DIR" help:"The folder that results are kept in. What stands there is not run again; several webs share one."`
	Order       []string `required:"" sep:"none" placeholder:"NAME[,key=value…]" help:"An order, as kavosh crawl has it; again for more, or all for every one."`
	Relevant    []string `required:"" sep:"none" placeholder:"label=NAME|keyword=WORDS" help:"What is true: pages with a label, or that hold words. Again for more topics."`
	Prefer      []string `sep:"none" placeholder:"KIND=VALUE" help:"The judge that leads the orders, as kavosh crawl has it. By default the keyword of --relevant."`
	Train       string   `placeholder:"WEB" help:"Another stored web with --train-labels, from which the order context-graph learns how far pages are from what is wanted."`
	TrainLabels string   `name:"train-labels" placeholder:"FILE" help:"The labels of --train."`
	Start       []string `sep:"none" placeholder:"URL" help:"A page to start from; again for more runs."`
	Starts      int      `most:"1000000" placeholder:"N" help:"Start from so many pages drawn at random, from which a quarter of the web can be reached."`
	Share       float64  `default:"1" most:"1" placeholder:"SHARE" help:"How much of the reachable pages a run may fetch."`
	Requests    int      `most:"1000000000" placeholder:"N" help:"How many requests a run may make, dead ones counted, as --max-urls of a crawl: with --polite it waits for better URLs, up to an hour. 0 is no limit. Only with --mode graph."`
	Polite      bool     `help:"Let time pass as in a polite crawl: a second a host, 64 workers."`
	Mode        string   `choice:"graph,full" default:"graph" help:"graph: frontier and order over pages read before. full: the whole engine (slower; no --polite)."`
	Seed        uint64   `default:"1" placeholder:"N" help:"Of what is random: the same seed gives the same runs."`
}

// Help returns the text above the flags in the help.
func (labRunCmd) Help() string {
	return `Examples:

    kavosh lab run synthetic: --relevant label=relevant --prefer keyword=relevant --order breadth --order best --order tianwang --starts 5 -o results
    kavosh lab run example.org.kavosh --labels truth.tsv --relevant label=course --prefer model=course.model --order all --start https://example.org/ -o results
    kavosh lab compare results --html results.html

Crawls a stored web again, by one order after another, with the frontier and the orders of a real crawl, in no time and without any socket. Truth (--relevant) comes from labels; what leads the orders (--prefer) is a judge that may be wrong. Stopped and started again it goes on.`
}

// Run runs each order on the stored web.
func (c *labRunCmd) Run(p *program) error {
	if c.Polite && c.Mode == "full" {
		return usage("--polite goes with --mode graph: the whole engine runs without time")
	}
	if c.Requests > 0 && c.Mode == "full" {
		return usage("--requests goes with --mode graph: a run of the whole engine ends by --share")
	}
	levels, err := c.levels()
	if err != nil {
		return err
	}
	orders, err := c.orders(p, levels[c.Relevant[0]])
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(nil)
	defer stop()
	began := time.Now()
	web, err := c.open()
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "%s: %s read in %s\n", web.Name, plural(int64(len(web.Pages)), "page"), time.Since(began).Round(time.Millisecond))
	if left := web.Left.String(); left != "" {
		fmt.Fprintln(p.err, left)
	}
	judges := judge.Reader{Open: os.ReadFile}
	e := lab.Experiment{
		Dir: c.Out, Web: web, Relevant: c.Relevant, Orders: orders, Share: c.Share, Requests: c.Requests, Full: c.Mode == "full", Seed: c.Seed, Levels: levels,
		Judge: func(relevant string) (judge.Judge, error) {
			prefer := c.Prefer
			if len(prefer) == 0 {
				if !strings.HasPrefix(relevant, "keyword=") {
					return nil, usage("--relevant %s only says which pages are relevant; name by --prefer what guides the orders, such as --prefer model=FILE", relevant)
				}
				prefer = []string{relevant}
			}
			j, err := judges.Parse(prefer)
			if err != nil {
				return nil, usageError{err.Error()}
			}
			return j, nil
		},
		Done: func(r lab.Result) {
			fmt.Fprintf(p.err, "%s  %s  %s  %s: %d fetches, recall %.3f at 12 %%, area %.3f\n", r.Web, r.Relevant, r.Start, r.Order, r.Fetches, r.Recall[1], r.Area)
		},
	}
	if c.Polite {
		e.Pace = lab.Polite()
	}
	if e.Starts, err = c.starts(p, web); err != nil {
		return err
	}
	return e.Run(ctx)
}

// levels returns the models of the order context-graph, by topic.
func (c *labRunCmd) levels() (map[string]*order.ContextGraph, error) {
	if c.Train == "" {
		return nil, nil
	}
	web, err := stored.Open(c.Train, stored.Options{Labels: c.TrainLabels})
	if err != nil {
		return nil, err
	}
	models := map[string]*order.ContextGraph{}
	for _, relevant := range c.Relevant {
		if models[relevant], err = contextGraphOf(web, relevant); err != nil {
			return nil, err
		}
	}
	return models, nil
}

// orders returns the orders to run. If all are wanted, it returns those that can be made.
func (c *labRunCmd) orders(p *program, levels *order.ContextGraph) ([]string, error) {
	setup := order.Setup{Topic: func(string) float64 { return 0 }, ContextGraph: levels}
	var specs []string
	for _, o := range c.Order {
		if o != "all" {
			if _, err := order.Parse(o, setup); err != nil {
				return nil, usageError{err.Error()}
			}
			specs = append(specs, o)
			continue
		}
		for _, e := range order.List() {
			if e.Parts > 0 {
				continue
			}
			if _, err := order.Parse(e.Name, setup); err != nil {
				fmt.Fprintf(p.err, "kavosh: left out: %v\n", err)
				continue
			}
			specs = append(specs, e.Name)
		}
	}
	return specs, nil
}

// starts returns the start pages: those that were named, and those that are drawn at random.
func (c *labRunCmd) starts(p *program, web *stored.Web) ([]string, error) {
	var urls []string
	for _, s := range c.Start {
		key, err := seeds.Key(s)
		if err != nil {
			return nil, usageError{err.Error()}
		}
		urls = append(urls, key)
	}
	if len(urls) == 0 && c.Starts == 0 {
		return nil, usage("where do the runs start? name a page by --start URL, or let some be drawn by --starts N")
	}
	drawn := lab.Starts(web, c.Starts, rand.New(rand.NewPCG(c.Seed, 5)))
	if len(drawn) < c.Starts {
		if len(drawn)+len(urls) == 0 {
			return nil, fmt.Errorf("--starts %d: no page leads to a quarter of %s; name pages by --start URL, such as the seeds of the crawl", c.Starts, web.Name)
		}
		fmt.Fprintf(p.err, "kavosh: %s of the %d asked for can be drawn: no more lead to a quarter of the web\n", plural(len(drawn), "page"), c.Starts)
	}
	return append(urls, drawn...), nil
}

type labCompareCmd struct {
	Dir        string `arg:"" help:"The folder that kavosh lab run kept results in."`
	Polite     bool   `help:"Compare the runs that were made with --polite."`
	Mode       string `choice:"graph,full" default:"graph" help:"Which runs: graph or full."`
	Everything bool   `help:"Count units, too, that are too easy or have too much that is relevant."`
	JSON       bool   `name:"json" help:"Print the comparison as one JSON object."`
	CSV        string `name:"csv" placeholder:"FILE" help:"Write every run as a line of comma-separated values."`
	Tables     string `placeholder:"DIR" help:"Write all tables into this folder, each as a file of comma-separated values: orders, curves, runs, what was left out."`
	HTML       string `name:"html" placeholder:"FILE" help:"Write a page with tables and curves that stands alone."`
	SVG        string `name:"svg" placeholder:"FILE" help:"Write the curves as a picture."`
	PNG        string `name:"png" placeholder:"FILE" help:"Write the curves as a picture."`
}

// Run compares runs.
func (c *labCompareCmd) Run(p *program) error {
	results, err := lab.ReadResults(c.Dir)
	if err != nil {
		return err
	}
	mode, axis := c.Mode, lab.Recall
	if c.Polite {
		mode, axis = "polite", lab.Time
	}
	compared, err := lab.Compare(results, mode, c.Everything)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Dir, err)
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{c.CSV, lab.Runs(results).Write},
		{c.HTML, (&lab.Report{Compared: compared, Axis: axis}).Page},
		{c.SVG, func(w io.Writer) error { return compared.Plot(w, "svg", axis) }},
		{c.PNG, func(w io.Writer) error { return compared.Plot(w, "png", axis) }},
	}
	for _, f := range files {
		if f.name == "" {
			continue
		}
		if err := writeTo(f.name, f.write); err != nil {
			return err
		}
	}
	if err := writeTables(c.Tables, append(compared.CSVTables(), lab.Runs(results))); err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(p.out).Encode(compared)
	}
	return compared.Table(p.out)
}

type labShowCmd struct {
	storedWeb
	Tables string `placeholder:"DIR" help:"Write the counts and the labels into this folder, each table as a file of comma-separated values."`
	JSON   bool   `name:"json" help:"Print it as one JSON object."`
}

// Run prints what a stored web has.
func (c *labShowCmd) Run(p *program) error {
	web, err := c.open()
	if err != nil {
		return err
	}
	s := lab.Survey(web)
	if err := writeTables(c.Tables, s.CSVTables()); err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(p.out).Encode(s)
	}
	_, err = io.WriteString(p.out, s.Text())
	return err
}

// writeTables writes tables into the folder dir, which is made if it is not there; "" writes none.
func writeTables(dir string, tables []lab.CSVTable) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, t := range tables {
		if err := writeTo(filepath.Join(dir, t.Name+".csv"), t.Write); err != nil {
			return err
		}
	}
	return nil
}

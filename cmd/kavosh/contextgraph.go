package main

import (
	"fmt"

	"kavosh/frontier/order"
	"kavosh/lab"
	"kavosh/lab/stored"
	"kavosh/lib/units"
)

type judgeContextGraphCmd struct {
	storedWeb
	Relevant string `required:"" placeholder:"label=NAME|keyword=WORDS" help:"What is relevant there: pages with a label, or that hold words."`
	Output   string `short:"o" required:"" placeholder:"FILE" help:"Where to write the model, for kavosh crawl --context-graph FILE. One that is there is replaced."`
}

// Help returns the text above the flags in the help.
func (judgeContextGraphCmd) Help() string {
	return `Examples:

    kavosh judge context-graph others.kavosh --relevant 'keyword=solar energy' -o solar.graph
    kavosh judge context-graph others.kavosh --labels truth.tsv --relevant label=course -o courses.graph
    kavosh crawl --order context-graph --context-graph courses.graph https://example.org/

Learns from a web that was stored what pages say that are one, two or three links away from a relevant one. Take another web than the one that you will crawl, of the same kind, and all of it: pages that lead to relevant ones matter as much as these.`
}

// Run trains the model and writes it to the file Output.
func (c *judgeContextGraphCmd) Run(p *program) error {
	web, err := c.open()
	if err != nil {
		return err
	}
	graph, err := contextGraphOf(web, c.Relevant)
	if err != nil {
		return err
	}
	data, err := graph.Save()
	if err != nil {
		return err
	}
	if err := replaceFile(c.Output, data); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "The model tells %d levels apart, from relevant pages to those %d links away. It is in %s (%s).\nUse it by --order context-graph --context-graph %s.\n",
		graph.Levels(), graph.Levels()-1, c.Output, units.Size(len(data)), c.Output)
	return nil
}

// contextGraphOf trains a model for the crawl order context-graph on a stored web. relevant is the flag --relevant.
func contextGraphOf(web *stored.Web, relevant string) (*order.ContextGraph, error) {
	truth, err := lab.NewTruth(web, relevant)
	if err != nil {
		return nil, err
	}
	return truth.ContextGraph()
}

package main

// This file is the command kavosh behaviours: what the browser does on pages, and whether a pack of such rules is right.

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"kavosh/fetch/behaviours"
)

type behavioursCmd struct {
	Packs []string `arg:"" optional:"" name:"pack" help:"Files, or folders with *.toml files, to check and to list after the pack that comes with kavosh."`
	For   string   `name:"for" placeholder:"URL" help:"List only what is done on this page, in this order."`
	Print bool     `name:"print" help:"Print the pack that comes with kavosh, to begin one of your own with."`
}

// Help returns the text above the flags in the help.
func (behavioursCmd) Help() string {
	return `With --browser, a page is scrolled through, what is folded is opened, tabs and carousels are turned, cookies are refused,
until nothing new comes. The rules for that are data, in packs:

    kavosh behaviours                                           what is done everywhere
    kavosh behaviours news.toml                                 check a pack, and list its rules too
    kavosh behaviours news.toml --for https://example.org/      what would be done there
    kavosh crawl --browser always --behaviours news.toml --scope page https://example.org/      try it on a page;
    kavosh log example.org.kavosh                               its notes say what was done, and how often

A mistake in a pack is told with its line, and the exit status is 2. Whatever a pack says, no form is sent, no link
to another page followed, and nothing clicked that logs out, deletes, saves, buys or posts. docs/formats/pack.md has the
form of packs.`
}

// Run checks packs and lists their rules.
func (c *behavioursCmd) Run(p *program) error {
	if c.Print {
		_, err := p.data.Write(behaviours.Everywhere())
		return err
	}
	set, err := behaviours.Load(c.Packs)
	switch {
	case err != nil:
		return usage("%v", err)
	case set == nil:
		return usage("off is no pack: name files or folders, or nothing")
	}
	for _, pack := range set.Packs {
		fmt.Fprintf(p.out, "%s %s, from %s\n", pack.Name, pack.Version, pack.Source)
		if c.For == "" {
			listRules(p, pack.Rules)
		}
	}
	if c.For != "" {
		fmt.Fprintf(p.out, "\nOn %s, in this order:\n", c.For)
		listRules(p, set.For(c.For))
	}
	return nil
}

// listRules lists rules with their bounds.
func listRules(p *program, rules []behaviours.Rule) {
	if len(rules) == 0 {
		fmt.Fprintln(p.out, "  nothing")
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, r := range rules {
		fmt.Fprintf(t, "  %s\t%s\t%s\tat most %d times, %d requests, %s\n", r.Name, r.Do, strings.Join(r.Sites, " "), r.Times, r.Requests, r.Time)
	}
	t.Flush()
}

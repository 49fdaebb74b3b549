package main

// This file prints the help of commands: commands under headings, and of many flags the few that people need first.

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// commandGroups are the headings in the help of kavosh, in their order. Key is the tag part of a command.
var commandGroups = []kong.Group{
	{Key: "crawl", Title: "Crawl, and know how it goes:"},
	{Key: "show", Title: "Show an archive, and decide who sees what:"},
	{Key: "keep", Title: "Keep an archive sound, take in and hand out:"},
	{Key: "study", Title: "Study what is there:"},
	{Key: "more", Title: "More:"},
}

// groupCommands puts each command under its heading. It does not use kong's tag group, which the flags of a command
// would inherit.
func groupCommands(root *kong.Node) {
	for _, command := range root.Children {
		if i := slices.IndexFunc(commandGroups, func(g kong.Group) bool { return g.Key == command.Tag.Get("part") }); i >= 0 {
			group := commandGroups[i]
			command.Group = &group
		}
	}
}

// helpAll takes the word all after --help away, and reports whether it was there.
func helpAll(args []string) (rest []string, all bool) {
	last := len(args) - 1
	if last < 1 || args[last] != "all" || args[last-1] != "--help" && args[last-1] != "-h" {
		return args, false
	}
	return args[:last], true
}

// helpLast returns the arguments of kavosh help COMMAND [all] as kavosh COMMAND --help [all].
func helpLast(args []string) []string {
	n := len(args)
	if n > 1 && args[n-1] == "all" {
		n--
	}
	return slices.Insert(slices.Clone(args), n, "--help")
}

// help prints the help of a command. If some of its flags have the tag first, it shows these alone, unless all are
// wanted, and says how to see the others.
func (p *program) help(options kong.HelpOptions, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil || p.allHelp || !slices.ContainsFunc(node.Flags, isFirst) {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	more := 0
	for _, flag := range node.Flags {
		if !isFirst(flag) && flag.Name != "help" {
			flag.Hidden = true
			more++
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.out, "\n%d more flags: kavosh %s --help all\n", more, pathOf(node))
	return err
}

func isFirst(flag *kong.Flag) bool { return flag.Tag.Get("first") == "yes" }

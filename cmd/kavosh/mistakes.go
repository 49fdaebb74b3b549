package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// What a person typed that is none of what there is: each mistake is told with what there is, the nearest first.

// mistake says what is wrong with the command line, err being the parser's words, and which command's help tells more.
func mistake(parser *kong.Kong, err error, args []string) (verb string, told error) {
	verb = "kavosh"
	var parse *kong.ParseError
	if !errors.As(err, &parse) {
		return verb, err
	}
	node := parse.Context.Selected()
	if node == nil {
		node = parser.Model.Node
		for _, arg := range args {
			if child := childOf(node, arg); child != nil {
				node = child
			}
		}
	}
	if node == parser.Model.Node {
		if !strings.HasPrefix(args[0], "-") {
			return verb, unknownCommand(parser, args[0])
		}
	} else {
		verb = "kavosh " + pathOf(node)
	}
	text := oneLine(err)
	switch {
	case unexpected.MatchString(text) && len(node.Children) > 0:
		word := unexpected.FindStringSubmatch(text)[1]
		if _, err := os.Stat(word); err == nil {
			return verb, fmt.Errorf("what of %s? write %s %s %s; there are %s", word, verb, node.Children[0].Name, quoted(word), strings.Join(names(node), ", "))
		}
		return verb, fmt.Errorf("there is no command %s %s%s", verb, word, orOneOf(word, names(node)))
	case unexpected.MatchString(text):
		return verb, fmt.Errorf("%s is too much: write %s", unexpected.FindStringSubmatch(text)[1], usageOf(verb, node))
	case strings.HasPrefix(text, "expected one of"):
		return verb, fmt.Errorf("%s does what? write it with %s", verb, strings.Join(names(node), ", or "))
	case strings.HasPrefix(text, "missing flags:"):
		return verb, fmt.Errorf("%s: write %s", text, usageOf(verb, node))
	case unknownFlag.MatchString(text):
		return verb, noSuchFlag(parser, node, verb, unknownFlag.FindStringSubmatch(text)[1])
	case notOneOf.MatchString(text):
		part := notOneOf.FindStringSubmatch(text)
		var known []string
		for _, k := range strings.Split(part[2], ",") {
			known = append(known, strings.Trim(k, `" `))
		}
		return verb, fmt.Errorf("%s cannot be %q%s", part[1], part[3], orOneOf(part[3], known))
	}
	return verb, err
}

var (
	unexpected  = regexp.MustCompile(`^unexpected argument (.+?)(?:, did you mean .*)?$`)
	unknownFlag = regexp.MustCompile(`^unknown flag (-+[^, ]+)`)
	notOneOf    = regexp.MustCompile(`^(--\S+) must be one of (.+) but got "(.*)"$`)
)

// orOneOf ends a message about a word that is none of the known ones.
func orOneOf(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return "; did you mean " + best + "?"
	}
	return ": use one of " + strings.Join(known, ", ")
}

// names are the commands below a command.
func names(node *kong.Node) (all []string) {
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			all = append(all, child.Name)
		}
	}
	return all
}

// pathOf is a command's name with those above it.
func pathOf(node *kong.Node) string {
	if node.Parent != nil && node.Parent.Type == kong.CommandNode {
		return pathOf(node.Parent) + " " + node.Name
	}
	return node.Name
}

// usageOf is how a command is written.
func usageOf(verb string, node *kong.Node) string {
	text := verb
	for _, arg := range node.Positional {
		text += " " + strings.ToUpper(arg.Name)
	}
	for _, f := range node.Flags {
		if f.Required {
			text += " --" + f.Name + " " + f.FormatPlaceHolder()
		}
	}
	return text
}

// noSuchFlag says that a command has no such flag, and which is meant or whose it is.
func noSuchFlag(parser *kong.Kong, node *kong.Node, verb, flag string) error {
	var own []string
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			own = append(own, "--"+f.Name)
		}
	}
	name := strings.TrimLeft(flag, "-")
	if best := nearest("--"+name, own); best != "" {
		return fmt.Errorf("there is no flag %s; did you mean %s?", flag, best)
	}
	for _, other := range parser.Model.Leaves(true) {
		for _, f := range other.Flags {
			if f.Name == name {
				return fmt.Errorf("%s has no flag %s: it is one of kavosh %s", verb, flag, pathOf(other))
			}
		}
	}
	return fmt.Errorf("%s has no flag %s: use %s", verb, flag, strings.Join(own, ", "))
}

// controls are the commands of kavosh control.
var controls = []string{"status", "pause", "resume", "stop", "delay", "address-delay", "scope", "seeds", "pings", "priority", "host", "log"}

// hostControls are those about one host.
var hostControls = []string{"hold", "release", "off-peak"}

// unknownCommand says that there is no such command, and which may be meant.
func unknownCommand(parser *kong.Kong, word string) error {
	for _, verb := range parser.Model.Children {
		if slices.Contains(names(verb), word) {
			return fmt.Errorf("there is no command %s; did you mean kavosh %s %s?", word, verb.Name, word)
		}
	}
	known := names(parser.Model.Node)
	best := nearest(word, known)
	switch {
	case best != "" && (editDistance(word, best) < 3 || !slices.Contains(controls, word)):
		return fmt.Errorf("there is no command %s; did you mean %s?", word, best)
	case slices.Contains(controls, word):
		return fmt.Errorf("there is no command %s; did you mean kavosh control ARCHIVE %s?", word, word)
	case slices.Contains(hostControls, word):
		return fmt.Errorf("there is no command %s; did you mean kavosh control ARCHIVE host %s HOST?", word, word)
	}
	for _, f := range childOf(parser.Model.Node, "crawl").Flags {
		if f.Name == word {
			return fmt.Errorf("there is no command %s; did you mean the flag --%s of kavosh crawl?", word, word)
		}
	}
	if strings.Contains(word, "://") {
		return fmt.Errorf("there is no command %s; did you mean kavosh crawl %s?", word, word)
	}
	if ok, err := isArchive(word); err == nil && ok {
		return fmt.Errorf("what of %s? write kavosh serve %s; or one of %s", word, quoted(word), strings.Join(known, ", "))
	}
	return fmt.Errorf("there is no command %s: use one of %s", word, strings.Join(known, ", "))
}

// unknownControl says that kavosh control has no such command.
func unknownControl(word string) error {
	switch {
	case slices.Contains(hostControls, word):
		return usage("write it as kavosh control ARCHIVE host %s HOST", word)
	case word == "workers" || strings.HasPrefix(word, "max-"):
		return usage("%s cannot change while a crawl runs: kavosh control ARCHIVE stop, then kavosh crawl --archive ARCHIVE --resume --%s N", word, word)
	}
	return usage("kavosh control has no command %s%s", word, orOneOf(word, controls))
}

// noArchive says that there is no archive at dir, which was typed, with those that are here or meant instead.
func noArchive(dir, use string) error {
	var here []string
	found, _ := filepath.Glob("*/archive.json")
	for _, f := range found {
		here = append(here, filepath.Dir(f))
	}
	best := nearest(dir, here)
	switch {
	case best != "":
		return usage("%s is no archive (it has no archive.json); did you mean %s?", dir, best)
	case len(here) > 0 && len(here) <= 8:
		return usage("%s is no archive (it has no archive.json): %s; here are %s", dir, use, strings.Join(here, ", "))
	}
	return usage("%s is no archive (it has no archive.json): %s", dir, use)
}

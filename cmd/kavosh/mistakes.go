package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"kavosh/lib/spelling"
	"kavosh/plan"
)

// This file answers mistakes on the command line: unknown commands, flags and paths. Each message names what exists,
// the most similar first.

// mistake returns what is wrong with the command line, and the command whose help tells more. err is the parser's
// error.
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
		return verb, fmt.Errorf("there is no command %s %s%s", verb, word, spelling.OrOneOf(word, names(node)))
	case unexpected.MatchString(text):
		return verb, fmt.Errorf("%s is too much: write %s", unexpected.FindStringSubmatch(text)[1], usageOf(verb, node))
	case strings.HasPrefix(text, "expected one of"):
		return verb, fmt.Errorf("%s does what? write it with %s", verb, strings.Join(names(node), ", or "))
	case wanted.MatchString(text):
		name := wanted.FindStringSubmatch(text)[1]
		for _, arg := range node.Positional {
			if arg.Name == name {
				return verb, fmt.Errorf("which %s? %s Write %s", name, arg.Help, usageOf(verb, node))
			}
		}
	case noValue.MatchString(text):
		name := noValue.FindStringSubmatch(text)[1]
		for _, f := range slices.Concat(node.AllFlags(false)...) {
			if f.Name == name {
				return verb, fmt.Errorf("--%s needs a value: write it as --%[1]s=%s", name, f.FormatPlaceHolder())
			}
		}
	case notNumber.MatchString(text):
		return verb, errors.New(notNumber.ReplaceAllString(text, "a number is wanted, such as 10, and not "))
	case strings.HasPrefix(text, "missing flags:"):
		return verb, fmt.Errorf("%s: write %s", text, usageOf(verb, node))
	case unknownFlag.MatchString(text):
		return verb, noSuchFlag(parser, node, verb, unknownFlag.FindStringSubmatch(text)[1])
	}
	return verb, err
}

var (
	unexpected  = regexp.MustCompile(`^unexpected argument (.+?)(?:, did you mean .*)?$`)
	wanted      = regexp.MustCompile(`^expected "<([^ >]+)>`)
	noValue     = regexp.MustCompile(`^--([^:]+): (?:missing value|expected \w+ value but got "EOL")`)
	notNumber   = regexp.MustCompile(`expected a valid \d+ bit u?(int|float) but got `)
	unknownFlag = regexp.MustCompile(`^unknown flag (-+[^, ]+)`)
)

// names returns the commands below a command.
func names(node *kong.Node) (all []string) {
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			all = append(all, child.Name)
		}
	}
	return all
}

// pathOf returns a command's name with the names of the commands above it.
func pathOf(node *kong.Node) string {
	if node.Parent != nil && node.Parent.Type == kong.CommandNode {
		return pathOf(node.Parent) + " " + node.Name
	}
	return node.Name
}

// usageOf returns how to write a command.
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

// noSuchFlag returns the error for an unknown flag. It names the flag that is probably meant, or the command that has
// this flag.
func noSuchFlag(parser *kong.Kong, node *kong.Node, verb, flag string) error {
	var own []string
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			own = append(own, "--"+f.Name)
		}
	}
	name := strings.TrimLeft(flag, "-")
	if best := spelling.Nearest("--"+name, own); best != "" {
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

// controls lists the commands of kavosh control.
var controls = []string{"status", "pause", "resume", "stop", "workers", "delay", "delay-factor", "address-delay", "host-rate", "rate", "limit", "scope", "rules", "permit", "seeds", "pings", "priority", "host", "log"}

// hostControls lists the commands of kavosh control about one host.
var hostControls = []string{"hold", "release", "off-peak"}

// unknownCommand returns the error for an unknown command. It names the one that is probably meant.
func unknownCommand(parser *kong.Kong, word string) error {
	meant := map[string]string{} // by word: where it is a command
	for _, k := range plan.Keys() {
		meant[k.Name] = "the flag --" + k.Name + " of kavosh crawl"
	}
	for _, name := range controls {
		meant[name] = "kavosh control ARCHIVE " + name
	}
	for _, name := range hostControls {
		meant[name] = "kavosh control ARCHIVE host " + name + " HOST"
	}
	for _, verb := range parser.Model.Children {
		for _, name := range names(verb) {
			meant[name] = "kavosh " + pathOf(verb) + " " + name
		}
	}
	if strings.Contains(word, "://") {
		meant[word] = "kavosh crawl " + word
	}
	known := names(parser.Model.Node)
	if meant[word] != "" {
		return fmt.Errorf("there is no command %s; did you mean %s?", word, meant[word])
	}
	if ok, err := isArchive(word); err == nil && ok {
		return fmt.Errorf("what of %s? write kavosh serve %s; or one of %s", word, quoted(word), strings.Join(known, ", "))
	}
	return fmt.Errorf("there is no command %s%s", word, spelling.OrOneOf(word, known))
}

// unknownControl returns the error for an unknown command of kavosh control.
func unknownControl(word string) error {
	if slices.Contains(hostControls, word) {
		return usage("write it as kavosh control ARCHIVE host %s HOST", word)
	}
	if k, ok := plan.KeyOf(word); ok && k.Change == "resume" {
		return usage("%s cannot change while a crawl runs: kavosh control ARCHIVE stop, then kavosh crawl --archive ARCHIVE --resume --%s N", word, word)
	}
	return usage("kavosh control has no command %s%s", word, spelling.OrOneOf(word, controls))
}

// missing returns an error if nothing lies at path, where an archive is expected.
func missing(path string) error {
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return usage("%s is no archive: there is nothing at that path%s", path, archivesNear(path))
}

// anArchive returns an error if dir is no archive that a command can use.
func anArchive(dir string) error {
	ok, err := isArchive(dir)
	if err == nil && !ok {
		err = cmp.Or(missing(dir), usage("%s is no archive (it has no archive.json)%s", dir, archivesNear(dir)))
	}
	return err
}

// archivesNear returns the end of a message about a path that is no archive: the archives in its folder, the most
// similar first.
func archivesNear(path string) string {
	folder, word := filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".kavosh")
	entries, _ := os.ReadDir(folder)
	type near struct {
		path string
		far  int
	}
	var here []near
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(dir, "archive.json")); err == nil {
			name := strings.TrimSuffix(e.Name(), ".kavosh")
			far := spelling.Distance(word, name)
			if strings.Contains(name, word) {
				far = 1
			}
			here = append(here, near{dir, far})
		}
	}
	if len(here) == 0 {
		return ": name the folder that kavosh crawl made"
	}
	slices.SortStableFunc(here, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, n := range here[:min(len(here), 8)] {
		names = append(names, n.path)
	}
	if len(here) > len(names) {
		names = append(names, "…")
	}
	if here[0].far <= max(2, len(word)/3) {
		return "; did you mean " + strings.Join(names, ", or ") + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}

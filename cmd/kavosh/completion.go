package main

// This file is the command kavosh completion: it writes a script by which a shell completes commands and flags.

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help returns the text above the flags in the help.
func (completionCmd) Help() string {
	return `Examples:

    source <(kavosh completion bash)                                     now, in bash
    kavosh completion bash > /etc/bash_completion.d/kavosh               for good
    kavosh completion zsh > "${fpath[1]}/_kavosh"
    kavosh completion fish > ~/.config/fish/completions/kavosh.fish`
}

// Run writes the script.
func (c *completionCmd) Run(p *program, ctx *kong.Context) error {
	script := bashCompletion(ctx.Model.Node)
	switch c.Shell {
	case "zsh":
		script = "#compdef kavosh\nautoload -U +X bashcompinit && bashcompinit\n" + script
	case "fish":
		script = fishCompletion(ctx.Model.Node)
	}
	_, err := io.WriteString(p.data, script)
	return err
}

// completed is what may follow a command: other commands and flags.
type completed struct {
	path  string // of the command, without kavosh: "export wacz"; "" for kavosh itself
	node  *kong.Node
	words []string
}

// completions returns what may follow each command of the program.
func completions(root *kong.Node) (all []completed) {
	var add func(node *kong.Node, path string)
	add = func(node *kong.Node, path string) {
		c := completed{path: path, node: node, words: names(node)}
		for _, flag := range node.Flags {
			c.words = append(c.words, "--"+flag.Name)
		}
		all = append(all, c)
		for _, child := range node.Children {
			add(child, strings.TrimSpace(path+" "+child.Name))
		}
	}
	add(root, "")
	return all
}

// choices returns the values that a flag may have, or nil if they are not a list.
func choices(flag *kong.Flag) []string {
	if list := flag.Tag.Get("choice"); list != "" {
		return strings.Split(list, ",")
	}
	return nil
}

// bashCompletion returns a script for bash. It completes words of the command that the words before make up, the values
// of flags that have a list of them, and files.
func bashCompletion(root *kong.Node) string {
	var b strings.Builder
	b.WriteString(`_kavosh() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${path:+$path }${COMP_WORDS[i]}" in
`)
	all := completions(root)
	for _, c := range all[1:] {
		fmt.Fprintf(&b, "        %q) path=%q ;;\n", c.path, c.path)
	}
	b.WriteString("        esac\n    done\n    case \"$path $prev\" in\n")
	for _, c := range all {
		for _, flag := range c.node.Flags {
			if list := choices(flag); list != nil {
				fmt.Fprintf(&b, "    %q) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", c.path+" --"+flag.Name, strings.Join(list, " "))
			}
		}
	}
	b.WriteString("    esac\n    case \"$path\" in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "    %q) COMPREPLY=($(compgen -W %q -- \"$cur\")) ;;\n", c.path, strings.Join(c.words, " "))
	}
	b.WriteString("    esac\n}\ncomplete -o default -F _kavosh kavosh\n")
	return b.String()
}

// fishCompletion returns a script for fish, with a sentence about each command and flag.
func fishCompletion(root *kong.Node) string {
	var b strings.Builder
	for _, c := range completions(root) {
		on := "__fish_use_subcommand"
		if c.path != "" {
			var seen []string
			for word := range strings.FieldsSeq(c.path) {
				seen = append(seen, "__fish_seen_subcommand_from "+word)
			}
			on = strings.Join(seen, "; and ")
		}
		for _, child := range c.node.Children {
			fmt.Fprintf(&b, "complete -c kavosh -n '%s' -f -a %s -d %s\n", on, child.Name, fishQuoted(child.Help))
		}
		if c.path == "" {
			continue
		}
		for _, flag := range c.node.Flags {
			fmt.Fprintf(&b, "complete -c kavosh -n '%s' -l %s", on, flag.Name)
			switch list := choices(flag); {
			case list != nil:
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(list, " "))
			case !flag.IsBool():
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuoted(firstSentence(flag.Help)))
		}
	}
	return b.String()
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

// firstSentence returns text up to its first semicolon or full stop.
func firstSentence(text string) string {
	if end := strings.IndexAny(text, ";."); end > 0 {
		return text[:end]
	}
	return text
}

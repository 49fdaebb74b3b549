package main

// This file is the command kavosh man: it writes the manual page of all commands and flags.

import (
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type manCmd struct{}

// Help returns the text above the flags in the help.
func (manCmd) Help() string {
	return `Examples:

    kavosh man | man -l -                                     read it
    kavosh man > /usr/local/share/man/man1/kavosh.1           install it`
}

// Run writes the manual page.
func (manCmd) Run(p *program, ctx *kong.Context) error {
	return writeManual(p.data, ctx.Model.Node)
}

// writeManual writes the manual page of a program in the macros of man(7).
func writeManual(w io.Writer, root *kong.Node) error {
	m := &manual{}
	m.macro("TH", "KAVOSH", "1", "", "kavosh "+version())
	m.macro("SH", "NAME")
	m.text("kavosh - crawl a part of the web, archive it, and show it again")
	m.macro("SH", "SYNOPSIS")
	m.text("kavosh COMMAND [ARGUMENT …] [FLAG …]")
	m.macro("SH", "DESCRIPTION")
	m.paragraphs(root.Help)
	for _, group := range commandGroups {
		m.macro("SH", strings.ToUpper(strings.TrimSuffix(group.Title, ":")))
		for _, node := range root.Leaves(true) {
			if g := node.ClosestGroup(); g != nil && g.Key == group.Key {
				m.command(node)
			}
		}
	}
	m.macro("SH", "EXIT STATUS")
	m.text("0 done, 1 failed, 2 wrong use, 3 nothing recorded from any seed, 130 interrupted; a crawl can then be resumed.")
	_, err := io.WriteString(w, m.String())
	return err
}

// manual is a manual page that is being written.
type manual struct{ strings.Builder }

func (m *manual) macro(name string, args ...string) {
	m.WriteString("." + name)
	for _, arg := range args {
		m.WriteString(` "` + strings.ReplaceAll(roff(arg), `"`, `\(dq`) + `"`)
	}
	m.WriteByte('\n')
}

// text writes a line of text. No first character of it is taken for a macro.
func (m *manual) text(line string) { m.WriteString(`\&` + roff(line) + "\n") }

// paragraphs writes text whose paragraphs are separated by empty lines. Indented lines are examples and stay as they are.
func (m *manual) paragraphs(text string) {
	example := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, "    "); indented != example && line != "" {
			if example = indented; example {
				m.macro("EX")
			} else {
				m.macro("EE")
				m.macro("PP")
			}
		}
		switch {
		case line == "" && !example:
			m.macro("PP")
		case line != "":
			m.text(line)
		}
	}
	if example {
		m.macro("EE")
	}
}

// command writes what one command does, with all its arguments and flags.
func (m *manual) command(node *kong.Node) {
	m.macro("SS", "kavosh "+node.Summary())
	m.text(node.Help)
	if node.Detail != "" {
		m.macro("PP")
		m.paragraphs(node.Detail)
	}
	for _, arg := range node.Positional {
		m.macro("TP")
		m.text(arg.Summary())
		m.text(arg.Help)
	}
	for _, flag := range node.Flags {
		if flag.Hidden || flag.Name == "help" {
			continue
		}
		m.macro("TP")
		m.text(flag.String())
		m.text(flag.Help)
	}
}

// roff returns text with the characters escaped that roff would obey.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
}

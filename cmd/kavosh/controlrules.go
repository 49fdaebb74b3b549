package main

// This file is the command kavosh control … rules, which changes the rules of a running crawl and lists them.

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"kavosh/engine"
	"kavosh/frontier/scope"
)

// mostRuleText bounds a file of rules, in bytes.
const mostRuleText = engine.MaxCommand / 2

// rulesCommand parses a command about rules.
func rulesCommand(p *program, words []string) (cmd engine.Command, err error) {
	form := usage("write it as kavosh control ARCHIVE rules list, rules add [N] LINE, rules remove N, or rules set FILE|-")
	if len(words) == 0 {
		return cmd, form
	}
	rest := words[1:]
	switch {
	case words[0] == "list" && len(rest) == 0:
		return engine.Command{Name: "status"}, nil
	case words[0] == "add" && len(rest) > 0:
		cmd.Name = "rule"
		if n, err := strconv.Atoi(rest[0]); err == nil && n > 0 {
			cmd.Place, rest = n, rest[1:]
		}
		cmd.Value = strings.Join(rest, " ")
		_, err = scope.ParseRule(cmd.Value)
	case words[0] == "remove" && len(rest) > 0:
		cmd.Name, cmd.Value = "rule-remove", strings.Join(rest, " ")
	case words[0] == "set" && len(rest) == 1:
		cmd.Name = "rules"
		if cmd.Value, err = ruleFile(p, rest[0]); err == nil {
			_, err = scope.ParseRules(cmd.Value)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", rest[0], err)
		}
	default:
		return cmd, form
	}
	if err != nil {
		return cmd, usageError{err.Error()}
	}
	return cmd, nil
}

// ruleFile reads a file of rules, or standard input for "-".
func ruleFile(p *program, path string) (string, error) {
	in := p.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, mostRuleText+1))
	if err == nil && len(text) > mostRuleText {
		err = fmt.Errorf("more than %d bytes of rules: join some by | in a regular expression", mostRuleText)
	}
	return string(text), err
}

// rulesText lists the rules of a crawl in the order in which they are asked.
func rulesText(s *engine.Control) string {
	var b strings.Builder
	for _, re := range s.Exclude {
		fmt.Fprintf(&b, "--exclude  %s\n", re)
	}
	for i, r := range s.Rules {
		fmt.Fprintf(&b, "rule %-5d %s\n", i+1, r)
	}
	if len(s.Exclude)+len(s.Rules) == 0 {
		b.WriteString("no rule; --scope decides alone\n")
	}
	for _, re := range s.Include {
		fmt.Fprintf(&b, "--include  %s (after --scope)\n", re)
	}
	return b.String()
}

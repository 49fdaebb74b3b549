package engine

// This file changes the rules of a running crawl.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kavosh/frontier/scope"
)

// maxRuleText bounds the rules of a crawl, in bytes: each change writes all of them to control.log.
const maxRuleText = MaxCommand / 2

// takeRules adds a rule, removes one or sets all. Afterwards cmd sets all, so that what control.log says of the rules
// does not depend on those with which a run begins.
func (s *settings) takeRules(cmd *Command) (before, after string, err error) {
	all, what := s.plan.Rule, ""
	switch cmd.Name {
	case "rule":
		r, err := scope.ParseRule(cmd.Value)
		if err != nil {
			return "", "", err
		}
		at := len(all) + 1
		if cmd.Place != 0 {
			at = cmd.Place
		}
		if at < 1 || at > len(all)+1 {
			return "", "", fmt.Errorf("there is no place %d: the crawl has %s, so write 1 to %d", at, rulesOf(len(all)), len(all)+1)
		}
		all, what = slices.Insert(slices.Clone(all), at-1, r), fmt.Sprintf("; rule %d is %s", at, r)
	case "rule-remove":
		at := slices.IndexFunc(all, func(r scope.Rule) bool { return r.String() == strings.Join(strings.Fields(cmd.Value), " ") })
		if n, err := strconv.Atoi(cmd.Value); err == nil && n >= 1 && n <= len(all) {
			at = n - 1
		}
		if at < 0 {
			return "", "", fmt.Errorf("there is no rule %q to take away: kavosh control ARCHIVE rules list numbers them", cmd.Value)
		}
		what = fmt.Sprintf("; without %s", all[at])
		all = slices.Delete(slices.Clone(all), at, at+1)
	default:
		if all, err = scope.ParseRules(cmd.Value); err != nil {
			return "", "", err
		}
	}
	text := ruleText(all)
	if len(all) > scope.MaxRules || len(text) > maxRuleText {
		return "", "", fmt.Errorf("more than %d rules, or than %d bytes of them: take some away, or join them by | in a regular expression", scope.MaxRules, maxRuleText)
	}
	before = rulesOf(len(s.plan.Rule))
	s.plan.Rule, cmd.Name, cmd.Value, cmd.Place = all, "rules", text, 0
	return before, rulesOf(len(all)) + what, nil
}

// ruleText is a list of rules, one a line, as scope.ParseRules reads it.
func ruleText(all []scope.Rule) string {
	var b strings.Builder
	for _, r := range all {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

// rulesOf is a number of rules in words.
func rulesOf(n int) string {
	if n == 1 {
		return "1 rule"
	}
	return fmt.Sprintf("%d rules", n)
}

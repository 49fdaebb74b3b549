package main

// This file makes histories: when the pages of a site changed and how much, out of a repository in which each commit is a
// state of the site.

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kavosh/lab/changing"
)

//go:embed histories.tsv
var historyList string

// What a history has: twelve weeks to learn from and twelve to measure, those in which the most changed.
const (
	week       = 7 * 24 * 3600
	weeksLearn = 12
	weeksAll   = 24
	mostPages  = 1000 // of a larger site, so many are taken evenly from the list of their names
)

// histories makes OUT/OWNER+NAME.history.tsv of each repository of the list whose whole clone is in the folder clones, as
// OWNER+NAME.git or OWNER+NAME/repo. What is there is not made again.
func histories(clones, out string) error {
	for line := range strings.Lines(historyList) {
		repository, commit, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.ReplaceAll(repository, "/", "+")
		file := filepath.Join(out, name+changing.HistoryEnding)
		if _, err := os.Stat(file); err == nil {
			continue
		}
		clone := filepath.Join(clones, name+".git")
		if _, err := os.Stat(clone); err != nil {
			clone = filepath.Join(clones, name, "repo")
		}
		if _, err := os.Stat(clone); err != nil {
			return fmt.Errorf("%s is missing: git clone --bare https://github.com/%s %s", clone, repository, filepath.Join(clones, name+".git"))
		}
		changes, err := changesOf(clone, commit)
		if err != nil {
			return err
		}
		h := busiest(changes)
		if err := os.WriteFile(file, []byte(h.text(repository, commit)), 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d pages, %d changes to measure\n", repository, len(h.pages), h.measured)
	}
	return nil
}

// change is that a file became another in a commit.
type change struct {
	at   int64
	path string
	e    float64 // lines added and taken away, of all there were before and after; 1 is new or gone
	born bool
}

// changesOf reads the changes of texts and pages along the first parents of a commit: what the site showed, one state after
// the other.
func changesOf(clone, commit string) ([]change, error) {
	cmd := exec.Command("git", "-C", clone, "log", "--first-parent", "--diff-merges=first-parent", "--reverse", "--numstat", "--no-renames", "--format=@%ct", commit,
		"--", "*.md", "*.mdx", "*.html", "*.htm", "*.rst", "*.adoc")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var all []change
	lines := map[string]int{}
	at := int64(0)
	s := bufio.NewScanner(pipe)
	for s.Scan() {
		if when, ok := strings.CutPrefix(s.Text(), "@"); ok {
			if at, err = strconv.ParseInt(when, 10, 64); err != nil {
				return nil, err
			}
			continue
		}
		f := strings.SplitN(s.Text(), "\t", 3)
		if len(f) < 3 {
			continue
		}
		added, err1 := strconv.Atoi(f[0])
		deleted, err2 := strconv.Atoi(f[1])
		if err1 != nil || err2 != nil { // a binary file
			continue
		}
		before, known := lines[f[2]]
		after := max(0, before+added-deleted)
		lines[f[2]] = after
		if before+after > 0 {
			all = append(all, change{at, f[2], min(1, float64(added+deleted)/float64(before+after)), !known})
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("git log of %s: %w: is it a whole clone?", clone, err)
	}
	slices.SortStableFunc(all, func(a, b change) int { return int(a.at - b.at) })
	return all, nil
}

// history is what is kept of a repository.
type history struct {
	begin    int64
	pages    []string            // by name
	changes  map[string][]change // of these
	measured int
}

// busiest takes the weeks in which the most changed. A week in which half of the pages were rewritten at once counts as
// one in which a tenth were: what a tool does to all files is no news.
func busiest(all []change) *history {
	if len(all) == 0 {
		return &history{}
	}
	first := all[0].at / week
	weeks := make([]int, all[len(all)-1].at/week-first+weeksAll+1)
	born := map[string]int64{}
	known := make([]int, len(weeks))
	for _, c := range all {
		i := c.at/week - first
		if c.born {
			born[c.path] = c.at
		} else {
			weeks[i]++
		}
		known[i] = len(born)
	}
	most, best := -1, 0
	for i := range len(weeks) - weeksAll {
		sum := 0
		for k := i; k < i+weeksAll; k++ {
			sum += min(weeks[k], max(known[i]/10, 10))
		}
		if sum > most {
			most, best = sum, i
		}
	}
	h := &history{begin: (first + int64(best)) * week, changes: map[string][]change{}}
	start, end := h.begin+weeksLearn*week, h.begin+weeksAll*week
	for path, at := range born {
		if at < start {
			h.pages = append(h.pages, path)
		}
	}
	slices.Sort(h.pages)
	if n := len(h.pages); n > mostPages {
		some := make([]string, mostPages)
		for i := range some {
			some[i] = h.pages[i*n/mostPages]
		}
		h.pages = some
	}
	for _, path := range h.pages {
		h.changes[path] = nil
	}
	for _, c := range all {
		if of, ok := h.changes[c.path]; ok && c.at >= h.begin && c.at < end {
			h.changes[c.path] = append(of, c)
			if c.at >= start {
				h.measured++
			}
		}
	}
	return h
}

// text writes a history as lab/changing reads it.
func (h *history) text(repository, commit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n", repository, commit)
	fmt.Fprintf(&b, "times\t%d\t%d\t%d\n", h.begin, h.begin+weeksLearn*week, h.begin+weeksAll*week)
	for _, path := range h.pages {
		fmt.Fprintf(&b, "page\t%s\n", path)
		for _, c := range h.changes[path] {
			fmt.Fprintf(&b, "%d\t%.4f\n", c.at, c.e)
		}
	}
	return b.String()
}

package main

// This file tells crawls with --keep what differs between two versions of a page.

import (
	"fmt"
	"slices"

	"kavosh/change"
	"kavosh/engine"
	"kavosh/lib/words"
)

// Bounds of what the note about a visit says of a difference.
const (
	maxParts = 50
	maxPart  = 300 // bytes of words
)

// comparer is an engine.Comparer.
type comparer struct{}

func (comparer) Compare(url string, old, new engine.Document) (engine.Difference, error) {
	r, err := change.Compare(url, change.Source(old).Cut(url), change.Source(new).Cut(url))
	if err != nil {
		return engine.Difference{}, err
	}
	d := engine.Difference{Importance: r.Importance.Weighed, Summary: "nothing that a reader sees differs", Parts: parts(r)}
	if len(r.Operations) > 0 {
		d.Summary = pageText(&change.Page{Operations: r.Counts(), Noise: r.Noise()})
	}
	d.Matters = slices.ContainsFunc(r.News(), func(o change.Operation) bool { return o.Do != change.Split && o.Do != change.Merge })
	return d, nil
}

// parts says in lines what was done, with words of the newer version alone.
func parts(r *change.Report) (lines []string) {
	for _, o := range r.Operations {
		if len(lines) == maxParts {
			return append(lines, fmt.Sprintf("%d more", len(r.Operations)-maxParts))
		}
		line := signs[o.Do] + " " + string(o.What)
		if place := places[r.At(&o).Place]; place != "" {
			line += ", " + place
		}
		if o.Noise != "" {
			line += ", noise: " + string(o.Noise)
		}
		if o.New != nil && o.Do != change.Move {
			line += ": " + words.Clip(shown(o.New, o.Old), maxPart)
		}
		lines = append(lines, line)
	}
	return lines
}

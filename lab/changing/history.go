package changing

// This file reads webs that were recorded: when the pages of a site changed, and how much.

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kavosh/schedule/pattern"
)

// HistoryEnding is how the names of histories end.
const HistoryEnding = ".history.tsv"

// ReadHistory reads a history. Its first line that does not begin with "#" has the times: "times", the begin, the start and the end
// of what is measured, in seconds since 1970, with tabs between. A page follows after a line of "page" and its name; each of its
// changes is a line of its time and its importance. Pages in one folder at the top are a site. The error names the line.
func ReadHistory(file string) (*Web, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := &Web{Name: strings.TrimSuffix(filepath.Base(file), HistoryEnding)}
	if w.Calendar, err = pattern.Named("world", time.UTC); err != nil {
		return nil, err
	}
	sites := map[string]uint32{}
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		line := s.Text()
		fields := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case fields[0] == "times" && len(fields) == 4:
			err = numbers(fields[1:], &w.Begin, &w.Start, &w.End)
		case fields[0] == "page" && len(fields) == 2:
			folder, _, _ := strings.Cut(fields[1], "/")
			if _, ok := sites[folder]; !ok {
				sites[folder] = uint32(len(sites))
			}
			w.Pages = append(w.Pages, Page{Worth: 1, Site: sites[folder]})
		case len(fields) == 2 && len(w.Pages) > 0:
			var c Change
			p := &w.Pages[len(w.Pages)-1]
			if err = numbers(fields[:1], &c.At); err == nil {
				c.E, err = strconv.ParseFloat(fields[1], 64)
			}
			p.Changes = append(p.Changes, c)
		default:
			err = fmt.Errorf("%q is neither times, a page nor a change", line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	for i := range w.Pages {
		slices.SortStableFunc(w.Pages[i].Changes, func(a, b Change) int { return cmp.Compare(a.At, b.At) })
	}
	if len(w.Pages) == 0 || w.Begin >= w.Start || w.Start >= w.End {
		return nil, fmt.Errorf("%s has no pages, or no times in their order: make it again by make lab-histories", file)
	}
	return w, s.Err()
}

func numbers(texts []string, to ...*int64) (err error) {
	for i, t := range texts {
		if *to[i], err = strconv.ParseInt(t, 10, 64); err != nil {
			return err
		}
	}
	return nil
}

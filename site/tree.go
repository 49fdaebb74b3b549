package site

// This file shows how coherent crawls are as the tree in which their pages were found.

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/quality/tree"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Bounds of a page of a tree.
const (
	maxTraced   = 12 // crawls of a series, the newest
	maxTold     = 10 // nodes in the table
	maxOpenings = 30 // nodes that a reader has opened or closed
)

// treePage shows the tree of the newest crawls, or with crawl that of one crawl and the visit after it.
func (s *Site) treePage(w http.ResponseWriter, r *http.Request, c *Collection) {
	p := draw.Tree{Collection: c.summary(), Crawl: r.FormValue("crawl")}
	if c == s.all {
		for _, m := range c.members {
			p.Members = append(p.Members, m.summary())
		}
		s.draw.Tree(w, r, p)
		return
	}
	visits, names, err := c.traced(p.Crawl)
	switch {
	case err != nil:
		s.broken(w, r, "crawls", err)
		return
	case len(visits) < 2:
		s.draw.Tree(w, r, p)
		return
	}
	g := s.trees.get(readingOf{c, p.Crawl, "", names[len(names)-1], c.Edition()}, func() (*tree.Tree, error) { return growTree(c, visits, names) })
	if !g.waited(r) {
		p.Growing = true
		w.Header().Set("Refresh", "3")
		s.draw.Tree(w, r, p)
		return
	}
	if p.Large, p.Overlap = g.trouble(); p.Large || p.Overlap {
		s.draw.Tree(w, r, p)
		return
	}
	if g.err != nil {
		s.broken(w, r, "tree", g.err)
		return
	}
	p.Tree, p.Step = g.made, len(g.made.Steps)-1
	if n, err := strconv.Atoi(r.FormValue("step")); err == nil && n > 0 && n <= len(g.made.Steps) {
		p.Step = n - 1
	}
	p.Open, p.Shut = numbers(r.Form["open"]), numbers(r.Form["shut"])
	lang := s.draw.LangOf(r)
	p.Calendar = func(url string) string { return c.calendarPath(lang, replay.Canonical(url)) }
	p.Telling = g.made.Telling(p.Step, maxTold)
	s.draw.Tree(w, r, p)
}

// numbers reads the newest of the nodes that a reader opened or closed.
func numbers(list []string) (nodes []int32) {
	for _, text := range list[max(0, len(list)-maxOpenings):] {
		if n, err := strconv.ParseInt(text, 10, 32); err == nil {
			nodes = append(nodes, int32(n))
		}
	}
	return nodes
}

// traced returns the visits of a tree: the newest crawls; or a crawl and the next one, or its two rounds. It returns none if there are no
// two visits.
func (c *Collection) traced(id string) (visits []archive.Visit, names []string, err error) {
	if c.Dir == "" {
		return nil, nil, nil
	}
	all, err := archive.Crawls(vfs.Default, c.Dir)
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, archive.Crawl.Mends)
	at := slices.IndexFunc(all, func(one archive.Crawl) bool { return one.ID == id })
	if at >= 0 && all[at].Config["revisit"] != "" {
		switch last, err := archive.FirstRound(vfs.Default, c.Dir, id); {
		case err == nil:
			return []archive.Visit{{Crawl: id, Until: last}, {Crawl: id, After: last, Second: true}}, []string{id, id + " · 2"}, nil
		case !errors.Is(err, archive.ErrOneRound):
			return nil, nil, err
		}
	}
	switch {
	case at >= 0:
		all = all[at:min(len(all), at+2)]
	case id != "":
		return nil, nil, nil
	}
	for _, one := range all[max(0, len(all)-maxTraced):] {
		visits = append(visits, archive.Visit{Crawl: one.ID, Noise: one.Config["keep"] == "changed"})
		names = append(names, one.ID)
	}
	return visits, names, nil
}

// growTree reads a tree as somebody who is nowhere in particular may see it. Comparisons that are kept are used, and new ones are kept.
func growTree(c *Collection, visits []archive.Visit, names []string) (t *tree.Tree, err error) {
	ctx, stop := context.WithTimeout(context.Background(), maxReading)
	defer stop()
	reader, done := keptChanges(c)
	defer func() { err = errors.Join(err, done()) }()
	from := archive.Tree{FS: vfs.Default, Dir: c.Dir, Visits: visits, Names: names, Links: c.Links, Reader: reader}
	if from.Shown, err = archive.Public(c.Dir); err != nil {
		return nil, err
	}
	return from.Read(ctx)
}

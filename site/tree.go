package site

// This file shows how coherent crawls are as the tree in which their pages were found.

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh/archive"
	"kavosh/change"
	"kavosh/quality/tree"
	"kavosh/replay"
	"kavosh/site/draw"
)

// Bounds of a page of a tree.
const (
	maxTraced   = 12               // crawls of a series, the newest
	maxGrowing  = 10 * time.Minute // for which a tree is read
	maxWaiting  = 3 * time.Second  // for which a reader waits
	maxTrees    = 8                // that are kept
	maxTold     = 10               // nodes in the table
	maxOpenings = 30               // nodes that a reader has opened or closed
)

// treeOf names a tree: the newest crawls of a collection, or one crawl and what visited its pages again.
type treeOf struct {
	coll    *Collection
	crawl   string // "" for the newest ones
	newest  string // ID of the newest crawl
	edition string // of the access rules
}

// grown is a tree that was read, or is being read.
type grown struct {
	done chan struct{} // closed when tree or err is there
	tree *tree.Tree
	err  error
}

// trees keeps the trees that were read last. One is read at a time.
type trees struct {
	mu    sync.Mutex
	of    map[treeOf]*grown
	order []treeOf
	one   sync.Mutex
}

// get returns a tree, and begins to read it in the background if it is not known.
func (k *trees) get(of treeOf, read func() (*tree.Tree, error)) *grown {
	k.mu.Lock()
	defer k.mu.Unlock()
	if g := k.of[of]; g != nil {
		return g
	}
	if k.of == nil {
		k.of = map[treeOf]*grown{}
	}
	if len(k.order) == maxTrees {
		delete(k.of, k.order[0])
		k.order = k.order[1:]
	}
	g := &grown{done: make(chan struct{})}
	k.of[of], k.order = g, append(k.order, of)
	go func() {
		k.one.Lock()
		defer k.one.Unlock()
		g.tree, g.err = read()
		close(g.done)
		if g.err != nil && !lasts(g.err) {
			k.forget(of)
		}
	}()
	return g
}

// forget lets a tree be read anew.
func (k *trees) forget(of treeOf) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.of, of)
	k.order = slices.DeleteFunc(k.order, func(o treeOf) bool { return o == of })
}

// lasts reports whether a tree would fail again if it were read anew.
func lasts(err error) bool {
	_, overlap := errors.AsType[*change.Overlap](err)
	return overlap || errors.Is(err, context.DeadlineExceeded)
}

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
	g := s.trees.get(treeOf{c, p.Crawl, names[len(names)-1], c.Edition()}, func() (*tree.Tree, error) { return growTree(c, visits, names) })
	wait := time.NewTimer(maxWaiting)
	defer wait.Stop()
	select {
	case <-g.done:
	case <-wait.C:
		p.Growing = true
		w.Header().Set("Refresh", "3")
		s.draw.Tree(w, r, p)
		return
	case <-r.Context().Done():
		panic(http.ErrAbortHandler) // the client is gone
	}
	if overlap, ok := errors.AsType[*change.Overlap](g.err); ok || errors.Is(g.err, context.DeadlineExceeded) {
		p.Large = overlap == nil
		p.Overlap = overlap != nil
		s.draw.Tree(w, r, p)
		return
	}
	if g.err != nil {
		s.broken(w, r, "tree", g.err)
		return
	}
	p.Tree, p.Step = g.tree, len(g.tree.Steps)-1
	if n, err := strconv.Atoi(r.FormValue("step")); err == nil && n > 0 && n <= len(g.tree.Steps) {
		p.Step = n - 1
	}
	p.Open, p.Shut = numbers(r.Form["open"]), numbers(r.Form["shut"])
	lang := s.draw.LangOf(r)
	p.Calendar = func(url string) string { return c.calendarPath(lang, replay.Canonical(url)) }
	p.Telling = g.tree.Telling(p.Step, maxTold)
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
	ctx, stop := context.WithTimeout(context.Background(), maxGrowing)
	defer stop()
	from := archive.Tree{FS: vfs.Default, Dir: c.Dir, Visits: visits, Names: names, Links: c.Links, Reader: &change.Reader{Records: c.Records}}
	if from.Shown, err = archive.Public(c.Dir); err != nil {
		return nil, err
	}
	if kept, failed := change.OpenKept(vfs.Default, filepath.Join(c.Dir, "derived")); failed == nil { // else nothing is kept
		from.Reader.Kept = kept
		defer func() { err = errors.Join(err, kept.Close()) }()
	}
	return from.Read(ctx)
}

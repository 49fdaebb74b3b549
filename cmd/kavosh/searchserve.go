package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"kavosh"
	"kavosh/access"
	"kavosh/engine"
	"kavosh/index"
	"kavosh/internal/clock"
	"kavosh/lib/cdx"
	"kavosh/search"
)

// searches are the search indexes of collections that are served, each brought up to date while they are.
type searches struct {
	all  []*servedSearch
	stop context.CancelFunc
	wait sync.WaitGroup
}

// followEvery is how long what a crawl adds may wait until it is read for searching.
const followEvery = 10 * time.Second

// startSearches opens the indexes of collections and lets them be searched from now on; readers go before what is read for
// it. What cannot be searched is told in a line.
func startSearches(ctx context.Context, p *program, set *collections, readers *readers) *searches {
	s := &searches{}
	ctx, s.stop = context.WithCancel(ctx)
	var union search.Union
	for i := range set.collections {
		c := &set.collections[i]
		one, err := newServedSearch(set.sources[i], func(text string) { fmt.Fprintln(p.err, "kavosh: searching:", text) })
		if err != nil {
			fmt.Fprintf(p.err, "kavosh: %s cannot be searched: %s\n", c.Name, oneLine(err))
			continue
		}
		one.source.yield = readers.yield
		c.Searcher = one
		s.all = append(s.all, one)
		union = append(union, one)
		s.wait.Go(func() { one.follow(ctx) })
	}
	if len(union) > 0 {
		set.searcher = union
	}
	return s
}

// close ends what startSearches began.
func (s *searches) close() {
	s.stop()
	s.wait.Wait()
	for _, one := range s.all {
		one.index.Close()
		if err := one.source.close(); err != nil {
			one.source.trouble(oneLine(err))
		}
	}
}

// servedSearch is the search index of a collection. Nothing is found that the archive's rules keep from anybody.
type servedSearch struct {
	source *searchSource
	index  *search.Index
	rules  *access.Follower // nil for none

	mu struct {
		sync.Mutex
		hidden *access.Rules // that the index hides by
		since  time.Time     // it does
	}
}

// source is where a collection's captures come from: an archive, or files.
type source struct {
	archive string
	files   []string
}

func newServedSearch(from source, trouble func(string)) (*servedSearch, error) {
	s := &servedSearch{}
	var err error
	if s.source, err = newSearchSource(from.archive, from.files, trouble); err != nil {
		return nil, err
	}
	if from.archive != "" {
		s.rules = access.Follow(vfs.Default, from.archive, clock.Real{})
	}
	hidden, err := s.hidden()
	if err == nil {
		s.index, err = search.Open(vfs.Default, s.source.dir, hidden)
	}
	return s, err
}

// hiddenAgain is how long an embargo may hide longer than it holds.
const hiddenAgain = 10 * time.Minute

// hidden is what the rules in force hide: whatever not everybody may see.
func (s *servedSearch) hidden() (h search.Hidden, err error) {
	if s.rules == nil {
		return h, nil
	}
	rules, err := s.rules.Rules()
	if err != nil {
		return h, err
	}
	s.mu.hidden, s.mu.since = rules, time.Now()
	if rules.Len() == 0 {
		return h, nil
	}
	for _, d := range rules.List() {
		if d.Target.Kind == access.Digest {
			h.Digests = append(h.Digests, d.Target.Value)
		}
	}
	h.Capture = func(url string, at time.Time) bool {
		return rules.Decide(&cdx.Entry{URL: url, Timestamp: at.Format("20060102150405")}, time.Now()).Access != kavosh.Open
	}
	return h, nil
}

// Search answers by the rules that are in force now.
func (s *servedSearch) Search(ctx context.Context, q kavosh.Search) (*kavosh.SearchResult, error) {
	if err := s.hide(); err != nil {
		return nil, err
	}
	return s.index.Search(ctx, q)
}

// hide makes the index hide what the rules in force do.
func (s *servedSearch) hide() error {
	if s.rules == nil {
		return nil
	}
	rules, err := s.rules.Rules()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if rules == s.mu.hidden && (rules.Len() == 0 || time.Since(s.mu.since) < hiddenAgain) {
		return nil
	}
	hidden, err := s.hidden()
	if err != nil {
		return err
	}
	return s.index.Hide(hidden)
}

// follow brings the index up to date, once for files and again and again for an archive, until ctx ends.
func (s *servedSearch) follow(ctx context.Context) {
	var seen index.Cursor
	told := ""
	for first := true; ; first = false {
		if first || s.grown(seen) {
			end, err := s.source.update(ctx, s.index.Refresh)
			if err == nil {
				seen = end
				err = s.index.Refresh()
			}
			if err != nil && ctx.Err() == nil && err.Error() != told {
				told = err.Error()
				s.source.trouble(oneLine(err))
			}
		}
		if s.source.archive == "" || (clock.Real{}).Sleep(ctx, followEvery) != nil {
			return
		}
	}
}

// grown reports whether the capture log has anything after seen.
func (s *servedSearch) grown(seen index.Cursor) bool {
	start, captures, err := engine.Follow(vfs.Default, s.source.archive, seen)
	if err != nil {
		return false // an archive whose log is being made anew
	}
	for _, err := range captures {
		return err == nil
	}
	return start != seen
}
